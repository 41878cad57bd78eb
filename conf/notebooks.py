"""Sphinx extension: one page with exercises gives two notebooks, one to work in and one with the solutions.

A page asks for them by ``notebooks: NAME`` in its front matter.  The tags of its code cells say what each is for:

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

A cell without any of these is in both.  The site offers the notebooks under ``downloads/``.

Colab and Binder open files of a repository and nothing else, so the student's one is also committed, beside its page.
That copy does not know where the site will be: it says in words what the other ones link to.  The build refuses a copy
that is not what its page gives; ``python -m conf.notebooks docs`` writes it.
"""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from docutils import nodes
from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from conf import run_cells
from conf.plain import Link, NotPlain, plain

logger = logging.getLogger(__name__)

KEY: Final = "notebooks"  # in the front matter of a page
FOLDER: Final = "downloads"  # below the site
BRANCH: Final = "main"  # the one that is deployed
EXERCISES, SOLUTIONS = "{}-exercises.ipynb", "{}-solutions.ipynb"

#: Tags that tell this module, or MyST-NB, what to do with a cell; no reader of a notebook needs them.
_OURS: Final = frozenset({"stub", "solution", "measure", "page", "hide-input", "skip-execution"})
_NOT_RUN: Final = (
    "*Not run here, since it measures: the result is another on each machine and in each run. Run it yourself.*"
)


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
        See `conf.run_cells.run`.
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


def committed(page: Path, name: str) -> Path:
    """Return where the student's notebook of a page is committed.

    Parameters
    ----------
    page : pathlib.Path
        The page.
    name : str
        What its notebooks are called after.

    Returns
    -------
    pathlib.Path
        Beside the page.

    Examples
    --------
    >>> committed(Path("docs/practice/notebook.md"), "roofline").as_posix()
    'docs/practice/roofline-exercises.ipynb'
    """
    return page.with_name(EXERCISES.format(name))


def to_commit(lesson: Lesson) -> str:
    """Return the student's notebook as it is committed: no link, since no one knows yet where the site will be.

    Parameters
    ----------
    lesson : Lesson
        The page.

    Returns
    -------
    str
        JSON.
    """
    return write(lesson.plain(lambda _: "").student())


class NotebookLinks(SphinxDirective):
    """``{notebook-links}``: download both notebooks; open the student's one in Colab or Binder where that is known."""

    def run(self) -> list[nodes.Node]:
        """Return a list of links."""
        page = Path(self.env.doc2path(self.env.docname))
        lesson = read(page.read_text(encoding="utf-8"))
        if lesson is None:
            raise self.error(f"notebook-links needs a page with `{KEY}: NAME` in its front matter")
        up = "../" * self.env.docname.count("/")
        links = [
            (f"{up}{FOLDER}/{file.format(lesson.name)}", f"Download the {what}", file.format(lesson.name))
            for what, file in (("exercises", EXERCISES), ("solutions", SOLUTIONS))
        ]
        items = [
            f'<li><a class="reference download" href="{html.escape(address)}" download>{words}</a> '
            f"(<code>{html.escape(file)}</code>)</li>"
            for address, words, file in links
        ]
        if self.config.notebook_repository:
            path = committed(page, lesson.name).relative_to(Path(self.env.srcdir).parent).as_posix()
            items += [
                f'<li><a class="reference external" href="{html.escape(address)}">{words}</a></li>'
                for address, words in elsewhere(self.config.notebook_repository, path)
            ]
        else:
            items.append(
                "<li>This copy of the site belongs to no repository, so it cannot open the notebook in Colab or Binder "
                "for you. Download it and upload it there: in Colab, <i>File</i>, then <i>Upload notebook</i>.</li>"
            )
        return [nodes.raw("", f'<ul class="notebook-links">{"".join(items)}</ul>', format="html")]


def elsewhere(repository: str, path: str) -> list[tuple[str, str]]:
    """Return addresses that open a committed notebook, and words for them.

    Parameters
    ----------
    repository : str
        ``owner/name`` on GitHub.
    path : str
        Path of the notebook in the repository.

    Returns
    -------
    list of (str, str)
        Colab's and Binder's.

    Examples
    --------
    >>> for address, words in elsewhere("owner/name", "docs/a.ipynb"):
    ...     print(words, address)
    Open in Colab https://colab.research.google.com/github/owner/name/blob/main/docs/a.ipynb
    Open in Binder https://mybinder.org/v2/gh/owner/name/main?urlpath=lab%2Ftree%2Fdocs%2Fa.ipynb
    """
    inside = quote(f"lab/tree/{path}", safe="")
    return [
        (f"https://colab.research.google.com/github/{repository}/blob/{BRANCH}/{quote(path)}", "Open in Colab"),
        (f"https://mybinder.org/v2/gh/{repository}/{BRANCH}?urlpath={inside}", "Open in Binder"),
    ]


def _link(env: BuildEnvironment, site: str) -> Link:
    """Return how to link to the published site; without an address of it, nothing is linked."""
    # sphinx-proof keeps a list of its own.
    theorems = {name: (entry["docname"], name) for name, entry in getattr(env, "proof_list", {}).items()}
    targets = env.domains.standard_domain.anonlabels | theorems

    def link(label: str) -> str:
        # An unknown label is an error of the page, and reported there.
        if not site or label not in targets:
            return ""
        page, anchor = targets[label]
        return f"{site}{page}.html#{anchor}"

    return link


def publish(app: Sphinx, env: BuildEnvironment) -> None:
    """Write the notebooks of all pages that ask for them, once all labels are known."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    for docname in sorted(name for name, meta in env.metadata.items() if KEY in meta):
        page = Path(env.doc2path(docname))
        lesson = read(page.read_text(encoding="utf-8"))
        if lesson is None:
            continue
        try:
            linked = lesson.plain(_link(env, app.config.html_baseurl))
        except NotPlain as fault:
            logger.error("%s", fault, location=f"{page}:{fault.line}", type="notebooks")  # noqa: TRY400 - for an author
            continue
        still = [cell for cell in linked.solutions() if "measure" not in cell.tags]
        results = run(still)
        if results and (error := results[-1]["traceback"]):
            failed = [cell for cell in still if cell.kind == "code"][len(results) - 1]
            logger.error("a cell of the solutions fails: %s", error, location=f"{page}:{failed.line}", type="notebooks")
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in (
            (EXERCISES, write(linked.student())),
            (SOLUTIONS, write(linked.solutions(), results)),
        ):
            (folder / file.format(lesson.name)).write_text(text, encoding="utf-8")
        copy = committed(page, lesson.name)
        if not copy.is_file() or copy.read_text(encoding="utf-8") != to_commit(lesson):
            logger.warning(
                "%s is not what this page gives; write it by: nox -s notebook",
                copy.name,
                location=str(page),
                type="notebooks",
            )


def main(folder: str) -> None:
    """Write the notebooks that are committed, for all pages below a folder.

    Parameters
    ----------
    folder : str
        The folder of the pages.
    """
    for page in sorted(Path(folder).rglob("[!_]*.md")):
        if lesson := read(page.read_text(encoding="utf-8")):
            committed(page, lesson.name).write_text(to_commit(lesson), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension.

    Parameters
    ----------
    app : Sphinx
        The application.

    Returns
    -------
    dict
        Metadata for Sphinx.
    """
    app.add_config_value("notebook_repository", "", "env", frozenset({str}))
    app.add_directive("notebook-links", NotebookLinks)
    app.connect("env-check-consistency", publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main(*sys.argv[1:])
