"""How the site looks: mathematics as MathML, a light theme, repairs, the sheet of paper, the citation."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import open_room


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room; Sphinx calls this once."""
    return open_room(app, __name__, "mathml", "weight", "repairs", "sheet", "citation")
