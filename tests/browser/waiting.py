"""What a test waits for in a browser: a state that comes about, never a time that was long enough once."""

from typing import Any

# `wait_for_function` gives up after a while, where `evaluate` would wait for ever on a page without scripts.

#: What history and links tell a page comes as a task, and what it draws then comes with a frame.
_TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
_ALL_SHOWN = "() => !document.querySelector('.figure-panel[data-busy]')"
#: The theme lets whatever scrolls be reached by keyboard some time after a resize; so do we, a frame after it.
_SCROLLERS_REACHED = """() => [...document.querySelectorAll(
  "pre, .math-scroll, .table-scroll, .pst-scrollable-table-container, .cell_output > .output, figure.drawing"
)].every((one) => one.scrollWidth <= one.clientWidth + 1 || one.tabIndex === 0 || !one.checkVisibility())"""
_AT_REST = """() => new Promise((done) => {
  let last = NaN;
  const look = () => {
    const now = scrollY;
    if (now === last) done(true);
    else { last = now; setTimeout(look, 60); }
  };
  look();
})"""


def drawn(page: Any) -> None:
    """Wait until what a page was told last has been drawn."""
    page.wait_for_function(_TWO_FRAMES)


def settled(page: Any) -> None:
    """Wait until every live figure of a page shows its last state: picture, words and folded table."""
    drawn(page)
    page.wait_for_function(_ALL_SHOWN)


def scrollers_reached(page: Any) -> None:
    """Wait until all that scrolls sideways on a page can be reached by keyboard."""
    drawn(page)
    page.wait_for_function(_SCROLLERS_REACHED)


def at_rest(page: Any) -> None:
    """Wait until a page no longer scrolls, be it by a finger or on its way to what its address names."""
    page.wait_for_function(_AT_REST)
