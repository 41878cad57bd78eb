"""A pytest plugin: every checked number, every doctest and every unchecked number of a page is a test.

It reads pages by the grammar that Sphinx uses, and runs nothing of Jupyter.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.integration.pytest import SybilFile

from conf.numbers.evaluate import CheckError, Page
from conf.numbers.examples import Examples
from conf.numbers.grammar import Check, Doctest, Item, Names, scan
from conf.numbers.lint import Unchecked, unchecked


def _judge(example: Example) -> str | None:
    """Return what is wrong with something that a page promises, with file and line; None if nothing is."""
    item: Item | Unchecked = example.parsed
    page: Page = example.namespace["__page__"]
    wrong: list[tuple[int, str]] = []
    try:
        if isinstance(item, Names):
            page.define(item)
        elif isinstance(item, Check):
            page.verify(item)
        elif isinstance(item, Doctest):
            wrong = [(fault.line, fault.text) for fault in example.namespace["__examples__"].faults(item)]
        else:
            wrong = [(item.line, str(item))]
    except CheckError as error:
        wrong = [(item.line, str(error))]
    return "\n".join(f"{example.path}:{line}: {text}" for line, text in wrong) or None


def _begin(document: Document, items: list[Item]) -> None:
    """Give a page its names before its first test runs: tests may be picked one by one, or run by two workers."""
    page = Page()
    for item in items:
        if isinstance(item, Names):
            try:
                page.define(item)
            except CheckError:
                continue  # the test of the block itself says so
    document.namespace.update(page.names)
    page.names = document.namespace
    document.namespace["__page__"] = page
    document.namespace["__examples__"] = Examples([i for i in items if isinstance(i, Doctest)], page.names)


def regions(document: Document) -> Iterator[Region]:
    """Yield what a page promises, for Sybil.

    Parameters
    ----------
    document : sybil.Document
        The page.

    Yields
    ------
    sybil.Region
        A names block, a checked number, a doctest, or a number that nothing checks.
    """
    items = scan(document.text)
    _begin(document, items)
    found: list[tuple[int, int, Item | Unchecked]] = [
        (item.start, item.end, item) for item in items if isinstance(item, Names | Check | Doctest)
    ]
    found += [(number.start, number.start + 1, number) for number in unchecked(items)]
    taken = 0
    for start, end, parsed in sorted(found, key=lambda entry: entry[:2]):
        # The captions of a code cell all start where their cell starts; Sybil wants regions that do not overlap.
        begin = max(start, taken)
        taken = min(begin + 1 if isinstance(parsed, Unchecked) else max(end, begin + 1), document.end)
        yield Region(min(begin, taken), taken, parsed, _judge)


_SYBIL = Sybil(parsers=[regions])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SybilFile | None:
    """Collect the pages below docs/.

    Parameters
    ----------
    file_path : pathlib.Path
        A file that pytest found.
    parent : pytest.Collector
        Its folder.

    Returns
    -------
    SybilFile or None
        The tests of the page; None for a file that is no page.
    """
    root = parent.config.rootpath
    if file_path.suffix != ".md" or not file_path.is_relative_to(root / "docs"):
        return None
    return SybilFile.from_parent(parent, path=file_path, sybils=[_SYBIL])
