"""Write the cells of a lesson as a notebook, and run one as a student does: from top to bottom, in a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from tempfile import TemporaryDirectory
from typing import Final

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode, v4

from conf.cells.interpreter import COLOUR, KERNEL
from conf.notebooks.lesson import Cell

#: Tags for the build, which are not written into notebooks.
_OURS: Final = frozenset({"stub", "solution", "measure", "page", "hide-input", "skip-execution"})
_NOT_RUN: Final = "*Not run here, since it measures: each machine and each run gives another result. Run it yourself.*"
_METADATA: Final = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}


class CellFailed(Exception):
    """A cell of the solutions failed.

    Parameters
    ----------
    line : int
        Its first line in the page.
    why : str
        Its traceback.
    """

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"a cell of the solutions fails: {why}")
        self.line = line


def notebook(cells: Iterable[Cell]) -> NotebookNode:
    """Return a notebook that has not run.

    Parameters
    ----------
    cells : iterable of Cell
        Its cells.

    Returns
    -------
    nbformat.NotebookNode
        Notebook format 4.5.

    Examples
    --------
    >>> notebook([Cell("code", "print(2)", 1)]).cells[0].id
    'code-1'
    """
    return _notebook([_written(cell, number) for number, cell in enumerate(cells, 1)])


def executed(cells: Iterable[Cell]) -> NotebookNode:
    """Return a notebook that has run; each cell that measures has a note below it instead of a result.

    Parameters
    ----------
    cells : iterable of Cell
        Its cells.

    Returns
    -------
    nbformat.NotebookNode
        The same cells give the same bytes, as long as they print the same.

    Raises
    ------
    CellFailed
        Where a cell fails.
    """
    cells = tuple(cells)
    written = notebook(cells).cells
    measuring = ["measure" in cell.tags for cell in cells]
    running = _notebook([cell for cell, measures in zip(written, measuring, strict=True) if not measures])
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            running,
            kernel_name=KERNEL,
            record_timing=False,
            coalesce_streams=True,  # a slow machine may send in two pieces what a fast one sends in one
            resources={"metadata": {"path": folder}},
        )
        try:
            client.execute()
        except CellExecutionError as error:
            line = next(cell.line for cell, ran in zip(cells, written, strict=True) if _failed(ran))
            raise CellFailed(line, COLOUR.sub("", str(error))) from error
    with_notes = []
    for number, (cell, measures) in enumerate(zip(written, measuring, strict=True), 1):
        with_notes += [cell, _markdown(_NOT_RUN, f"not-run-{number}")] if measures else [cell]
    return _notebook(with_notes)


def as_text(written: NotebookNode) -> str:
    """Return the file of a notebook.

    Parameters
    ----------
    written : nbformat.NotebookNode
        The notebook.

    Returns
    -------
    str
        JSON.
    """
    text: str = nbformat.writes(written)
    return text + "\n"


def _notebook(cells: list[NotebookNode]) -> NotebookNode:
    made: NotebookNode = v4.new_notebook(cells=cells, metadata=nbformat.from_dict(_METADATA))
    return made


def _markdown(source: str, name: str) -> NotebookNode:
    made: NotebookNode = v4.new_markdown_cell(source, id=name)
    return made


def _written(cell: Cell, number: int) -> NotebookNode:
    if cell.kind == "markdown":
        return _markdown(cell.source, f"text-{number}")
    tags = sorted(cell.tags - _OURS)
    made: NotebookNode = v4.new_code_cell(cell.source, id=f"code-{number}", metadata={"tags": tags} if tags else {})
    return made


def _failed(cell: NotebookNode) -> bool:
    return any(output.output_type == "error" for output in cell.get("outputs", ()))
