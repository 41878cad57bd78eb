"""Sphinx extension: the static files of all rooms, gathered in one place, and loaded by the pages that need them.

A room keeps its files in its own ``static`` folder, and the site has them under ``_static/ROOM/``.  Files that stand
elsewhere, or are generated, are added by `add_folder`.  Whatever not every page needs is loaded by `add_assets`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

#: Gets a page's name and context, and returns the attributes for its scripts; None if the page needs none of the files.
Needs = Callable[[Sphinx, str, dict[str, Any]], dict[str, str] | None]


@dataclass
class _Registry:
    assets: list[tuple[Needs, tuple[str, ...]]] = field(default_factory=list)
    folders: dict[str, Callable[[Path], object]] = field(default_factory=dict)


_REGISTRIES: Final[WeakKeyDictionary[Sphinx, _Registry]] = WeakKeyDictionary()


def _registry(app: Sphinx) -> _Registry:
    return _REGISTRIES.setdefault(app, _Registry())


def holds(mark: str) -> Needs:
    """Return a condition that holds for pages whose HTML contains a text, such as ``class="video"``."""

    def needs(_app: Sphinx, _page: str, context: dict[str, Any]) -> dict[str, str] | None:
        return {} if mark in context.get("body", "") else None

    return needs


def add_assets(app: Sphinx, needs: str | Needs, *files: str) -> None:
    """Load styles and scripts on the pages that need them.

    Parameters
    ----------
    app : Sphinx
        The application.
    needs : str or callable
        Which pages: those whose HTML contains this text, or those for which this function returns attributes.
    *files : str
        Paths below ``_static``, ending in ``.css`` or ``.js``; scripts are modules.
    """
    app.setup_extension("conf.assets")
    _registry(app).assets.append((holds(needs) if isinstance(needs, str) else needs, files))


def add_folder(app: Sphinx, name: str, fill: Callable[[Path], object]) -> None:
    """Register a function that writes the files below ``_static/NAME/``."""
    app.setup_extension("conf.assets")
    _registry(app).folders[name] = fill


def load(app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None) -> None:
    """Load what a page needs."""
    for needs, files in _registry(app).assets:
        attributes: dict[str, Any] | None = needs(app, page, context)
        if attributes is None:
            continue
        for file in files:
            if file.endswith(".css"):
                app.add_css_file(file)
            else:
                app.add_js_file(file, type="module", **attributes)


def gather(app: Sphinx, config: Config) -> None:
    """Gather all files in one folder, and have Sphinx copy its content to ``_static``."""
    stage = Path(app.doctreedir) / "static"
    shutil.rmtree(stage, ignore_errors=True)
    for source in sorted(Path(__file__).parent.glob("*/static")):
        shutil.copytree(source, stage / source.parent.name)
    for name, fill in _registry(app).folders.items():
        (stage / name).mkdir(parents=True, exist_ok=True)
        fill(stage / name)
    config.html_static_path = [*config.html_static_path, str(stage)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    app.connect("config-inited", gather)
    app.connect("html-page-context", load)
    return METADATA
