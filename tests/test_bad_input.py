"""Whatever is given to a public function, it answers or it says in one sentence what was wrong: no raw error."""

import inspect

import pytest

import roofline
from roofline import InvalidValue, RooflineError, device, matmul, model
from roofline.tables import atlas

ROOF = device("H100 SXM").roof("bf16")
KERNEL = matmul(8, 16, 16)
#: A value that is right for each parameter that has no default.
GOOD = {
    "B": 8, "D": 16, "F": 32, "N": 8, "T": 64, "k": 2, "n": 100, "tokens": 8, "width": 16, "d_h": 16, "heads": 4,
    "prefix": 64, "own": 8, "before": 64, "new_tokens": 8, "kv_rank": 16, "rope": 8, "nope": 16, "value": 16,
    "sequences": 2, "context": 64, "prompt": 64, "memory": 80e9, "accepted": 0.5, "drafted": 4, "dense": 300.0,
    "flops": 1e9, "nbytes": 1e6, "time": 1e-3, "kernel": KERNEL, "kernels": [KERNEL], "roof": ROOF, "old_roof": ROOF,
    "new_roof": ROOF, "model": model("Llama 3.1 8B"), "shape": model("Llama 3.1 8B"), "gpu": device("H100 SXM"),
    "text": "4.2 ms", "peak": 1e15, "bandwidth": 1e12,
}  # fmt: skip
NAMES = {"device": {"name": "L4"}, "model": {"name": "Qwen3 8B"}, "one_device": {"name": "L4"}}
NAMES |= {"model_kernels": {"name": "Qwen3 8B"}, "slug": {"name": "L4"}, "Kernel": {"name": "mine"}}
JUNK = ["junk", 3, -1, 0, float("nan"), float("inf"), None, [], {}, object(), b"4", 1j, True]
PUBLIC = {
    **{name: getattr(roofline, name) for name in roofline.__all__ if inspect.isfunction(getattr(roofline, name))},
    "Kernel": roofline.Kernel,
    "Roof": roofline.Roof,
    "model_kernels": atlas.model_kernels,
    "one_device": atlas.one_device,
    "which_device": atlas.which_device,
}


def right(name):
    """Arguments that the function takes."""
    needed = [p.name for p in inspect.signature(PUBLIC[name]).parameters.values() if p.default is p.empty]
    return {one: NAMES.get(name, {}).get(one, GOOD.get(one)) for one in needed}


@pytest.mark.parametrize("name", PUBLIC)
def test_the_right_values_are_taken(name):
    PUBLIC[name](**right(name))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_wrong_value_is_answered_or_refused_in_a_sentence(name):
    for parameter in inspect.signature(PUBLIC[name]).parameters:
        for junk in JUNK:
            try:
                PUBLIC[name](**right(name) | {parameter: junk})
            except RooflineError as error:
                said = str(error)
                assert said == said.strip(), (parameter, junk)
                assert len(said) > 10, (parameter, junk)
                assert "\n" not in said, (parameter, junk)


@pytest.mark.parametrize("function", ["decode_layer", "decode_step", "prefill_layer", "prefill_step"])
def test_the_name_of_a_model_is_not_its_shape(function):
    with pytest.raises(InvalidValue, match=r"^'llama' is not a Model; write model\(\"Llama 3.1 8B\"\) or Model"):
        PUBLIC[function]("llama", 1, 64)


def test_there_is_no_layer_after_the_last():
    shape = model("Llama 3.1 8B")
    assert shape.kind(-32) == shape.kind(31)
    for layer in (32, -33):
        with pytest.raises(InvalidValue, match=rf"^layer is {layer}; Llama 3.1 8B has 32, from 0 to 31$"):
            shape.kind(layer)
