"""A page's outputs follow the code that computed them. `digest` and `prune` alone, then a small site built for real."""

import os

import pytest

from conf.cells.freshness import KEPT, digest, prune


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "a.py").write_text("x = 1\n")
    (tmp_path / "lock").write_text("numpy==2\n")
    return tmp_path


def test_the_same_files_give_the_same_digest(tree):
    assert digest(tree, ["package", "lock"]) == digest(tree, ["lock", "package"])


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "package" / "a.py").write_text("x = 2\n"),
        lambda root: (root / "package" / "a.py").rename(root / "package" / "b.py"),
        lambda root: (root / "package" / "data.toml").write_text(""),
        lambda root: (root / "lock").unlink(),
    ],
    ids=["edited", "renamed", "added", "removed"],
)
def test_every_change_to_an_input_changes_the_digest(tree, change):
    before = digest(tree, ["package", "lock"])
    change(tree)
    assert digest(tree, ["package", "lock"]) != before


def test_bytecode_and_browser_scripts_are_not_inputs(tree):
    before = digest(tree, ["package"])
    (tree / "package" / "__pycache__").mkdir()
    (tree / "package" / "__pycache__" / "a.pyc").write_bytes(b"\0")
    (tree / "package" / "figure.js").write_text("export {}")
    assert digest(tree, ["package"]) == before


def test_old_caches_go_and_the_current_one_stays(tmp_path):
    for age, name in enumerate("abcdef"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (age, age))
    prune(tmp_path, keep=tmp_path / "a")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "e", "f"]
    assert KEPT == 3


PAGE = """\
# A page

```{code-cell} python
from lesson import answer
print("the answer is", answer())
```
"""


@pytest.mark.slow
def test_a_package_edit_shows_in_the_next_incremental_build(small_site):
    small_site.write("lesson.py", "def answer():\n    return 41\n")
    small_site.page("index", PAGE)
    assert small_site.build().returncode == 0
    assert "the answer is 41" in small_site.html()

    small_site.write("lesson.py", "def answer():\n    return 42\n")
    again = small_site.build()
    assert again.returncode == 0, again.stdout + again.stderr
    assert "the answer is 42" in small_site.html()


@pytest.mark.slow
def test_a_directive_edit_has_pages_read_again_but_not_executed(small_site):
    small_site.write(
        "conf/conf.py",
        (small_site.root / "conf/conf.py").read_text()
        + 'extensions.append("shout")\nfreshness_directives = ["shout.py"]\n',
    )
    extension = """
from docutils import nodes
def shout(name, rawtext, text, lineno, inliner, options={{}}, content=[]):
    return [nodes.Text(text + "{mark}")], []
def setup(app):
    app.add_role("shout", shout)
"""
    small_site.write("lesson.py", "def answer():\n    return 41\n")
    small_site.write("shout.py", extension.format(mark="!"))
    small_site.page("index", PAGE + "\n{shout}`Hey`\n")
    first = small_site.build()
    assert first.stdout.count("Executed notebook in") == 1, first.stderr
    assert "Hey!" in small_site.html()

    small_site.write("shout.py", extension.format(mark=", you!"))
    again = small_site.build()
    assert again.returncode == 0, again.stdout + again.stderr
    assert "Hey, you!" in small_site.html()
    assert "the answer is 41" in small_site.html()
    assert "Executed notebook in" not in again.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "line", "said"),
    [
        ("```{code-cell} python\n1 / 0\n```\n", 12, "ZeroDivisionError: division by zero"),
        ("See {ref}`sec-nowhere`.\n", 11, "undefined label: 'sec-nowhere'"),
    ],
    ids=["failing cell", "broken reference"],
)
def test_the_gate_is_red_twice_for_the_same_fault(small_site, fault, line, said):
    small_site.page("index", f"# A page\n\nOne line.\n\n{fault}")
    for _ in range(2):
        built = small_site.build(gate=True)
        assert built.returncode != 0
        assert said in built.stderr
        assert f"index.md:{line}" in built.stderr


@pytest.mark.slow
def test_an_asked_for_parallel_build_works(small_site):
    theorem = (
        "# Page {}\n\n```{{prf:theorem}} T\n:label: thm-{}\nTrue.\n```\n\n```{{code-cell}} python\nprint(2 + 2)\n```\n"
    )
    names = [f"page{n}" for n in range(6)]
    for name in names:
        small_site.page(name, theorem.format(name, name))
    small_site.write("docs/index.md", "# Start\n\n```{toctree}\n" + "\n".join(names) + "\n```\n")
    built = small_site.build("-j", "2", gate=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "one after the other" in built.stdout
