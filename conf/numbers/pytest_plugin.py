"""A pytest plugin: every checked number, every doctest and every unchecked number of a page is a test.

It reads pages by the grammar that Sphinx uses, and does not start Jupyter.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conf.numbers.evaluate import CheckError, Page
from conf.numbers.examples import Examples
from conf.numbers.grammar import Check, Doctest, Names, scan
from conf.numbers.lint import Unchecked, unchecked

Promise = Names | Check | Doctest | Unchecked


class Broken(Exception):
    """A page says something wrong; the text has each fault with its file and line."""


class PromiseItem(pytest.Item):
    """The test of one promise.

    Parameters
    ----------
    promise : Names, Check, Doctest or Unchecked
        What the page promises, or a number that nothing checks.
    page : Page
        The page, which has its names already.
    examples : Examples
        All examples of the page.
    **kwargs
        What pytest gives to each test.
    """

    def __init__(self, *, promise: Promise, page: Page, examples: Examples, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.promise, self.page, self.examples = promise, page, examples

    def faults(self) -> list[tuple[int, str]]:
        """Return what is wrong, each with its line."""
        promise = self.promise
        try:
            if isinstance(promise, Names):
                self.page.define(promise)
            elif isinstance(promise, Check):
                self.page.verify(promise)
            elif isinstance(promise, Doctest):
                return [(fault.line, fault.text) for fault in self.examples.faults(promise)]
            else:
                return [(promise.line, str(promise))]
        except CheckError as error:
            return [(promise.line, str(error))]
        return []

    def runtest(self) -> None:
        """Fail where the promise does not hold."""
        if faults := self.faults():
            page = os.path.relpath(self.path, self.config.invocation_params.dir)
            raise Broken("\n".join(f"{page}:{line}: {text}" for line, text in faults))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """Say what is wrong with the page, without a traceback, which would not help its author."""
        return str(excinfo.value) if isinstance(excinfo.value, Broken) else super().repr_failure(excinfo, *args)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the promise stands."""
        return self.path, self.promise.line - 1, self.name


class PageFile(pytest.File):
    """A page, with a test for each of its promises."""

    def collect(self) -> Iterator[PromiseItem]:
        """Yield the tests, named after their lines."""
        items = scan(self.path.read_text(encoding="utf-8"))
        promises = sorted(
            [*(item for item in items if isinstance(item, Names | Check | Doctest)), *unchecked(items)],
            key=lambda promise: promise.line,
        )
        page = Page()
        # All names before the first test: tests may be picked one by one, or run by two workers.
        for promise in promises:
            if isinstance(promise, Names):
                try:
                    page.define(promise)
                except CheckError:
                    continue  # the test of the block itself says so
        examples = Examples([item for item in promises if isinstance(item, Doctest)], page.names)
        seen: Counter[int] = Counter()
        for promise in promises:
            seen[promise.line] += 1
            name = f"line {promise.line}" + (f", {seen[promise.line]}" if seen[promise.line] > 1 else "")
            yield PromiseItem.from_parent(self, name=name, promise=promise, page=page, examples=examples)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PageFile | None:
    """Collect the pages below docs/.

    Parameters
    ----------
    file_path : pathlib.Path
        A file that pytest found.
    parent : pytest.Collector
        Its folder.

    Returns
    -------
    PageFile or None
        The tests of the page; None for a file that is no page.
    """
    if file_path.suffix != ".md" or not file_path.is_relative_to(parent.config.rootpath / "docs"):
        return None
    return PageFile.from_parent(parent, path=file_path)
