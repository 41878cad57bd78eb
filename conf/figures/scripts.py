"""Sphinx extension: the scripts of the interactive figures, and the model that they run on.

Each figure's folder holds its ``figure.js``; what they share is in ``figures/shared`` and ``figures/vendor``.  All of
it is copied as it is, beside the generated ``model.js``, so the modules find each other by relative addresses and
need no import map.  Only a page with a figure loads any of it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from conf.assets import add_assets
from conf.figures.model_js import source


def gather(figures: Path, folder: Path) -> list[Path]:
    """Copy the scripts of all figures, and their licences, into a folder, and write ``model.js`` beside them.

    Parameters
    ----------
    figures : pathlib.Path
        The folder of the figures.
    folder : pathlib.Path
        Where to copy to; emptied first.

    Returns
    -------
    list of pathlib.Path
        What was written, relative to the folder.
    """
    shutil.rmtree(folder, ignore_errors=True)
    written = []
    wanted = (path for path in figures.rglob("*") if path.suffix in (".js", ".css") or path.name.startswith("LICENSE"))
    for script in sorted(wanted):
        if script.name.endswith("entry.js"):  # what the modules in vendor are made from
            continue
        target = folder / script.relative_to(figures)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(script, target)
        written.append(target.relative_to(folder))
    (folder / "model.js").write_text(source(), encoding="utf-8")
    return [*written, Path("model.js")]


def prepare(app: Sphinx, config: Config) -> None:
    """Put the scripts where Sphinx takes static files from."""
    stage = Path(app.doctreedir) / "scripts"
    gather(Path(__file__).parents[2] / "figures", stage / "figures")
    config.html_static_path = [*config.html_static_path, str(stage)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this once, when it loads the extension."""
    app.connect("config-inited", prepare)
    add_assets(app, 'class="figure-panel"', "figures/shared/figure.css", "figures/shared/boot.js")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
