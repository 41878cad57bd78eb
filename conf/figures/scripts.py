"""Sphinx extension: the scripts of the interactive figures, and the model that they run on.

Each figure's folder holds its ``figure.js``; what they share is in ``figures/shared`` and ``figures/vendor``.  All of
it is copied as it is.  Beside it stand the generated modules: ``model.js``, a ``description.js`` for each figure, and
``sentences.js`` for all.  The modules find each other by relative addresses and need no import map.  Only a page with a
figure loads any of it.
"""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets, add_folder
from conf.figures.model_js import source
from figures.shared.sentences import SHARED

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
    for name in interactive():
        described = import_module(f"figures.{name}.description").DESCRIPTION
        (folder / name / "description.js").write_text(described.to_js(), encoding="utf-8")
    (folder / "shared" / "sentences.js").write_text(SHARED.to_js(), encoding="utf-8")
    (folder / "model.js").write_text(source(), encoding="utf-8")


def interactive() -> list[str]:
    """Return the names of the interactive figures: the folders with a script, but for the shared one."""
    return sorted(script.parent.name for script in FIGURES.glob("*/figure.js") if script.parent.name != "shared")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Have the scripts staged and loaded; Sphinx calls this once."""
    add_folder(app, "figures", gather)
    add_assets(app, 'class="figure-panel"', "figures/shared/figure.css", "figures/shared/boot.js")
    for name in interactive():
        if (FIGURES / name / "figure.css").exists():
            add_assets(app, f'data-figure="{name}"', f"figures/{name}/figure.css")
    return METADATA
