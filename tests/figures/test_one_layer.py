"""One layer: what the picture says for other models, heads and formats, and what its panel starts with."""

import pytest

from figures import one_layer
from figures.one_layer.static import working_of_model
from figures.shared.controls import SAME
from roofline import (
    LLAMA_3_1_8B,
    InvalidValue,
    Model,
    decode_step,
    device,
    format_quantity,
    fused_time,
    model,
    models,
    prefill_step,
    total_time,
    unavoidable_bytes,
)

H100 = device("H100 SXM").roof("bf16")
OWN = Model("my model", 1024, 4, 8, 2, 128, 4096, 32000)


def start(drawing):
    return {control.name: control.value for control in drawing.live.controls}


def rows(drawing):
    return {row[0]: row for row in drawing.table.texts()}


def test_the_table_ends_with_the_whole_step_and_what_its_bytes_are():
    for phase, make in (("decode", decode_step), ("prefill", prefill_step)):
        step = make(LLAMA_3_1_8B, 16, 2048)
        nbytes = sum(kernel.nbytes for kernel in step)
        found = rows(one_layer.draw(phase))
        assert found["the whole step"][4] == format_quantity(total_time(step, H100), "s")
        least = unavoidable_bytes(LLAMA_3_1_8B, 16, 2048)
        assert found["the step, however fused"][2::2][:2] == [
            format_quantity(least, "B"),
            format_quantity(fused_time(step, H100, least), "s"),
        ]
        weights, cache = LLAMA_3_1_8B.step_weight_bytes(), LLAMA_3_1_8B.cache_bytes(16, 2048)
        assert found["weights among its bytes"][2::3] == [
            format_quantity(weights, "B"),
            format_quantity(weights / nbytes, "%", places=1),
        ]
        assert found["cache among its bytes"][2::3] == [
            format_quantity(cache, "B"),
            format_quantity(cache / nbytes, "%", places=1),
        ]


def test_the_controls_start_where_the_picture_is():
    assert start(one_layer.draw()) == {
        "phase": "decode", "model": "Llama 3.1 8B", "sequences": 16, "tokens": 2048, "g": "published",
        "device": "H100 SXM", "format": "bf16", "weights": SAME, "cache": "bf16",
    }  # fmt: skip
    whole = model("Llama 3.1 70B").with_kv_heads(64)
    other = start(one_layer.draw("prefill", 2, 512, model=whole, name="L4", dtype="fp8", weights="int4", cache="fp8"))
    assert (other["model"], other["g"], other["weights"], other["cache"]) == ("Llama 3.1 70B", "1", "int4", "fp8")


def test_g_can_be_whatever_divides_the_query_heads_of_some_model():
    offered = {control.name: dict(control.options) for control in one_layer.draw().live.controls[1:5:3]}
    assert {"Llama 3.1 8B", "Llama 2 7B", "Qwen2.5 7B"} <= offered["model"].keys()
    options = offered["g"]
    chosen = [model(name) for name in offered["model"]]
    divisors = {g for one in chosen for g in range(1, one.q_heads + 1) if one.q_heads % g == 0}
    assert options.keys() == {"published", *(f"{g}" for g in divisors)}
    assert options["1"] == "g = 1 (MHA)"


def test_a_model_of_ones_own_is_drawn_without_controls():
    drawing = one_layer.draw(model=OWN)
    assert drawing.live is None
    assert "one my model layer" in drawing.alt


@pytest.mark.parametrize("chosen", [LLAMA_3_1_8B, *models(), model("Qwen3 8B").with_kv_heads(32), OWN])
def test_the_expression_of_a_model_gives_it_back(chosen):
    names = {"LLAMA_3_1_8B": LLAMA_3_1_8B, "model": model, "Model": Model}
    assert eval(working_of_model(chosen), names) == chosen  # noqa: S307 - our own expression


def test_other_formats_are_written_below_the_picture():
    assert "weights int4, cache fp8" in one_layer.draw(weights="int4", cache="fp8").svg
    assert "weights" not in one_layer.draw().svg.split("aria-label")[1].split(">", 1)[1]


def test_a_batch_that_no_control_reaches_is_refused():
    with pytest.raises(InvalidValue, match="sequences is 20000"):
        one_layer.draw(sequences=20_000)
