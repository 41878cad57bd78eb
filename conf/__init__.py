"""The Sphinx extensions of the lesson, in rooms, and the settings of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sphinx.application import Sphinx  # slow to import, and pytest reads pages without it
    from sphinx.util.typing import ExtensionMetadata

#: What ``setup`` of each of our extensions tells Sphinx.
METADATA: Final[ExtensionMetadata] = {"parallel_read_safe": True, "parallel_write_safe": True}


def open_room(app: Sphinx, room: str, *extensions: str) -> ExtensionMetadata:
    """Load the extensions of a room, given by the names of their modules, in this order."""
    for extension in extensions:
        app.setup_extension(f"{room}.{extension}")
    return METADATA
