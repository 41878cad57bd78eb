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
def test_a_page_runs_in_this_interpreter_and_a_planted_kernelspec_loses(small_site, tmp_path):
    planted = tmp_path / "elsewhere" / "kernels" / "python3" / "kernel.json"
    planted.parent.mkdir(parents=True)
    planted.write_text(json.dumps({"argv": ["/bin/false"], "display_name": "Planted", "language": "python"}))
    small_site.page("index", PREFIX)

    built = small_site.build(gate=True, JUPYTER_PATH=str(tmp_path / "elsewhere"))

    assert built.returncode == 0, built.stdout + built.stderr
    assert f"prefix {sys.prefix}" in small_site.html()


@pytest.mark.slow
def test_a_kernel_named_in_the_head_of_a_page_is_ours_all_the_same(small_site):
    small_site.page("index", PREFIX, kernel="some-other")
    built = small_site.build(gate=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert f"prefix {sys.prefix}" in small_site.html()


@pytest.mark.slow
def test_a_build_with_code_cells_says_nothing_on_stderr(small_site):
    small_site.page("index", PREFIX)
    assert small_site.build_apart(gate=True).stderr == ""


@pytest.mark.slow
def test_a_failing_cell_is_named_by_line_with_its_traceback(small_site):
    page = (
        "# A page\n\n```{code-cell} python\nx = 0\n```\n\nText.\n\n```{code-cell} python\nprint(1)\nprint(1 / x)\n```\n"
    )
    small_site.page("index", page)
    built = small_site.build(gate=True)
    assert built.returncode != 0
    assert "index.md:16" in built.stderr
    assert "print(1 / x)" in built.stderr
    assert "ZeroDivisionError: division by zero" in built.stderr
    assert "\x1b" not in built.stderr


@pytest.mark.slow
def test_a_failing_cell_that_shows_nothing_is_named_by_line_and_an_expected_error_is_none(small_site):
    expected = "```{code-cell} python\n:tags: [raises-exception]\n1 / 0\n```\n"
    hidden = "```{code-cell} python\n:tags: [remove-cell]\n{}['no such key']\n```\n"
    small_site.page("index", f"# A page\n\n{expected}\n{hidden}")
    built = small_site.build(gate=True)
    assert built.returncode != 0
    assert "index.md:15" in built.stderr
    assert "KeyError: 'no such key'" in built.stderr
    assert "ZeroDivisionError" not in built.stderr


@pytest.mark.slow
def test_a_failing_cell_fails_an_incremental_build_too_and_again(small_site):
    small_site.page("index", "# A page\n\n```{code-cell} python\n1 / 0\n```\n")
    for _ in range(2):
        built = small_site.build()
        assert built.returncode != 0
        assert "index.md:10" in built.stderr


@pytest.mark.slow
def test_a_cell_that_never_ends_is_named_by_line(small_site):
    small_site.page("index", "# A page\n\n```{code-cell} python\nwhile True:\n    pass\n```\n")
    built = small_site.build("-D", "nb_execution_timeout=1", gate=True)
    assert built.returncode != 0
    assert "index.md:10" in built.stderr
    assert "timed out" in built.stderr
