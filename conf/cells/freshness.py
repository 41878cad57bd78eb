"""Sphinx extension: outputs that are computed again when the code changes that they came from.

jupyter-cache finds a page's outputs by the source of its cells alone: edit the package, build again, and the old
numbers stay. Sphinx, for its part, reads a page again only when the page itself has changed. So the outputs are kept
under a digest of everything that cells import, and a new digest makes Sphinx read all pages again. Our directives and
roles have a digest of their own: when they change, pages are read again, but nothing is executed.
"""

import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.digest import BYTECODE, digest

# Scripts and styles reach the reader as files of their own: what a page says does not depend on them.
NOT_AN_INPUT = {".js", ".css", *BYTECODE}
KEPT = 3  # caches: enough to switch to another branch and back


def prune(folder: Path, keep: Path) -> None:
    """Remove all but the latest `KEPT` caches in `folder`, and never `keep`."""
    others = sorted((p for p in folder.iterdir() if p.is_dir() and p != keep), key=lambda p: p.stat().st_mtime)
    for old in others[: -(KEPT - 1)]:
        shutil.rmtree(old, ignore_errors=True)


def choose_cache(app: Sphinx, config: Config) -> None:
    """Put one digest into MyST-NB's cache path and the other into a setting: a change of either has all pages read."""
    root = Path(app.confdir).parent
    folder = Path(config.nb_execution_cache_path or Path(app.outdir).parent / "jupyter-cache")
    cache = folder / digest(root, config.freshness_inputs, NOT_AN_INPUT)[:12]
    cache.mkdir(parents=True, exist_ok=True)
    cache.touch()
    prune(folder, cache)
    config.nb_execution_cache_path = str(cache)
    config.freshness_digest = digest(root, config.freshness_directives, NOT_AN_INPUT)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    app.add_config_value("freshness_inputs", [], "", frozenset({list, tuple}))
    app.add_config_value("freshness_directives", [], "", frozenset({list, tuple}))
    app.add_config_value("freshness_digest", "", "env", frozenset({str}))
    app.connect("config-inited", choose_cache)
    return METADATA
