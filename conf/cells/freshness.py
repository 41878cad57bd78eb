"""What a page shows follows the code that computed it.

jupyter-cache looks a page's outputs up by the source of its cells alone: edit the package, build again, and the old
numbers stay. Sphinx, for its part, reads a page again only when the page changed. So the outputs are kept under a
digest of everything that cells import, and each new digest has all pages read again. Our directives and roles have a
digest of their own: pages are read again when those change, but nothing is executed.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

# Scripts and styles reach the reader as files of their own; no page's source depends on what is in them.
NOT_AN_INPUT = {".js", ".css", ".pyc"}
KEPT = 3  # digests: enough to go to another branch and back


def input_files(root: Path, inputs: Iterable[str]) -> Iterator[Path]:
    """Yield the files named by `inputs`, files or folders below `root`, in a fixed order."""
    for name in sorted(inputs):
        path = root / name
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.is_file() and p.suffix not in NOT_AN_INPUT)
        elif path.is_file():
            yield path


def digest(root: Path, inputs: Iterable[str]) -> str:
    """Return twelve hexadecimal digits that change when a file below `inputs` is edited, renamed, added or removed."""
    total = hashlib.sha256()
    for path in input_files(root, inputs):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return total.hexdigest()[:12]


def prune(folder: Path, keep: Path) -> None:
    """Remove all but the latest `KEPT` caches in `folder`, and never `keep`."""
    others = sorted((p for p in folder.iterdir() if p.is_dir() and p != keep), key=lambda p: p.stat().st_mtime)
    for old in others[: -(KEPT - 1)]:
        shutil.rmtree(old, ignore_errors=True)


def choose_cache(app: Sphinx, config: Config) -> None:
    """Put one digest into MyST-NB's cache path, and the other into a setting: Sphinx reads all when either changes."""
    root = Path(app.confdir).parent
    folder = Path(config.nb_execution_cache_path or Path(app.outdir).parent / "jupyter-cache")
    cache = folder / digest(root, config.freshness_inputs)
    cache.mkdir(parents=True, exist_ok=True)
    cache.touch()
    prune(folder, cache)
    config.nb_execution_cache_path = str(cache)
    config.freshness_digest = digest(root, config.freshness_directives)


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this once, when it loads the extension."""
    app.add_config_value("freshness_inputs", [], "", frozenset({list, tuple}))
    app.add_config_value("freshness_directives", [], "", frozenset({list, tuple}))
    app.add_config_value("freshness_digest", "", "env", frozenset({str}))
    app.connect("config-inited", choose_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
