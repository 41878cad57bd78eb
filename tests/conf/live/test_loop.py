"""The author's loop as its author has it: files are saved, and a browser is told when the page is there."""

import os
import queue
import re
import subprocess
import sys
import threading
from pathlib import Path
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect

ROOT = Path(__file__).parents[3]
SETTINGS = """\
project = "small"
extensions = ["myst_nb", "conf.cells"]
freshness_inputs = ["roofline"]
nb_execution_mode = "cache"
nb_execution_in_temp = True
html_theme = "alabaster"
numfig = True
"""
INDEX = "# Start\n\n```{toctree}\none\ntwo\n```\n"
ONE = "# One\n\n```{code-cell} python\nfrom roofline import answer\nprint('it is', answer())\n```\n"
TWO = "# Two\n\n(sec-here)=\n## Here\n\nText.\n"


class Loop:
    """The process, what it prints, and a browser that waits for its word."""

    def __init__(self, site):
        self.site, self.said = site, queue.Queue()
        command = [sys.executable, "-m", "conf.live", "--port", "0", "--no-browser"]
        path = os.pathsep.join([str(site.root), str(ROOT)])
        env = os.environ | {"PYTHONPATH": path}
        self.process = subprocess.Popen(
            command, cwd=site.root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        address = self.wait_for(r"Serving on http://(\S+)")[-1]
        self.address = re.search(r"http://(\S+)", address)[1]

    def listen(self):
        for line in self.process.stdout:
            self.said.put(line)

    def wait_for(self, pattern):
        """Return the lines up to the one that has the pattern."""
        lines = []
        while not lines or not re.search(pattern, lines[-1]):
            try:
                lines.append(self.said.get(timeout=60))
            except queue.Empty:
                pytest.fail(f"no {pattern!r} in {''.join(lines)}")
        return lines

    def save(self, name, text, *, told=True):
        """Save a page or a module, wait until the browser is told and all is settled; return what was said."""
        path = f"docs/{name}.md" if "." not in name else name
        head = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n"
        self.site.write(path, (head if path.endswith(".md") else "") + text)
        return self.settled(told=told)

    def settled(self, *, told=True):
        if told:
            assert self.browser.recv(timeout=60) == "refresh"
        return "".join(self.wait_for("Up to date"))

    def page(self, name):
        return (self.site.root / "build/live/html" / f"{name}.html").read_text(encoding="utf-8")


@pytest.fixture
def loop(small_site):
    small_site.write("conf/conf.py", SETTINGS)
    small_site.write("roofline/__init__.py", "def answer():\n    return 41\n")
    for name, text in (("index", INDEX), ("one", ONE), ("two", TWO)):
        small_site.page(name, text)
    loop = Loop(small_site)
    with connect(f"ws://{loop.address}/websocket-reload") as loop.browser:
        yield loop
    loop.process.terminate()
    loop.process.wait(10)
    loop.listener.join()
    loop.process.stdout.close()


@pytest.mark.slow
def test_the_loop_shows_what_was_saved_and_keeps_what_is_wrong(loop):
    assert "it is 41" in loop.page("one")
    with urlopen(f"http://{loop.address}/one.html") as served:
        assert b"websocket-reload" in served.read()

    # An edit of text, and one of the package, which the cells of this process import afresh.
    assert "no fault" in loop.save("two", TWO + "\nMore.\n")
    assert "More." in loop.page("two")
    loop.save("roofline/__init__.py", "def answer():\n    return 42 + 0\n", told=False)
    assert "it is 42" in loop.page("one")

    # A title shows in the menus of other pages.
    loop.save("two", TWO.replace("# Two", "# Another name"))
    assert "Another name" in loop.page("one")

    # A fault stands while other pages are built, and until it is mended.
    said = loop.save("one", ONE + "\nSee {ref}`sec-nowhere`.\n")
    assert "docs/one.md:14: WARNING: undefined label: 'sec-nowhere'" in said
    said = loop.save("two", TWO + "\nOther text.\n")
    assert "1 fault" in said
    assert "docs/one.md:14: WARNING: undefined label: 'sec-nowhere'" in said
    assert "no fault" in loop.save("one", ONE + "\nSee {ref}`sec-here`.\n").splitlines()[-1]

    # So does a package that cannot be imported.
    said = loop.save("roofline/__init__.py", "def answer(:\n", told=False)
    assert "SyntaxError" in said
    assert "SyntaxError" in loop.save("two", TWO + "\nA last text.\n")
    assert (
        "no fault" in loop.save("roofline/__init__.py", "def answer():\n    return 43\n", told=False).splitlines()[-1]
    )
    assert "it is 43" in loop.page("one")

    # What linked to a page that is deleted has a fault; the page itself is gone.
    (loop.site.root / "docs" / "two.md").unlink()
    said = loop.settled(told=False)
    assert "undefined label: 'sec-here'" in said
    assert "nonexisting document 'two'" in said
    assert not (loop.site.root / "build/live/html/two.html").exists()
    assert "Another name" not in loop.page("one")
