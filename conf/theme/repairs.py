"""Sphinx extension: repair what other extensions write if HTML or ARIA forbid it, or if it makes a reader wait.

Each repair is of nodes or of settings, before there is HTML, and a test fails as soon as one of these packages no
longer needs it.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator
from sphinx_proof.nodes import NODE_TYPES

from conf import METADATA
from conf.element import element, make

#: sphinx-proof gives the content of every theorem one of these ids, so that nothing can refer to them.
REPEATED: Final = {"proof", "proof-content"}
_NUMBERED: Final = tuple(NODE_TYPES.values())


class DropRepeatedIds(SphinxPostTransform):
    """Remove the ids that sphinx-proof writes more than once on a page, after Sphinx has counted the sections."""

    default_priority = 800

    def run(self, **_: Any) -> None:
        """Go through the page."""
        for node in self.document.findall(nodes.Element):
            if REPEATED.intersection(node.get("ids", ())):
                node["ids"] = [name for name in node["ids"] if name not in REPEATED]


class LinkTitles(SphinxPostTransform):
    """Give the title of each definition, theorem and remark a link to itself, as headings have."""

    default_priority = 800
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Go through the page."""
        if not self.config.html_permalinks:
            return
        for box in (node for node in self.document.findall(nodes.Element) if isinstance(node, _NUMBERED)):
            address = {"href": f"#{box['ids'][0]}", "title": f"Link to this {box['realtype']}"}
            icon = self.config.html_permalinks_icon
            box.children[0] += make(element, "a", html=address, before=icon, classes=["headerlink"])


class NameFoldsOfCode(SphinxPostTransform):
    """Name each fold of code by its visible text: for screen readers, MyST-NB gives all folds one other name."""

    default_priority = 200  # after MyST-NB has made them
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Go through the page."""
        for node in list(self.document.findall(HideCodeCellNode)):
            prompts = (
                make(element, "p", before=node[f"prompt_{prompt}"], classes=[state, "admonition-title"])
                for prompt, state in (("show", "collapsed"), ("hide", "expanded"))
            )
            summary = make(element, "summary", *prompts)
            classes = ["admonition", "hide", *node["classes"]]
            node.replace_self(make(element, "details", summary, *node.children, classes=classes))


def visit_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Open an entry of a bibliography, without docutils' role for it, which ARIA 1.3 has dropped."""
    if not isinstance(node.previous_sibling(), nodes.citation):
        self.body.append('<div class="citation-list">\n')
    self.body.append(self.starttag(node, "div", classes=["citation"]))


def depart_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Close the entry, and the list after the last one."""
    self.body.append("</div>\n")
    if not isinstance(node.next_node(descend=False, siblings=True), nodes.citation):
        self.body.append("</div>\n")


def defer_scripts(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Let a browser draw the text before it runs the scripts of the head, all of which wait for the page anyway.

    Deferred, they keep their order.
    """
    if page == "search":  # its tools need the others before them
        return

    def deferred(script: Any) -> Any:
        # The theme's own lines use the options at once.
        if "documentation_options.js" in str(script.filename) or script.attributes.keys() & {"type", "async", "defer"}:
            return script
        return type(script)(script.filename, priority=script.priority, defer="defer", **script.attributes)

    context["script_files"] = [deferred(script) for script in context.get("script_files", ())]


class Settings(logging.Filter):
    """Drops the line on which a MyST package prints all of its settings, at the start of each build."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let all other lines pass."""
        return not (record.levelno == logging.INFO and len(record.args or ()) > 1 and " v%s:" in str(record.msg))


def keep_settings_quiet() -> None:
    """Add the filter, so that this line does not hide a real message."""
    for name in ("myst_parser.sphinx_ext.main", "myst_nb.sphinx_ext"):
        logger = logging.getLogger(f"sphinx.{name}")
        if not any(isinstance(one, Settings) for one in logger.filters):
            logger.addFilter(Settings())


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    app.setup_extension("conf.element")
    app.add_post_transform(DropRepeatedIds)
    app.add_post_transform(LinkTitles)
    app.add_post_transform(NameFoldsOfCode)
    app.add_node(nodes.citation, override=True, html=(visit_citation, depart_citation))
    app.connect("html-page-context", defer_scripts, priority=900)  # after those that add scripts to a page
    keep_settings_quiet()
    return METADATA
