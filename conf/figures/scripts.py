"""Sphinx extension: the scripts of the interactive figures, and the model that they run on.

Each figure's folder holds its ``figure.js``; what they share is in ``figures/shared`` and ``figures/vendor``.  All of
it is copied as it is, beside the generated ``model.js``, so the modules find each other by relative addresses and
need no import map.  Only a page with a figure loads any of it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets, add_folder
from conf.figures.model_js import source

FIGURES: Final = Path(__file__).parents[2] / "figures"


def gather(folder: Path) -> None:
    """Copy the scripts and styles of all figures, and their licences, into an empty folder, and write ``model.js``."""
    wanted = (path for path in FIGURES.rglob("*") if path.suffix in (".js", ".css") or path.name.startswith("LICENSE"))
    for script in sorted(wanted):
        if script.name.endswith("entry.js"):  # what the modules in vendor are made from
            continue
        target = folder / script.relative_to(FIGURES)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(script, target)
    (folder / "model.js").write_text(source(), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Have the scripts staged and loaded; Sphinx calls this once."""
    add_folder(app, "figures", gather)
    add_assets(app, 'class="figure-panel"', "figures/shared/figure.css", "figures/shared/boot.js")
    return METADATA
