"""The pages of the catalog: controls for their tables, and the catalog as files."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.atlas.controls")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
