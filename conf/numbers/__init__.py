"""Checked numbers: the grammar of pages, the evaluator, the lint, the examples, and the roles that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx  # slow to import, and pytest reads pages without it


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room, and its script on every page; Sphinx calls this once."""
    app.add_js_file("numbers/calc.js", priority=901, type="module")  # after the script of the theme
    app.setup_extension("conf.numbers.roles")
    app.setup_extension("conf.numbers.docstrings")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
