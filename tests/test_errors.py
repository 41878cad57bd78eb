"""Every function of the package refuses every kind of wrong argument, in one sentence that helps."""

import math

import pytest

from roofline import (
    LLAMA_3_1_8B,
    Kernel,
    Roof,
    attention_decode,
    attention_prefill,
    bound,
    critical_batch,
    decode_layer,
    decode_step,
    elementwise,
    layer_norm,
    matmul,
    prefill_layer,
    rms_norm,
    softmax,
    speedup,
    total_time,
)
from roofline.errors import (
    CatalogError,
    InvalidValue,
    QuantityError,
    RooflineError,
    UnknownDevice,
    UnknownFormat,
    UnknownName,
    near,
)
from roofline.transformer import Shape

ROOF = Roof(989e12, 3.35e12)
RELU = Kernel("relu", 1e8, 4e8)

# What nobody can mean by a number, and how the sentence shows it.
NO_NUMBER = {
    "negative": (-1, "-1"),
    "nan": (math.nan, "nan"),
    "infinite": (math.inf, "inf"),
    "minus infinite": (-math.inf, "-inf"),
    "text": ("8", "'8'"),
    "truth value": (True, "True"),
    "list": ([8], "[8], a list"),
    "complex": (8j, "8j, a complex"),
    "nothing": (None, "None"),
}
NOT_POSITIVE = {**NO_NUMBER, "zero": (0, "0"), "float zero": (0.0, "0.0")}

# function, argument, what the sentence says about the right value, call with this one argument wrong
POSITIVE = [
    ("Kernel", "nbytes", "a positive number of bytes", lambda x: Kernel("k", 1.0, x)),
    ("Roof", "peak", "a positive, finite number of FLOP/s", lambda x: Roof(x, 3.35e12)),
    ("Roof", "bandwidth", "a positive, finite number of byte/s", lambda x: Roof(989e12, x)),
    ("derated", "compute", "a share above 0 and at most 1", lambda x: ROOF.derated(compute=x)),
    ("derated", "bandwidth", "a share above 0 and at most 1", lambda x: ROOF.derated(bandwidth=x)),
    ("critical_batch", "D", "positive", lambda x: critical_batch(x, 4096, ROOF)),
    ("critical_batch", "F", "positive", lambda x: critical_batch(4096, x, ROOF)),
    ("matmul", "B", "a positive, finite count", lambda x: matmul(x, 4096, 4096)),
    ("matmul", "D", "a positive, finite count", lambda x: matmul(8, x, 4096)),
    ("matmul", "F", "a positive, finite count", lambda x: matmul(8, 4096, x)),
    ("elementwise", "n", "a positive, finite count", elementwise),
    ("rms_norm", "tokens", "a positive, finite count", lambda x: rms_norm(x, 4096)),
    ("rms_norm", "width", "a positive, finite count", lambda x: rms_norm(8, x)),
    ("layer_norm", "tokens", "a positive, finite count", lambda x: layer_norm(x, 4096)),
    ("layer_norm", "width", "a positive, finite count", lambda x: layer_norm(8, x)),
    ("softmax", "tokens", "a positive, finite count", lambda x: softmax(x, 4096)),
    ("softmax", "width", "a positive, finite count", lambda x: softmax(8, x)),
    ("attention_prefill", "T", "a positive, finite count", lambda x: attention_prefill(x, 128)),
    ("attention_prefill", "d_h", "a positive, finite count", lambda x: attention_prefill(256, x)),
    ("attention_prefill", "heads", "a positive, finite count", lambda x: attention_prefill(256, 128, heads=x)),
    ("attention_prefill", "g", "a positive, finite count", lambda x: attention_prefill(256, 128, g=x)),
    ("attention_prefill", "sequences", "a positive, finite count", lambda x: attention_prefill(256, 128, sequences=x)),
    ("attention_decode", "T", "a positive, finite count", lambda x: attention_decode(x, 128)),
    ("attention_decode", "d_h", "a positive, finite count", lambda x: attention_decode(256, x)),
    ("attention_decode", "g", "a positive, finite count", lambda x: attention_decode(256, 128, g=x)),
    ("attention_decode", "kv_heads", "a positive, finite count", lambda x: attention_decode(256, 128, kv_heads=x)),
    ("attention_decode", "sequences", "a positive, finite count", lambda x: attention_decode(256, 128, sequences=x)),
    ("attention_decode", "new_tokens", "a positive, finite count", lambda x: attention_decode(256, 128, new_tokens=x)),
    ("Shape", "hidden", "a positive count", lambda x: Shape("s", x, 32, 32, 8, 128, 14336, 128256)),
    ("Shape", "layers", "a positive count", lambda x: Shape("s", 4096, x, 32, 8, 128, 14336, 128256)),
    ("Shape", "q_heads", "a positive count", lambda x: Shape("s", 4096, 32, x, 8, 128, 14336, 128256)),
    ("Shape", "kv_heads", "a positive count", lambda x: Shape("s", 4096, 32, 32, x, 128, 14336, 128256)),
    ("Shape", "head_dim", "a positive count", lambda x: Shape("s", 4096, 32, 32, 8, x, 14336, 128256)),
    ("Shape", "intermediate", "a positive count", lambda x: Shape("s", 4096, 32, 32, 8, 128, x, 128256)),
    ("Shape", "vocab", "a positive count", lambda x: Shape("s", 4096, 32, 32, 8, 128, 14336, x)),
    ("with_kv_heads", "kv_heads", "a positive count", LLAMA_3_1_8B.with_kv_heads),
    ("decode_layer", "sequences", "positive", lambda x: decode_layer(LLAMA_3_1_8B, x, 8192)),
    ("decode_layer", "context", "positive", lambda x: decode_layer(LLAMA_3_1_8B, 1, x)),
    ("decode_step", "sequences", "positive", lambda x: decode_step(LLAMA_3_1_8B, x, 8192)),
    ("decode_step", "context", "positive", lambda x: decode_step(LLAMA_3_1_8B, 1, x)),
    ("prefill_layer", "sequences", "positive", lambda x: prefill_layer(LLAMA_3_1_8B, x, 2048)),
    ("prefill_layer", "prompt", "positive", lambda x: prefill_layer(LLAMA_3_1_8B, 1, x)),
]

ZERO_OR_MORE = [
    ("Kernel", "flops", "0 or more", lambda x: Kernel("k", x, 1.0)),
    ("attainable", "intensity", "0 or more", ROOF.attainable),
    ("elementwise", "reads", "0 or more", lambda x: elementwise(8, reads=x)),
    ("elementwise", "writes", "0 or more", lambda x: elementwise(8, writes=x)),
    ("elementwise", "flops_per_element", "0 or more", lambda x: elementwise(8, flops_per_element=x)),
    ("rms_norm", "flops_per_element", "0 or more", lambda x: rms_norm(8, 8, flops_per_element=x)),
    ("layer_norm", "flops_per_element", "0 or more", lambda x: layer_norm(8, 8, flops_per_element=x)),
    ("softmax", "flops_per_element", "0 or more", lambda x: softmax(8, 8, flops_per_element=x)),
]

# None stands for "as dtype" there, so it is no error.
FORMATS = [
    ("matmul", "dtype", lambda x: matmul(8, 8, 8, x)),
    ("matmul", "weights", lambda x: matmul(8, 8, 8, weights=x)),
    ("matmul", "activations", lambda x: matmul(8, 8, 8, activations=x)),
    ("matmul", "outputs", lambda x: matmul(8, 8, 8, outputs=x)),
    ("critical_batch", "dtype", lambda x: critical_batch(8, 8, ROOF, x)),
    ("critical_batch", "weights", lambda x: critical_batch(8, 8, ROOF, weights=x)),
    ("critical_batch", "activations", lambda x: critical_batch(8, 8, ROOF, activations=x)),
    ("critical_batch", "outputs", lambda x: critical_batch(8, 8, ROOF, outputs=x)),
    ("elementwise", "dtype", lambda x: elementwise(8, x)),
    ("rms_norm", "dtype", lambda x: rms_norm(8, 8, x)),
    ("layer_norm", "dtype", lambda x: layer_norm(8, 8, x)),
    ("softmax", "dtype", lambda x: softmax(8, 8, x)),
    ("attention_prefill", "dtype", lambda x: attention_prefill(8, 8, x)),
    ("attention_decode", "dtype", lambda x: attention_decode(8, 8, 1, x)),
    ("decode_layer", "weights", lambda x: decode_layer(LLAMA_3_1_8B, 1, 8, weights=x)),
    ("decode_layer", "cache", lambda x: decode_layer(LLAMA_3_1_8B, 1, 8, cache=x)),
    ("decode_step", "weights", lambda x: decode_step(LLAMA_3_1_8B, 1, 8, weights=x)),
    ("decode_step", "cache", lambda x: decode_step(LLAMA_3_1_8B, 1, 8, cache=x)),
    ("prefill_layer", "weights", lambda x: prefill_layer(LLAMA_3_1_8B, 1, 8, weights=x)),
    ("prefill_layer", "cache", lambda x: prefill_layer(LLAMA_3_1_8B, 1, 8, cache=x)),
    ("kv_bytes_per_token", "cache", LLAMA_3_1_8B.kv_bytes_per_token),
]
NO_BYTES = {**NOT_POSITIVE, "bits": (16, "16"), "just above": (8.5, "8.5")}


def ids(table):
    return [f"{row[0]} {row[1]}" for row in table]


def refused(call, wrong):
    """Call with the wrong argument and return what the error says, once it is known to be one line of ours."""
    with pytest.raises(InvalidValue) as raised:
        call(wrong)
    sentence = str(raised.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("wrong", NOT_POSITIVE)
@pytest.mark.parametrize(("function", "argument", "rule", "call"), POSITIVE, ids=ids(POSITIVE))
def test_a_size_that_is_not_positive_is_refused_by_name_value_and_rule(function, argument, rule, call, wrong):  # noqa: ARG001
    value, shown = NOT_POSITIVE[wrong]
    sentence = refused(call, value)
    assert sentence.startswith(f"{argument} is {shown}; it must be ")
    assert rule in sentence


@pytest.mark.parametrize("wrong", NO_NUMBER)
@pytest.mark.parametrize(("function", "argument", "rule", "call"), ZERO_OR_MORE, ids=ids(ZERO_OR_MORE))
def test_an_amount_that_may_be_zero_may_be_nothing_worse(function, argument, rule, call, wrong):  # noqa: ARG001
    call(0)
    value, shown = NO_NUMBER[wrong]
    sentence = refused(call, value)
    assert sentence.startswith(f"{argument} is {shown}; it must be ")
    assert rule in sentence


@pytest.mark.parametrize("wrong", [key for key in NO_BYTES if key not in ("text", "nothing")])
@pytest.mark.parametrize(("function", "argument", "call"), FORMATS, ids=ids(FORMATS))
def test_bytes_per_element_out_of_range_are_refused_by_name_value_and_rule(function, argument, call, wrong):  # noqa: ARG001
    value, shown = NO_BYTES[wrong]
    sentence = refused(call, value)
    assert sentence.startswith(f"{argument} is {shown}; it must be a format name or bytes per element")
    assert "at most 8 (not bits)" in sentence


@pytest.mark.parametrize(("function", "argument", "call"), FORMATS, ids=ids(FORMATS))
def test_an_unknown_format_is_refused_with_the_near_names(function, argument, call):  # noqa: ARG001
    with pytest.raises(UnknownFormat) as raised:
        call("bf61")
    sentence = str(raised.value)
    assert sentence.startswith(f"{argument} is 'bf61', which is no known number format; near it: bf16")


HUGE, TINY = 1e200, 1e-200
BEYOND = {
    "whole numbers": lambda: matmul(10**200, 10**200, 10**200),
    "large": lambda: matmul(HUGE, HUGE, HUGE),
    "small": lambda: matmul(TINY, TINY, TINY),
    "many elements": lambda: elementwise(10**305, flops_per_element=10**5),
    "long prompts": lambda: attention_prefill(HUGE, 128),
    "long caches": lambda: attention_decode(HUGE, HUGE),
}


@pytest.mark.parametrize("call", BEYOND.values(), ids=BEYOND)
def test_sizes_whose_product_leaves_the_range_of_a_float_are_refused(call):
    """Not with an OverflowError, a division by zero or a nan further on."""
    sentence = refused(lambda _: call(), None)
    assert "sizes too large or too small to multiply; its FLOPs and bytes must be below 1e300" in sentence


def test_an_integer_larger_than_any_float_is_refused():
    assert refused(lambda n: matmul(n, 1, 1), 10**400).startswith("B is 1000")
    assert refused(lambda n: Kernel("k", n, 1.0), 10**400).startswith("flops is 1000")


@pytest.mark.parametrize(
    ("case", "start", "call"),
    [
        ("bound of a number", "4096 is not a Kernel", lambda: bound(4096, ROOF)),
        ("bound with swapped arguments", "Roof(peak=", lambda: bound(ROOF, RELU)),
        ("bound under a name", "'H100 SXM' is not a Roof", lambda: bound(RELU, "H100 SXM")),
        ("bound under a ridge point", "295.2 is not a Roof", lambda: bound(RELU, 295.2)),
        ("speedup of a name", "'relu' is not a Kernel", lambda: speedup("relu", ROOF, ROOF)),
        ("speedup from a name", "'A100' is not a Roof", lambda: speedup(RELU, "A100", ROOF)),
        ("speedup to a name", "'H100 SXM' is not a Roof", lambda: speedup(RELU, ROOF, "H100 SXM")),
        ("threshold of a ridge point", "295.2 is not a Roof", lambda: critical_batch(4096, 4096, 295.2)),
        ("sum with a time in it", "1.5e-06 is not a Kernel", lambda: total_time([RELU, 1.5e-6], ROOF)),
        ("sum under nothing", "None is not a Roof", lambda: total_time([RELU], None)),
    ],
)
def test_a_thing_of_the_wrong_kind_is_refused_with_the_way_to_make_the_right_one(case, start, call):  # noqa: ARG001
    sentence = refused(lambda _: call(), None)
    assert sentence.startswith(start)
    assert "(" in sentence.split(";")[1], "the sentence shows a call that makes the right thing"


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InvalidValue, ValueError),
        (QuantityError, ValueError),
        (CatalogError, ValueError),
        (UnknownName, KeyError),
        (UnknownDevice, KeyError),
        (UnknownFormat, KeyError),
    ],
)
def test_each_error_is_ours_and_also_the_builtin_that_a_caller_expects(error, builtin):
    assert issubclass(error, RooflineError)
    assert issubclass(error, builtin)


@pytest.mark.parametrize("error", [UnknownName, UnknownDevice, UnknownFormat, InvalidValue])
def test_an_error_prints_as_its_sentence_without_the_quotes_of_a_key_error(error):
    assert str(error("format is 'bf61'; use bf16")) == "format is 'bf61'; use bf16"
    assert str(error()) == ""


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("bf61", ["bf16", "fp8", "fp32"], ["bf16"]),
        ("BF16", ["fp8", "bf16"], ["bf16"]),
        (" fp8 ", ["bf16", "fp8"], ["fp8"]),
        ("H100", ["A100 SXM", "H100 SXM", "H100 PCIe"], ["H100 SXM", "H100 PCIe"]),
        ("zzz", ["bf16", "fp8"], []),
        ("", ["bf16", "fp8"], []),
        ("bf16", [], []),
    ],
)
def test_near_names_come_best_first_whatever_their_case(name, known, expected):
    assert near(name, known)[: len(expected)] == expected
    if not expected:
        assert near(name, known) == []


def test_near_returns_each_name_once_and_no_more_than_asked():
    names = [f"H100 {letter}" for letter in "ABCDEFG"]
    assert near("H100", names, most=3) == ["H100 A", "H100 B", "H100 C"]
    assert near("h100 a", names).count("H100 A") == 1
