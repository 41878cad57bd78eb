"""How the site looks: mathematics, a trimmed theme, repairs, descriptions, and pages that fit on a sheet of paper."""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import open_room


def setup(app: Sphinx) -> ExtensionMetadata:
    """Load the extensions of this room, and its styles and script on every page; Sphinx calls this once."""
    app.add_css_file("theme/icons.css", priority=900)
    app.add_css_file("theme/lesson.css", priority=900)
    app.add_js_file("theme/lesson.js", priority=900, loading_method="defer")
    return open_room(app, __name__, "mathml", "trimming", "descriptions", "repairs", "sheet")
