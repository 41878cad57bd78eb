"""The site that `nox -s tests` built, for the tests that read it."""

from pathlib import Path

import pytest

from tests.site import built


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a `page` once for each page, and one that takes a `lesson` for each that someone wrote."""
    for name, pages in (("page", built.pages), ("lesson", built.written)):
        if name in metafunc.fixturenames:
            found = pages(Path(built.FOLDER)) if built.FOLDER else ()
            ids = [page.name for page in found] or ["no site"]
            metafunc.parametrize(name, found or [None], ids=ids, indirect=True)


@pytest.fixture(scope="session")
def site():
    return built.required()


@pytest.fixture
def page(request, site):  # noqa: ARG001 - skips the test if there is no site
    return request.param


@pytest.fixture
def lesson(request, site):  # noqa: ARG001
    return request.param
