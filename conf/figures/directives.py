"""Sphinx extension: the directives that `figures.show` writes, ``drawing`` and ``worked-table``.

Both are numbered and take part in Sphinx's own cross-references.  A drawing is an inline SVG, so that it follows the
page's theme and its text can be selected; the table of its data is folded below it.  A wide table scrolls in its own
box, which the keyboard can reach.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.element import element, fold, make


class _Captioned(SphinxDirective):
    """A directive with a label as its argument and a caption as its first paragraph."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def blocks(self, *counts: int) -> list[str]:
        """Return the paragraphs of the content; their number must be one of `counts`."""
        found = [block.strip() for block in "\n".join(self.content).split("\n\n") if block.strip()]
        if len(found) not in counts:
            label = self.arguments[0]
            raise self.error(f"{self.name} {label} has {len(found)} blocks, not {counts[0]}; write it by show()")
        return found

    def captioned(self, node: nodes.Element, caption: nodes.TextElement, words: str) -> nodes.Element:
        """Give a node its caption and its label, and return it."""
        inline, messages = self.parse_inline(words, lineno=self.lineno)
        caption += [*inline, *messages]
        self.set_source_info(node)
        self.set_source_info(caption)
        self.options["name"] = self.arguments[0]
        self.add_name(node)
        return node

    def table(self, source: str) -> nodes.table:
        """Return a pipe table as a node whose first column is a header."""
        parsed = nodes.Element()
        self.state.nested_parse(StringList(source.splitlines()), self.content_offset, parsed)
        (table,) = parsed.findall(nodes.table)
        next(table.findall(nodes.colspec))["stub"] = 1
        return table


class Drawing(_Captioned):
    """``{drawing}``: a caption, an SVG on one line, a pipe table of its data and, where interactive, the panel."""

    def run(self) -> list[nodes.Node]:
        """Return the figure, the controls that a script will use, and its data folded below."""
        words, svg, data, *panel = self.blocks(3, 4)
        # The box keeps its size when a script draws into it.
        picture = nodes.raw("", f'<div class="drawing-picture"{_ratio(svg)}>{svg}</div>', format="html")
        figure = nodes.figure("", picture, classes=["drawing"])
        caption = nodes.caption(words, "")
        self.captioned(figure, caption, words)
        figure += caption
        table = _scroll_box(self.table(data), f"The data of the figure: {_first_sentence(caption)}")
        data_fold = fold("Show the data", table, classes=["drawing-data"], ids=[f"{self.arguments[0]}-data"])
        return [figure, *(nodes.raw("", html, format="html") for html in panel), data_fold]


class WorkedTable(_Captioned):
    """``{worked-table}``: a caption and a pipe table."""

    def run(self) -> list[nodes.Node]:
        """Return the table in its box."""
        words, data = self.blocks(2)
        table = self.table(data)
        title = nodes.title(words, "")
        self.captioned(table, title, words)
        table.insert(0, title)
        table["classes"] += ["worked-table"]
        return [_scroll_box(table, f"Table: {_first_sentence(title)}")]


def _scroll_box(table: nodes.table, label: str) -> element:
    """Return a box with this label, which scrolls sideways if its table is wider than the page."""
    region = {"tabindex": "0", "role": "region", "aria-label": label}
    return make(element, "div", table, html=region, classes=["table-scroll"])


def _ratio(svg: str) -> str:
    """Return a style that keeps the box in the picture's proportions, whatever a script draws into it."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', svg)
    return f' style="--ratio: {float(box[1]):g} / {float(box[2]):g}"' if box else ""


def _first_sentence(caption: nodes.TextElement) -> str:
    return caption.astext().split(". ")[0].rstrip(".")


def _prefer_markdown(app: Sphinx, config: Any) -> None:  # noqa: ARG001 - Sphinx's signature
    """Read the Markdown that code cells give as MyST, and prefer it to their other outputs: `show` returns it."""
    if "nb_render_markdown_format" not in config:
        raise ExtensionError(
            "conf.figures.directives needs myst_nb: put it before conf.figures.directives in the extensions"
        )
    config.nb_render_markdown_format = "myst"
    overrides = [tuple(entry) for entry in config.nb_mime_priority_overrides or ()]
    config.nb_mime_priority_overrides = [*overrides, ("*", "text/markdown", 0)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives; Sphinx calls this once."""
    app.setup_extension("conf.element")
    app.add_directive("drawing", Drawing)
    app.add_directive("worked-table", WorkedTable)
    app.connect("config-inited", _prefer_markdown)
    return METADATA
