"""Figures and worked tables on a page, and the scripts and the generated model that bring figures to life."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.figures.directives")
    app.setup_extension("conf.figures.scripts")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
