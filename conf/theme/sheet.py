"""Sphinx extension: a page that fits on one sheet of paper.

A page whose front matter says ``sheet: a4`` is printed in two columns and small type, on two sides.  The style is
loaded on such pages only, because the size of the paper is set for a whole page, not for a part of it.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets

#: The sizes of paper for which there is a style.
SHEETS = ("a4",)


def asks_for_a_sheet(_app: Sphinx, page: str, context: dict[str, Any]) -> dict[str, str] | None:
    """Return no attributes if the front matter of a page asks for a sheet, and None if it does not."""
    wanted = (context.get("meta") or {}).get("sheet")
    if wanted is None:
        return None
    if wanted not in SHEETS:
        raise ExtensionError(f"{page} has sheet: {wanted} in its front matter; write one of {', '.join(SHEETS)}")
    return {}


def setup(app: Sphinx) -> ExtensionMetadata:
    """Have the style loaded; Sphinx calls this once."""
    add_assets(app, asks_for_a_sheet, "theme/sheet.css")
    return METADATA
