"""The tip of a checked number, on a page of its own: pointer, keyboard, touch, small window, axe."""

import functools
import http.server
import shutil
import threading
from pathlib import Path

import pytest

from conf.theme.mathml import render
from tests.browser.axe import violations

pytestmark = pytest.mark.browser
CONF = Path(__file__).parents[2] / "conf"

WORKING = {"expr": "critical_batch(4096, 4096, H100)", "value": "344.926", "source": "Datasheet, 2023-03\nbf16 dense"}
IN_MATHS = render(r"B^* = \calcmark{k}{345}", False, {"k": WORKING})
PAGE = f"""<!DOCTYPE html>
<html lang="en" data-theme="THEME"><head><meta charset="utf-8"><title>Numbers</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="lesson.css"><script type="module" src="calc.js"></script>
<style>html {{ background: var(--rl-surface); color: var(--rl-ink) }} a {{ color: var(--rl-link) }}</style></head>
<body><main class="bd-article"><h1>Numbers</h1>
<p><a href="#end">A link with <b class="calc" data-expr="1 + 1">2</b></a></p>
<p style="text-align: right">At the edge: <span class="calc" data-expr="{WORKING["expr"]}" data-value="344.926"
data-source="Datasheet, 2023-03&#10;bf16 dense">344.9</span></p>
<p>In maths: {IN_MATHS}</p>
<p id="far" style="margin-top: 2000px">Far down.</p></main></body></html>
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    for name in ("theme/static/lesson.css", "numbers/static/calc.js"):
        shutil.copy(CONF / name, folder)
    for theme in ("light", "dark"):
        (folder / f"{theme}.html").write_text(PAGE.replace("THEME", theme), encoding="utf-8")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser, address):
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    page.goto(f"{address}/light.html")
    page.wait_for_selector("#calc-tip", state="attached")
    yield page
    context.close()


def test_hover_opens_and_the_tip_itself_can_be_hovered(page):
    tip = page.locator("#calc-tip")
    page.hover("span.calc")
    tip.wait_for(state="visible")
    assert tip.inner_text().split("\n\n") == [WORKING["expr"], "= 344.926", WORKING["source"]]
    tip.hover()
    page.wait_for_timeout(400)
    assert tip.is_visible()
    page.mouse.move(5, 5)
    tip.wait_for(state="hidden")


@pytest.mark.parametrize("number", ["span.calc", "mrow.calc"])
def test_focus_opens_describes_and_escape_closes(page, number):
    tip = page.locator("#calc-tip")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    if number == "mrow.calc":
        page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.evaluate("element => element.matches('.calc') && element.localName") == number.split(".")[0]
    assert tip.is_visible()
    assert focused.get_attribute("aria-describedby") == "calc-tip"
    assert tip.get_attribute("role") == "tooltip"
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    assert focused.get_attribute("aria-describedby") is None


def test_leaving_by_keyboard_closes(page):
    page.focus("span.calc")
    page.focus("a")
    page.locator("#calc-tip").wait_for(state="hidden")


def test_scrolling_away_closes(page):
    page.focus("span.calc")
    page.mouse.wheel(0, 900)
    page.locator("#calc-tip").wait_for(state="hidden")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_a_tap_opens_it_inside_the_window(browser, address, theme):
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{address}/{theme}.html")
    tip = page.locator("#calc-tip")
    for number in ("span.calc", "mrow.calc"):
        page.tap(number)
        tip.wait_for(state="visible")
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page) == []
    page.tap("h1")
    tip.wait_for(state="hidden")
    context.close()


def test_without_script_and_in_print_it_is_plain_text(browser, address, page):
    page.focus("span.calc")
    page.emulate_media(media="print")
    assert page.locator("#calc-tip").is_hidden()
    page.focus("a")
    assert page.locator("span.calc").evaluate("element => getComputedStyle(element).textDecorationLine") == "none"
    assert page.locator("mrow.calc").evaluate("element => getComputedStyle(element).borderBottomStyle") == "none"

    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{address}/light.html")
    assert plain.locator("span.calc").inner_text() == "344.9"
    assert plain.locator("#calc-tip").count() == 0
    context.close()
