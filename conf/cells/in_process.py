"""Run a page's cells in this process: without a kernel to start, a page takes milliseconds instead of seconds.

`nox -s live` runs pages this way. The published site gets a kernel for each page, which no other page can have changed;
a test checks that both ways give the same outputs.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from ipykernel.ipkernel import IPythonKernel
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from jupyter_cache import get_cache
from jupyter_cache.executors.utils import ExecutionResult
from jupyter_client.jsonutil import json_default
from nbformat import NotebookNode
from nbformat.v4 import new_output
from sphinx.application import Sphinx
from traitlets import Type
from traitlets.config import Config

from conf.cells.ahead import keep, notebook_of


def _as_sent(data: Any) -> Any:
    """Return data in the form in which a kernel sends it: the bytes of a picture become base64, for example."""
    return json.loads(json.dumps(data, default=json_default))


class _Stream(io.TextIOBase):
    """Collects what a cell prints, in order with its other outputs."""

    def __init__(self, outputs: list[NotebookNode], name: str) -> None:
        self.outputs, self.name = outputs, name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        last = self.outputs[-1] if self.outputs else None
        if last is not None and last.output_type == "stream" and last.name == self.name:
            last.text += text
        elif text:
            self.outputs.append(new_output("stream", name=self.name, text=text))
        return len(text)


class _Result(DisplayHook):
    """Keeps the value of a cell's last line instead of printing it."""

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        data = _as_sent(format_dict)
        count = self.prompt_count
        output = new_output("execute_result", data=data, metadata=md_dict or {}, execution_count=count)
        cast("_Shell", self.shell).cell_outputs.append(output)

    def flush(self) -> None:
        """Forget the last values, without IPython's garbage collection, which is slow in a big process."""
        self._ = self.__ = self.___ = ""

    def finish_displayhook(self) -> None:
        self._is_active = False


class _Display(DisplayPublisher):
    """Keeps what a cell shows by `display`."""

    def publish(self, data: Any, metadata: Any = None, *_: Any, **__: Any) -> None:
        data = _as_sent(data)
        self.shell.cell_outputs.append(new_output("display_data", data=data, metadata=metadata or {}))


class _Shell(InteractiveShell):
    displayhook_class = Type(_Result)
    display_pub_class = Type(_Display)

    def __init__(self, **options: Any) -> None:
        self.cell_outputs: list[NotebookNode] = []
        super().__init__(**options)  # type: ignore[no-untyped-call]

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """Show nothing: a page that fails is run again by a kernel, which reports it."""

    showsyntaxerror = showtraceback


def run(notebook: NotebookNode, timeout: int) -> ExecutionResult:
    """Execute a notebook in place, in a new namespace and a temporary folder, as a kernel would.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The notebook.
    timeout : int
        Seconds that a cell may take. Nothing interrupts it on a system without timers, or outside the main thread.

    Returns
    -------
    jupyter_cache.executors.utils.ExecutionResult
        The notebook, with its outputs; if a cell failed, `err` says why and the outputs are incomplete.
    """
    quiet = Config({"HistoryManager": {"enabled": False}})
    shell = _Shell.instance(config=quiet)
    shell.reset()  # type: ignore[no-untyped-call]
    begin = time.perf_counter()
    error = None
    with TemporaryDirectory() as folder, _inside(folder):
        for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
            if not cell.source.strip() or "skip-execution" in cell.metadata.get("tags", ()):
                continue  # nbclient sends neither to the kernel
            outputs = shell.cell_outputs = []
            streams = _Stream(outputs, "stdout"), _Stream(outputs, "stderr")
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]), _limit(timeout):
                done = shell.run_cell(cell.source, store_history=True)  # type: ignore[no-untyped-call]
            error = done.error_before_exec or done.error_in_exec
            if error:
                break
            cell.outputs, cell.execution_count = outputs, done.execution_count
    notebook.metadata["language_info"] = _as_sent(IPythonKernel.language_info)
    return ExecutionResult(notebook, folder, time.perf_counter() - begin, error)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def _limit(seconds: int) -> Iterator[None]:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeoutError(f"the cell took more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fill_cache(app: Sphinx, page: str, _source: list[str]) -> None:
    """Run a page that is about to be read, unless its outputs are cached."""
    config: Any = app.env.mystnb_config  # type: ignore[attr-defined]  # MyST-NB puts it there
    notebook = notebook_of(app.env, page)
    if notebook is None or config.execution_mode != "cache":
        return
    with contextlib.suppress(KeyError):
        get_cache(config.execution_cache_path).match_cache_notebook(notebook)
        return
    result = run(notebook, config.execution_timeout)
    if result.err is None:
        keep(app.env, page, result)
