"""From which batch on, in Chromium: the package's numbers, and no answer before the guess."""

import itertools
import math

import pytest

from roofline import bound, critical_batch, device, format_quantity, matmul
from tests.browser.figures.live import numbers, swipe, use_every_control
from tests.browser.waiting import at_rest

pytestmark = pytest.mark.browser
LABEL = "fig-intensity-vs-batch"
PAGE = "lesson/matmul-theorem.html"
START = {"guess": 50, "B": 1, "D": 4096, "F": 4096, "device": "H100 SXM", "format": "bf16", "revealed": False}
STATES = [
    START | {"B": batch, "D": D, "F": F, "device": name, "format": fmt, "revealed": revealed}
    for (name, fmt), (D, F), batch, revealed in zip(
        [
            ("H100 SXM", "bf16"), ("H100 SXM", "fp8"), ("H200 SXM", "bf16"), ("A100 SXM 80GB", "fp32"), ("B200", "fp4"),
            ("L4", "fp64"), ("V100 SXM2", "fp16"), ("TPU v5e", "int8"), ("MI300X", "tf32"), ("B300", "fp64"),
            ("M1 CPU", "fp32"), ("T4", "fp16"),
        ] * 4,
        itertools.cycle([(4096, 4096), (512, 512), (16, 65536), (65536, 65536), (4096, 14336)]),
        itertools.cycle([1, 64, 345, 4096, 100_000]),
        itertools.cycle([True, True, False]),
        strict=False,
    )
]  # fmt: skip


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state."""
    return lambda state=START, of=None: live(PAGE, "intensity_vs_batch", LABEL, state, of)


def case(state):
    roof, fmt = device(state["device"]).roof(state["format"]), state["format"]

    def limit(B):
        return bound(matmul(B, state["D"], state["F"], fmt), roof)

    return roof, limit, critical_batch(state["D"], state["F"], roof, fmt)


def agrees(shown, limit):
    expected = numbers(limit, "flops", "nbytes", "intensity", "compute_time", "memory_time", "time", "share")
    assert {name: shown[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    if not math.isclose(limit.kernel.intensity, limit.roof.ridge, rel_tol=1e-12):
        assert shown["computeBound"] == (limit.regime == "compute-bound")


def test_every_number_is_the_packages(opened):
    assert len(STATES) >= 30
    counted = {"none": 0, "some": 0}
    for state, view in zip(STATES, opened().look(STATES), strict=True):
        roof, limit, exact = case(state)
        assert view["ridge"] == pytest.approx(roof.ridge, rel=1e-12)
        assert view["ceiling"] == pytest.approx(limit(10**12).kernel.intensity, rel=1e-12)
        assert view["none"] == math.isinf(exact)
        if not view["none"]:
            assert view["exact"] == pytest.approx(exact, rel=1e-12)
        counted["none" if view["none"] else "some"] += 1
        agrees(view["chosen"], limit(state["B"]))
        for point in view["curve"]:
            agrees(point, limit(point["B"]))
    assert min(counted.values()) > 3


def test_the_table_and_the_readout_say_them_once_the_guess_is_made(opened):
    for state, view in zip(STATES, opened().look(STATES), strict=True):
        _, limit, exact = case(state)
        here = limit(state["B"])
        assert (
            f"{format_quantity(here.kernel.intensity, 'FLOP/B', 4)}, at least {format_quantity(here.time, 's', 4)}"
            in view["readout"]
        )
        for row in view["table"]["rows"]:
            times = limit(int(row[0].replace(",", "")))
            assert row[1:6] == [
                format_quantity(times.kernel.flops, "FLOP"), format_quantity(times.kernel.nbytes, "B", 4),
                format_quantity(times.kernel.intensity, "", 4), format_quantity(times.compute_time, "s", 4),
                format_quantity(times.memory_time, "s", 4),
            ]  # fmt: skip
            if not state["revealed"]:
                assert row[6:] == ["?", "?"]
            elif not math.isclose(times.kernel.intensity, times.roof.ridge, rel_tol=1e-12):
                assert row[6:] == [times.regime, format_quantity(times.fraction_of_peak, "%", 2)]
        if not state["revealed"]:
            assert "-bound" not in view["readout"]
        elif math.isinf(exact):
            assert "No batch is large enough: the ceiling" in view["readout"]
        else:
            assert (
                f"compute-bound from B = {math.ceil(exact):,} on (B* = {format_quantity(exact, '', places=1)})"
                in view["readout"]
            )


def test_before_the_guess_the_picture_has_no_ridge_point_and_no_regime(opened):
    live = opened(START | {"B": 100_000})
    assert live.svg.locator("path.curve.memory, path.curve.compute, line.curve.compute").count() == 0
    assert live.svg.locator("rect.mark").count() == 0
    assert not [text for text in live.svg.locator(".words").all_text_contents() if "ridge" in text or "B*" in text]
    live.page.get_by_role("button", name="Reveal").click()
    assert "compute-bound" in live.readout
    texts = live.svg.locator(".words").all_text_contents()
    assert "ridge point, 295" in texts
    assert "B* = 344.9" in texts
    assert live.svg.locator("rect.mark.chosen").count() == 1


@pytest.mark.parametrize(("guess", "words"), [
    (345, "Your guess of 345 is right: B* is 344.9."),
    (295, "is the rule of thumb. The activations, which also move, make B* 344.9."),
    (590, "fits the sparse peak, twice the dense one. With the dense peak B* is 344.9."),
    (360, "Your guess of 360 is 4% too high: B* is 344.9."),
    (30, "Your guess of 30 is 11× too low: B* is 344.9."),
])  # fmt: skip
def test_a_guess_gets_a_fair_word(opened, guess, words):
    live = opened()
    live.control("guess").fill(str(guess))
    live.page.keyboard.press("Enter")
    live.page.get_by_role("button", name="Reveal").click()
    assert words in live.readout


def test_a_guess_is_not_held_against_another_matmul_or_gpu(opened):
    live = opened()
    live.page.get_by_role("button", name="Reveal").click()
    assert "Your guess of 50" in live.readout
    live.control("device").select_option("H200 SXM")
    assert "B* = 229.1" in live.readout
    assert "Your guess" not in live.readout
    live.page.get_by_role("button", name="Reveal").click()
    assert "Your guess of 50 is 4.6× too low: B* is 229.1." in live.readout
    live.control("guess").fill("200")
    live.page.keyboard.press("Enter")
    assert "Guess B* and press Reveal" in live.readout


def test_with_a_small_weight_no_batch_is_large_enough(opened):
    live = opened(START | {"D": 512, "F": 512, "revealed": True})
    assert "No batch is large enough: the ceiling of 256 FLOP/byte is not above the ridge point" in live.readout
    assert live.svg.locator("path.curve.compute").count() == 0


def test_every_control_works_by_mouse_and_keys(opened):
    assert use_every_control(opened(), touch=False) == set(START) - {"revealed"}


def test_every_control_works_by_touch(phone, opened):
    live = opened(of=phone)
    assert use_every_control(live, touch=True) == set(START) - {"revealed"}
    live.page.get_by_role("button", name="Reveal").tap()
    assert "B* = " in live.readout or "No batch is large enough" in live.readout


def test_the_mouse_moves_the_batch_again_and_again(opened):
    live = opened()
    live.svg.scroll_into_view_if_needed()
    at_rest(live.page)
    box = live.svg.locator("rect.draggable").bounding_box()
    for share in (0.4, 0.6, 0.8):
        live.page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + box["height"] / 2)
        live.page.mouse.down()
        # Ends below the plot, over words that a careless drag would select.
        live.page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] + 30, steps=4)
        live.page.mouse.up()
        assert float(live.state["B"]) == pytest.approx(10 ** (5 * share), rel=0.05)


def test_a_finger_moves_the_batch(phone, opened):
    live = opened(of=phone)
    live.svg.scroll_into_view_if_needed()
    at_rest(live.page)
    box = live.svg.locator("rect.draggable").bounding_box()
    swipe(live.page, box["x"] + box["width"] / 4, box["y"] + box["height"] / 2, box["width"] / 2, 0)
    assert float(live.state["B"]) == pytest.approx(10 ** (5 * 0.75), rel=0.1)


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_no_name_covers_another_or_leaves_the_page(window, opened, width):
    live = opened(of=window(width))
    for state in [START, *STATES[::2], START | {"D": 65536, "F": 16, "guess": 300, "B": 300, "revealed": True}]:
        for guess in (2, 300, 90_000):
            live.go(state | {"guess": guess})
            assert live.misplaced() == [], (width, state, guess)
