"""How a page is looked at: in which windows and themes, and by which rules of axe in each."""

from collections.abc import Iterator
from typing import Any

from tests.browser.axe import COLOURS, violations
from tests.browser.waiting import scrollers_reached

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

#: Theme, window and rules. A theme can only break colours, and a narrow window has the colours of a wide one, and fewer
#: texts.
LOOKS = [
    ("light", DESKTOP, {}),
    ("dark", DESKTOP, {"only": COLOURS}),
    ("light", PHONE, {"without": COLOURS}),
]


def each_look(page: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Show a page, as it stands, in one look after the other; yields what it is called, and the rules of axe for it."""
    page.emulate_media(reduced_motion="reduce")  # no colour is on its way to another
    for theme, size, rules in LOOKS:
        page.emulate_media(color_scheme=theme)
        page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
        page.set_viewport_size(size)
        scrollers_reached(page)
        yield f"{theme}, {size['width']} px", rules


def too_wide(page: Any) -> list[str]:
    """By how much a page is wider than its window."""
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{wide} px too wide"] if wide > 0 else []


_LEAVE_ONLY = """parts => {
  const left = [...document.querySelectorAll(parts.join(","))];
  for (const one of document.querySelectorAll("article *")) {
    if (one.isConnected && !left.some((part) => part.contains(one) || one.contains(part))) one.remove();
  }
}"""


def wrong_in_some_look(page: Any, *within: str) -> list[str]:
    """What axe finds within these parts of a page in each look, and where the page is wider than its window.

    The rest of the article is taken away: it is looked at as each page opens, and would only cost axe time.
    """
    page.evaluate(_LEAVE_ONLY, within)
    page.mouse.move(0, 0)
    wrong = []
    for where, rules in each_look(page):
        found = too_wide(page) + violations(page, within=list(within), **rules)
        wrong += [f"{where}: {one}" for one in found]
    page.set_viewport_size(DESKTOP)
    return wrong
