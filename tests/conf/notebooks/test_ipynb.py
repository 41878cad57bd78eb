"""What a notebook keeps of a run."""

import nbformat
import pytest

from conf.notebooks.ipynb import as_text, executed
from conf.notebooks.lesson import Cell


@pytest.mark.slow
def test_what_a_build_ran_is_in_the_solutions_and_what_it_measures_is_not(monkeypatch):
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # as in a build
    cells = [
        Cell("markdown", "Text.", 1),
        Cell("code", "for n in range(3):\n    print(n, flush=True)", 2, frozenset({"hide-input"})),
        Cell("code", "print(2)", 3, frozenset({"measure"})),
        Cell("code", "'a value'", 4, frozenset({"check"})),
    ]
    notebook = nbformat.reads(as_text(executed(cells)), 4)
    nbformat.validate(notebook)
    _, first, measuring, note, last = notebook.cells
    assert [output.text for output in first.outputs] == ["0\n1\n2\n"]
    assert first.metadata == {}
    assert (measuring.outputs, measuring.execution_count) == ([], None)
    assert note.source.startswith("*Not run here")
    assert (last.outputs[0].data["text/plain"], last.execution_count) == ("'a value'", 2)
