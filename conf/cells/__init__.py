"""Code cells: the interpreter that runs them, pages run ahead on another core, and outputs that follow the code."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.cells.interpreter")
    app.setup_extension("conf.cells.ahead")
    app.setup_extension("conf.cells.freshness")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
