"""Cells that run in this process give what a kernel gives."""

from copy import deepcopy
from pathlib import Path

import pytest
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.config import NbParserConfig
from myst_nb.core.read import create_nb_reader
from myst_parser.config.main import MdParserConfig
from nbformat.v4 import new_code_cell, new_notebook

from conf.cells.in_process import run

ROOT = Path(__file__).parents[3]
CELLS = [
    "import sys\nfrom IPython.display import HTML, display",
    "print('a'); display(HTML('<b>b</b>')); print('c')\n'e'",
    "print('d', file=sys.stderr)",
    "__name__, _",
    "x = 1;",
    "class P:\n    def __repr__(self):\n        return 'P'\n    def _repr_png_(self):\n        return b'png'\nP()",
]


def outputs(notebook):
    return [(cell.get("execution_count"), cell.get("outputs")) for cell in notebook.cells], notebook.metadata


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_real_page_and_all_ways_to_show_something_give_what_a_kernel_gives(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MPLBACKEND", "agg")
    page = ROOT / "docs" / "lesson" / "ridge-points.md"
    text = page.read_text(encoding="utf-8")
    reader = create_nb_reader(str(page), MdParserConfig(enable_extensions={"colon_fence"}), NbParserConfig(), text)
    real = reader.read(text)
    skipped = new_code_cell("1 / 0", metadata={"tags": ["skip-execution"]})
    both = new_notebook(cells=[*(new_code_cell(source) for source in CELLS), skipped, *real.cells])
    both.metadata["kernelspec"] = {"name": "python3"}
    here, there = deepcopy(both), deepcopy(both)
    assert run(here, timeout=60).err is None
    assert single_nb_execution(there, cwd=tmp_path, timeout=60, allow_errors=False).err is None
    assert any("text/markdown" in output.get("data", {}) for cell in here.cells for output in cell.get("outputs", ()))
    assert outputs(here) == outputs(there)


def test_each_notebook_has_its_own_names_and_a_failure_ends_it():
    assert run(new_notebook(cells=[new_code_cell("x = 1")]), timeout=10).err is None
    second = run(new_notebook(cells=[new_code_cell("x"), new_code_cell("print('not run')")]), timeout=10)
    assert isinstance(second.err, NameError)
    assert not second.nb.cells[1].outputs


def test_a_cell_that_never_ends_is_stopped():
    assert isinstance(run(new_notebook(cells=[new_code_cell("while True: pass")]), timeout=1).err, TimeoutError)
