"""A pytest plugin: how many tests of each kind ran, one line each, after the last test."""

from collections import Counter
from pathlib import Path

import pytest

from conf.numbers.grammar import Doctest

KIND = "kind"


def is_doctest(item: pytest.Item) -> bool:
    """Tell a block of `>>>` examples from a checked number."""
    return isinstance(getattr(item, "promise", None), Doctest)


# In the order of the summary. The first rule that holds names the kind; each takes the item and its path.
KINDS = {
    "numbers on pages": lambda item, path: path.parts[0] == "docs" and not is_doctest(item),
    "doctests on pages": lambda item, path: path.parts[0] == "docs",  # noqa: ARG005  # all rules take the same arguments
    "doctests in docstrings": lambda item, path: path.parts[0] != "tests",  # noqa: ARG005
    "browser": lambda item, path: path.parts[:2] == ("tests", "browser") or item.get_closest_marker("browser"),
    "site": lambda item, path: path.parts[:2] == ("tests", "site") or item.get_closest_marker("site"),
    "properties": lambda item, path: item.get_closest_marker("property"),  # noqa: ARG005
    "unit": lambda item, path: True,  # noqa: ARG005
}


def kind_of(item: pytest.Item) -> str:
    """Return the first kind in `KINDS` whose rule holds for `item`."""
    root = item.config.rootpath
    path = item.path.relative_to(root) if item.path.is_relative_to(root) else Path("tests")
    return next(kind for kind, holds in KINDS.items() if holds(item, path))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # A user property travels with the report, also from the worker processes of pytest-xdist.
    for item in items:
        item.user_properties.append((KIND, kind_of(item)))


class Tally:
    """Counts the reports of one run."""

    def __init__(self) -> None:
        self.outcomes: Counter[tuple[str, str]] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # A test passes once, in its call; it can fail or be skipped in any of its three phases.
        if report.when == "call" or not report.passed:
            kind = dict(report.user_properties).get(KIND, "unit")
            self.outcomes[str(kind), report.outcome] += 1

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("how many of each kind")
        for kind in KINDS:
            counts = {outcome: self.outcomes[kind, outcome] for outcome in ("passed", "failed", "skipped")}
            said = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
            if said:
                terminalreporter.line(f"{kind:<24}{said}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Tally(), "tally")
