"""Sphinx extension: with nothing cached, run pages ahead on another core while Sphinx reads the pages before them.

Sphinx reads one page after the other, and each page with code starts a kernel of its own, which takes most of a first
build. So a second thread runs the pages from the last one backwards. When Sphinx comes to a page that the thread has
run, its outputs are put into the cache, where MyST-NB finds them; if the thread is running that page, Sphinx waits.
A page that it has not begun, or that failed, is left to MyST-NB, which then reports the failure. Only Sphinx's own
thread touches the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import create_nb_reader
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.cells.interpreter import KERNEL


class Ahead:
    """Pages that a second thread runs, starting with the last.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> ahead = Ahead()
    >>> ahead.start({"page": new_notebook(cells=[new_code_cell("2 + 2")])}, lambda notebook: len(notebook.cells))
    >>> ahead.take("another page")  # not run ahead
    >>> ahead.stop()
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._coming: dict[str, Future[ExecutionResult]] = {}

    def start(self, notebooks: Mapping[str, NotebookNode], run: Callable[[NotebookNode], ExecutionResult]) -> None:
        """Run notebooks, given by the names of their pages in the order in which they will be needed."""
        self.stop()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead")
        for page, notebook in reversed(list(notebooks.items())):
            self._coming[page] = self._pool.submit(run, notebook)

    def take(self, page: str) -> ExecutionResult | None:
        """Return the result of a page, waiting for it if the page is running; None if it has not been started."""
        coming = self._coming.pop(page, None)
        return None if coming is None or coming.cancel() else coming.result()

    def stop(self) -> None:
        """Start no further page, and wait for the one that is running."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool = None
        self._coming.clear()


def notebook_of(env: BuildEnvironment, page: str) -> NotebookNode | None:
    """Return a page as the notebook that MyST-NB makes of it, or None if nothing in it is executed."""
    settings: Any = env  # MyST-NB puts its settings there
    path = env.doc2path(page)
    text = Path(path).read_text(encoding="utf-8")
    reader = create_nb_reader(path, settings.myst_config, settings.mystnb_config, text)
    notebook: NotebookNode | None = reader.read(text) if reader else None
    if notebook is None or all(cell.cell_type != "code" for cell in notebook.cells):
        return None
    notebook.metadata.setdefault("kernelspec", {})["name"] = (
        KERNEL  # part of the key under which the cache finds a page
    )
    return notebook


def keep(env: BuildEnvironment, page: str, result: ExecutionResult) -> None:
    """Put an executed page where MyST-NB looks for it."""
    settings: Any = env
    cache = get_cache(settings.mystnb_config.execution_cache_path)
    bundle = CacheBundleIn(result.nb, str(env.doc2path(page)), data={"execution_seconds": result.time})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def run_ahead(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Start the thread, unless something is cached already."""
    config: Any = env.mystnb_config  # type: ignore[attr-defined]  # MyST-NB puts it there
    if not app.config.cells_run_ahead or len(pages) < 2:
        return
    if config.execution_mode != "cache" or not config.execution_in_temp:
        return
    if get_cache(config.execution_cache_path).list_cache_records():
        return

    def run(notebook: NotebookNode) -> ExecutionResult:
        errors, timeout = config.execution_allow_errors, config.execution_timeout
        with TemporaryDirectory() as folder:
            return single_nb_execution(notebook, cwd=folder, allow_errors=errors, timeout=timeout)

    notebooks = {page: notebook_of(env, page) for page in pages}
    AHEAD.start({page: notebook for page, notebook in notebooks.items() if notebook}, run)


def hand_over(app: Sphinx, page: str, _source: list[str]) -> None:
    """Put what was run ahead into the cache, just before the page is read."""
    result = AHEAD.take(page)
    if result is not None and result.err is None:
        keep(app.env, page, result)


def stop(_app: Sphinx, _exception: Exception | None) -> None:
    """End the thread with the build, whether or not that succeeded."""
    AHEAD.stop()


AHEAD: Final = Ahead()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    app.add_config_value("cells_run_ahead", True, "", frozenset({bool}))
    app.connect("env-before-read-docs", run_ahead)
    app.connect("source-read", hand_over)
    app.connect("build-finished", stop)
    return METADATA
