"""The ridge points in Chromium: every device, every view and every format, with the package's numbers."""

import itertools
import math

import pytest

from figures.reuse import static
from figures.shared.words import listed
from roofline import critical_batch, devices
from roofline.formats import BYTES
from tests.browser.figures.live import looked
from tests.browser.waiting import drawn, settled

pytestmark = pytest.mark.browser
LABEL = "fig-reuse"
PAGE = "lesson/ridge-points.html"
PANEL = "[data-figure=reuse]"
START = {"B": 64, "view": "one", "format": "bf16", "weights": "same"}
FORMATS = ("bf16", "fp16", "fp8", "int8", "fp4", "fp32", "fp64", "tf32")
STATES = [
    {"B": batch, "view": view, "format": fmt, "weights": stored}
    for (view, fmt), (batch, stored) in zip(
        itertools.product(("one", "year", "best"), FORMATS),
        itertools.cycle(itertools.product((1, 153, 206, 207, 1024), ("same", "int4", "bf16", "fp64", "fp6"))),
        strict=False,
    )
] + [
    START,
    *(START | {"view": "year", "B": batch} for batch in (161, 162, 420)),
    # The ridge point met exactly: 200 FLOP/byte of an L4 in tf32, 1125 of a B200 in fp4.
    *(START | {"format": "tf32", "B": batch} for batch in (399, 400, 401)),
    *(START | {"format": "fp4", "weights": "fp8", "B": batch} for batch in (562, 563)),
    *(START | {"view": "best", "B": batch} for batch in (281, 282, 296)),
]
SHOWN = """async ([module, states]) => {
  const { look } = await import(module);
  return states.map((state) => {
    const { rows, medians, readout, table, alt } = look(state);
    return { rows, medians, readout, table, alt };
  });
}"""


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state, and returns its page."""
    return lambda state=START, of=None: live(PAGE, "reuse", LABEL, state, of).page


@pytest.fixture(scope="module")
def seen(context, lesson_address):
    """What the figure shows for each of `STATES`."""
    return list(zip(STATES, looked(context, lesson_address, PAGE, SHOWN, "reuse", STATES), strict=True))


def rows_of(state):
    """What the package says, in the order of the view."""
    view = state["view"]
    formats = {gpu: static.best_format(gpu) if view == "best" else state["format"] for gpu in devices()}
    return static.ordered(view, [static._row(gpu, fmt, state["B"], state["weights"]) for gpu, fmt in formats.items()])


def said(state):
    return static._readout(state["view"], state["B"], state["format"], state["weights"], rows_of(state))


def cells(state):
    return [list(row) for row in static._table(state["B"], state["weights"], rows_of(state)).texts()]


def readout(page):
    settled(page)
    return page.locator(f"{PANEL} .figure-readout").inner_text()


def control(page, name):
    return page.locator(f"#{LABEL}-{name}")


def shown_cells(page):
    settled(page)
    return page.locator(f"#{LABEL}-data tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


# What it says -----


def test_every_number_is_the_package_s(seen):
    assert len(seen) >= 30
    for state, shown in seen:
        for row, there in zip(rows_of(state), shown["rows"], strict=True):
            assert (there["name"], there["year"], there["format"]) == (row.device.name, row.device.year, row.dtype)
            assert there["lacks"] == (row.limit is None)
            if row.limit is None:
                continue
            stored = row.dtype if state["weights"] == "same" else state["weights"]
            needs = critical_batch(static.BOUNDLESS, static.BOUNDLESS, row.limit.roof, weights=stored)
            assert there["ridge"] == pytest.approx(row.limit.roof.ridge, rel=1e-12)
            assert there["intensity"] == pytest.approx(row.limit.kernel.intensity, rel=1e-12)
            assert there["needs"] == pytest.approx(needs, rel=1e-12)
            assert there["computeBound"] == (row.limit.regime == "compute-bound")


def test_the_words_and_the_table_are_those_of_the_static_figure(seen):
    for state, shown in seen:
        assert shown["table"]["rows"] == cells(state)
        if state["view"] == "one":
            assert shown["readout"] == said(state)
        else:
            assert shown["readout"].split(". ")[0] == said(state).split(". ")[0]


def test_devices_without_the_format_are_named_in_words(seen):
    for state, shown in seen:
        lacking = [row.device.name for row in rows_of(state) if row.limit is None]
        named = f"No {state['format']} peak: {listed(lacking)}."
        assert (named in shown["alt"]) == bool(lacking)


def test_the_median_of_a_year_moves_right_at_each_chip_s_best_format(seen):
    best = next(shown["medians"] for state, shown in seen if state["view"] == "best")
    assert [median["year"] for median in best] == sorted({gpu.year for gpu in devices()})
    assert best[0]["ridge"] < best[-1]["ridge"] / 4
    (only,) = {
        round(median["ridge"], 9)
        for state, shown in seen
        if state["view"] == "best"
        for median in shown["medians"][-1:]
    }
    newest = [row.limit.roof.ridge for row in rows_of(START | {"view": "best"}) if row.device.year == best[-1]["year"]]
    assert min(newest) <= only <= max(newest)


def test_the_first_words_are_those_of_the_page_as_it_was_built(window, lesson_address, opened):
    page = window(java_script_enabled=False).new_page()
    page.goto(lesson_address + PAGE)
    built = page.locator(f"{PANEL} .figure-readout").text_content()
    assert page.locator(f"#{LABEL} svg").is_visible()
    assert page.locator(PANEL).is_hidden()
    assert built == readout(opened()) == said(START)


# Every control -----


def test_bars_turn_blue_and_lose_their_hatch_as_the_batch_grows(opened):
    page = opened()
    before = 0
    most = math.ceil(max(gpu.roof("bf16").ridge for gpu in devices() if "bf16" in gpu.formats))
    for batch in (64, 160, 250, most):
        control(page, "B").fill(str(batch))
        control(page, "B").press("Enter")
        drawn(page)
        blue = page.locator(f"#{LABEL} svg rect.bar.compute:not(.key)").count()
        hatched = page.locator(f"#{LABEL} svg rect.bar.memory:not(.key)")
        assert all("url(" in hatched.nth(i).get_attribute("style") for i in range(hatched.count()))
        assert blue == sum(cell[-1] == "compute-bound" for cell in cells(START | {"B": batch})) >= before
        assert hatched.count() == sum(cell[-1] == "memory-bound" for cell in cells(START | {"B": batch}))
        before = blue
    assert before == sum("bf16" in gpu.formats for gpu in devices())


def test_the_line_is_straight_but_for_weights_of_several_formats(opened):
    page = opened()

    def places():
        drawn(page)
        path = page.locator(f"#{LABEL} svg path.given").get_attribute("d")
        return {point.split(",")[0] for point in path.removeprefix("M").split("L")}

    assert len(places()) == 1
    control(page, "view").select_option("best")
    assert len(places()) == len({BYTES[static.best_format(gpu)] for gpu in devices()}) > 1
    control(page, "weights").select_option("fp8")
    assert len(places()) == 1


def test_at_the_best_format_the_list_of_formats_is_off(opened):
    page = opened(START | {"format": "fp16"})
    control(page, "view").select_option("best")
    assert control(page, "format").is_disabled()
    control(page, "view").select_option("year")
    assert control(page, "format").is_enabled()
    assert shown_cells(page) == cells(START | {"view": "year", "format": "fp16"})
    assert "Dashed: the median of each year" in readout(page)


def test_the_keyboard_reaches_everything(opened):
    page = opened()
    control(page, "B").focus()
    names = []
    for _ in range(4):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.id"))
    assert names == ["", f"{LABEL}-view", f"{LABEL}-format", f"{LABEL}-weights"]
    page.keyboard.type("int4")
    assert readout(page) == said(START | {"weights": "int4"})
    control(page, "format").focus()
    page.keyboard.type("fp8")
    assert readout(page) == said(START | {"weights": "int4", "format": "fp8"})
    page.locator(f"{PANEL} .control-slider").focus()
    page.keyboard.press("End")
    assert readout(page) == said(START | {"weights": "int4", "format": "fp8", "B": 1024})


def test_a_number_that_is_typed_is_clamped_with_a_message(opened):
    page = opened()
    control(page, "B").fill("0.2")
    control(page, "B").press("Enter")
    assert control(page, "B").input_value() == "1"
    assert "set to 1" in page.locator(f"#{LABEL}-B-says").inner_text()


def test_touch_moves_the_line_and_nothing_is_wider_than_the_phone(phone, opened):
    page = opened(of=phone)
    slider = page.locator(f"{PANEL} .control-slider")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    assert int(control(page, "B").input_value().replace(",", "")) > 256
    page.locator(f"{PANEL} [data-tool=reset]").tap()
    assert readout(page) == said(START)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_link_opens_the_figure_as_it_was_and_back_goes_back(opened):
    state = {"B": 300, "view": "year", "format": "fp8", "weights": "bf16"}
    page = opened(state)
    assert shown_cells(page) == cells(state)
    control(page, "view").select_option("one")
    control(page, "weights").select_option("same")
    page.go_back()
    page.go_back()
    assert shown_cells(page) == cells(state)
    page.go_forward()
    assert shown_cells(page) == cells(state | {"view": "one"})


# How it looks -----


@pytest.mark.parametrize("width", [360, 640])
def test_no_name_covers_another_or_leaves_the_picture(window, live, width):
    figure = live(PAGE, "reuse", LABEL, START, window(width))
    for state in (
        START, START | {"view": "year", "format": "fp16"}, START | {"view": "best", "B": 256},
        START | {"format": "fp4", "B": 1024}, START | {"view": "year", "format": "fp64", "B": 1},
        START | {"view": "best", "weights": "int4", "B": 1024},
    ):  # fmt: skip
        figure.go(state)
        assert figure.misplaced() == [], (width, state)
