"""Sphinx extension: HTML elements as nodes of a doctree; other builders show their content alone.

docutils has no node for a ``fieldset`` or a ``details``.  With these, a directive says which HTML it stands for where
it makes its nodes, and needs no visitors of its own.  Whatever is for HTML alone, such as the words on a button, is an
attribute of its element: neither other builders nor the index of the search see it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from conf import METADATA

#: These have no content, and no end tag.
VOID: Final = frozenset({"img", "input"})
#: These stand within a line, where a line break after them would show as a space.
INLINE: Final = frozenset({"a", "button", "img", "input", "span"})

#: Values of HTML attributes; True is written as the bare name, False and None are left out.
Attributes = Mapping[str, str | bool | None]


class element(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """An HTML element with blocks in it: ``tag``, ``html`` attributes, and the text ``before`` and ``after`` them.

    Its classes and ids are docutils' own. A subclass is for nodes that code looks for in a doctree.
    """


class phrase(element, nodes.TextElement):  # noqa: N801
    """An HTML element with words in it."""


Kind = TypeVar("Kind", bound=element)


def make(
    kind: type[Kind],
    tag: str,
    *children: nodes.Node,
    html: Attributes | None = None,
    before: str = "",
    after: str = "",
    **attributes: Any,
) -> Kind:
    """Return an element of a kind: `element`, `phrase`, or a subclass.

    Parameters
    ----------
    kind : type
        The class of the node.
    tag : str
        Its HTML tag.
    *children : docutils.nodes.Node
        What is in it, in every builder.
    html : mapping, optional
        HTML attributes; True is a bare name, False and None leave one out.
    before, after : str
        Text that only HTML has, before and after the children.
    **attributes
        docutils' own, such as ``classes``.

    Returns
    -------
    element
        The node.

    Examples
    --------
    >>> button = make(element, "button", html={"type": "button", "hidden": True}, before="Check", classes=["press"])
    >>> start_tag(button)
    '<button class="press" type="button" hidden>'
    """
    node = kind("", tag=tag, html=dict(html or {}), before=before, after=after, **attributes)
    node.extend(children)
    return node


def fold(summary: str, *children: nodes.Node, html: Attributes | None = None, **attributes: Any) -> element:
    """Return a ``details`` element: content that opens when the reader presses the summary."""
    return make(element, "details", make(element, "summary", html=html, before=summary), *children, **attributes)


def start_tag(node: element) -> str:
    """Return the start tag of an element; unlike docutils, it keeps line breaks in values."""
    first, *more = node["ids"] or [None]
    written: Attributes = {"class": " ".join(node["classes"]) or None, "id": first, **node["html"]}
    pairs = "".join(
        f" {name}" if value is True else f' {name}="{html.escape(value)}"'
        for name, value in written.items()
        if value is not None and value is not False
    ).replace("\n", "&#10;")
    return f"<{node['tag']}{pairs}>" + "".join(f'<span id="{one}"></span>' for one in more)


def visit_element(self: HTML5Translator, node: element) -> None:
    """Open the element."""
    self.body.append(start_tag(node) + self.encode(node["before"]))


def depart_element(self: HTML5Translator, node: element) -> None:
    """Close the element."""
    end = "" if node["tag"] in VOID else f"</{node['tag']}>"
    self.body.append(self.encode(node["after"]) + end + ("" if node["tag"] in INLINE else "\n"))


def _see_through(self: nodes.NodeVisitor, node: element) -> None:
    """Show the content alone, where the builder writes no HTML."""


def add_elements(app: Sphinx, *kinds: type[element]) -> None:
    """Register subclasses of `element`: docutils knows nodes by the names of their classes."""
    app.setup_extension("conf.element")
    _register(app, *kinds)


def _register(app: Sphinx, *kinds: type[element]) -> None:
    through = (_see_through, _see_through)
    for kind in kinds:
        app.add_node(
            kind,
            html=(visit_element, depart_element),
            latex=through,
            text=through,
            man=through,
            texinfo=through,
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the two kinds of element; Sphinx calls this once."""
    _register(app, element, phrase)
    return METADATA
