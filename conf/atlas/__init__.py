"""The pages of the catalog: a section for each row, controls for their tables, and the catalog as files."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import open_room


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room; Sphinx calls this once."""
    return open_room(app, __name__, "controls", "sections")
