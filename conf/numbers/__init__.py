"""Checked numbers: the grammar of pages, the evaluator, the lint, the examples, and the roles that show them."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.numbers.roles")
    app.setup_extension("conf.numbers.examples")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
