"""What a reader does: quick checks and predictions, recall cards and decks, exercises, progress, videos."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import open_room


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room; Sphinx calls this once."""
    return open_room(app, __name__, "asked", "exercises", "videos", "quiz", "progress", "cards", "decks")
