"""Figures and worked tables on a page, and the scripts and the generated model that bring figures to life."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import open_room


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room; Sphinx calls this once."""
    return open_room(app, __name__, "directives", "scripts")
