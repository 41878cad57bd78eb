"""Which GPU, in Chromium: every device, many models, batches and formats, with the package's numbers."""

import itertools

import pytest

from roofline import (
    bound,
    decode_step,
    device,
    devices,
    fused_time,
    model,
    models,
    total_time,
    unavoidable_bytes,
)
from roofline.bounds import COMPUTE_BOUND
from roofline.capacity import devices_needed
from tests.browser.figures.live import press_the_median, use_every_control

pytestmark = pytest.mark.browser
PAGE, MODULE, LABEL = "atlas/which-gpu.html", "which_gpu", "fig-which-gpu"
START = {
    "model": "Llama 3.1 8B", "B": 16, "context": 8192, "format": "bf16", "weights": "bf16", "cache": "bf16",
    "share": 100, "alone": False,
}  # fmt: skip
PLAIN = [shape.name for shape in models() if shape.is_plain]
FORMATS = [
    ("bf16", "bf16", "bf16"),
    ("fp8", "fp8", "fp8"),
    ("bf16", "int4", "fp8"),
    ("fp64", "fp64", "fp64"),
    ("fp4", "fp4", "fp8"),
]
STATES = [
    START | {"model": name, "B": batch, "context": context, "format": fmt, "weights": weights, "cache": cache}
    for (name, (fmt, weights, cache)), (batch, context) in zip(
        itertools.product(PLAIN, FORMATS),
        itertools.cycle([(1, 128), (16, 8192), (64, 2048), (300, 1000), (1024, 131072), (1024, 128)]),
        strict=False,
    )
] + [START, START | {"alone": True}, *(START | {"share": share} for share in (1, 53, 99))]


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state."""
    return lambda state=START, of=None: live(PAGE, MODULE, LABEL, state, of)


def test_every_number_is_the_packages(opened):
    live = opened()
    assert len(STATES) >= 30
    for state, seen in zip(STATES, live.look(STATES), strict=True):
        shape, B, context, fmt = model(state["model"]), state["B"], state["context"], state["format"]
        stored = {"weights": state["weights"], "cache": state["cache"]}
        step = decode_step(shape, B, context, **stored)
        rows = {row["name"]: row for row in seen["rows"]}
        assert seen["held"] == shape.weight_bytes(state["weights"]) + shape.cache_bytes(B, context, state["cache"])
        expected = [
            gpu for gpu in devices()
            if not state["alone"] or devices_needed(shape, gpu.memory, B, context, **stored) == 1
        ]  # fmt: skip
        assert set(rows) == {gpu.name for gpu in expected}
        for gpu in expected:
            row = rows[gpu.name]
            assert row["needed"] == devices_needed(shape, gpu.memory, B, context, **stored)
            assert row["lacks"] == (fmt not in gpu.formats)
            if row["lacks"]:
                continue
            roof = gpu.roof(fmt).derated(state["share"] / 100, state["share"] / 100)
            limits = [bound(kernel, roof) for kernel in step]
            time = sum(limit.time for limit in limits)
            assert row["time"] == pytest.approx(time / row["needed"], rel=1e-12)
            fused = fused_time(step, roof, unavoidable_bytes(shape, B, context, **stored))
            assert row["fused"] == pytest.approx(fused / row["needed"], rel=1e-12)
            assert row["rate"] == pytest.approx(row["needed"] * B / time, rel=1e-12)
            blue = sum(limit.time for limit in limits if limit.regime == COMPUTE_BOUND)
            assert row["memoryShare"] == pytest.approx(1 - blue / time, abs=1e-12)


def test_those_that_hold_it_alone_come_first_the_fastest_of_them_at_the_top(opened):
    live = opened()
    for seen in live.look(STATES):
        keys = [(row["lacks"], row["needed"] > 1, -row["rate"]) for row in seen["rows"]]
        assert keys == sorted(keys)


def test_the_words_say_that_they_are_bounds_and_how_many_hold_it(opened):
    live = opened()
    assert "16.1" not in live.readout
    held = model("Llama 3.1 8B").weight_bytes() + model("Llama 3.1 8B").cache_bytes(16, 8192)
    count = sum(gpu.memory >= held for gpu in devices())
    assert f"{count} of {len(devices())} devices hold them alone" in live.readout
    assert "one kernel after the other, and " in live.readout
    assert "however they are fused. No device is faster than that at its stated clock" in live.readout


def test_at_a_share_of_the_roof_nothing_is_called_a_bound(opened):
    live = opened(START | {"share": 53})
    assert "At 53% of the roof the highest rate is" in live.readout
    assert "however they are fused: estimates and not bounds." in live.readout
    assert "estimates and not bounds" in live.svg.get_attribute("aria-label")
    assert "tokens/s at 53%, kernel by kernel" in live.svg.locator(".words").all_text_contents()
    heads = live.table()[0]
    assert [head for head in heads if "at 53%" in head] == heads[2:5]
    assert "at most" not in " ".join([live.svg.get_attribute("aria-label"), *heads])


def test_the_measured_median_is_one_press_away(opened):
    press_the_median(opened(), "decode")


def test_the_measured_median_is_one_tap_away(opened, phone):
    press_the_median(opened(of=phone), "decode", touch=True)


def test_a_change_is_seen_in_the_data(opened):
    live = opened()
    live.control("model").select_option("Llama 3.1 70B")
    rows = {row[0]: row for row in live.table()[1:]}
    step = decode_step(model("Llama 3.1 70B"), 16, 8192)
    assert rows["MI300X"][1] == "1"
    assert rows["H100 SXM"][1] == "3"
    assert rows["MI300X"][4] == f"{16 / total_time(step, device('MI300X').roof('bf16')):.0f} tokens/s"


def test_every_control_works_by_mouse_and_keys(opened):
    use_every_control(opened(), touch=False)


def test_every_control_works_by_touch(opened, phone):
    use_every_control(opened(of=phone), touch=True)


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_no_name_covers_another(window, opened, width):
    live = opened(of=window(width))
    for state in (
        {"B": 16},
        {"B": 1024, "context": 128},
        {"model": "Llama 3.1 405B", "B": 1024, "context": 131072},
        {"alone": True},
        {"share": 53},
    ):
        live.go(START | state)
        assert live.misplaced() == [], state
