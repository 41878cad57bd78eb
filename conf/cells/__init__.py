"""Code cells: the interpreter that runs them, pages run ahead on another core, and outputs that follow the code."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import open_room


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room; Sphinx calls this once."""
    return open_room(app, __name__, "interpreter", "ahead", "freshness")
