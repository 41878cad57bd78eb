"""Sphinx extension: how far the reader is.

``{progress} lesson`` lists the pages of a folder, in the order of the contents.  The list is a plain list of links; a
script adds which pages were read, how many of their quick checks were passed and how many recall cards are due, from
what the reader's own browser keeps.  On the pages that are listed, the same script notes when the end has come into
view.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.domains import Domain
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets
from conf.element import element, make
from conf.links import from_page
from conf.practice.asked import practice
from conf.practice.cards import DECK

_CONTROLS = """\
<div class="progress-controls"{cards} hidden>
<p class="progress-cards" hidden></p>
<p class="progress-note">What you have done is kept in this browser alone.
<button type="button" class="practice-button progress-clear">Clear my progress</button></p>
<p class="progress-ask" hidden>Forget the pages read, the checks passed and your guesses?
<button type="button" class="practice-button progress-yes">Yes, forget them</button>
<button type="button" class="practice-button progress-no">No, keep them</button></p>
<p class="progress-said" role="status"></p>
</div>
"""


class progress_list(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """The pages below ``folder``, each with room for what was done on it."""


class Lists(Domain):
    """Which page lists which folder."""

    name = "progress"
    label = "Progress"
    initial_data: ClassVar[dict[str, Any]] = {"folder": {}}
    data_version = 1

    def clear_doc(self, docname: str) -> None:
        """Forget a page."""
        self.data["folder"].pop(docname, None)

    def merge_domaindata(self, docnames: set[str], otherdata: dict[str, Any]) -> None:  # type: ignore[override]
        """Take in what another process has read."""
        self.data["folder"] |= {page: folder for page, folder in otherdata["folder"].items() if page in docnames}

    def resolve_any_xref(self, *_: Any, **__: Any) -> list[Any]:
        """Return nothing: there is nothing here to link to."""
        return []


class Progress(SphinxDirective):
    """``{progress} folder``: the pages of a folder, with what was done on each; ``:review:`` names the cards' page."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"review": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the list; its pages are known only when all have been read."""
        (folder,) = self.arguments
        _folders(self.env)[self.env.docname] = folder
        return [progress_list("", folder=folder, review=self.options.get("review", ""))]


def _folders(env: BuildEnvironment) -> dict[str, str]:
    """Return the folder that each page with a list lists."""
    folders: dict[str, str] = env.get_domain("progress").data["folder"]
    return folders


def _pages(env: BuildEnvironment, docname: str, folder: str) -> list[str]:
    """Return the pages of a folder, in the order in which a page's contents have them."""
    return [page for page in env.toctree_includes.get(docname, []) if page.startswith(f"{folder}/")]


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write the pages into the lists, now that their titles and their checks are known."""
    env = app.env
    for node in list(doctree.findall(progress_list)):
        pages = nodes.enumerated_list("", classes=["progress-pages"], enumtype="arabic", prefix="", suffix=".")
        for page in _pages(env, docname, node["folder"]):
            title = (child.deepcopy() for child in env.titles[page].children)
            address = app.builder.get_relative_uri(docname, page)
            link = nodes.reference("", "", *title, refuri=address, internal=True)
            data = {"data-page": page, "data-checks": " ".join(practice(env).checks(page))}
            room = make(element, "span", html=data, classes=["progress-line"])
            pages += nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(" "), room))
        review = node["review"]
        cards = ""
        if review in env.found_docs:
            deck = from_page(docname, DECK)
            cards = f' data-review="{app.builder.get_relative_uri(docname, review)}" data-deck="{deck}"'
        node.replace_self([pages, nodes.raw("", _CONTROLS.replace("{cards}", cards), format="html")])


def _outdated(_app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Have the pages with lists read again when any page changes, because they show what is on it."""
    return [page for page in _folders(env) if page in env.found_docs] if added | changed | removed else []


def _is_listed(app: Sphinx, page: str, _context: dict[str, Any]) -> dict[str, str] | None:
    """Return the name of a page for its script, if the page is on a list."""
    listed = any(page in _pages(app.env, docname, folder) for docname, folder in _folders(app.env).items())
    return {"data-page": page} if listed else None


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; Sphinx calls this once."""
    app.setup_extension("conf.element")
    app.setup_extension("conf.practice.quiz")
    app.add_node(progress_list)
    add_assets(app, 'class="progress-controls"', "practice/quiz.css", "practice/progress.js")
    add_assets(app, _is_listed, "practice/progress.js")
    app.add_domain(Lists)
    app.add_directive("progress", Progress)
    app.connect("env-get-outdated", _outdated)
    app.connect("doctree-resolved", _fill)
    return METADATA
