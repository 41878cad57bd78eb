"""What pytest loads first: the plugins of the lesson, the order of the tests, and no skipping in CI."""

import os
from collections.abc import Generator

import pytest

pytest_plugins = ["conf.numbers.pytest_plugin", "tests.counts"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow tests, so that no worker idles at the end of a run while the other finishes one."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that is skipped in CI: at home a browser may be missing, but in CI nobody would notice."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, which CI does not accept: {report.longrepr[-1]}"
    return report
