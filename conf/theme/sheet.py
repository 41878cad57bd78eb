"""Sphinx extension: a page that goes on one sheet of paper.

A page whose front matter says ``sheet: a4`` is printed in two columns and small type, on two sides.  The style is
loaded on such a page alone, because what a browser prints on is set for a whole page, not for a part of it.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

#: The sheets that there is a style for.
SHEETS = ("a4",)


def add_style(app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None) -> None:
    """Load the style of the sheet on a page that asks for one."""
    wanted = (context.get("meta") or {}).get("sheet")
    if wanted is None:
        return
    if wanted not in SHEETS:
        raise ExtensionError(f"{page} has sheet: {wanted} in its front matter; write one of {', '.join(SHEETS)}")
    app.add_css_file("theme/sheet.css")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension.

    Parameters
    ----------
    app : Sphinx
        The application.

    Returns
    -------
    dict
        Metadata for Sphinx.
    """
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
