"""What a notebook keeps of a run."""

import nbformat
import pytest

from conf.notebooks.ipynb import as_text, executed
from conf.notebooks.lesson import Cell


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    """Warn of nothing that the kernel of a build does not warn of either."""
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")


@pytest.mark.slow
def test_what_a_build_ran_is_in_the_solutions_and_what_it_measures_is_not():
    cells = [
        Cell("markdown", "Text.", 1),
        Cell("code", "print(1)", 2, frozenset({"hide-input"})),
        Cell("code", "print(2)", 3, frozenset({"measure"})),
        Cell("code", "'a value'", 4, frozenset({"check"})),
    ]
    notebook = nbformat.reads(as_text(executed(cells)), 4)
    nbformat.validate(notebook)
    _, first, measuring, note, last = notebook.cells
    assert (first.outputs[0].text, first.metadata) == ("1\n", {})
    assert (measuring.outputs, measuring.execution_count) == ([], None)
    assert note.source.startswith("*Not run here")
    assert (last.outputs[0].data["text/plain"], last.execution_count) == ("'a value'", 2)
