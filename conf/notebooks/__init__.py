"""Notebooks made from pages with exercises: one to work in, one with the solutions."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import open_room


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room; Sphinx calls this once."""
    return open_room(app, __name__, "publish")
