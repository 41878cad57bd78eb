"""What each kernel costs, by hand-counted literals, for numbers, arrays and symbols."""

import numpy as np
import pytest
import sympy

from roofline.attention import attention_decode, attention_prefill
from roofline.errors import InvalidValue
from roofline.kernels import elementwise, layer_norm, matmul, rms_norm, softmax
from roofline.mla import mla_prefill

B, D, F, T, d_h, g, n, k, w, a, o, h, p, v = sympy.symbols("B D F T d_h g n k w a o h p v", positive=True)

# what, kernel, FLOPs, bytes
COSTS = [
    ("matmul, 8 tokens", matmul(8, 4096, 4096), 268_435_456, 33_685_504),
    ("matmul, 345 tokens", matmul(345, 4096, 4096), 11_576_279_040, 39_206_912),
    ("matmul, square", matmul(4096, 4096, 4096), 137_438_953_472, 100_663_296),
    ("matmul, each size its own", matmul(2, 3, 5), 60, 2 * (6 + 15 + 10)),
    ("matmul in fp8", matmul(2, 3, 5, "fp8"), 60, 31),
    ("matmul in fp32", matmul(2, 3, 5, "fp32"), 60, 124),
    ("matmul, 3 bytes each", matmul(2, 3, 5, 3), 60, 93),
    ("matmul, W4A16", matmul(2, 3, 5, weights="int4"), 60, 12 + 7.5 + 20),
    ("matmul, fp8 in and bf16 out", matmul(2, 3, 5, "fp8", outputs="bf16"), 60, 6 + 15 + 20),
    ("matmul, outputs follow activations", matmul(2, 3, 5, activations="fp32"), 60, 24 + 30 + 40),
    ("ReLU", elementwise(10**8), 10**8, 4 * 10**8),
    ("residual add", elementwise(10, reads=2), 10, 60),
    ("copy in fp32", elementwise(10, "fp32", flops_per_element=0), 0, 80),
    ("fill", elementwise(10, reads=0), 10, 20),
    ("sum without a result", elementwise(10, writes=0), 10, 20),
    ("GELU", elementwise(10, flops_per_element=8), 80, 40),
    ("RMSNorm of the lesson", rms_norm(16_384, 4096), 268_435_456, 268_435_456),
    ("RMSNorm in fp32", rms_norm(2, 3, "fp32", flops_per_element=5), 30, 48),
    ("layer norm", layer_norm(2, 3), 42, 24),
    ("softmax", softmax(2, 3), 30, 24),
    ("prefill, all pairs", attention_prefill(256, 128, causal=False), 33_554_432, 262_144),
    ("prefill, one head", attention_prefill(256, 128), 16_842_752, 262_144),
    ("prefill, 32 heads", attention_prefill(256, 128, heads=32), 32 * 16_842_752, 32 * 262_144),
    ("prefill, 4 query heads per KV head", attention_prefill(256, 128, heads=32, g=4), 32 * 16_842_752, 32 * 163_840),
    ("prefill, 3 prompts", attention_prefill(256, 128, sequences=3), 3 * 16_842_752, 3 * 262_144),
    ("prefill in fp8", attention_prefill(256, 128, dtype="fp8"), 16_842_752, 131_072),
    ("decode, one cache", attention_decode(8192, 128), 4_194_304, 4_194_304),
    ("decode, g of 4", attention_decode(8192, 128, g=4), 4 * 4_194_304, 4_194_304),
    ("decode, fp8 cache", attention_decode(8192, 128, dtype="fp8"), 4_194_304, 2_097_152),
    (
        "decode, 8 KV heads, 64 sequences",
        attention_decode(8192, 128, kv_heads=8, sequences=64),
        512 * 4_194_304,
        512 * 4_194_304,
    ),
    ("decode, 5 drafted tokens", attention_decode(8192, 128, new_tokens=5), 5 * 4_194_304, 4_194_304),
]


@pytest.mark.parametrize(("kernel", "flops", "nbytes"), [row[1:] for row in COSTS], ids=[row[0] for row in COSTS])
def test_the_cost_is_what_a_count_by_hand_gives(kernel, flops, nbytes):
    assert (kernel.flops, kernel.nbytes) == (flops, nbytes)


# what, intensity as computed, as the lesson gives it
INTENSITIES = [
    ("ReLU", elementwise(10**8).intensity, 0.25),
    ("matmul of n³ is n/3", matmul(4096, 4096, 4096).intensity, 4096 / 3),
    ("RMSNorm", rms_norm(16_384, 4096).intensity, 1.0),
    ("attention over all pairs is T/2", attention_prefill(256, 128, causal=False).intensity, 128.0),
    ("more tokens", attention_prefill(590, 64, causal=False).intensity, 295.0),
    ("attention over a prompt is (T + 1)/4", attention_prefill(1179, 64).intensity, 295.0),
    ("decode attention, MHA", attention_decode(8192, 128).intensity, 1.0),
    ("decode attention, Llama 3.1 8B", attention_decode(8192, 128, g=32 // 8).intensity, 4.0),
    ("the same in a batch of 64", attention_decode(8192, 128, g=32 // 8, sequences=64).intensity, 4.0),
    ("decode attention in fp8 is 2g", attention_decode(8192, 128, g=4, dtype="fp8").intensity, 8.0),
]


@pytest.mark.parametrize(
    ("intensity", "expected"), [row[1:] for row in INTENSITIES], ids=[row[0] for row in INTENSITIES]
)
def test_the_intensities_of_the_lesson(intensity, expected):
    assert intensity == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("op", [elementwise, rms_norm, layer_norm, softmax])
def test_elementwise_ops_and_norms_stay_below_5_flop_per_byte(op):
    sizes = (10**6,) if op is elementwise else (1024, 4096)
    assert op(*sizes).intensity < 5


# kernel, FLOPs, bytes, intensity
FORMULAS = [
    ("matmul", matmul(B, D, F), 2 * B * D * F, 2 * (B * D + D * F + B * F), B / (1 + B / D + B / F)),
    (
        "matmul, mixed formats",
        matmul(B, D, F, weights=w, activations=a, outputs=o),
        2 * B * D * F,
        a * B * D + w * D * F + o * B * F,
        2 * B * D * F / (a * B * D + w * D * F + o * B * F),
    ),
    ("elementwise", elementwise(n, flops_per_element=k), k * n, 4 * n, k / 4),
    ("add", elementwise(n, reads=2), n, 6 * n, sympy.Rational(1, 6)),
    ("RMSNorm", rms_norm(B, D), 4 * B * D, 4 * B * D, sympy.Integer(1)),
    ("layer norm", layer_norm(B, D), 7 * B * D, 4 * B * D, sympy.Rational(7, 4)),
    ("softmax", softmax(B, D), 5 * B * D, 4 * B * D, sympy.Rational(5, 4)),
    ("all pairs", attention_prefill(T, d_h, causal=False), 4 * T**2 * d_h, 8 * T * d_h, T / 2),
    (
        "all pairs, GQA",
        attention_prefill(T, d_h, causal=False, g=g),
        4 * T**2 * d_h,
        4 * T * d_h * (1 + 1 / g),
        T / (1 + 1 / g),
    ),
    ("prefill", attention_prefill(T, d_h), 2 * T * (T + 1) * d_h, 8 * T * d_h, (T + 1) / 4),
    (
        "prefill, MLA",
        mla_prefill(T, h, d_h, p, v),
        h * T * (T + 1) * (d_h + p + v),
        2 * T * (h * (2 * d_h + p + 2 * v) + p),
        h * (T + 1) * (d_h + p + v) / (2 * (h * (2 * d_h + p + 2 * v) + p)),
    ),
    ("decode, MHA", attention_decode(T, d_h), 4 * T * d_h, 4 * T * d_h, sympy.Integer(1)),
    ("decode, GQA", attention_decode(T, d_h, g=g), 4 * g * T * d_h, 4 * T * d_h, g),
]


@pytest.mark.parametrize(
    ("kernel", "flops", "nbytes", "intensity"), [row[1:] for row in FORMULAS], ids=[row[0] for row in FORMULAS]
)
def test_symbols_give_the_formulas_of_the_lesson(kernel, flops, nbytes, intensity):
    got = (kernel.flops, kernel.nbytes, kernel.intensity)
    differences = [sympy.simplify(ours - theirs) for ours, theirs in zip(got, (flops, nbytes, intensity), strict=True)]
    assert differences == [0, 0, 0]


def test_the_limits_of_the_matmul_theorem():
    intensity = matmul(B, D, F).intensity
    assert sympy.simplify(sympy.limit(intensity, B, sympy.oo) - D * F / (D + F)) == 0
    assert sympy.simplify(sympy.limit(sympy.limit(intensity, D, sympy.oo), F, sympy.oo) - B) == 0


@pytest.mark.parametrize(
    "dtype", [np.int32, np.int64, np.uint32, np.float32, np.float64], ids=lambda dtype: dtype.__name__
)
def test_no_array_of_sizes_overflows_or_loses_digits(dtype):
    """2 B D F is 2**41 here, far above what 32 bits hold."""
    kernel = matmul(np.array([2**16], dtype), np.array([2**12], dtype), np.array([2**12], dtype))
    assert kernel.flops.tolist() == [2.0**41]
    assert kernel.nbytes.tolist() == [2.0 * (2**28 + 2**24 + 2**28)]
    assert attention_prefill(np.array([2**16], dtype), np.array([2**7], dtype)).flops.tolist() == [2.0**40 + 2**24]


@pytest.mark.parametrize("scalar", [np.int32, np.int16, np.uint32, np.float32], ids=lambda dtype: dtype.__name__)
def test_no_numpy_scalar_overflows_or_loses_digits(scalar):
    assert matmul(scalar(2**14), scalar(2**14), scalar(2**14)).flops == 2**43
    assert attention_prefill(scalar(2**14), scalar(2**7)).flops == 2**36 + 2**22
    assert type(matmul(scalar(8), scalar(8), scalar(8)).intensity) is float


def test_sizes_of_different_shapes_broadcast():
    grid = matmul(np.array([[1], [8]]), 4096, np.array([4096, 14336]))
    assert grid.flops.shape == (2, 2)
    assert grid.flops[1, 1] == matmul(8, 4096, 14336).flops


def test_the_inputs_are_left_as_they_were():
    sizes = np.array([1.0, 8.0])
    kernel = matmul(sizes, 4096, 4096)
    kernel.flops[0] = -1
    assert sizes.tolist() == [1.0, 8.0]


def test_a_kernel_that_moves_nothing_is_refused():
    with pytest.raises(InvalidValue, match=r"reads and writes are both 0; .* give one of them"):
        elementwise(8, reads=0, writes=0)


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (matmul(1, 1, 1), "matmul"),
        (matmul(1, 1, 1, name="QKV projection"), "QKV projection"),
        (elementwise(1), "elementwise"),
        (elementwise(1, name="ReLU"), "ReLU"),
        (rms_norm(1, 1), "rms_norm"),
        (layer_norm(1, 1), "layer_norm"),
        (softmax(1, 1), "softmax"),
        (attention_prefill(1, 1), "attention_prefill"),
        (attention_decode(1, 1), "attention_decode"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_kernel_says_its_name(kernel, name):
    assert kernel.name == name
