"""A small site in a temporary folder, built by the same extensions and the same options as the lesson's own."""

import io
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from sphinx.cmd.build import build_main

ROOT = Path(__file__).parents[2]


def settings(*extensions: str, **options: object) -> str:
    """Return a conf.py: MyST-NB, these extensions and options; no code is run unless `nb_execution_mode` says so."""
    chosen = {"extensions": ["myst_nb", *extensions], "html_theme": "basic", "nb_execution_mode": "off"} | options
    return "project = 'small'\n" + "".join(f"{name} = {value!r}\n" for name, value in chosen.items())


SETTINGS = settings(
    "sphinx_proof",
    "conf.cells.interpreter",
    "conf.cells.ahead",
    "conf.cells.freshness",
    freshness_inputs=["lesson.py"],
    nb_execution_mode="cache",
)


HEAD = """\
---
file_format: mystnb
kernelspec:
  name: {kernel}
---

"""


@dataclass
class SmallSite:
    """Files to write, and one command to build them with."""

    root: Path

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy(self, root: Path) -> "SmallSite":
        """Return a copy, built as far as this one, for a test that changes it."""
        shutil.copytree(self.root, root)
        return SmallSite(root)

    def page(self, name: str, text: str, kernel: str = "python3") -> None:
        """Write a page whose code cells run; `text` starts on line 7."""
        self.write(f"docs/{name}.md", HEAD.format(kernel=kernel) + text)

    def build(self, *options: str, gate: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
        """Build as `nox -s live` does or, with `gate`, as `nox -s docs` does: strictly and from fresh doctrees.

        The build runs in this process, by the function behind `python -m sphinx`: a new process would spend most of
        its time importing Sphinx.
        """
        command = self._command(*options, gate=gate)
        with _as_in_a_new_process(self.root, env) as (out, err):
            code = build_main(command)
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())

    def build_apart(self, *options: str, gate: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
        """Build in a process of its own, so that its stderr also has what the kernels write."""
        command = [sys.executable, "-m", "sphinx", *self._command(*options, gate=gate)]
        path = {"PYTHONPATH": _path(self.root)}
        return subprocess.run(command, env=os.environ | path | env, capture_output=True, text=True, check=False)

    def _command(self, *options: str, gate: bool) -> list[str]:
        doctrees = self.root / "build" / "doctrees"
        if gate:
            shutil.rmtree(doctrees, ignore_errors=True)
        strict = ["-W", "-n", "--keep-going"] if gate else []
        folders = ["-c", self.root / "conf", "-d", doctrees, self.root / "docs", self.root / "build" / "html"]
        return ["--no-color", *strict, *options, *map(str, folders)]

    def html(self, page: str = "index") -> str:
        return (self.root / "build" / "html" / f"{page}.html").read_text(encoding="utf-8")


def _path(root: Path) -> str:
    return os.pathsep.join([str(root), str(ROOT)])


@contextmanager
def _as_in_a_new_process(root: Path, env: dict[str, str]) -> Iterator[tuple[io.StringIO, io.StringIO]]:
    """Catch what is printed, and undo afterwards what a build does to the process that it runs in."""
    environ, path, modules = dict(os.environ), list(sys.path), set(sys.modules)
    os.environ.update({"PYTHONPATH": _path(root)} | env)
    sys.path.insert(0, str(root))
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
            # As in a new Python: pytest would turn warnings that are meant for authors of other packages into errors.
            for category in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            yield out, err
    finally:
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(environ)
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(root)):
                del sys.modules[name]  # the next site may have a package of the same name


@pytest.fixture
def small_site(tmp_path):
    site = SmallSite(tmp_path)
    site.write("conf/conf.py", SETTINGS)
    return site
