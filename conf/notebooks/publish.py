"""Sphinx extension: a page with exercises gives two notebooks, one to work in and one with the solutions.

`conf.notebooks.lesson` says what becomes of its cells.  The site offers the notebooks under ``downloads/``.

Colab and Binder only open files of a repository, so the student's notebook is also committed, beside its page.  That
copy does not know the address of the site, so it has plain words where the others have links.  The build refuses a
copy that is not what its page gives; ``python -m conf.notebooks.publish docs`` writes it.
"""

from __future__ import annotations

import html
import sys
from pathlib import Path
from typing import Final
from urllib.parse import quote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.notebooks.ipynb import CellFailed, as_text, executed, notebook
from conf.notebooks.lesson import KEY, Lesson, parse_lesson
from conf.notebooks.markdown import Link, NotPlain

logger = logging.getLogger(__name__)

FOLDER: Final = "downloads"  # below the site
BRANCH: Final = "main"  # the one that is deployed
EXERCISES, SOLUTIONS = "{}-exercises.ipynb", "{}-solutions.ipynb"


def committed(page: Path, name: str) -> Path:
    """Return where the student's notebook of a page is committed.

    Parameters
    ----------
    page : pathlib.Path
        The page.
    name : str
        What the names of its notebooks begin with.

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
    return as_text(notebook(lesson.plain(lambda _: "").student()))


class NotebookLinks(SphinxDirective):
    """``{notebook-links}``: download both notebooks; open the student's one in Colab or Binder where that is known."""

    def run(self) -> list[nodes.Node]:
        """Return a list of links."""
        page = Path(self.env.doc2path(self.env.docname))
        lesson = parse_lesson(page.read_text(encoding="utf-8"))
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
    """Return a function that links to the published site; it links nothing if the site has no address."""
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


class Publisher:
    """Writes the notebooks of all pages that ask for them, once all labels are known.

    Their cells run anew only where the page was read anew: an author who edits another page does not wait for them.
    """

    def __init__(self) -> None:
        self.read: set[str] = set()

    def note(self, _: Sphinx, __: BuildEnvironment, docnames: list[str]) -> None:
        """Remember which pages are about to be read."""
        self.read = set(docnames)

    def publish(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Write what is not there or not fresh, and compare the copies that are committed."""
        if app.builder.format != "html":
            return
        folder = Path(app.outdir) / FOLDER
        for docname in sorted(name for name, meta in env.metadata.items() if KEY in meta):
            page = Path(env.doc2path(docname))
            lesson = parse_lesson(page.read_text(encoding="utf-8"))
            if lesson is None or (docname not in self.read and (folder / SOLUTIONS.format(lesson.name)).is_file()):
                continue
            try:
                written = notebooks(lesson, _link(env, app.config.html_baseurl))
                copy = committed(page, lesson.name)
                if not copy.is_file() or copy.read_text(encoding="utf-8") != to_commit(lesson):
                    stale = "%s is not what this page gives; write it by: nox -s notebook"
                    logger.warning(stale, copy.name, location=str(page), type="notebooks")
            except (NotPlain, CellFailed) as fault:
                logger.error("%s", fault, location=f"{page}:{fault.line}", type="notebooks")  # noqa: TRY400 - for an author
                continue
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in written.items():
                (folder / name).write_text(text, encoding="utf-8")


def notebooks(lesson: Lesson, link: Link) -> dict[str, str]:
    """Return both notebooks of a page, the solutions after running them.

    Parameters
    ----------
    lesson : Lesson
        The page.
    link : callable
        The address of a label, or an empty text.

    Returns
    -------
    dict of str
        File name -> JSON.

    Raises
    ------
    NotPlain
        Where the page has something that no notebook can show.
    CellFailed
        Where a cell fails.
    """
    linked = lesson.plain(link)
    return {
        EXERCISES.format(lesson.name): as_text(notebook(linked.student())),
        SOLUTIONS.format(lesson.name): as_text(executed(linked.solutions())),
    }


def main(folder: str) -> None:
    """Write the notebooks that are committed, for all pages below a folder.

    Parameters
    ----------
    folder : str
        The folder of the pages.
    """
    for page in sorted(Path(folder).rglob("[!_]*.md")):
        if lesson := parse_lesson(page.read_text(encoding="utf-8")):
            committed(page, lesson.name).write_text(to_commit(lesson), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive, and have the notebooks written; Sphinx calls this once."""
    app.add_config_value("notebook_repository", "", "env", frozenset({str}))
    app.add_directive("notebook-links", NotebookLinks)
    publisher = Publisher()
    app.connect("env-before-read-docs", publisher.note)
    app.connect("env-check-consistency", publisher.publish)
    return METADATA


if __name__ == "__main__":
    main(*sys.argv[1:])
