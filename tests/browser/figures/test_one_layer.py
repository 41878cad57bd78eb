"""One transformer layer in Chromium: every number is the package's, for any model, phase, heads, device and formats."""

import itertools
import re

import pytest

from figures.one_layer.static import SEQUENCES
from roofline import (
    bound,
    decode_layer,
    decode_step,
    device,
    format_quantity,
    fused_time,
    model,
    prefill_layer,
    prefill_step,
    total_time,
    unavoidable_bytes,
)
from tests.browser.figures.live import Live, use_every_control

pytestmark = pytest.mark.browser
LABEL = "fig-one-layer"
PAGE = "lesson/one-layer.html"
START = {
    "phase": "decode",
    "model": "Llama 3.1 8B",
    "sequences": 32,
    "tokens": 2048,
    "g": "published",
    "device": "H100 SXM",
    "format": "bf16",
    "weights": "same",
    "cache": "bf16",
}
LAYERS = {"decode": decode_layer, "prefill": prefill_layer}
STEPS = {"decode": decode_step, "prefill": prefill_step}
MODELS = (
    "Llama 3.1 8B",
    "Llama 3.1 70B",
    "Llama 3.1 405B",
    "Llama 2 7B",
    "Qwen2.5 7B",
    "Qwen2.5 72B",
    "Qwen3 8B",
)
STATES = [
    START,
    # Each model in both phases, on devices and in formats that change with it.
    *(
        START | {"phase": phase, "model": of, "device": name, "format": fmt, "weights": weights, "cache": cache}
        for (phase, of), (name, fmt), weights, cache in zip(
            itertools.product(LAYERS, MODELS),
            itertools.cycle(
                [("H200 SXM", "bf16"), ("B200", "fp4"), ("L4", "fp8"), ("V100 SXM2", "fp16"), ("TPU v5e", "int8")]
            ),
            itertools.cycle(["same", "int4", "fp8", "fp32"]),
            itertools.cycle(["bf16", "fp8", "same"]),
            strict=False,
        )
    ),
    # MHA, GQA and MQA.
    *(START | {"g": g, "sequences": 100, "tokens": 8192} for g in ("1", "2", "4", "8", "16", "32")),
    *(START | {"model": "Llama 3.1 405B", "g": g, "sequences": 7} for g in ("1", "128")),
    START | {"model": "Qwen2.5 7B", "g": "7"},
    # Both ends of batch and context.
    *(
        START | {"phase": phase, "sequences": sequences, "tokens": tokens}
        for phase, sequences, tokens in itertools.product(LAYERS, (1, 10_000), (1, 1_000_000))
    ),
    # Where the cache outgrows the memory, and around the threshold of the widest matmul.
    *(START | {"sequences": sequences} for sequences in (260, 300, 326, 327, 345, 512)),
]


def case(state):
    shape = model(state["model"])
    if state["g"] != "published":
        shape = shape.with_kv_heads(shape.q_heads // int(state["g"]))
    formats = {name: state["format"] if state[name] == "same" else state[name] for name in ("weights", "cache")}
    return shape, (shape, state["sequences"], state["tokens"]), formats, device(state["device"])


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state."""
    return lambda state=START, of=None, label=LABEL: live(PAGE, "one_layer", label, state, of)


@pytest.fixture(scope="module")
def seen(context, lesson_address):
    """What the figure shows for each of `STATES`."""
    live = Live(context, lesson_address, PAGE, "one_layer", LABEL, START)
    yield live.look(STATES)
    live.page.close()


def test_every_bar_is_the_packages_bound(seen):
    assert len(STATES) >= 30
    for state, view in zip(STATES, seen, strict=True):
        _, sizes, formats, gpu = case(state)
        roof = gpu.roof(state["format"])
        kernels = LAYERS[state["phase"]](*sizes, **formats)
        assert [one["name"] for one in view["layer"]] == [kernel.name for kernel in kernels]
        for one, kernel in zip(view["layer"], kernels, strict=True):
            limit = bound(kernel, roof)
            expected = {"flops": kernel.flops, "nbytes": kernel.nbytes, "time": limit.time}
            assert {name: one[name] for name in expected} == pytest.approx(expected, rel=1e-12), (state, kernel)
            assert one["computeBound"] == (limit.regime == "compute-bound"), (state, kernel)
        assert view["total"] == pytest.approx(total_time(kernels, roof), rel=1e-12)


def test_the_step_its_tokens_and_its_shares_are_the_packages(seen):
    for state, view in zip(STATES, seen, strict=True):
        shape, sizes, formats, gpu = case(state)
        kernels = STEPS[state["phase"]](*sizes, **formats)
        time, nbytes = total_time(kernels, gpu.roof(state["format"])), sum(kernel.nbytes for kernel in kernels)
        served = state["sequences"] * (1 if state["phase"] == "decode" else state["tokens"])
        weights = shape.step_weight_bytes(formats["weights"])
        cache = shape.cache_bytes(*sizes[1:], formats["cache"])
        assert view["step"]["time"] == pytest.approx(time, rel=1e-12)
        fused = fused_time(kernels, gpu.roof(state["format"]), unavoidable_bytes(*sizes, **formats))
        assert view["step"]["fused"] == pytest.approx(fused, rel=1e-12)
        assert view["step"]["nbytes"] == pytest.approx(nbytes, rel=1e-12)
        assert view["step"]["rate"] == pytest.approx(served / time, rel=1e-12)
        assert view["step"]["parts"] == pytest.approx({"weights": weights, "cache": cache}, rel=1e-12)
        assert view["g"] == shape.g
        assert weights + cache < nbytes
        for words in (
            f"at least {format_quantity(time, 's')}",
            f"so at most {format_quantity(served / time, 'tokens/s', prefix='')}",
            f"{format_quantity(weights / nbytes, '%')} are weights and {format_quantity(cache / nbytes, '%')} cache",
            f"the whole step of {shape.layers} layers at least",
            f"However fused, the step takes at least {format_quantity(fused, 's')}",
            "(MHA)" if shape.g == 1 else f"(GQA, g = {shape.g})",
        ):
            assert words in view["readout"], state


def test_it_says_from_which_batch_on_a_kernel_is_compute_bound(seen):
    assert SEQUENCES == (1, 10_000)
    counted = {"never": 0, "later": 0}
    for state, view in zip(STATES, seen, strict=True):
        if state["phase"] == "prefill":
            assert "as the batch grows" not in view["readout"]
            continue
        shape, (_, _, tokens), formats, gpu = case(state)
        roof = gpu.roof(state["format"])

        def regimes(sequences, shape=shape, tokens=tokens, formats=formats, roof=roof):
            return {k.name: bound(k, roof).regime for k in decode_layer(shape, sequences, tokens, **formats)}

        sentence = view["readout"].partition("Compute-bound as the batch grows: ")[2]
        said = {name: int(first.replace(",", "")) for name, first in re.findall(r"(\w[\w ]*) from ([\d,]+)", sentence)}
        for name, regime in regimes(SEQUENCES[1]).items():
            assert (regime == "compute-bound") == (name in said), state
            if name in said:
                assert regimes(said[name])[name] == "compute-bound"
                assert said[name] == 1 or regimes(said[name] - 1)[name] == "memory-bound"
                counted["later"] += said[name] > 1
        assert ("attention at no batch" in sentence) == (bool(said) and "attention" not in said)
        assert ("No kernel is compute-bound with up to 10,000 sequences" in view["readout"]) == (not said)
        counted["never"] += "attention" not in said
    assert min(counted.values()) > 10
    assert "QKV projection from 3" in seen[0]["readout"]


def test_it_says_what_has_no_room_in_the_memory(seen):
    said = set()
    for state, view in zip(STATES, seen, strict=True):
        shape, sizes, formats, gpu = case(state)
        weights, cache = shape.weight_bytes(formats["weights"]), shape.cache_bytes(*sizes[1:], formats["cache"])
        assert view["room"]["fits"] == (weights + cache <= gpu.memory)
        room = format_quantity(gpu.memory, "B", 2)
        if weights > gpu.memory:
            words = f"The weights alone ({format_quantity(weights, 'B')}) do not fit into {room}."
        elif cache > gpu.memory:
            words = f"The cache alone ({format_quantity(cache, 'B')}) does not fit into {room}."
        else:
            verb = "fit" if view["room"]["fits"] else "do not fit"
            words = f"Weights ({format_quantity(weights, 'B')}) and cache ({format_quantity(cache, 'B')}) {verb} into"
        assert words in view["readout"], state
        said.add(re.sub(r"\(.*?\)|into.*", "", words))
    assert len(said) == 4, said


def test_the_table_says_the_same(seen):
    for state, view in zip(STATES, seen, strict=True):
        _, sizes, formats, gpu = case(state)
        roof = gpu.roof(state["format"])
        kernels = LAYERS[state["phase"]](*sizes, **formats)
        total = total_time(kernels, roof)
        for row, kernel in zip(view["table"]["rows"], kernels, strict=False):
            limit = bound(kernel, roof)
            assert row == [
                kernel.name,
                format_quantity(kernel.flops, "FLOP"),
                format_quantity(kernel.nbytes, "B"),
                format_quantity(kernel.intensity, "", places=1),
                format_quantity(limit.time, "s"),
                format_quantity(limit.time / total, "%", places=1),
                limit.regime,
            ], state
        assert view["table"]["rows"][len(kernels)][4] == format_quantity(total, "s")


def test_there_is_a_bar_for_each_kernel_and_memory_bound_ones_are_hatched(opened):
    live = opened()
    for state, bars, hatched in ((START, 13, 12), (START | {"phase": "prefill", "sequences": 1}, 14, 7)):
        live.go(state)
        fills = live.svg.locator("rect.bar").evaluate_all(
            "all => all.map((one) => [one.style.fill, one.className.baseVal])"
        )
        # 10 kernels, two in the key, and the sum, which has one part where all are of one regime.
        assert len(fills) == bars
        for fill, kind in fills:
            assert ("url(" in fill) == ("memory" in kind)
        wide = live.svg.locator("rect.bar").evaluate_all(
            "all => all.filter((one) => one.style.fill.includes('url(')).length"
        )
        assert wide == hatched


def test_the_other_figure_of_the_page_keeps_its_own_state(opened):
    other = opened(START | {"phase": "prefill", "sequences": 3}, label="fig-one-layer-prefill")
    assert other.control("sequences").input_value() == "3"
    assert other.page.locator("#fig-one-layer-sequences").input_value() == "32"
    assert "of prompt" in other.readout


def test_every_control_works_by_mouse_and_keys(opened):
    assert use_every_control(opened(), touch=False) == set(START)


def test_every_control_works_by_touch(phone, opened):
    assert use_every_control(opened(of=phone), touch=True) == set(START)


def test_what_people_type_is_taken_and_clamped(opened):
    live = opened()
    live.control("tokens").fill("128k")
    live.page.keyboard.press("Enter")
    assert live.state["tokens"] == "128000"
    live.control("sequences").fill("1e9")
    live.page.keyboard.press("Enter")
    assert live.control("sequences").input_value() == "10,000"
    assert "goes from 1 to 10,000" in live.page.locator(f"#{LABEL}-sequences-says").inner_text()
    assert "The cache alone" in live.readout


def test_the_models_of_these_tests_are_those_that_it_offers(opened):
    assert set(opened().control("model").locator("option").all_text_contents()) >= set(MODELS)


def test_g_must_divide_the_query_heads(opened):
    live = opened(START | {"model": "Qwen2.5 7B", "g": "7"})
    assert "GQA, g = 7" in live.readout
    # Qwen2.5 7B has 28 query heads.
    offered = live.control("g").locator("option[value]:not([value=published])")
    for option in offered.all():
        assert option.is_disabled() == bool(28 % int(option.get_attribute("value"))), option.text_content()
    assert {"g = 8", "g = 128"} < set(live.control("g").locator("option:disabled").all_text_contents())
    live.control("model").select_option("Llama 3.1 8B")
    assert live.control("g").input_value() == "published"
    assert "7 does not divide" in live.note
    assert live.control("g").locator("option").first.inner_text() == "as published (g = 4)"
    live.control("g").select_option("1")
    assert "(MHA)" in live.readout


def test_mha_makes_the_attention_four_times_as_long(opened):
    published, mha = opened().look([START, START | {"g": "1"}])
    times = [{one["name"]: one["time"] for one in view["layer"]} for view in (published, mha)]
    assert times[1]["attention"] / times[0]["attention"] == pytest.approx(4, rel=1e-12)


def test_a_format_that_the_device_lacks_is_replaced_and_said(opened):
    live = opened(START | {"device": "B200", "format": "fp4"})
    live.control("device").select_option("V100 SXM2")
    assert live.control("format").input_value() == "fp16"
    assert "V100 SXM2 has no fp4 peak" in live.note


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_no_name_covers_another_or_leaves_the_page(window, opened, width):
    live = opened(of=window(width))
    for state in STATES[::3]:
        live.go(state)
        assert live.misplaced() == [], (width, state)
