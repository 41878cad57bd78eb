"""The figures in Chromium: one wide window for a module, and a way to bring a figure to life in it."""

import json

import pytest

from tests.browser.figures.live import Live


@pytest.fixture(scope="module")
def context(browser):
    context = browser.new_context(
        viewport={"width": 1280, "height": 1400},
        color_scheme="light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    yield context
    context.close()


@pytest.fixture(scope="module")
def window(browser):
    """A function that opens another window, or the same for the same options; all are closed at the end."""
    contexts = {}

    def window(width=1280, height=900, **options: object):
        options = {"viewport": {"width": width, "height": height}} | options
        name = json.dumps(options, sort_keys=True)
        if name not in contexts:
            contexts[name] = browser.new_context(**options)
        return contexts[name]

    yield window
    for context in contexts.values():
        context.close()


@pytest.fixture
def phone(window):
    return window(360, 780, has_touch=True, is_mobile=True, permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture
def live(context, lesson_address):
    """A function that opens a figure in a state; each page is closed at the end and must have had no error."""
    opened: list[Live] = []

    def live(path: str, module: str, label: str, state: dict[str, object], of=None) -> Live:
        opened.append(Live(of or context, lesson_address, path, module, label, state))
        return opened[-1]

    yield live
    for one in opened:
        one.page.close()
    assert [error for one in opened for error in one.errors] == []
