"""Sphinx extension: pages run in the interpreter that builds them, one at a time, and a failing cell names its line.

Jupyter looks for a kernel called ``python3`` in half a dozen places, of which ``JUPYTER_PATH`` and the user's home come
before the environment that runs Sphinx. A kernel installed years ago would then silently compute the numbers of a
page with other packages. So this extension writes a kernelspec of its own and makes it the first one found.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Final

import nbformat
from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

logger = logging.getLogger(__name__)

#: The name by which Jupyter knows our kernelspec.
KERNEL: Final = "python3"
COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")  # IPython's tracebacks are coloured for a terminal


def kernelspec(root: Path, ipython_dir: Path) -> dict[str, Any]:
    """Return the kernelspec that runs a page in this interpreter, with `root` importable."""
    return {
        "argv": [
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
            # For every page, ipykernel 7 logs a warning (it uses a local socket) and an error (it was asked to stop),
            # among which a real warning would be lost. What cells print, and how they fail, is not sent to this log.
            "--IPKernelApp.log_level=CRITICAL",
        ],
        "display_name": "Python 3",
        "language": "python",
        "env": {
            "PYTHONPATH": str(root),
            "PYTHONHASHSEED": "0",
            # Our figures display themselves, with alt text; pyplot would show them without it, so it shows nothing.
            "MPLBACKEND": "agg",
            # The user's own IPython profile may run code at start-up.
            "IPYTHONDIR": str(ipython_dir),
            # Without this the debugger, which no page uses, warns on stderr that it cannot see frozen modules.
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
    # Every page gets this kernel, whatever its front matter names.
    config.nb_kernel_rgx_aliases = {".*": KERNEL}
    # MyST-NB's own report of a failure names neither the line nor the cause; report_failure does.
    config.suppress_warnings = [*config.suppress_warnings, "mystnb.exec"]


def report_failure(app: Sphinx, _doctree: nodes.document) -> None:
    """Say on which line of the page the failing cell starts, and why it failed.

    A failure is an error of that page, not the end of the build: an author sees all of them in one run.
    """
    env: Any = app.env
    page = env.current_document.docname
    result = NbMetadataCollector.get_exec_data(env, page)
    if result and result["error"]:
        # MyST-NB has just written the page, as far as it was executed, into its output folder.
        executed = nbformat.read(Path(env.mystnb_config.output_folder, f"{page}.ipynb"), as_version=4)
        line, cause = failure(executed, result["traceback"])
        logger.error("a code cell failed: %s", cause, location=f"{env.doc2path(page)}:{line}")


def failure(executed: nbformat.NotebookNode, traceback: str) -> tuple[int, str]:
    """Return the line of the page on which the cell that failed starts, and the cause."""
    # On a time-out the cell is interrupted, and looks as if someone had pressed Ctrl+C.
    timed_out = traceback.partition("CellTimeoutError: ")[2]
    starts = executed.metadata.get("source_map", [0] * len(executed.cells))
    # Execution ends with the cell that failed; an error further up was expected (`raises-exception`).
    for start, cell in reversed(list(zip(starts, executed.cells, strict=True))):
        for error in (output for output in cell.get("outputs", ()) if output.output_type == "error"):
            said = COLOUR.sub("", "\n".join(error.traceback))
            return start + 1, timed_out or f"{error.ename}: {error.evalue}\n{said}"
    return 1, traceback  # the kernel died, and took the name of the cell with it


def failed_pages(env: BuildEnvironment) -> set[str]:
    """Return the pages that had a failing cell when they were last read."""
    results = {page: NbMetadataCollector.get_exec_data(env, page) for page in env.found_docs}
    return {page for page, result in results.items() if result and result["error"]}


def read_failed_pages_again(app: Sphinx, env: BuildEnvironment, *_: set[str]) -> set[str]:  # noqa: ARG001  # Sphinx's signature
    """Have an incremental build run failed pages again; otherwise its second try would succeed."""
    return failed_pages(env)


def fail_the_build(app: Sphinx, exception: Exception | None) -> None:
    """Exit with a failure even where warnings are not errors."""
    if exception is None and failed_pages(app.env):
        app.statuscode = 1


def build_serially(app: Sphinx) -> None:
    """Ignore ``-j``: sphinx-proof 0.4 cannot merge the theorems of two readers, and jupyter-cache has races."""
    if app.parallel > 1:
        logger.info("Pages are built one after the other, whatever -j says: sphinx-proof and jupyter-cache need it.")
        app.parallel = 1


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    build_serially(app)
    app.connect("config-inited", pin_kernel)
    app.connect("doctree-read", report_failure)
    app.connect("env-get-outdated", read_failed_pages_again)
    app.connect("build-finished", fail_the_build)
    return METADATA
