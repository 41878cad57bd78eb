"""What the README promises is what happens."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_ci_runs_the_two_commands_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    build, tests = (block.strip() for block in blocks("console")[:2])
    assert script.index(build) < script.index(tests)


def test_the_workflows_build_with_the_first_command():
    build = blocks("console")[0].strip()
    assert f"run: {build}\n" in (ROOT / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8")


def test_every_action_is_pinned_by_commit_with_its_version():
    used = [
        line
        for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert used
    assert [line for line in used if not re.search(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)] == []


@pytest.mark.parametrize("block", blocks("python"))
def test_the_examples_in_python_run(block):
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_example_in_the_shell_prints_what_it_shows():
    shown = next(block for block in blocks("console") if block.startswith("$ python -m roofline matmul"))
    command, _, output = shown.partition("\n")
    arguments = re.findall(r'"[^"]*"|\S+', command.removeprefix("$ python "))
    printed = subprocess.run(
        [sys.executable, *(argument.strip('"') for argument in arguments)],
        cwd=ROOT,
        env={"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert printed.stdout.rstrip() == output.rstrip()
