"""The site that `nox -s tests` built, for the tests that read it."""

import os
from pathlib import Path

import pytest

from tests.site import built

MISSING = "NO SITE: build it by `nox -s docs` and set ROOFLINE_SITE to its folder, or run `nox -s tests`"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a `page` once for each page, and one that takes a `lesson` for each that someone wrote."""
    for name, pages in (("page", built.pages), ("lesson", built.written)):
        if name in metafunc.fixturenames:
            found = pages(Path(built.FOLDER)) if built.FOLDER else ()
            ids = [page.name for page in found] or ["no site"]
            metafunc.parametrize(name, found or [None], ids=ids, indirect=True)


@pytest.fixture(scope="session")
def site():
    folder = Path(built.FOLDER)
    if not built.FOLDER or not (folder / "index.html").is_file():
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    return folder


@pytest.fixture
def page(request, site):  # noqa: ARG001 - says why there is none
    return request.param


@pytest.fixture
def lesson(request, site):  # noqa: ARG001
    return request.param
