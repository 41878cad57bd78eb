"""Sphinx extension: the scripts and styles of all rooms, each loaded by the pages that need it and by no other.

A room keeps its files in its own ``static`` folder, and the site has them under ``_static/ROOM/``.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config


@dataclass(frozen=True)
class Asset:
    """Scripts and styles, and the mark in the HTML of a page that asks for them."""

    mark: str
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()


def add_assets(app: Sphinx, mark: str, *files: str) -> None:
    """Have the pages whose HTML holds ``mark`` load these files, given by their paths below ``_static``."""
    app.setup_extension("conf.assets")
    styles = tuple(file for file in files if file.endswith(".css"))
    scripts = tuple(file for file in files if file.endswith(".js"))
    _assets(app).append(Asset(mark, styles, scripts))


def _assets(app: Sphinx) -> list[Asset]:
    found: list[Asset] = vars(app).setdefault("lesson_assets", [])
    return found


def _load(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None) -> None:
    for asset in _assets(app):
        if asset.mark in context.get("body", ""):
            for style in asset.styles:
                app.add_css_file(style)
            for script in asset.scripts:
                app.add_js_file(script, type="module")


def stage(app: Sphinx, config: Config) -> None:
    """Gather the rooms' files where Sphinx takes static files from."""
    folder = Path(app.doctreedir) / "static"
    shutil.rmtree(folder, ignore_errors=True)
    for source in sorted(Path(__file__).parent.glob("*/static")):
        shutil.copytree(source, folder / source.parent.name)
    config.html_static_path = [*config.html_static_path, str(folder)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the extension; Sphinx calls this once."""
    app.connect("config-inited", stage)
    app.connect("html-page-context", _load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
