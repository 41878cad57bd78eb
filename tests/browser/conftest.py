"""Chromium, and the built site as GitHub Pages serves it: below a path, with a page of its own for a wrong address."""

import http.server
import os
import sys
import threading
from http import HTTPStatus
from pathlib import Path

import pytest

from tests.browser.chromium import CHROMIUM
from tests.browser.tabs import Tabs
from tests.site import built

PREFIX = "/roofline-lesson/"
MISSING = "NO BROWSER: install Chromium or set CHROMIUM; the site in a browser is untested"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let CI try a browser test once more: its machine may stall for seconds. The report counts each second try."""
    if os.environ.get("CI"):
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=1))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a `path` once for each page, but for the one that only stands where it is published."""
    if "path" in metafunc.fixturenames:
        pages = built.pages(Path(built.FOLDER)) if built.FOLDER else ()
        metafunc.parametrize("path", [page.name for page in pages if page.name != "404.html"] or ["no site"])


# Of the package, not of the session: the loop on which Playwright waits would be in the way of others' loops.
@pytest.fixture(scope="package")
def browser():
    if not CHROMIUM:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def lesson_address():
    """The address of the built site, served below a path."""
    site = built.required()

    class Pages(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def translate_path(self, path: str) -> str:
            file = site / built.target("", path, PREFIX)
            return str(file if file.is_relative_to(site) else site / "no such file")

        def send_error(self, code: int, *args: object, **others: object) -> None:
            if code != HTTPStatus.NOT_FOUND:
                return super().send_error(code, *args, **others)
            content = (site / "404.html").read_bytes()
            self.send_response(code)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            return None

        def log_message(self, *_: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *about: object) -> None:
            # A page that is closed while it loads hangs up; that is no error.
            if not isinstance(sys.exc_info()[1], ConnectionError):
                super().handle_error(*about)

    server = Server(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def tabs(browser, lesson_address):
    tabs = Tabs(browser, lesson_address)
    yield tabs
    tabs.close()


@pytest.fixture
def opened(tabs):
    """A function that opens pages as a new reader does; what it opens with the same options are tabs of one window."""
    yield tabs.open
    tabs.clean()
