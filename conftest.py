"""What pytest loads first: pages and docstrings as tests, a count for each kind, the slow first, no excuses in CI."""

import os
from collections.abc import Generator

import pytest

pytest_plugins = ["conf.numbers.pytest_plugin", "tests.counts"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow tests: at the end of a run no worker then waits for one that the other has just begun."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that CI would skip: at home a browser may be missing, in CI that would hide the test for ever."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, which CI does not accept: {report.longrepr[-1]}"
    return report
