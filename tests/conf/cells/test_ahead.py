"""Pages run ahead on another core give what they would give in their turn, each exactly once."""

import threading

import pytest
from jupyter_cache.executors.utils import ExecutionResult
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from conf.cells.ahead import Ahead, cells_of

PAGE = "# A page\n\n```{{code-cell}} python\nprint('page', {number})\n```\n"


def notebook(source):
    return new_notebook(cells=[new_markdown_cell("Text."), new_code_cell(source)])


class Kernel:
    """Executes a notebook by repeating its source, and keeps who was executed where."""

    def __init__(self):
        self.ran, self.gate = [], threading.Event()

    def __call__(self, notebook, cwd, error=None):
        ahead = threading.current_thread() is not threading.main_thread()
        if ahead:
            self.gate.wait(10)
        self.ran.append((notebook.cells[1].source, ahead))
        notebook.cells[1].outputs = [new_output("stream", text=f"ran {notebook.cells[1].source}")]
        notebook.cells[1].execution_count = 1
        notebook.metadata["language_info"] = {"name": "python"}
        return ExecutionResult(notebook, cwd, 0.5, error, None)


def test_only_code_cells_say_which_notebook_it_is():
    assert cells_of(notebook("1 + 1")) == ("1 + 1",)


def test_each_is_run_once_the_last_ones_ahead():
    kernel = Kernel()
    ahead = Ahead(kernel)
    ahead.start([notebook(name) for name in "abc"])
    # The thread is at the last one; the first has not begun, so it is run in its turn.
    first = notebook("a")
    ahead(first, cwd=".")
    assert kernel.ran == [("a", False)]
    kernel.gate.set()
    asked = {name: notebook(name) for name in "cb"}
    results = {name: ahead(one, cwd=".") for name, one in asked.items()}
    assert ("c", True) in kernel.ran
    assert sorted(name for name, _ in kernel.ran) == ["a", "b", "c"]
    for name, one in asked.items():
        assert results[name].nb is one
        assert one.cells[1].outputs[0].text == f"ran {name}"
        assert one.cells[1].execution_count == 1
        assert one.metadata["language_info"] == {"name": "python"}
    ahead.stop()


def test_what_is_asked_for_again_or_was_never_named_is_run_in_its_turn():
    kernel = Kernel()
    kernel.gate.set()
    ahead = Ahead(kernel)
    ahead.start([notebook("a")])
    for _ in range(2):
        ahead(notebook("a"), cwd=".")
    ahead(notebook("new"), cwd=".")
    assert [name for name, _ in kernel.ran] == ["a", "a", "new"]
    ahead.stop()


def test_an_error_is_passed_on():
    kernel = Kernel()
    kernel.gate.set()
    ahead, error = Ahead(kernel), ValueError("a cell failed")
    ahead.start([notebook("a")], error=error)
    while not kernel.ran:
        pass
    assert ahead(notebook("a"), cwd=".").err is error
    ahead.stop()


def test_after_the_end_nothing_more_is_run():
    kernel = Kernel()
    ahead = Ahead(kernel)
    ahead.start([notebook(name) for name in "abcdef"])
    kernel.gate.set()
    ahead.stop()
    assert len(kernel.ran) <= 2
    ahead.stop()


@pytest.mark.slow
def test_every_page_of_a_site_has_its_own_outputs_and_a_failure_is_named_by_line(small_site):
    names = ["index", "one", "two", "three"]
    for number, name in enumerate(names):
        small_site.page(name, PAGE.format(number=number))
    listed = "\n".join(names[1:])
    small_site.write(
        "docs/index.md", (small_site.root / "docs/index.md").read_text() + f"\n```{{toctree}}\n{listed}\n```\n"
    )
    built = small_site.build(gate=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert built.stdout.count("Executed notebook in") == len(names)
    for number, name in enumerate(names):
        assert f"page {number}" in small_site.html(name)

    small_site.write("lesson.py", "NEW = 1\n")  # nothing is cached any more
    small_site.page("two", PAGE.format(number="1 / 0"))
    built = small_site.build(gate=True)
    assert built.returncode != 0
    assert "two.md:10" in built.stderr
    assert "ZeroDivisionError" in built.stderr
    assert "page 3" in small_site.html("three")
