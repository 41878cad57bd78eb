"""The cells of a page with exercises, and the two notebooks that they give.

A page asks for notebooks by ``notebooks: NAME`` in its front matter.  The tags of its code cells say what each is for:

``stub``
    What a student completes. Not in the solutions.
``solution``
    What completes it. For the student it is folded, as text.
``check``
    Stops with a hint until the stub is completed rightly. In both.
``measure``
    Its result is another in each run, so a build neither runs nor shows it. In both, without a result.
``page``
    For the page only. A text belongs to the page only where the break above it says so: ``+++ {"tags": ["page"]}``.

A cell without any of these is in both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from myst_nb.core.read import read_myst_markdown_notebook

from conf.notebooks import run_cells
from conf.notebooks.markdown import Link, NotPlain, plain

KEY: Final = "notebooks"  # in the front matter of a page

#: Tags that tell a build what to do with a cell; no reader of a notebook needs them.
_OURS: Final = frozenset({"stub", "solution", "measure", "page", "hide-input", "skip-execution"})
_NOT_RUN: Final = "*Not run here, since it measures: each machine and each run gives another result. Run it yourself.*"


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
        What its notebooks are called after.
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


def read(source: str) -> Lesson | None:
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
    >>> [(cell.kind, cell.line, cell.source) for cell in read(page).cells]
    [('markdown', 4, '# Title'), ('code', 8, 'f = ...')]
    """
    notebook = read_myst_markdown_notebook(source, add_source_map=True)
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
        return replace(cell, source=plain(cell.source, link))
    except NotPlain as fault:
        raise NotPlain(cell.line + fault.line, str(fault)) from fault


def _folded(code: str) -> str:
    return f"<details>\n<summary>Show the solution</summary>\n\n```python\n{code}\n```\n\n</details>"


def run(cells: Iterable[Cell], python: str = sys.executable, **env: str) -> list[dict[str, str]]:
    """Run the code cells of a notebook, from top to bottom, in a process of their own.

    Parameters
    ----------
    cells : iterable of Cell
        The cells; texts are passed over.
    python : str
        The interpreter.
    **env : str
        Further variables of the environment.

    Returns
    -------
    list of dict
        See `conf.notebooks.run_cells.run`.
    """
    sources = [cell.source for cell in cells if cell.kind == "code"]
    # Isolated, so that a cell sees installed packages and neither our modules nor the user's.
    done = subprocess.run(  # noqa: S603 - our own script
        [python, "-I", run_cells.__file__],
        input=json.dumps(sources),
        env=os.environ | {"MPLBACKEND": "agg"} | env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    results: list[dict[str, str]] = json.loads(done.stdout)
    return results


def write(cells: Iterable[Cell], results: Iterable[dict[str, str]] | None = None) -> str:
    """Return a notebook as text; the same cells give the same bytes.

    Parameters
    ----------
    cells : iterable of Cell
        Its cells.
    results : iterable of dict, optional
        What the code cells printed, but those that measure; without it no cell has run.

    Returns
    -------
    str
        JSON in nbformat 4.5.

    Examples
    --------
    >>> json.loads(write([Cell("code", "print(2)", 1)], [{"printed": "2"}]))["cells"][0]["outputs"][0]["text"]
    ['2']
    """
    remaining = iter(results) if results is not None else None
    written: list[dict[str, Any]] = []
    count = 0
    for number, cell in enumerate(cells, 1):
        if cell.kind == "markdown":
            written.append(_text(f"text-{number}", cell.source))
            continue
        tags = sorted(cell.tags - _OURS)
        code: dict[str, Any] = {
            "cell_type": "code",
            "id": f"code-{number}",
            "metadata": {"tags": tags} if tags else {},
            "source": cell.source.splitlines(keepends=True),
            "execution_count": None,
            "outputs": [],
        }
        written.append(code)
        if remaining is None:
            continue
        if "measure" in cell.tags:
            written.append(_text(f"not-run-{number}", _NOT_RUN))
            continue
        count += 1
        code["execution_count"] = count
        if printed := next(remaining)["printed"]:
            lines = printed.splitlines(keepends=True)
            code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": lines}]
    notebook = {
        "cells": written,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _text(name: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
