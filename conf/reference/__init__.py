"""The reference of the package: a summary of the pages on which autodoc describes it."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.reference.summary")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
