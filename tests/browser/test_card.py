"""The six-minute card on paper: two sides of one sheet, with all of its sections on them."""

import re

import pytest

from tests.site import built

pytestmark = pytest.mark.browser


@pytest.fixture
def card(browser, lesson_address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{lesson_address}card.html")
    page.wait_for_load_state("networkidle")
    yield page
    page.close()


def sides(pdf: bytes) -> int:
    """How many pages a PDF of Chromium has: it writes each as an object of its own."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_card_prints_on_two_sides(card, theme):
    card.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    assert [sides(card.pdf(format=paper)) for paper in ("A4", "Letter")] == [2, 2]
    # The page says which paper it is made for.
    assert sides(card.pdf(prefer_css_page_size=True)) == 2


def test_nothing_of_the_card_is_cut_off_on_paper(card):
    card.emulate_media(media="print")
    wide = card.evaluate(
        """() => [...document.querySelectorAll(".bd-article :is(p, li, .math-scroll, figure, h2)")]
            .filter(box => box.scrollWidth > box.clientWidth + 1).map(box => box.textContent.slice(0, 60))"""
    )
    assert wide == []
    hidden = card.locator(".bd-article > section > section").evaluate_all(
        "boxes => boxes.filter(box => box.getClientRects().length === 0).map(box => box.id)"
    )
    assert hidden == []


def test_only_the_card_is_set_on_a_sheet():
    site = built.required()
    with_style = sorted(page.name for page in site.rglob("*.html") if "sheet.css" in page.read_text(encoding="utf-8"))
    assert with_style == ["card.html"]
