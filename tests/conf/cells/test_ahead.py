"""Pages run ahead on another core give what they would give in their turn, and fill the cache."""

import threading

import pytest
from jupyter_cache.executors.utils import ExecutionResult
from nbformat.v4 import new_code_cell, new_notebook

from conf.cells.ahead import Ahead

PAGE = "# A page\n\n```{{code-cell}} python\nprint('page', {number})\n```\n"
NOTEBOOKS = {page: new_notebook(cells=[new_code_cell(page)]) for page in "abc"}


class Kernel:
    """Keeps which notebooks were executed; the first of them takes until the gate opens."""

    def __init__(self):
        self.ran, self.begun, self.gate = [], threading.Event(), threading.Event()

    def __call__(self, notebook):
        self.ran.append(notebook.cells[0].source)
        self.begun.set()
        self.gate.wait(10)
        return ExecutionResult(notebook, ".", 0.5, None, None)


@pytest.fixture
def kernel():
    return Kernel()


@pytest.fixture
def ahead(kernel):
    ahead = Ahead()
    ahead.start(NOTEBOOKS, kernel)
    kernel.begun.wait(10)
    yield ahead
    kernel.gate.set()
    ahead.stop()


def test_the_last_one_is_run_first_and_one_not_begun_is_left_to_the_asker(kernel, ahead):
    assert ahead.take("a") is None
    kernel.gate.set()
    assert ahead.take("c").nb is NOTEBOOKS["c"]
    ahead.stop()
    assert "a" not in kernel.ran


def test_what_is_asked_for_again_or_was_never_named_is_left_to_the_asker(kernel, ahead):
    kernel.gate.set()
    assert ahead.take("c") is not None
    assert ahead.take("c") is None
    assert ahead.take("new") is None


def test_after_the_end_nothing_more_is_run(kernel, ahead):
    kernel.gate.set()
    ahead.stop()
    assert len(kernel.ran) < len(NOTEBOOKS) or ahead.take("a") is None
    ahead.stop()


@pytest.mark.slow
def test_every_page_of_a_site_has_its_own_outputs_and_a_failure_is_named_by_line(small_site):
    names = ["index", "one", "two", "three"]
    for number, name in enumerate(names):
        small_site.page(name, PAGE.format(number=number if name != "two" else "1 / 0"))
    listed = "\n".join(names[1:])
    small_site.write(
        "docs/index.md", (small_site.root / "docs/index.md").read_text() + f"\n```{{toctree}}\n{listed}\n```\n"
    )
    built = small_site.build("-D", "nb_execution_in_temp=1", gate=True)
    assert "Using cached notebook" in built.stdout  # what was run ahead
    for number, name in enumerate(names):
        assert (f"page {number}" in small_site.html(name)) == (name != "two")
    assert built.returncode != 0
    assert "two.md:10" in built.stderr
    assert "ZeroDivisionError" in built.stderr
