"""A small site in a temporary folder, built by the same extensions and the same options as the lesson's own."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SETTINGS = """\
project = "small"
extensions = ["myst_nb", "sphinx_proof", "conf.cells.interpreter", "conf.cells.ahead", "conf.cells.freshness"]
freshness_inputs = ["lesson.py"]
nb_execution_mode = "cache"
html_theme = "basic"
"""


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

    def page(self, name: str, text: str, kernel: str = "python3") -> None:
        """Write a page whose code cells run; `text` starts on line 7."""
        self.write(f"docs/{name}.md", HEAD.format(kernel=kernel) + text)

    def build(self, *options: str, gate: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
        """Build as `nox -s live` does or, with `gate`, as `nox -s docs` does: strictly and from fresh doctrees."""
        doctrees = self.root / "build" / "doctrees"
        if gate:
            shutil.rmtree(doctrees, ignore_errors=True)
        strict = ["-W", "-n", "--keep-going"] if gate else []
        folders = ["-c", "conf", "-d", doctrees, "docs", "build/html"]
        command = [sys.executable, "-m", "sphinx", "--no-color", *strict, *options, *folders]
        path = {"PYTHONPATH": os.pathsep.join([str(self.root), str(ROOT)])}
        return subprocess.run(
            command, cwd=self.root, env=os.environ | path | env, capture_output=True, text=True, check=False
        )

    def html(self, page: str = "index") -> str:
        return (self.root / "build" / "html" / f"{page}.html").read_text(encoding="utf-8")


@pytest.fixture
def small_site(tmp_path):
    site = SmallSite(tmp_path)
    site.write("conf/conf.py", SETTINGS)
    return site
