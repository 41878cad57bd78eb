"""Run the ``>>>`` examples of a page.

One runner serves Sphinx and pytest.  It gives each fault its line; pytest shows it as a failed test and Sphinx as an
error of the build.
"""

from __future__ import annotations

import builtins
import doctest
import traceback
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final

from conf.numbers.grammar import Doctest

FLAGS: Final = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Fault:
    """An example that does not do what it says."""

    line: int
    text: str


class _Runner(doctest.DocTestRunner):
    """Python's own runner, but it keeps the faults instead of printing them."""

    def __init__(self) -> None:
        self.checker = doctest.OutputChecker()
        super().__init__(self.checker, optionflags=FLAGS)
        self.faults: list[Fault] = []

    def _keep(self, test: doctest.DocTest, example: doctest.Example, text: str) -> None:
        line = (test.lineno or 0) + example.lineno + 1
        self.faults.append(Fault(line, f"{example.source.strip()}\n{text.strip()}"))

    def report_start(self, out: Any, test: doctest.DocTest, example: doctest.Example) -> None:
        """Say nothing: a build of a site has its own progress."""

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:  # noqa: ARG002
        """Keep what was expected and what came."""
        self._keep(test, example, self.checker.output_difference(example, got, self.optionflags))

    def report_unexpected_exception(
        self,
        out: Any,  # noqa: ARG002 - doctest's signature
        test: doctest.DocTest,
        example: doctest.Example,
        exc_info: tuple[type[BaseException], BaseException, TracebackType],
    ) -> None:
        """Keep the exception; its traceback would show doctest's own frames."""
        self._keep(test, example, "".join(traceback.format_exception_only(exc_info[1])))


def faults(test: doctest.DocTest, names: dict[str, Any]) -> list[Fault]:
    """Run one test.

    Parameters
    ----------
    test : doctest.DocTest
        The examples; ``test.lineno`` is the line above the first, counted from 1.
    names : dict
        The namespace that they run in, and that keeps what they define.

    Returns
    -------
    list of Fault
        Empty where all is well.
    """
    test.globs = names
    runner = _Runner()
    runner.run(test, out=lambda _: None, clear_globs=False)
    return runner.faults


@dataclass
class Examples:
    r"""The examples of one page: one namespace, from top to bottom.

    Attributes
    ----------
    blocks : list of Doctest
        The blocks, in the order of the page.
    names : dict
        The names of the page.

    Examples
    --------
    >>> first, second = Doctest(">>> a = 2", 5), Doctest(">>> a + 1\n4", 9)
    >>> Examples([first, second], {}).faults(second)
    [Fault(line=9, text='a + 1\nExpected:\n    4\nGot:\n    3')]
    """

    blocks: list[Doctest]
    names: dict[str, Any]
    _found: list[list[Fault]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # A reader who pastes an example has all of Python, and not only the few functions for checked numbers.
        self.names = self.names | {"__builtins__": builtins}

    def faults(self, block: Doctest) -> list[Fault]:
        """Run a block, after the blocks above it: tests may be picked one by one, or run by two workers.

        Parameters
        ----------
        block : Doctest
            One of the blocks.

        Returns
        -------
        list of Fault
            Those of this block alone.
        """
        last = self.blocks.index(block)
        for above in self.blocks[len(self._found) : last + 1]:
            test = doctest.DocTestParser().get_doctest(above.source, {}, "example", None, above.line - 1)
            self._found.append(faults(test, self.names))
        return self._found[last]
