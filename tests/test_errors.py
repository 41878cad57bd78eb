"""Every function of the package refuses every kind of wrong argument, in one sentence that helps."""

import math

import pytest

from roofline import (
    Kernel,
    attention_decode,
    attention_prefill,
    bound,
    critical_batch,
    elementwise,
    matmul,
    speedup,
    total_time,
)
from roofline.costs import COST_FUNCTIONS
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

from .signatures import COMPUTING, ROOF, kinds, right

RELU = Kernel("relu", 1e8, 4e8)

# What nobody can mean by a number, and how the sentence shows it.
NO_NUMBER = [
    (-1, "-1"),
    (math.nan, "nan"),
    (math.inf, "inf"),
    (-math.inf, "-inf"),
    ("8", "'8'"),
    (True, "True"),
    ([8], "[8], a list"),
    (8j, "8j, a complex"),
    (None, "None"),
]
ZERO = [(0, "0"), (0.0, "0.0")]
NO_BYTES = [*NO_NUMBER, *ZERO, (16, "16"), (8.5, "8.5")]

#: What a sentence says of the sizes of a function, where not just that they are positive.
RULES = {
    **dict.fromkeys(COST_FUNCTIONS, "a positive, finite count"),
    **dict.fromkeys(("Model", "Experts", "Latent", "Model.with_kv_heads"), "a positive count"),
    ("Kernel", "flops"): "a number of operations, 0 or more",
    ("Kernel", "nbytes"): "a positive number of bytes",
    ("fused_time", "nbytes"): "a positive number of bytes",
    ("Roof", "peak"): "a positive, finite number of FLOP/s",
    ("Roof", "bandwidth"): "a positive, finite number of byte/s",
    "Roof.attainable": "an arithmetic intensity in FLOP/byte, 0 or more",
    "Roof.derated": "a share above 0 and at most 1",
    ("expected_tokens", "accepted"): "a chance of at least 0 and below 1",
    ("expected_tokens", "drafted"): "a count, 0 or more",
    ("attention_chunk", "before"): "a count, 0 or more",
    ("elementwise", "reads"): "a number of tensors, 0 or more",
    ("elementwise", "writes"): "a number of tensors, 0 or more",
    **{
        (name, "flops_per_element"): "a number of operations, 0 or more"
        for name in ("elementwise", "rms_norm", "layer_norm", "softmax")
    },
    **{("Model", name): "a count, 0 or more" for name in ("positions", "window", "full_every", "conditioning")},
    **{("Experts", name): "a count, 0 or more" for name in ("shared", "dense_layers")},
}
#: Parameters that are neither sizes nor formats; their kinds are checked below and in other files.
OTHERS = {
    "causal", "device", "experts", "format", "gated", "id", "kernel", "kernels", "kind", "label", "latent", "layer",
    "model", "name", "new_roof", "notes", "old_roof", "roof", "source", "tied",
}  # fmt: skip


def refused(call, *arguments, **named):
    """Call with something wrong and return what the error says, once it is known to be one line of ours."""
    with pytest.raises(InvalidValue) as raised:
        call(*arguments, **named)
    sentence = str(raised.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("name", COMPUTING)
def test_every_parameter_is_a_size_or_a_format_or_known_to_be_neither(name):
    assert {parameter.name for parameter in kinds(name)["other"]} <= OTHERS
    COMPUTING[name](**right(name))


@pytest.mark.parametrize("name", [name for name in COMPUTING if kinds(name)["size"]])
def test_a_wrong_size_is_refused_by_name_value_and_rule(name):
    for parameter in kinds(name)["size"]:
        rule = RULES.get((name, parameter.name)) or RULES.get(name, "positive")
        may_be_zero = "0 or more" in rule or "at least 0" in rule
        if may_be_zero:
            COMPUTING[name](**right(name) | {parameter.name: 0})
        for value, shown in [*NO_NUMBER, *([] if may_be_zero else ZERO)]:
            if value is None and parameter.default is None:
                continue
            sentence = refused(COMPUTING[name], **right(name) | {parameter.name: value})
            assert sentence.startswith(f"{parameter.name} is {shown}; it must be ")
            assert rule in sentence


@pytest.mark.parametrize("name", [name for name in COMPUTING if kinds(name)["format"]])
def test_a_wrong_format_is_refused_by_name_with_the_rule_or_the_near_names(name):
    for parameter in kinds(name)["format"]:
        for value, shown in NO_BYTES:
            # None stands for "as dtype" in some, and a text is a name.
            if isinstance(value, str) or (value is None and parameter.default is None):
                continue
            sentence = refused(COMPUTING[name], **right(name) | {parameter.name: value})
            assert sentence.startswith(f"{parameter.name} is {shown}; it must be a format name or bytes per element")
            assert "at most 8 (not bits)" in sentence
        with pytest.raises(UnknownFormat) as raised:
            COMPUTING[name](**right(name) | {parameter.name: "bf61"})
        expected = f"{parameter.name} is 'bf61', which is not a known number format; near it: bf16"
        assert str(raised.value).startswith(expected)


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
    sentence = refused(call)
    assert "sizes too large or too small to multiply; its FLOPs and bytes must be below 1e300" in sentence


def test_an_integer_larger_than_any_float_is_refused():
    assert refused(matmul, 10**400, 1, 1).startswith("B is 1000")
    assert refused(Kernel, "k", 10**400, 1.0).startswith("flops is 1000")


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
    sentence = refused(call)
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
