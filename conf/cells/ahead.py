"""Sphinx extension: with nothing cached, run pages ahead on another core while Sphinx reads the pages before them.

Sphinx reads one page after the other, and each page with code starts a kernel of its own, which takes most of a first
build. So one more thread runs the last pages first. When Sphinx gets to a page, it takes what that thread has, waits
for what it is at, or runs the page itself. Only Sphinx's own thread touches the cache.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import myst_nb.core.execute.cache as cached_execution
from jupyter_cache import get_cache
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from conf.cells.interpreter import KERNEL

#: What is passed on from an executed cell.
_RESULTS: Final = ("outputs", "execution_count", "metadata")


def cells_of(notebook: Any) -> tuple[str, ...]:
    """Return the source of all code cells: two notebooks with the same ones give the same outputs.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        A notebook, executed or not.

    Returns
    -------
    tuple of str
        The sources, in their order.
    """
    return tuple(cell.source for cell in _code(notebook))


def _code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


class Ahead:
    """Notebooks that another thread runs, the last of them first.

    Parameters
    ----------
    run : callable
        Executes a notebook in place, as `single_nb_execution` does.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> ahead = Ahead(lambda notebook, **_: notebook.cells[0].update(execution_count=1))
    >>> ahead.start([], timeout=60)
    >>> ahead(new_notebook(cells=[new_code_cell("2 + 2")]), cwd=".")  # not run ahead, so it is run now
    """

    def __init__(self, run: Any = single_nb_execution) -> None:
        self._run = run
        self._pool: ThreadPoolExecutor | None = None
        self._coming: dict[tuple[str, ...], Future[Any]] = {}

    def start(self, notebooks: list[Any], **options: Any) -> None:
        """Run notebooks, given in the order in which they will be asked for.

        Parameters
        ----------
        notebooks : list
            Notebooks with code.
        **options
            For the execution.
        """
        self.stop()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead")
        for notebook in reversed(notebooks):
            self._coming[cells_of(notebook)] = self._pool.submit(self._execute, notebook, options)

    def _execute(self, notebook: Any, options: dict[str, Any]) -> Any:
        with TemporaryDirectory() as folder:
            return self._run(notebook, cwd=folder, **options)

    def __call__(self, notebook: Any, **options: Any) -> Any:
        """Execute a notebook in place, or take what was run ahead.

        Parameters
        ----------
        notebook : nbformat.NotebookNode
            What to execute.
        **options
            For the execution, where it was not run ahead.

        Returns
        -------
        ExecutionResult
            What `single_nb_execution` returns.
        """
        coming = self._coming.pop(cells_of(notebook), None)
        if coming is None or coming.cancel():
            return self._run(notebook, **options)
        result = coming.result()
        notebook.metadata.update(result.nb.metadata)  # the kernel has said what language it speaks
        for cell, from_ahead in zip(_code(notebook), _code(result.nb), strict=True):
            cell.update({name: from_ahead[name] for name in _RESULTS})
        return ExecutionResult(notebook, result.cwd, result.time, result.err, result.exc_string)

    def stop(self) -> None:
        """Run nothing more; wait for what is running."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool = None
        self._coming.clear()


def notebooks_of(app: Sphinx, names: list[str]) -> list[Any]:
    """Return the pages that have code cells, as notebooks that our kernel runs.

    Parameters
    ----------
    app : Sphinx
        The application.
    names : list of str
        The pages.

    Returns
    -------
    list of nbformat.NotebookNode
        In the order of the pages.
    """
    found = []
    env: Any = app.env
    for name in names:
        path = env.doc2path(name)
        text = Path(path).read_text(encoding="utf-8")
        reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
        notebook = reader.read(text) if reader else None
        if notebook is not None and cells_of(notebook):
            notebook.metadata.setdefault("kernelspec", {})["name"] = KERNEL
            found.append(notebook)
    return found


def run_ahead(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Start the thread, where nothing is cached yet."""
    config: Any = env.mystnb_config  # type: ignore[attr-defined]  # MyST-NB puts it there
    if config.execution_mode != "cache" or not config.execution_in_temp or len(names) < 2:
        return
    if get_cache(config.execution_cache_path).list_cache_records():
        return
    options = {
        "allow_errors": config.execution_allow_errors,
        "timeout": config.execution_timeout,
        "meta_override": True,
    }
    AHEAD.start(notebooks_of(app, names), **options)


def stop(_app: Sphinx, _exception: Exception | None) -> None:
    """End the thread with the build, however that ends."""
    AHEAD.stop()


AHEAD: Final = Ahead()


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this once, when it loads the extension."""
    # MyST-NB takes this function from its own module, and offers no setting for it.
    cached_execution.single_nb_execution = AHEAD
    app.connect("env-before-read-docs", run_ahead)
    app.connect("build-finished", stop)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
