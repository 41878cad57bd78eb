"""The cells of a page with exercises, and the two notebooks that they give.

A page asks for notebooks by ``notebooks: NAME`` in its front matter.  The tags of its code cells say what each is for:

``stub``
    What a student completes. Not in the solutions.
``solution``
    What completes it. In the student's notebook it is folded, as text.
``check``
    Stops with a hint until the stub is completed correctly. In both.
``measure``
    Gives a different result in each run, so a build does not run it. In both, without a result.
``page``
    For the page only. For a text, the break above it says so: ``+++ {"tags": ["page"]}``.

A cell without any of these is in both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from myst_nb.core.read import read_myst_markdown_notebook

from conf import myst
from conf.notebooks.markdown import Link, NotPlain, to_markdown

KEY: Final = "notebooks"  # in the front matter of a page


@dataclass(frozen=True)
class Cell:
    """A cell of a page.

    Parameters
    ----------
    kind : str
        ``"markdown"`` or ``"code"``.
    source : str
        Its content.
    line : int
        Its first line in the page.
    tags : frozenset of str
        Its tags.
    """

    kind: str
    source: str
    line: int
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Lesson:
    """A page with exercises, in cells, without what is for the page alone.

    Parameters
    ----------
    name : str
        What the names of its notebooks begin with.
    cells : tuple of Cell
        Its cells, in order.
    """

    name: str
    cells: tuple[Cell, ...]

    def plain(self, link: Link) -> Lesson:
        """Return the lesson with its texts in plain Markdown.

        Parameters
        ----------
        link : callable
            The address of a label, or an empty text.

        Returns
        -------
        Lesson
            The same cells.

        Raises
        ------
        NotPlain
            With the line in the page.
        """
        return replace(self, cells=tuple(_plain_cell(cell, link) for cell in self.cells))

    def student(self) -> tuple[Cell, ...]:
        """Return the cells of the student's notebook: each solution is a fold behind its check.

        Returns
        -------
        tuple of Cell
            Without output.

        Examples
        --------
        >>> cells = (Cell("code", "f = ...", 1, frozenset({"stub"})), Cell("code", "f = 2", 2, frozenset({"solution"})))
        >>> check = Cell("code", "assert f == 2", 3, frozenset({"check"}))
        >>> [cell.kind for cell in Lesson("a", (*cells, check)).student()]
        ['code', 'code', 'markdown']
        """
        done: list[Cell] = []
        waiting: Cell | None = None
        for cell in self.cells:
            if "solution" in cell.tags:
                waiting = replace(cell, kind="markdown", source=_folded(cell.source))
                continue
            done.append(cell)
            if waiting and "check" in cell.tags:
                done.append(waiting)
                waiting = None
        return (*done, waiting) if waiting else tuple(done)

    def solutions(self) -> tuple[Cell, ...]:
        """Return the cells of the notebook with solutions, without output yet.

        Returns
        -------
        tuple of Cell
            All but the stubs.
        """
        return tuple(cell for cell in self.cells if "stub" not in cell.tags)


def parse_lesson(source: str) -> Lesson | None:
    r"""Read a page.

    Parameters
    ----------
    source : str
        MyST.

    Returns
    -------
    Lesson or None
        None where its front matter asks for no notebooks.

    Examples
    --------
    >>> page = "---\nnotebooks: few\n---\n# Title\n\n```{code-cell} python\n:tags: [stub]\nf = ...\n```\n"
    >>> [(cell.kind, cell.line, cell.source) for cell in parse_lesson(page).cells]
    [('markdown', 4, '# Title'), ('code', 8, 'f = ...')]
    """
    notebook = read_myst_markdown_notebook(source, myst.config(), add_source_map=True)
    if KEY not in notebook.metadata:
        return None
    lines = source.splitlines()
    cells = []
    for cell, above in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        # The map points at or above the cell: to a blank line, or to the fence of a code cell.
        first = next(n for n in range(above, len(lines)) if lines[n].strip() and lines[n] == cell.source.split("\n")[0])
        tags = frozenset(cell.metadata.get("tags", ()))
        if "page" not in tags:
            cells.append(Cell(cell.cell_type, cell.source, first + 1, tags))
    return Lesson(str(notebook.metadata[KEY]), tuple(cells))


def _plain_cell(cell: Cell, link: Link) -> Cell:
    if cell.kind == "code":
        return cell
    try:
        return replace(cell, source=to_markdown(cell.source, link))
    except NotPlain as fault:
        raise NotPlain(cell.line + fault.line, str(fault)) from fault


def _folded(code: str) -> str:
    return f"<details>\n<summary>Show the solution</summary>\n\n```python\n{code}\n```\n\n</details>"
