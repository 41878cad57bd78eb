"""Every function of the package refuses every kind of wrong argument, in one sentence that helps."""

import math

import pytest

from roofline import (
    LLAMA_3_1_8B,
    Experts,
    Kernel,
    Latent,
    Roof,
    attention_chunk,
    attention_decode,
    attention_prefill,
    attention_shared_prefix,
    bound,
    causal_share,
    critical_batch,
    decode_layer,
    decode_step,
    elementwise,
    expected_experts,
    expected_tokens,
    expert_matmul,
    head_matmul,
    layer_norm,
    matmul,
    mbu,
    mfu,
    mla_decode,
    mla_prefill,
    moe_critical_batch,
    prefill_layer,
    rms_norm,
    sequences_that_fit,
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
from roofline.steps import Model

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
    ("Model", "hidden", "a positive count", lambda x: Model("s", x, 32, 32, 8, 128, 14336, 128256)),
    ("Model", "layers", "a positive count", lambda x: Model("s", 4096, x, 32, 8, 128, 14336, 128256)),
    ("Model", "q_heads", "a positive count", lambda x: Model("s", 4096, 32, x, 8, 128, 14336, 128256)),
    ("Model", "kv_heads", "a positive count", lambda x: Model("s", 4096, 32, 32, x, 128, 14336, 128256)),
    ("Model", "head_dim", "a positive count", lambda x: Model("s", 4096, 32, 32, 8, x, 14336, 128256)),
    ("Model", "intermediate", "a positive count", lambda x: Model("s", 4096, 32, 32, 8, 128, x, 128256)),
    ("Model", "vocab", "a positive count", lambda x: Model("s", 4096, 32, 32, 8, 128, 14336, x)),
    ("with_kv_heads", "kv_heads", "a positive count", LLAMA_3_1_8B.with_kv_heads),
    ("decode_layer", "sequences", "positive", lambda x: decode_layer(LLAMA_3_1_8B, x, 8192)),
    ("decode_layer", "context", "positive", lambda x: decode_layer(LLAMA_3_1_8B, 1, x)),
    ("decode_step", "sequences", "positive", lambda x: decode_step(LLAMA_3_1_8B, x, 8192)),
    ("decode_step", "context", "positive", lambda x: decode_step(LLAMA_3_1_8B, 1, x)),
    ("prefill_layer", "sequences", "positive", lambda x: prefill_layer(LLAMA_3_1_8B, x, 2048)),
    ("prefill_layer", "prompt", "positive", lambda x: prefill_layer(LLAMA_3_1_8B, 1, x)),
    ("expected_experts", "N", "a positive, finite count", lambda x: expected_experts(N=x, k=2, B=3)),
    ("expected_experts", "k", "a positive, finite count", lambda x: expected_experts(N=8, k=x, B=3)),
    ("expected_experts", "B", "a positive, finite count", lambda x: expected_experts(N=8, k=2, B=x)),
    ("expert_matmul", "B", "a positive, finite count", lambda x: expert_matmul(B=x, D=8, F=8, N=8, k=2)),
    ("expert_matmul", "D", "a positive, finite count", lambda x: expert_matmul(B=3, D=x, F=8, N=8, k=2)),
    ("expert_matmul", "F", "a positive, finite count", lambda x: expert_matmul(B=3, D=8, F=x, N=8, k=2)),
    ("expert_matmul", "N", "a positive, finite count", lambda x: expert_matmul(B=3, D=8, F=8, N=x, k=2)),
    ("expert_matmul", "k", "a positive, finite count", lambda x: expert_matmul(B=3, D=8, F=8, N=8, k=x)),
    ("moe_critical_batch", "N", "a positive, finite count", lambda x: moe_critical_batch(N=x, k=2, dense=300)),
    ("moe_critical_batch", "k", "a positive, finite count", lambda x: moe_critical_batch(N=8, k=x, dense=300)),
    ("moe_critical_batch", "dense", "positive", lambda x: moe_critical_batch(N=8, k=2, dense=x)),
    (
        "mla_decode",
        "T",
        "a positive, finite count",
        lambda x: mla_decode(T=x, heads=8, kv_rank=8, rope=8, sequences=1, new_tokens=1),
    ),
    (
        "mla_decode",
        "heads",
        "a positive, finite count",
        lambda x: mla_decode(T=8, heads=x, kv_rank=8, rope=8, sequences=1, new_tokens=1),
    ),
    (
        "mla_decode",
        "kv_rank",
        "a positive, finite count",
        lambda x: mla_decode(T=8, heads=8, kv_rank=x, rope=8, sequences=1, new_tokens=1),
    ),
    (
        "mla_decode",
        "rope",
        "a positive, finite count",
        lambda x: mla_decode(T=8, heads=8, kv_rank=8, rope=x, sequences=1, new_tokens=1),
    ),
    (
        "mla_decode",
        "sequences",
        "a positive, finite count",
        lambda x: mla_decode(T=8, heads=8, kv_rank=8, rope=8, sequences=x, new_tokens=1),
    ),
    (
        "mla_decode",
        "new_tokens",
        "a positive, finite count",
        lambda x: mla_decode(T=8, heads=8, kv_rank=8, rope=8, sequences=1, new_tokens=x),
    ),
    (
        "mla_prefill",
        "T",
        "a positive, finite count",
        lambda x: mla_prefill(T=x, heads=8, nope=8, rope=8, value=8, sequences=1),
    ),
    (
        "mla_prefill",
        "heads",
        "a positive, finite count",
        lambda x: mla_prefill(T=8, heads=x, nope=8, rope=8, value=8, sequences=1),
    ),
    (
        "mla_prefill",
        "nope",
        "a positive, finite count",
        lambda x: mla_prefill(T=8, heads=8, nope=x, rope=8, value=8, sequences=1),
    ),
    (
        "mla_prefill",
        "rope",
        "a positive, finite count",
        lambda x: mla_prefill(T=8, heads=8, nope=8, rope=x, value=8, sequences=1),
    ),
    (
        "mla_prefill",
        "value",
        "a positive, finite count",
        lambda x: mla_prefill(T=8, heads=8, nope=8, rope=8, value=x, sequences=1),
    ),
    (
        "mla_prefill",
        "sequences",
        "a positive, finite count",
        lambda x: mla_prefill(T=8, heads=8, nope=8, rope=8, value=8, sequences=x),
    ),
    ("head_matmul", "B", "a positive, finite count", lambda x: head_matmul(B=x, heads=8, D=8, F=8)),
    ("head_matmul", "heads", "a positive, finite count", lambda x: head_matmul(B=8, heads=x, D=8, F=8)),
    ("head_matmul", "D", "a positive, finite count", lambda x: head_matmul(B=8, heads=8, D=x, F=8)),
    ("head_matmul", "F", "a positive, finite count", lambda x: head_matmul(B=8, heads=8, D=8, F=x)),
    (
        "attention_chunk",
        "new_tokens",
        "a positive, finite count",
        lambda x: attention_chunk(new_tokens=x, before=8, d_h=8, g=1, kv_heads=1, sequences=1),
    ),
    (
        "attention_chunk",
        "d_h",
        "a positive, finite count",
        lambda x: attention_chunk(new_tokens=8, before=8, d_h=x, g=1, kv_heads=1, sequences=1),
    ),
    (
        "attention_chunk",
        "g",
        "a positive, finite count",
        lambda x: attention_chunk(new_tokens=8, before=8, d_h=8, g=x, kv_heads=1, sequences=1),
    ),
    (
        "attention_chunk",
        "kv_heads",
        "a positive, finite count",
        lambda x: attention_chunk(new_tokens=8, before=8, d_h=8, g=1, kv_heads=x, sequences=1),
    ),
    (
        "attention_chunk",
        "sequences",
        "a positive, finite count",
        lambda x: attention_chunk(new_tokens=8, before=8, d_h=8, g=1, kv_heads=1, sequences=x),
    ),
    (
        "attention_shared_prefix",
        "prefix",
        "a positive, finite count",
        lambda x: attention_shared_prefix(prefix=x, own=8, d_h=8, g=1, kv_heads=1, sequences=1),
    ),
    (
        "attention_shared_prefix",
        "own",
        "a positive, finite count",
        lambda x: attention_shared_prefix(prefix=8, own=x, d_h=8, g=1, kv_heads=1, sequences=1),
    ),
    (
        "attention_shared_prefix",
        "d_h",
        "a positive, finite count",
        lambda x: attention_shared_prefix(prefix=8, own=8, d_h=x, g=1, kv_heads=1, sequences=1),
    ),
    (
        "attention_shared_prefix",
        "g",
        "a positive, finite count",
        lambda x: attention_shared_prefix(prefix=8, own=8, d_h=8, g=x, kv_heads=1, sequences=1),
    ),
    (
        "attention_shared_prefix",
        "kv_heads",
        "a positive, finite count",
        lambda x: attention_shared_prefix(prefix=8, own=8, d_h=8, g=1, kv_heads=x, sequences=1),
    ),
    (
        "attention_shared_prefix",
        "sequences",
        "a positive, finite count",
        lambda x: attention_shared_prefix(prefix=8, own=8, d_h=8, g=1, kv_heads=1, sequences=x),
    ),
    ("causal_share", "T", "a positive, finite count", causal_share),
    ("Experts", "count", "a positive count", lambda x: Experts(count=x, chosen=2, width=64)),
    ("Experts", "chosen", "a positive count", lambda x: Experts(count=8, chosen=x, width=64)),
    ("Experts", "width", "a positive count", lambda x: Experts(count=8, chosen=2, width=x)),
    ("Latent", "q_rank", "a positive count", lambda x: Latent(q_rank=x, kv_rank=8, rope=8, nope=8, value=8)),
    ("Latent", "kv_rank", "a positive count", lambda x: Latent(q_rank=8, kv_rank=x, rope=8, nope=8, value=8)),
    ("Latent", "rope", "a positive count", lambda x: Latent(q_rank=8, kv_rank=8, rope=x, nope=8, value=8)),
    ("Latent", "nope", "a positive count", lambda x: Latent(q_rank=8, kv_rank=8, rope=8, nope=x, value=8)),
    ("Latent", "value", "a positive count", lambda x: Latent(q_rank=8, kv_rank=8, rope=8, nope=8, value=x)),
    ("mfu", "flops", "positive", lambda x: mfu(x, 1.0, ROOF)),
    ("mfu", "time", "positive", lambda x: mfu(1.0, x, ROOF)),
    ("mbu", "nbytes", "positive", lambda x: mbu(x, 1.0, ROOF)),
    ("mbu", "time", "positive", lambda x: mbu(1.0, x, ROOF)),
    ("sequences_that_fit", "memory", "positive", lambda x: sequences_that_fit(LLAMA_3_1_8B, x, 8)),
    ("sequences_that_fit", "tokens", "positive", lambda x: sequences_that_fit(LLAMA_3_1_8B, 80e9, x)),
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
    ("attention_chunk", "before", "0 or more", lambda x: attention_chunk(8, x, 8)),
    ("expected_tokens", "drafted", "0 or more", lambda x: expected_tokens(0.5, x)),
    ("Model", "window", "0 or more", lambda x: Model("s", 8, 8, 8, 8, 8, 8, 8, window=x)),
    ("Experts", "shared", "0 or more", lambda x: Experts(8, 2, 64, shared=x)),
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
    ("attention_prefill", "dtype", lambda x: attention_prefill(8, 8, dtype=x)),
    ("attention_decode", "dtype", lambda x: attention_decode(8, 8, g=1, dtype=x)),
    ("decode_layer", "weights", lambda x: decode_layer(LLAMA_3_1_8B, 1, 8, weights=x)),
    ("decode_layer", "cache", lambda x: decode_layer(LLAMA_3_1_8B, 1, 8, cache=x)),
    ("decode_step", "weights", lambda x: decode_step(LLAMA_3_1_8B, 1, 8, weights=x)),
    ("decode_step", "cache", lambda x: decode_step(LLAMA_3_1_8B, 1, 8, cache=x)),
    ("prefill_layer", "weights", lambda x: prefill_layer(LLAMA_3_1_8B, 1, 8, weights=x)),
    ("prefill_layer", "cache", lambda x: prefill_layer(LLAMA_3_1_8B, 1, 8, cache=x)),
    ("kv_bytes_per_token", "cache", LLAMA_3_1_8B.kv_bytes_per_token),
    ("expert_matmul", "weights", lambda x: expert_matmul(8, 8, 8, 8, 2, weights=x)),
    ("expert_matmul", "activations", lambda x: expert_matmul(8, 8, 8, 8, 2, activations=x)),
    ("mla_decode", "dtype", lambda x: mla_decode(8, 8, 8, 8, dtype=x)),
    ("mla_prefill", "dtype", lambda x: mla_prefill(8, 8, 8, 8, 8, dtype=x)),
    ("head_matmul", "weights", lambda x: head_matmul(8, 8, 8, 8, weights=x)),
    ("attention_chunk", "dtype", lambda x: attention_chunk(8, 8, 8, g=1, dtype=x)),
    ("attention_shared_prefix", "dtype", lambda x: attention_shared_prefix(8, 8, 8, g=1, dtype=x)),
    ("decode_layer", "activations", lambda x: decode_layer(LLAMA_3_1_8B, 1, 8, activations=x)),
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
