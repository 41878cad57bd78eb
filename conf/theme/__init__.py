"""How the site looks: mathematics as MathML, the theme without its weight, repairs, the sheet of paper, the citation."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.theme.mathml")
    app.setup_extension("conf.theme.weight")
    app.setup_extension("conf.theme.repairs")
    app.setup_extension("conf.theme.sheet")
    app.setup_extension("conf.theme.citation")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
