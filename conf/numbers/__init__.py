"""Checked numbers: the grammar of pages, the evaluator, the lint, the examples, and the roles that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conf import open_room

if TYPE_CHECKING:
    from sphinx.application import Sphinx  # slow to import, and pytest reads pages without it
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room, and its script on every page; Sphinx calls this once."""
    app.add_js_file("numbers/calc.js", priority=901, type="module")  # after the script of the theme
    return open_room(app, __name__, "roles", "docstrings")
