"""What a decode step costs, in Chromium: its numbers are the package's; the batch moves by mouse, keys and touch."""

import itertools
import math

import pytest

from roofline import bound, critical_batch, device, format_quantity, matmul
from roofline.formats import BYTES
from tests.browser.figures.live import Live, numbers, press_the_median, swipe, use_every_control
from tests.browser.waiting import at_rest, drawn

pytestmark = pytest.mark.browser
LABEL = "fig-decode-cost"
PAGE = "lesson/worked-example.html"
START = {
    "B": 64,
    "sum": 1,
    "share": 100,
    "D": 4096,
    "F": 4096,
    "device": "H100 SXM",
    "format": "bf16",
    "weights": "same",
    "activations": "same",
}
STATES = [
    START,
    *(START | {"B": B} for B in (1, 2, 344, 345, 346, 1024, 10_000)),
    # No batch is large enough.
    *(START | {"D": width, "F": width, "B": B} for width, B in itertools.product((16, 512, 590), (1, 10_000))),
    *(START | {"D": D, "F": F} for D, F in ((591, 591), (4096, 14336), (14336, 4096), (16, 65536), (65536, 65536))),
    *(
        START | {"device": name, "format": fmt, "weights": weights, "activations": activations, "B": B}
        for (name, fmt), (weights, activations), B in zip(
            [
                ("H200 SXM", "bf16"),
                ("B200", "fp4"),
                ("B200", "fp8"),
                ("A100 SXM 80GB", "fp32"),
                ("A100 SXM 80GB", "int8"),
                ("L4", "fp8"),
                ("L40S", "bf16"),
                ("RTX 4090", "fp16"),
                ("MI300X", "bf16"),
                ("TPU v5e", "int8"),
                ("V100 SXM2", "fp16"),
                ("H100 SXM", "fp64"),
                ("H100 SXM", "tf32"),
            ],
            itertools.cycle([("same", "same"), ("int4", "bf16"), ("fp8", "same"), ("same", "bf16"), ("fp32", "fp8")]),
            itertools.cycle([1, 64, 300, 3000]),
            strict=False,
        )
    ),
    START | {"sum": 0},
    *(START | {"share": share, "B": B} for share, B in ((1, 1), (74, 64), (99, 3000))),
]
#: What the script takes: a switch is a truth value there.
TAKEN = [state | {"sum": bool(state["sum"])} for state in STATES]


def case(state):
    """The roof, and the kernel of any batch."""
    weights, activations = (state["format"] if state[n] == "same" else state[n] for n in ("weights", "activations"))
    roof = device(state["device"]).roof(state["format"]).derated(state["share"] / 100, state["share"] / 100)

    def limit(B):
        kernel = matmul(B, state["D"], state["F"], state["format"], weights=weights, activations=activations)
        return bound(kernel, roof)

    exact = critical_batch(state["D"], state["F"], roof, state["format"], weights=weights, activations=activations)
    return limit, exact


def agrees(shown, limit):
    expected = numbers(limit, "flops", "nbytes", "compute_time", "memory_time", "time", "added")
    assert {name: shown[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    if not math.isclose(limit.kernel.intensity, limit.roof.ridge, rel_tol=1e-12):
        assert shown["computeBound"] == (limit.regime == "compute-bound")


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state."""
    return lambda state=START, of=None: live(PAGE, "decode_cost", LABEL, state, of)


@pytest.fixture(scope="module")
def seen(context, lesson_address):
    """What the figure shows for each of `STATES`."""
    live = Live(context, lesson_address, PAGE, "decode_cost", LABEL, START)
    # JSON has no infinity, and the browser would give it back as another value.
    found = live.look(TAKEN)
    live.page.close()
    return found


def test_every_point_of_every_curve_is_the_packages(seen):
    assert len(STATES) >= 30
    for state, view in zip(STATES, seen, strict=True):
        limit, exact = case(state)
        agrees(view["chosen"], limit(state["B"]))
        agrees(view["few"], limit(1))
        agrees(view["more"], limit(64))
        for point in (*view["curve"], *view["samples"]):
            agrees(point, limit(point["B"]))
        assert view["none"] == math.isinf(exact)
        if not view["none"]:
            assert view["exact"] == pytest.approx(exact, rel=1e-12)
        assert [point["B"] for point in view["meet"]] == ([] if exact > 10_000 else [pytest.approx(exact, rel=1e-12)])


def reason(more, state):
    """Why the time moves as it does from 1 to 64."""
    if more.regime == "compute-bound":
        return "with 64 it is compute-bound, where time follows the work"
    stored = state["format"] if state["weights"] == "same" else state["weights"]
    weight = state["D"] * state["F"] * BYTES[stored]
    return f"even with 64, {format_quantity(weight / more.kernel.nbytes, '%', 2)} of the bytes are the weight"


def test_the_readout_says_by_how_much_the_time_moves_from_1_to_64(seen):
    flat = 0
    for state, view in zip(STATES, seen, strict=True):
        limit, exact = case(state)
        here, few, more = (limit(B).time for B in (state["B"], 1, 64))
        grown = more / few
        flat += grown < 1.1
        said = [
            "at least" if state["share"] == 100 else f"at {state['share']}% of the roof, an estimate,",
            f" {format_quantity(here, 's')}, {format_quantity(here / state['B'], 's')} for each token",
            "the work grows 64×, and the time "
            + (f"by {format_quantity(grown - 1, '%', 2)}, " if grown < 2 else format_quantity(grown, "×")),
            f"from {format_quantity(few, 's')} to {format_quantity(more, 's')}",
            reason(limit(64), state),
            "No batch is large enough" if math.isinf(exact) else f"compute-bound from B = {math.ceil(exact):,} on",
        ]
        assert [words for words in said if words not in view["readout"]] == [], view["readout"]
        without = f"without overlap {format_quantity(limit(state['B']).time_without_overlap, 's')}"
        assert (without in view["readout"]) == bool(state["sum"])
    assert "the work grows 64×, and the time by 3.1%, from 10.0 µs to 10.3 µs" in seen[0]["readout"]
    assert flat > 15


def test_the_table_says_the_same(seen):
    for state, view in zip(STATES, seen, strict=True):
        limit, exact = case(state)
        rows = sorted({1, 4, 16, 64, 256, 1024, 4096, state["B"], *([] if math.isinf(exact) else [math.ceil(exact)])})
        assert [row[0] for row in view["table"]["rows"]] == [f"{B:,}" for B in rows]
        for B, row in zip(rows, view["table"]["rows"], strict=True):
            times = limit(B)
            expected = [
                *(
                    format_quantity(time, "s")
                    for time in (times.compute_time, times.memory_time, times.time, times.time / B)
                ),
                format_quantity(times.time_without_overlap, "s"),
            ]
            assert row[1:6] == expected, (state, B)
            if not math.isclose(times.kernel.intensity, times.roof.ridge, rel_tol=1e-12):
                assert row[6] == times.regime


def test_the_step_is_flat_and_the_token_falls_until_the_ridge_batch_and_then_the_other_way_round(opened):
    (view,) = opened().look([TAKEN[0]])
    low = [point for point in view["curve"] if point["B"] <= 64]
    high = [point for point in view["curve"] if point["B"] >= view["exact"]]
    assert low[-1]["time"] / low[0]["time"] < 1.05
    assert high[-1]["time"] / high[0]["time"] == pytest.approx(high[-1]["B"] / high[0]["B"])
    tokens = [point["time"] / point["B"] for point in high]
    assert max(tokens) == pytest.approx(min(tokens))


def test_the_ridge_batch_is_marked_in_both_panels_or_not_at_all(opened):
    live = opened()
    assert live.svg.locator("line.guide").count() == 2
    assert "ridge batch 344.9" in live.svg.locator(".words").all_text_contents()
    live.go(START | {"D": 512, "F": 512})
    assert live.svg.locator("line.guide").count() == 0
    assert not [text for text in live.svg.locator(".words").all_text_contents() if "ridge batch" in text]
    assert live.svg.locator("path.curve.compute").count() == 0


def test_the_switch_shows_and_hides_the_time_without_overlap(opened):
    live = opened()
    assert live.svg.locator("path.curve.added").count() == 2
    assert "without overlap" in live.readout
    live.page.get_by_label("Show the time without overlap").uncheck()
    drawn(live.page)
    assert live.svg.locator("path.curve.added").count() == 0
    assert "without overlap" not in live.readout


def test_at_a_share_of_the_roof_nothing_is_called_a_bound(opened):
    live = opened(START | {"share": 74})
    assert "time of the step at 74%" in live.svg.locator(".words").all_text_contents()
    assert [head for head in live.table()[0] if "74%" in head] == live.table()[0][1:6]
    assert "least" not in " ".join([live.readout, live.svg.get_attribute("aria-label"), *live.table()[0]])


def test_the_measured_median_is_one_press_away(opened):
    press_the_median(opened(), "matmul")


def test_every_control_works_by_mouse_and_keys(opened):
    assert use_every_control(opened(), touch=False) == set(START)


def test_every_control_works_by_touch(phone, opened):
    assert use_every_control(opened(of=phone), touch=True) == set(START)


def test_what_people_type_is_taken_and_clamped(opened):
    live = opened()
    live.control("D").fill("8k")
    live.page.keyboard.press("Enter")
    assert live.state["D"] == "8000"
    live.control("B").fill("0")
    live.page.keyboard.press("Enter")
    assert live.state["B"] == "1"
    assert "goes from 1 to 10,000" in live.page.locator(f"#{LABEL}-B-says").inner_text()


def panel_box(live, index):
    live.svg.scroll_into_view_if_needed()
    at_rest(live.page)  # it may still be on its way to the figure that the link names
    return live.svg.locator("rect.draggable").nth(index).bounding_box()


@pytest.mark.parametrize("index", [0, 1])
def test_the_mouse_moves_the_batch_in_either_panel(opened, index):
    live = opened()
    box = panel_box(live, index)
    middle = box["y"] + box["height"] / 2
    live.page.mouse.move(box["x"] + 10, middle)
    live.page.mouse.down()
    live.page.mouse.move(box["x"] + box["width"] / 2, middle, steps=5)
    live.page.mouse.up()
    assert float(live.state["B"]) == pytest.approx(100, rel=0.05)
    live.page.mouse.move(box["x"] + box["width"] + 200, middle)
    assert float(live.state["B"]) == pytest.approx(100, rel=0.05)


def test_a_finger_moves_the_batch_sideways_and_scrolls_the_page_up(phone, opened):
    live = opened(of=phone)

    def drag(by_x, by_y):
        box = panel_box(live, 1)
        swipe(live.page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, by_x, by_y)

    drag(60, 0)
    assert float(live.state["B"]) > 300
    scrolled = live.page.evaluate("scrollY")
    drag(0, -120)
    assert live.page.evaluate("scrollY") > scrolled


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_no_name_covers_another_or_leaves_the_page(window, opened, width):
    live = opened(of=window(width))
    for state in STATES[::2]:
        live.go(state)
        assert live.misplaced() == [], (width, state)
