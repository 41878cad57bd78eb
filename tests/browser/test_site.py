"""The built lesson in Chromium: every page at two widths and in two themes, and what a reader does with it."""

import functools
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.axe import violations
from tests.browser.looks import DESKTOP, PHONE, each_look, too_wide
from tests.site import built

pytestmark = pytest.mark.browser

NUMBERS = "lesson/ridge-points.html"
FIGURE = "lesson/picture.html"


@pytest.fixture(scope="module")
def tab(browser):
    """The tab in which one page is opened after the other: it parses the scripts that they share only once."""
    context = browser.new_context(viewport=DESKTOP, color_scheme="light")
    tab = context.new_page()
    tab.set_default_timeout(10_000)
    yield tab
    context.close()


@functools.cache
def pages_for_all_looks() -> set[str]:
    """The first page with each class that our own styles know: axe looks at these in all looks, at the others in one.

    What breaks in the dark or on a phone is a rule of a style sheet, and so breaks on each page that it is for. Once a
    week axe looks at all pages.
    """
    pages = built.pages(Path(built.FOLDER))
    if os.environ.get("WEEKLY"):
        return {page.name for page in pages}
    sheets = [sheet.read_text(encoding="utf-8") for sheet in Path(built.FOLDER, "_static").glob("*/**/*.css")]
    styled = set(re.findall(r"\.([a-z][\w-]+)", "".join(sheets)))
    seen: set[str] = set()
    found = set()
    for page in pages:
        new = styled.intersection(" ".join(page.tree.xpath("//@class")).split()) - seen
        if new:
            seen |= new
            found.add(page.name)
    return found


def test_a_page_is_sound_accessible_and_no_wider_than_its_window(tab, lesson_address, path):
    said, failed, hosts = [], [], set()
    listeners = {
        "console": lambda message: said.append(message.text) if message.type in ("error", "warning") else None,
        "pageerror": lambda error: said.append(str(error)),
        "requestfailed": lambda request: failed.append(request.url),
        "response": lambda response: failed.append(response.url) if response.status >= 400 else None,
        "request": lambda request: hosts.add(urlsplit(request.url).netloc),
    }
    tab.goto("about:blank")
    tab.emulate_media(color_scheme="light")
    tab.set_viewport_size(DESKTOP)
    for event, listener in listeners.items():
        tab.on(event, listener)
    try:
        tab.goto(lesson_address + path)
        wrong = []
        for where, rules in each_look(tab):
            wrong += [f"{where}: {fault}" for fault in too_wide(tab)]
            if not rules or path in pages_for_all_looks():
                wrong += [f"{where}: {violation}" for violation in violations(tab, **rules)]
        # Waited for last, so that what the page fetches late is heard.
        tab.wait_for_load_state("networkidle")
    finally:
        for event, listener in listeners.items():
            tab.remove_listener(event, listener)
    assert wrong == []
    assert failed == []
    assert said == []
    assert hosts - {""} == {urlsplit(lesson_address).netloc}


def test_a_number_shows_its_working_to_a_pointer(opened):
    page = opened(NUMBERS)
    number, tip = page.locator("article span.calc[data-source]").first, page.locator("#calc-tip")
    assert tip.is_hidden()
    number.hover()
    tip.wait_for(state="visible")
    said = tip.inner_text()
    assert number.get_attribute("data-expr") in said
    assert f"= {number.get_attribute('data-value')}" in said
    assert number.get_attribute("data-source").splitlines()[0] in said
    page.mouse.move(1, 1)
    tip.wait_for(state="hidden")


def test_a_number_shows_its_working_to_the_keyboard(opened):
    page = opened(NUMBERS)
    tip = page.locator("#calc-tip")
    page.locator("article h2").first.click()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.calc')"):
            break
    tip.wait_for(state="visible")
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "calc-tip"
    assert violations(page) == []
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.matches('.calc')")


def test_a_number_shows_its_working_to_a_finger(opened):
    page = opened(NUMBERS, viewport=PHONE, has_touch=True, is_mobile=True)
    tip = page.locator("#calc-tip")
    page.locator("article span.calc").first.tap()
    tip.wait_for(state="visible")
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    page.locator("article h2").first.tap()
    tip.wait_for(state="hidden")


def test_a_number_in_maths_shows_its_working(opened):
    page = opened(NUMBERS)
    number, tip = page.locator("article math .calc").first, page.locator("#calc-tip")
    number.scroll_into_view_if_needed()
    number.hover()
    tip.wait_for(state="visible")
    assert number.get_attribute("data-expr") in tip.inner_text()


def test_without_scripts_all_is_there_to_read(opened):
    page = opened(FIGURE, java_script_enabled=False)
    figure = page.locator("figure svg[role=img]").first
    assert figure.is_visible()
    page.locator("figure + details summary, figure ~ details summary").first.click()
    assert page.locator("figure ~ details table").first.is_visible()
    assert page.locator("article math").first.is_visible()
    number = page.locator("article span.calc").first
    assert number.is_visible()
    assert number.get_attribute("tabindex") is None
    assert page.locator("#calc-tip").count() == 0
    assert page.locator("nav a", has_text="Ridge points").first.get_attribute("href")


def test_on_paper_a_number_is_plain_and_nothing_floats(opened):
    page = opened(NUMBERS)
    number = page.locator("article span.calc").first
    number.focus()
    page.locator("#calc-tip").wait_for(state="visible")
    page.emulate_media(media="print")
    assert page.locator("#calc-tip").is_hidden()
    style = "element => { const s = getComputedStyle(element); return [s.textDecorationLine, s.backgroundColor] }"
    assert number.evaluate(style) == ["none", "rgba(0, 0, 0, 0)"]
    assert page.locator(".bd-sidebar-primary").is_hidden()
    assert page.locator("article table").first.is_visible()


def test_on_paper_a_dark_page_is_black_on_white(opened):
    page = opened(NUMBERS, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    colours = "getComputedStyle(document.querySelector('article p')).color"
    assert page.evaluate(colours) == "rgb(0, 0, 0)"


def test_a_reader_chooses_a_theme_and_it_stays(opened):
    page = opened(NUMBERS)
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.locator(".theme-switch-container > summary").click()
    page.locator(".theme-change-button[data-mode=dark]").click()
    assert page.evaluate(theme) == "dark"
    page.reload()
    assert page.evaluate(theme) == "dark"


def test_a_figure_follows_the_theme(opened):
    page = opened(FIGURE)
    ink = "getComputedStyle(document.querySelector('figure svg [style*=\"fill: var(--rl-\"]')).fill"
    light = page.evaluate(ink)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    assert page.evaluate(ink) != light


def test_the_search_finds_a_term(opened):
    page = opened("search.html?q=ridge+point")
    page.locator("#search-results li", has_text="Ridge points of real GPUs").first.wait_for()
    page.locator("#search-results li a").first.click()
    assert page.locator("article h1").first.is_visible()


def test_the_first_tab_skips_to_the_text(opened):
    page = opened(NUMBERS)
    page.keyboard.press("Tab")
    assert "skip" in page.evaluate("document.activeElement.textContent.toLowerCase()")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main-content"
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_the_lesson_reads_from_page_to_page(opened):
    page = opened("index.html")
    seen = [page.url]
    for _ in range(3):
        page.locator("a.right-next").click()
        page.wait_for_load_state()  # a long page comes in pieces, its foot last
        seen.append(page.url)
    assert len(set(seen)) == 4
    page.locator("a.left-prev").click()
    assert page.url == seen[2]


def test_on_a_phone_the_contents_open_and_close(opened):
    page = opened(NUMBERS, viewport=PHONE, has_touch=True, is_mobile=True)
    link = page.locator(".bd-sidebar-primary a", has_text="Definitions").first
    assert not link.is_visible()
    page.locator("button.primary-toggle").first.click()
    link.wait_for(state="visible")
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")


def test_a_wrong_address_gets_the_page_for_it(browser, lesson_address):
    context = browser.new_context()
    page = context.new_page()
    response = page.goto(lesson_address + "no/such/page.html")
    assert response.status == 404
    assert page.locator("article h1").first.inner_text()
    context.close()
