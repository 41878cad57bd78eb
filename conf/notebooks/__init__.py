"""Notebooks made from pages with exercises: one to work in, one with the solutions."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.notebooks.publish")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
