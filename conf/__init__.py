"""The Sphinx extensions of the lesson, in rooms, and the settings of the site."""

from typing import Final

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

#: What ``setup`` of each of our extensions tells Sphinx.
METADATA: Final[ExtensionMetadata] = {"parallel_read_safe": True, "parallel_write_safe": True}


def open_room(app: Sphinx, room: str, *extensions: str) -> ExtensionMetadata:
    """Load the extensions of a room, given by the names of their modules, in this order."""
    for extension in extensions:
        app.setup_extension(f"{room}.{extension}")
    return METADATA
