"""The bound of a kernel under a roof: both times, the regime, and what a newer device gives."""

import math

import numpy as np
import pytest
import sympy

from roofline import device
from roofline.bounds import Bound, bound, speedup
from roofline.errors import InvalidValue
from roofline.kernel import Kernel
from roofline.kernels import elementwise, matmul
from roofline.roof import Roof
from roofline.threshold import critical_batch

H100 = device("H100 SXM").roof("bf16")


H100_FP8 = device("H100 SXM").roof("fp8")


H100_CUDA = device("H100 SXM").roof("fp32")


A100 = device("A100 SXM 80GB").roof("bf16")


A100_CUDA = device("A100 SXM 80GB").roof("fp32")


# A decode step of a 7B and of a 70B model at batch 1: 2 FLOPs and 2 bytes for each weight.
SMALL_STEP = Kernel("decode step", 14e9, 14e9)


LARGE_STEP = Kernel("decode step", 140e9, 140e9)


# what, kernel, roof, compute time, memory time, regime, share of peak
BOUNDS = [
    ("ReLU on 10⁸ values", elementwise(10**8), H100_CUDA, "1.5 µs", "119 µs", "memory-bound", 0.0125),
    ("matmul of 4096³", matmul(4096, 4096, 4096), H100, "139 µs", "30 µs", "compute-bound", 1.0),
    ("matmul of 8 tokens", matmul(8, 4096, 4096), H100, "0.27 µs", "10.1 µs", "memory-bound", 0.027),
    ("matmul of 344 tokens", matmul(344, 4096, 4096), H100, "11.67 µs", "11.70 µs", "memory-bound", 0.998),
    ("matmul of 345 tokens", matmul(345, 4096, 4096), H100, "11.705 µs", "11.704 µs", "compute-bound", 1.0),
    ("7B weights, one token", SMALL_STEP, H100, "14.2 µs", "4.2 ms", "memory-bound", 0.0034),
    ("7B weights, one token, A100", SMALL_STEP, A100, "44.9 µs", "6.9 ms", "memory-bound", 0.0065),
    ("70B weights, one token", LARGE_STEP, H100, "142 µs", "41.8 ms", "memory-bound", 0.0034),
]


def shown_like(seconds, text):
    """Write seconds with the prefix and the places of the text, by plain formatting."""
    number, unit = text.split()
    places = len(number.partition(".")[2])
    return f"{seconds / {'µs': 1e-6, 'ms': 1e-3}[unit]:.{places}f} {unit}"


@pytest.mark.parametrize(
    ("kernel", "roof", "compute", "memory", "regime", "share"),
    [row[1:] for row in BOUNDS],
    ids=[row[0] for row in BOUNDS],
)
def test_the_bounds_of_the_lesson(kernel, roof, compute, memory, regime, share):
    limit = bound(kernel, roof)
    assert shown_like(limit.compute_time, compute) == compute
    assert shown_like(limit.memory_time, memory) == memory
    assert limit.time == (limit.memory_time if regime == "memory-bound" else limit.compute_time)
    assert limit.regime == regime
    assert limit.fraction_of_peak == pytest.approx(share, rel=0.02)
    assert limit.attainable == pytest.approx(roof.peak * limit.fraction_of_peak, rel=1e-12)


def test_tokens_per_second_of_a_decode_step():
    assert f"{1 / bound(SMALL_STEP, H100).time:.1f}" == "239.3"
    assert f"{1 / bound(SMALL_STEP, A100).time:.1f}" == "145.6"
    assert f"{1 / bound(LARGE_STEP, H100).time:.1f}" == "23.9"


def test_batching_is_almost_free_below_the_ridge():
    one, many = (bound(matmul(B, 4096, 4096), H100) for B in (1, 64))
    assert many.kernel.flops / one.kernel.flops == 64
    assert f"{many.time / one.time - 1:.0%}" == "3%"


def test_a_kernel_exactly_at_the_ridge_point_is_compute_bound():
    roof = Roof(67e12, 3.35e12)
    assert bound(Kernel("at", 20.0, 1.0), roof).regime == "compute-bound"
    assert bound(Kernel("below", 20.0, 1.0 + 1e-15), roof).regime == "memory-bound"


@pytest.mark.parametrize("size", [1, 3, 7, 49, 1e-9, 1e15])
@pytest.mark.parametrize("roof", [H100, H100_FP8, A100, A100_CUDA], ids=lambda roof: roof.label)
def test_a_kernel_at_the_ridge_point_is_compute_bound_whatever_its_size(roof, size):
    """Peak and bandwidth as FLOPs and bytes lie at the ridge; rounding of the two times must not move them below."""
    flops, nbytes = float(roof.peak), float(roof.bandwidth)
    assert bound(Kernel("at", flops, nbytes), roof).regime == "compute-bound"
    assert bound(Kernel("above", flops * size * (1 + 1e-12), nbytes * size), roof).regime == "compute-bound"
    assert bound(Kernel("below", flops * size * (1 - 1e-12), nbytes * size), roof).regime == "memory-bound"


def test_a_copy_has_no_compute_time_and_no_share_of_peak():
    limit = bound(elementwise(10**8, flops_per_element=0), H100)
    assert limit.compute_time == 0
    assert limit.time == limit.memory_time
    assert limit.attainable == 0
    assert limit.fraction_of_peak == 0
    assert limit.regime == "memory-bound"


def test_arrays_give_a_bound_for_each():
    limit = bound(matmul(np.array([1, 344, 345, 4096]), 4096, 4096), H100)
    assert limit.regime.tolist() == ["memory-bound", "memory-bound", "compute-bound", "compute-bound"]
    assert [f"{seconds * 1e6:.2f}" for seconds in limit.time] == ["10.02", "11.70", "11.71", "138.97"]
    assert limit.fraction_of_peak.max() == 1.0


def test_symbols_give_formulas_but_no_regime():
    B = sympy.Symbol("B", positive=True)
    limit = bound(matmul(B, 4096, 4096), Roof(989e12, 3.35e12))
    assert float(limit.time.subs(B, 345)) == pytest.approx(11.70503e-6, rel=1e-6)
    assert float(limit.attainable.subs(B, 4096)) == pytest.approx(989e12)
    assert float(limit.fraction_of_peak.subs(B, 8)) == pytest.approx(0.02699, rel=1e-3)
    with pytest.raises(InvalidValue, match="matmul has symbols for sizes; put numbers in"):
        _ = limit.regime


def test_sympy_numbers_are_numbers():
    roof = Roof(989e12, 3.35e12)
    assert critical_batch(sympy.Integer(512), sympy.Integer(512), roof) == math.inf
    assert float(critical_batch(sympy.Integer(4096), sympy.Integer(4096), roof)) == pytest.approx(344.949, rel=1e-6)


@pytest.mark.parametrize(
    ("what", "kernel", "factor"),
    [
        ("ReLU", elementwise(10**8), "1.64"),
        ("decode step", SMALL_STEP, "1.64"),
        ("large matmul", matmul(4096, 4096, 4096), "3.17"),
        ("between the two ridges", matmul(200, 4096, 4096), "1.96"),
    ],
)
def test_the_speedup_from_a100_to_h100(what, kernel, factor):  # noqa: ARG001
    assert f"{speedup(kernel, A100, H100):.2f}" == factor


def test_a_bound_shows_its_time_and_its_regime():
    limit = Bound(Kernel("relu", 1e8, 4e8), Roof(8e13, 2e12))
    assert repr(limit) == (
        "Bound(Kernel(name='relu', flops=100000000.0, nbytes=400000000.0), "
        "Roof(peak=80000000000000.0, bandwidth=2000000000000.0, label=''), time=0.0002, regime='memory-bound')"
    )
    symbols = Bound(Kernel("relu", sympy.Symbol("n", positive=True), 4), Roof(8e13, 2e12))
    assert "time=Max(" in repr(symbols)
    assert "regime" not in repr(symbols)


@pytest.mark.parametrize(("kernel", "roof"), [("relu", Roof(8, 2)), (Kernel("relu", 1, 4), "H100"), (None, None)])
def test_a_bound_checks_what_it_is_given(kernel, roof):
    with pytest.raises(InvalidValue, match=r"is not a (Kernel|Roof);"):
        Bound(kernel, roof)


def test_bounds_of_arrays_are_compared_as_a_whole():
    sizes = np.array([1, 8])
    one, same, other = (Bound(matmul(sizes, D, 64), Roof(np.array([8.0, 9.0]), 2.0)) for D in (64, 64, 32))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != Bound(matmul(sizes, 64, 64), Roof(8.0, 2.0))
