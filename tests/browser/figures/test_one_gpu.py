"""The roofline of one GPU in Chromium: its numbers are the package's, and a point moves by mouse, keys and touch."""

import itertools
import math
from urllib.parse import urlencode

import pytest

from figures.one_gpu.static import INTENSITIES, POINTS, RATES
from roofline import Kernel, bound, device, format_quantity
from tests.browser.figures.live import looked, numbers, swipe
from tests.browser.waiting import drawn, settled

pytestmark = pytest.mark.browser
LABEL = "fig-one-gpu"
PAGE = "lesson/picture.html"
START = {
    "device": "H100 SXM",
    "format": "bf16",
    "point": "matmul-b-64",
    "factor": 1,
    "other": "A100 SXM 80GB",
    "other_format": "bf16",
}
#: Each device, formats of every width, points on both roofs, still and moved.
STATES = [
    START | {"device": name, "format": fmt, "point": point.value, "factor": factor}
    for (name, fmt), (point, factor) in zip(
        [
            *itertools.product(("H100 SXM", "H200 SXM", "L4", "B200", "MI300X"), ("bf16", "fp32", "fp8")),
            *(("A100 SXM 80GB", fmt) for fmt in ("bf16", "fp64", "tf32", "int8")),
            *(("V100 SXM2", fmt) for fmt in ("fp16", "fp64", "fp32")),
            *(("TPU v5e", fmt) for fmt in ("bf16", "int8")),
            *(("B200", fmt) for fmt in ("fp4", "fp64")),
            *(("RTX 4090", fmt) for fmt in ("fp16", "int8")),
        ],
        itertools.cycle(zip(POINTS, itertools.cycle((1, 0.5, 4, 1e-3)))),
        strict=False,
    )
] + [
    START,
    START | {"device": "A100 SXM 80GB"},
    START | {"device": "H200 SXM", "other": "H100 SXM"},
    START | {"format": "fp8", "other": "H100 SXM"},
    START | {"device": "V100 SXM2", "format": "fp16", "other": "B200", "other_format": "fp4"},
    # Moved to the ridge point exactly, and to both ends of the axis.
    START | {"point": "relu", "factor": device("H100 SXM").roof("bf16").ridge / 0.25},
    START | {"point": "relu", "factor": INTENSITIES[0] / 0.25},
    START | {"point": "matmul-b-4-096", "factor": 3 * INTENSITIES[1] / 4096},
]
#: What a text covers, without the room above and below its letters.
SHOWN = """async ([module, states]) => {
  const { look } = await import(module);
  return states.map((state) => {
    const { points, ridge, readout, table } = look(state);
    return { points, ridge, readout, table };
  });
}"""


def roofs(state):
    return device(state["device"]).roof(state["format"]), device(state["other"]).roof(state["other_format"])


def limits(point, state):
    """What the package says of one point, here and on the device to compare with."""
    factor = state["factor"] if point.value == state["point"] else 1
    here, there = roofs(state)
    kernels = [point.kernel(state[fmt]) for fmt in ("format", "other_format")]
    moved = [Kernel(point.label, kernel.flops, kernel.nbytes / factor) for kernel in kernels]
    return bound(moved[0], here), bound(moved[1], there)


def link(state):
    return f"{PAGE}#{LABEL}?{urlencode(state)}"


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state, and returns its page."""
    return lambda state=START, of=None: live(PAGE, "one_gpu", LABEL, state, of).page


def readout(page):
    settled(page)
    return page.locator(".figure-panel[data-figure=one_gpu] .figure-readout").inner_text()


def control(page, name):
    return page.locator(f"#{LABEL}-{name}")


def slider(page):
    return page.locator('[data-figure=one_gpu] [data-name="factor"] .control-slider')


def number(page):
    return float(control(page, "factor").input_value().replace(",", ""))


def centre(page, value):
    box = page.locator(f'svg.figure-live [data-point="{value}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture(scope="module")
def seen(context, lesson_address):
    """What the figure shows for each of `STATES`."""
    return looked(context, lesson_address, PAGE, SHOWN, "one_gpu", STATES)


def test_every_number_of_every_point_is_the_packages(seen):
    assert len(STATES) >= 30
    for state, view in zip(STATES, seen, strict=True):
        roof, _ = roofs(state)
        assert view["ridge"] == pytest.approx(roof.ridge, rel=1e-12)
        assert [(point["value"], point["label"]) for point in view["points"]] == [(p.value, p.label) for p in POINTS]
        for point, shown in zip(POINTS, view["points"], strict=True):
            for limit, side in zip(limits(point, state), (shown["here"], shown["there"]), strict=True):
                expected = numbers(
                    limit,
                    *("flops", "nbytes", "intensity", "compute_time", "memory_time", "time", "attainable", "share"),
                )
                assert {name: side[name] for name in expected} == pytest.approx(expected, rel=1e-12), (state, point)
                if not math.isclose(limit.kernel.intensity, limit.roof.ridge, rel_tol=1e-12):
                    assert side["computeBound"] == (limit.regime == "compute-bound")


def test_memory_bound_points_rise_by_bandwidth_only_and_compute_bound_ones_by_the_peak(seen):
    counted = {"memory": 0, "compute": 0}
    for state, view in zip(STATES, seen, strict=True):
        here, there = roofs(state)
        for point, shown in zip(POINTS, view["points"], strict=True):
            before, after = (limit.regime for limit in reversed(limits(point, state)))
            if before == after == "compute-bound":
                assert shown["rise"] == pytest.approx(here.peak / there.peak, rel=1e-12)
                counted["compute"] += 1
            elif before == after and state["format"] == state["other_format"]:
                assert shown["rise"] == pytest.approx(here.bandwidth / there.bandwidth, rel=1e-12)
                counted["memory"] += 1
    assert min(counted.values()) > 30


def test_the_table_and_the_readout_say_the_packages_numbers(seen):
    for state, view in zip(STATES, seen, strict=True):
        here, there = roofs(state)
        for point, row in zip(POINTS, view["table"]["rows"], strict=True):
            limit, before = limits(point, state)
            assert row[1:] == [
                format_quantity(limit.kernel.flops, "FLOP"),
                format_quantity(limit.kernel.nbytes, "B"),
                format_quantity(limit.kernel.intensity),
                format_quantity(limit.compute_time, "s"),
                format_quantity(limit.memory_time, "s"),
                format_quantity(limit.attainable, "FLOP/s"),
                format_quantity(limit.fraction_of_peak, "%", 2),
                row[8] if math.isclose(limit.kernel.intensity, here.ridge, rel_tol=1e-12) else limit.regime,
                format_quantity(limit.attainable / before.attainable, "×"),
            ], (state, point)
            if point.value == state["point"]:
                said = [point.label, *row[1:6], row[7], row[8]]
                if (state["device"], state["format"]) != (state["other"], state["other_format"]):
                    said += [state["other"], f"stands {row[9]} as high", format_quantity(here.peak / there.peak, "×")]
                    if state["format"] == state["other_format"]:
                        said.append(f"the bandwidth alone, {format_quantity(here.bandwidth / there.bandwidth, '×')}")
                assert [words for words in said if words not in view["readout"]] == [], view["readout"]
                assert ("Moved to" in view["readout"]) == (state["factor"] != 1)


def test_the_page_offers_the_points_that_the_picture_has(opened):
    options = opened().locator(f"#{LABEL}-point option")
    assert options.evaluate_all("all => all.map((one) => [one.value, one.text])") == [
        [p.value, p.label] for p in POINTS
    ]


def test_a_switch_moves_the_roofs_and_never_the_axes(opened):
    def drawn(state):
        page = opened(state)
        ticks = page.locator(".figure-live .axis text").all_text_contents()
        return ticks, page.locator(".figure-live path.curve").evaluate_all(
            "all => all.map((one) => one.getAttribute('d'))"
        )

    h100, b200 = drawn(START), drawn(START | {"device": "B200"})
    assert h100[0] == b200[0] != []
    assert h100[1] != b200[1]


def test_every_point_of_every_format_is_inside_the_axes():
    for device_name, fmt in (("L4", "fp64"), ("B200", "fp4")):
        roof = device(device_name).roof(fmt)
        for point in POINTS:
            intensity = point.kernel(fmt).intensity
            assert INTENSITIES[0] <= intensity <= INTENSITIES[1]
            assert RATES[0] <= roof.attainable(intensity) <= RATES[1]


def test_the_arrow_keys_move_the_point_and_the_readout_follows(opened):
    page = opened()
    before = readout(page)
    slider(page).focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert number(page) > 1
    assert "Moved to" in (after := readout(page)) != before
    for _ in range(40):
        page.keyboard.press("ArrowLeft")
    assert number(page) < 1
    assert readout(page) != after


def test_a_number_can_be_typed_and_is_clamped_with_a_message(opened):
    page = opened()
    control(page, "factor").fill("2")
    page.keyboard.press("Enter")
    kernel = next(p for p in POINTS if p.value == "matmul-b-64").kernel("bf16")
    assert format_quantity(2 * kernel.intensity, "FLOP/B") in readout(page)
    assert "factor=2" in page.url
    control(page, "factor").fill("1e9")
    page.keyboard.press("Enter")
    assert "goes from" in page.locator(f"#{LABEL}-factor-says").inner_text()
    assert format_quantity(INTENSITIES[1], "FLOP/B") in readout(page)
    assert "stays on the chart" in page.locator("[data-figure=one_gpu] .figure-note").inner_text()


def test_the_mouse_moves_a_point_and_then_the_arrow_keys_do(opened):
    page = opened()
    x, y = centre(page, "matmul-b-64")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 5, steps=5)
    page.mouse.up()
    moved = number(page)
    assert moved > 1
    assert f"factor={moved:g}" in page.url
    drawn(page)
    # It stays below the pointer, as far as the four digits of the factor allow.
    assert centre(page, "matmul-b-64")[0] == pytest.approx(x + 60, abs=1)
    page.keyboard.press("ArrowLeft")
    assert number(page) < moved


def test_a_press_on_another_point_chooses_it_where_it_stands(opened):
    page = opened(START | {"factor": 3})
    page.mouse.click(*centre(page, "relu"))
    assert control(page, "point").input_value() == "relu"
    assert number(page) == 1
    assert readout(page).startswith("ReLU: 100 MFLOP")
    control(page, "point").select_option("rmsnorm")
    assert readout(page).startswith("RMSNorm: ")


def test_a_finger_moves_a_point_sideways_and_scrolls_the_page_up(phone, opened):
    page = opened(of=phone)
    x, _ = centre(page, "matmul-b-64")
    swipe(page, *centre(page, "matmul-b-64"), -40, 0)
    assert number(page) < 1
    assert centre(page, "matmul-b-64")[0] < x
    kept, scrolled = number(page), page.evaluate("scrollY")
    swipe(page, *centre(page, "matmul-b-64"), 0, -120)
    assert page.evaluate("scrollY") > scrolled
    assert number(page) == kept


def test_every_choice_works_and_what_a_device_lacks_is_said(opened):
    page = opened()
    control(page, "device").select_option("B200")
    control(page, "format").select_option("fp8")
    assert "stands" in readout(page)
    control(page, "device").select_option("A100 SXM 80GB")
    assert control(page, "format").input_value() == "bf16"
    assert "no fp8 peak" in page.locator("[data-figure=one_gpu] .figure-note").inner_text()
    assert "Compare with another device" in readout(page)
    control(page, "other").select_option("L4")
    control(page, "other_format").select_option("fp8")
    assert "Against L4, fp8" in readout(page)
    assert "the bytes of an element" in readout(page)


def test_a_link_with_an_impossible_format_says_what_it_changed(opened):
    page = opened(START | {"device": "V100 SXM2", "format": "fp4", "other": "B200", "other_format": "fp4"})
    assert control(page, "format").input_value() == "fp16"
    assert control(page, "other_format").input_value() == "fp4"
    assert "V100 SXM2 has no fp4 peak" in page.locator("[data-figure=one_gpu] .figure-note").inner_text()


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_no_name_covers_another_or_leaves_the_picture(window, live, width):
    figure = live(PAGE, "one_gpu", LABEL, START, window(width))
    for state in [START, *STATES[:24:3]]:
        figure.go(state)
        assert figure.misplaced() == [], (width, state)
