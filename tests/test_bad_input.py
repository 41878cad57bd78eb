"""Whatever is given to a public function, it answers or it says in one sentence what was wrong: no raw error."""

import inspect

import pytest

from roofline import InvalidValue, RooflineError, model

from .signatures import PUBLIC, right

JUNK = ["junk", 3, -1, 0, float("nan"), float("inf"), None, [], {}, object(), b"4", 1j, True]


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
