"""Pages run in the interpreter that builds them, quietly, one after the other, and a failing cell names its line.

Jupyter looks for a kernel called ``python3`` in half a dozen places, of which ``JUPYTER_PATH`` and the user's home come
before the environment that runs Sphinx. A kernel installed years ago would then compute the numbers of a page with
other packages, without a word. So this extension writes a kernelspec of its own and makes it the first one found.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import myst_nb.core.execute
from myst_nb.core.execute.cache import NotebookClientCache
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)

KERNEL = "python3"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # IPython's tracebacks are coloured for a terminal


def kernelspec(root: Path, ipython_dir: Path) -> dict[str, Any]:
    """Return the kernelspec that runs a page in this interpreter, with `root` importable."""
    return {
        "argv": [
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
            # ipykernel 7 warns, once a page, that it talks over a local socket, and calls it an error that it is asked
            # to end; a real warning would drown in that. What a cell says and how it fails goes another way.
            "--IPKernelApp.log_level=CRITICAL",
        ],
        "display_name": "Python 3",
        "language": "python",
        "env": {
            "PYTHONPATH": str(root),
            "PYTHONHASHSEED": "0",
            # Our figures show themselves, with alt text. One shown by pyplot would have none: show nothing.
            "MPLBACKEND": "agg",
            # The user's own IPython profile may run code at start-up.
            "IPYTHONDIR": str(ipython_dir),
            # Else the debugger, which no page uses, says on stderr that it cannot see frozen modules.
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        },
    }


def pin_kernel(app: Sphinx, config: Config) -> None:
    """Write our kernelspec beside the output and make it the first one that Jupyter finds."""
    home = Path(app.outdir).parent / "jupyter"
    spec = home / "kernels" / KERNEL / "kernel.json"
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(json.dumps(kernelspec(Path(app.confdir).parent, home / "ipython"), indent=1), encoding="utf-8")
    os.environ |= {
        "JUPYTER_PATH": str(home),
        "JUPYTER_DATA_DIR": str(home),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_NO_CONFIG": "1",
    }
    # Whatever kernel the head of a page names, it gets this one.
    config.nb_kernel_rgx_aliases = {".*": KERNEL}
    # LocatingClient says it better: this one names neither the line nor the cause.
    config.suppress_warnings = [*config.suppress_warnings, "mystnb.exec"]


class LocatingClient(NotebookClientCache):  # type: ignore[misc]  # MyST-NB ships no types
    """MyST-NB's cached execution, which also says on which line of the page the failing cell starts, and why it failed.

    A failure is an error of that page, not the end of the build: an author sees all of them in one run.
    """

    def start_client(self) -> None:
        """Run the page's cells, or take their outputs from the cache."""
        super().start_client()
        if self.exec_metadata["error"]:
            line, cause = self.failure()
            logger.error("a code cell failed: %s", cause, location=f"{self.path}:{line}")

    def failure(self) -> tuple[int, str]:
        """Return the first line of the cell that failed, and the cause."""
        # On a time-out the cell is interrupted, and looks as if someone had pressed Ctrl+C.
        timed_out = self.exec_metadata["traceback"].partition("CellTimeoutError: ")[2]
        for index, cell in enumerate(self.notebook.cells):
            for error in (output for output in cell.get("outputs", ()) if output.output_type == "error"):
                traceback = COLOUR.sub("", "\n".join(error.traceback))
                return self.cell_line(index), timed_out or f"{error.ename}: {error.evalue}\n{traceback}"
        return 1, self.exec_metadata["traceback"]


def failed_pages(env: BuildEnvironment) -> set[str]:
    """Return the pages of which a cell failed when they were last read."""
    results = {page: NbMetadataCollector.get_exec_data(env, page) for page in env.found_docs}
    return {page for page, result in results.items() if result and result["error"]}


def read_failed_pages_again(app: Sphinx, env: BuildEnvironment, *_: set[str]) -> set[str]:  # noqa: ARG001  # Sphinx's signature
    """Have an incremental build run them again, else its second try would be green."""
    return failed_pages(env)


def fail_the_build(app: Sphinx, exception: Exception | None) -> None:
    """Exit with a failure, also where warnings are not errors."""
    if exception is None and failed_pages(app.env):
        app.statuscode = 1


def build_serially(app: Sphinx) -> None:
    """Take back ``-j``: sphinx-proof 0.4 cannot merge the theorems of two readers, and jupyter-cache has races."""
    if app.parallel > 1:
        logger.info("Pages are built one after the other, whatever -j says: sphinx-proof and jupyter-cache need it.")
        app.parallel = 1


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this once, when it loads the extension."""
    build_serially(app)
    app.connect("config-inited", pin_kernel)
    app.connect("env-get-outdated", read_failed_pages_again)
    app.connect("build-finished", fail_the_build)
    # MyST-NB picks its client by name from this module, and offers no setting for it.
    myst_nb.core.execute.NotebookClientCache = LocatingClient
    return {"parallel_read_safe": True, "parallel_write_safe": True}
