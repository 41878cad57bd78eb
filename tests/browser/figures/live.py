"""A figure that a browser has brought to life, as a test uses it."""

from __future__ import annotations

import itertools
from typing import Any
from urllib.parse import parse_qs, urlencode

from roofline import Bound
from roofline.reality import measured_shares, median_share
from tests.browser.waiting import at_rest, drawn, settled

#: What a text covers, without the room above and below its letters.
_BOXES = """all => all.map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [one.textContent, left, top + 2, right, bottom - 3];
})"""

_WIDTHS = "(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.documentElement)"


def looked(context: Any, site: str, path: str, script: str, module: str, states: list[dict[str, Any]]) -> list[Any]:
    """What a script on a page finds out about each state from the module of a figure, which need not be alive."""
    page = context.new_page()
    page.goto(site + path)
    found: list[Any] = page.evaluate(script, [f"{site}_static/figures/{module}/figure.js", states])
    page.close()
    return found


def query(state: dict[str, Any]) -> str:
    """A state as an address has it, a switch as 0 or 1."""
    return urlencode({name: int(value) if isinstance(value, bool) else value for name, value in state.items()})


class Live:
    """The figure of a label on a page, in a state; errors of the page are kept."""

    def __init__(self, context: Any, site: str, path: str, module: str, label: str, state: dict[str, Any]) -> None:
        self.label = label
        self.errors: list[str] = []
        self.page = context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._hear)
        self.page.goto(f"{site}{path}#{label}?{query(state)}")
        self.panel = self.page.locator(f'.figure-panel[data-label="{label}"]')
        self.page.wait_for_selector(f'.figure-panel[data-label="{label}"][data-live]')
        settled(self.page)
        self.module = f"{site}_static/figures/{module}/figure.js"

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def look(self, states: list[dict[str, Any]]) -> list[Any]:
        """What the figure shows for each state, without drawing it."""
        return self.page.evaluate(
            "async ([module, states]) => { const { look } = await import(module); return states.map(look); }",
            [self.module, states],
        )

    def go(self, state: dict[str, Any]) -> None:
        """Follow a link to another state."""
        self.page.evaluate("hash => { location.hash = hash }", f"#{self.label}?{query(state)}")
        drawn(self.page)

    def control(self, name: str) -> Any:
        return self.page.locator(f"#{self.label}-{name}")

    def slider(self, name: str) -> Any:
        return self.panel.locator(f'[data-name="{name}"] .control-slider')

    @property
    def state(self) -> dict[str, str]:
        """The state in the address."""
        # What the browser has told about its address lags behind.
        address = self.page.evaluate("location.hash")
        return {name: values[0] for name, values in parse_qs(address.partition("?")[2]).items()}

    @property
    def readout(self) -> str:
        settled(self.page)
        return str(self.panel.locator(".figure-readout").inner_text())

    @property
    def note(self) -> str:
        return str(self.panel.locator(".figure-note").inner_text())

    @property
    def svg(self) -> Any:
        return self.page.locator(".figure-live").and_(
            self.page.locator(f"#{self.label} svg, figure:has(+ [data-label='{self.label}']) svg")
        )

    def table(self) -> list[list[str]]:
        """The data as it stands on the page, the heads first; a folded table follows its picture a little later."""
        settled(self.page)
        rows = self.page.locator(f"#{self.label}-data tr").all()
        return [
            [text.replace("\xa0", " ").strip() for text in row.locator("th, td").all_text_contents()] for row in rows
        ]

    def misplaced(self) -> list[tuple[str, ...]]:
        """The words in the picture that cover each other or leave the page, and whether the page is too wide."""
        boxes = [box for box in self.svg.locator(".words:not([transform])").evaluate_all(_BOXES) if box[0]]
        covered = [
            (a[0], b[0]) for a, b in itertools.combinations(boxes, 2)
            if a[1] < b[3] and b[1] < a[3] and a[2] < b[4] and b[2] < a[4]
        ]  # fmt: skip
        wide, window = self.page.evaluate(_WIDTHS)
        outside = [(text,) for text, left, _, right, _ in boxes if left < 0 or right > window]
        return covered + outside + ([(f"{wide} px of {window}",)] if wide > window else [])


def numbers(limit: Bound, *names: str) -> dict[str, Any]:
    """What the package says of a kernel under a roof, by the names that the figures have for it."""
    says = {
        "flops": limit.kernel.flops,
        "nbytes": limit.kernel.nbytes,
        "intensity": limit.kernel.intensity,
        "compute_time": limit.compute_time,
        "memory_time": limit.memory_time,
        "time": limit.time,
        "added": limit.time_without_overlap,
        "attainable": limit.attainable,
        "share": limit.fraction_of_peak,
    }
    return {name: says[name] for name in names}


def swipe(page: Any, x: float, y: float, by_x: float, by_y: float) -> None:
    """Put a finger down on a place of the window, move it, and lift it."""
    touch = page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 9):
        moved = [{"x": x + by_x * step / 8, "y": y + by_y * step / 8}]
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": moved})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    at_rest(page)
    settled(page)


def press_the_median(live: Live, kind: str, *, touch: bool = False) -> None:
    """Take the measured median of a kind for the share of the roof, by the keyboard or by touch."""
    median = round(100 * median_share(kind))
    button = live.panel.locator('[data-press="measured"]')
    assert button.inner_text() == f"Measured median of {len(measured_shares(kind))} points: {median}%"
    if touch:
        button.tap()
    else:
        button.focus()
        live.page.keyboard.press("Enter")
    drawn(live.page)
    assert live.state["share"] == live.control("share").input_value() == str(median)


def use_every_control(live: Live, *, touch: bool) -> set[str]:
    """Change each control by mouse and keys, or by touch; return the names of those whose state did change."""
    changed = set()
    names = live.panel.locator(".control:not([hidden])").evaluate_all("all => all.map((one) => one.dataset.name)")
    for name in names:
        before = live.state
        for act in (_touch,) if touch else (_mouse, _keys):
            act(live, name)
            drawn(live.page)
            after = live.state
            if after.get(name) == before.get(name):
                break
            before = after
        else:
            changed.add(name)
    missing = set(names) - changed
    assert not missing, f"no change of {missing}"
    return changed


def _kind(live: Live, name: str) -> str:
    return str(live.control(name).evaluate("one => one.tagName === 'SELECT' ? 'choice' : one.type"))


def _mouse(live: Live, name: str) -> None:
    if _kind(live, name) == "choice":
        _choose_another(live, name)
    elif _kind(live, name) == "checkbox":
        live.panel.locator(f'[data-name="{name}"] label').click()
    else:
        box = live.slider(name).bounding_box()
        live.slider(name).click(position={"x": 0.8 * box["width"], "y": box["height"] / 2})


def _keys(live: Live, name: str) -> None:
    live.control(name).focus()
    if _kind(live, name) == "choice":
        before = live.control(name).input_value()
        live.page.keyboard.press("ArrowUp")
        if live.control(name).input_value() == before:  # it was the first that the device has
            live.page.keyboard.press("ArrowDown")
    elif _kind(live, name) == "checkbox":
        live.page.keyboard.press("Space")
    else:
        live.slider(name).focus()
        for _ in range(60):
            live.page.keyboard.press("ArrowLeft")


def _touch(live: Live, name: str) -> None:
    if _kind(live, name) == "choice":
        # The list itself is drawn by the system, out of a test's reach.
        live.control(name).tap()
        _choose_another(live, name)
    elif _kind(live, name) == "checkbox":
        live.panel.locator(f'[data-name="{name}"] label').tap()
    else:
        box = live.slider(name).bounding_box()
        live.slider(name).tap(position={"x": 0.8 * box["width"], "y": box["height"] / 2})


def _choose_another(live: Live, name: str) -> None:
    options = live.control(name).evaluate(
        "one => [...one.options].filter((o) => !o.disabled && !o.selected).map((o) => o.value)"
    )
    live.control(name).select_option(options[-1])
