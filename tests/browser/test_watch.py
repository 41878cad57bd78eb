"""Videos: no other host is asked for anything before play is pressed, and then the one that sets no cookies."""

import re
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.browser

PAGE = "practice/watch-and-read.html"
ELSEWHERE = re.compile(r"^https?://(?!127\.0\.0\.1)")
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def opened(tabs):
    """A function that opens the page, and the list of the addresses elsewhere that it has asked for since.

    Each is answered here: a test needs no network, and no one is told of it.
    """

    def opened(**options: object):
        asked: list[str] = []

        def answer(route):
            asked.append(route.request.url)
            route.fulfill(content_type="text/html", body="<!DOCTYPE html><title>player</title>")

        page = tabs.open(PAGE, before=lambda tab: tab.context.route(ELSEWHERE, answer), **options)
        return page, asked

    yield opened
    tabs.clean()


def buttons(page):
    return page.locator("lesson-video button")


def test_no_other_host_is_asked_before_play(opened):
    page, asked = opened()
    buttons(page).first.wait_for()
    assert buttons(page).count() == 3
    for number in range(3):
        buttons(page).nth(number).scroll_into_view_if_needed()
        buttons(page).nth(number).hover()
        buttons(page).nth(number).focus()
    page.wait_for_timeout(500)  # the element fetches a poster of its own after 100 ms, where it has none
    assert asked == []
    assert page.locator("iframe").count() == 0
    assert page.locator("head link[rel=preconnect], head link[rel=preload]").count() == 0


@pytest.mark.parametrize(
    "options",
    [
        {},
        PHONE | {"user_agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari/604.1"},
    ],
    ids=["desktop", "phone"],
)
def test_play_asks_the_host_without_cookies_and_no_other(opened, options):
    page, asked = opened(**options)
    button = buttons(page).first
    button.tap() if options else button.click()
    frame = page.locator("lesson-video iframe")
    frame.wait_for()
    page.wait_for_function("document.activeElement.localName === 'iframe'")
    page.wait_for_timeout(300)
    assert {urlsplit(address).netloc for address in asked} == {"www.youtube-nocookie.com"}
    assert urlsplit(asked[0]).path == "/embed/8h3f3E-Oq5A"
    assert frame.count() == 1  # the others wait
    assert frame.get_attribute("title") == "Using the Roofline Model and Intel Advisor"
    assert not button.is_visible()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_play_works_by_keyboard(opened, key):
    page, asked = opened()
    buttons(page).first.wait_for()
    page.locator("#sec-watch h2").click()
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.closest('.video') === null"):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('lesson-video button')")
    page.keyboard.press(key)
    page.locator("lesson-video iframe").wait_for()
    assert len(asked) == 1


def test_each_video_has_a_name_for_a_screen_reader(opened):
    page, _ = opened()
    buttons(page).first.wait_for()
    titles = page.locator(".video-title").all_inner_texts()
    assert len(titles) == 3
    for title in titles:
        assert page.get_by_role("button", name=f"Play: {title}", exact=True).count() == 1


def test_a_video_without_scripts_is_a_poster_and_a_link(opened):
    page, asked = opened(java_script_enabled=False)
    for video in page.locator(".video").all():
        assert video.locator("img").evaluate("picture => picture.complete && picture.naturalWidth > 0")
        link = video.locator(".video-title a")
        assert link.get_attribute("href").startswith("https://www.youtube.com/watch?v=")
    assert asked == []


def test_on_paper_a_video_is_its_title_and_address(opened):
    page, _ = opened()
    buttons(page).first.wait_for()
    page.emulate_media(media="print")
    assert not page.locator("lesson-video").first.is_visible()
    link = page.locator(".video-title a").first
    assert link.is_visible()
    assert "youtube.com" in link.evaluate("link => getComputedStyle(link, '::after').content")
