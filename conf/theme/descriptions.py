"""Sphinx extension: each page says in its head what it is about, which the theme lacks; ``layout.html`` writes it."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA


def describe(doctree: nodes.document | None, limit: int = 155) -> str:
    """Return a page's description: its first paragraph without maths, cut at a word."""
    if doctree is None:
        return ""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        plain = isinstance(paragraph.parent, nodes.section) and not any(paragraph.findall(nodes.math))
        if plain and len(text) >= 40:
            return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0].rstrip(",;:") + " …"
    return ""


def add_description(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Describe the page in its head, unless its front matter does."""
    if 'name="description"' not in (context.get("metatags") or ""):
        context["lesson_description"] = describe(doctree)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    app.connect("html-page-context", add_description)
    return METADATA
