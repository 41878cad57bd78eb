"""Pages run in the interpreter that builds them, and nothing on the machine can change that."""

import json
import sys

import pytest

from conf.cells.interpreter import kernelspec

PREFIX = "# A page\n\n```{code-cell} python\nimport sys\nprint('prefix', sys.prefix)\n```\n"


def test_the_kernelspec_names_this_interpreter_and_the_root(tmp_path):
    spec = kernelspec(tmp_path, tmp_path / "ipython")
    assert spec["argv"][0] == sys.executable
    assert spec["env"]["PYTHONPATH"] == str(tmp_path)
    assert spec["env"]["PYTHONHASHSEED"] == "0"


@pytest.mark.slow
def test_pages_run_in_this_interpreter_whatever_they_or_the_machine_name_and_nothing_is_said(small_site, tmp_path):
    planted = tmp_path / "elsewhere" / "kernels" / "python3" / "kernel.json"
    planted.parent.mkdir(parents=True)
    planted.write_text(json.dumps({"argv": ["/bin/false"], "display_name": "Planted", "language": "python"}))
    small_site.page("index", PREFIX + "\n```{toctree}\nother\n```\n")
    small_site.page("other", PREFIX, kernel="some-other")

    built = small_site.build_apart(gate=True, JUPYTER_PATH=str(tmp_path / "elsewhere"))

    assert built.stderr == ""
    assert built.returncode == 0, built.stdout
    for page in ("index", "other"):
        assert f"prefix {sys.prefix}" in small_site.html(page)


@pytest.mark.slow
def test_a_failing_cell_is_named_by_line_with_its_traceback_and_an_expected_error_is_none(small_site):
    shown = "```{code-cell} python\nx = 0\n```\n\nText.\n\n```{code-cell} python\nprint(1)\nprint(1 / x)\n```\n"
    small_site.page("index", f"# A page\n\n{shown}\n```{{toctree}}\nhidden\n```\n")
    expected = "```{code-cell} python\n:tags: [raises-exception]\n[][0]\n```\n"
    hidden = "```{code-cell} python\n:tags: [remove-cell]\n{}['no such key']\n```\n"
    small_site.page("hidden", f"# A page\n\n{expected}\n{hidden}")
    built = small_site.build(gate=True)
    assert built.returncode != 0
    assert "index.md:16" in built.stderr
    assert "print(1 / x)" in built.stderr
    assert "ZeroDivisionError: division by zero" in built.stderr
    assert "\x1b" not in built.stderr
    assert "hidden.md:15" in built.stderr
    assert "KeyError: 'no such key'" in built.stderr
    assert "IndexError" not in built.stderr


@pytest.mark.slow
def test_a_cell_that_never_ends_is_named_by_line(small_site):
    small_site.page("index", "# A page\n\n```{code-cell} python\nwhile True:\n    pass\n```\n")
    built = small_site.build("-D", "nb_execution_timeout=1", gate=True)
    assert built.returncode != 0
    assert "index.md:10" in built.stderr
    assert "timed out" in built.stderr
