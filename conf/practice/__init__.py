"""What a reader does: quick checks and predictions, recall cards and decks, exercises, progress, videos."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Load the extensions of this room; Sphinx calls this once."""
    app.setup_extension("conf.practice.exercises")
    app.setup_extension("conf.practice.videos")
    app.setup_extension("conf.practice.quiz")
    app.setup_extension("conf.practice.progress")
    app.setup_extension("conf.practice.cards")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
