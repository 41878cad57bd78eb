"""Roofs, bounds and thresholds, with the lesson's numbers held as literals.

The devices come from the catalog, so that a changed figure there is noticed here too.
"""

import math

import numpy as np
import pytest
import sympy

from roofline import device
from roofline.errors import InvalidValue
from roofline.kernel import Kernel
from roofline.kernels import elementwise, matmul
from roofline.roof import Roof, bound, critical_batch, speedup

H100 = device("H100 SXM").roof("bf16")
H100_FP8 = device("H100 SXM").roof("fp8")
H100_CUDA = device("H100 SXM").roof("fp32")
A100 = device("A100 SXM 80GB").roof("bf16")
A100_CUDA = device("A100 SXM 80GB").roof("fp32")


@pytest.mark.parametrize(
    ("roof", "peak", "bandwidth", "ridge"),
    [
        (H100, 989e12, 3.35e12, 295.2),
        (H100_FP8, 1979e12, 3.35e12, 590.7),
        (H100_CUDA, 67e12, 3.35e12, 20.0),
        (A100, 312e12, 2.039e12, 153.0),
        (A100_CUDA, 19.5e12, 2.039e12, 9.6),
    ],
    ids=lambda value: value.label if isinstance(value, Roof) else None,
)
def test_the_ridge_points_of_the_lesson(roof, peak, bandwidth, ridge):
    assert roof.peak == peak
    assert roof.bandwidth == bandwidth
    assert round(float(roof.ridge), 1) == ridge


@pytest.mark.parametrize(
    ("intensity", "attainable"),
    [(0, 0), (0.25, 837.5e9), (1, 3.35e12), (100, 335e12), (295, 988.25e12), (296, 989e12), (1e9, 989e12)],
)
def test_the_roof_rises_with_the_intensity_until_the_peak(intensity, attainable):
    assert Roof(989e12, 3.35e12).attainable(intensity) == pytest.approx(attainable, rel=1e-15)


def test_a_roof_takes_a_whole_curve_and_a_symbol():
    roof = Roof(20.0, 2.0)
    assert roof.attainable(np.array([0, 5, 10, 15])).tolist() == [0, 10, 20, 20]
    x = sympy.Symbol("x", positive=True)
    assert float(roof.attainable(x).subs(x, 3)) == 6
    assert float(roof.attainable(x).subs(x, 30)) == 20


def test_numpy_integers_in_a_roof_do_not_overflow():
    roof = Roof(np.int64(989e12), np.int64(3.35e12))
    assert roof.attainable(10**7) == 989e12
    assert Roof(np.int32(20), np.int32(2)).derated(0.5).peak == 10


def test_an_array_of_peaks_gives_an_array_of_ridge_points():
    roof = Roof(np.array([20, 40], np.int32), 2)
    assert roof.ridge.tolist() == [10.0, 20.0]
    assert bound(Kernel("k", 15.0, 1.0), roof).regime.tolist() == ["compute-bound", "memory-bound"]


def test_a_label_names_a_roof_and_is_not_compared():
    assert Roof(1.0, 1.0, "one") == Roof(1.0, 1.0, "two")
    assert Roof(1.0, 1.0) != Roof(1.0, 2.0)


@pytest.mark.parametrize(
    ("compute", "bandwidth", "ridge"),
    [(1.0, 1.0, 295.2), (0.8, 1.0, 236.2), (1.0, 0.8, 369.0), (0.7, 0.9, 229.6)],
)
def test_a_derated_roof_has_these_shares_of_both_limits(compute, bandwidth, ridge):
    lower = H100.derated(compute, bandwidth)
    assert lower.peak == pytest.approx(989e12 * compute)
    assert lower.bandwidth == pytest.approx(3.35e12 * bandwidth)
    assert round(float(lower.ridge), 1) == ridge
    assert lower.label == f"{H100.label}, derated"
    assert Roof(1.0, 1.0).derated(compute).label == ""


@pytest.mark.parametrize("share", [1.0001, 80, 80.0])
@pytest.mark.parametrize("name", ["compute", "bandwidth"])
def test_a_share_above_one_is_refused_with_an_example(name, share):
    with pytest.raises(InvalidValue, match=rf"{name} is {share}; .* at most 1 \(0\.8 for 80%\)"):
        H100.derated(**{name: share})


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


def shown_like(seconds, text):
    """Write seconds with the prefix and the places of the text, by plain formatting."""
    number, unit = text.split()
    places = len(number.partition(".")[2])
    return f"{seconds / {'µs': 1e-6, 'ms': 1e-3}[unit]:.{places}f} {unit}"


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


# what, D, F, roof, formats, B* to the first decimal, first whole batch
THRESHOLDS = [
    ("H100 bf16", 4096, 4096, H100, {}, 344.9, 345),
    ("H100 bf16, MLP of Llama 3.1 8B", 4096, 14336, H100, {}, 325.4, 326),
    ("H100 fp8", 4096, 4096, H100_FP8, {"dtype": "fp8"}, 345.2, 346),
    ("A100 bf16", 4096, 4096, A100, {}, 165.4, 166),
    ("H100 bf16, DiT-XL", 1152, 1152, H100, {}, 605.6, 606),
    ("A100 bf16, width 512", 512, 512, A100, {}, 380.4, 381),
    ("H100 W8A16", 4096, 4096, H100, {"weights": "int8"}, 172.5, 173),
    ("H100 bf16 with fp32 outputs, F above D", 4096, 14336, H100, {"outputs": "fp32"}, 353.5, 354),
    ("H100 W4A16", 4096, 4096, H100, {"weights": "int4"}, 86.2, 87),
]


@pytest.mark.parametrize(
    ("D", "F", "roof", "formats", "exact", "whole"), [row[1:] for row in THRESHOLDS], ids=[row[0] for row in THRESHOLDS]
)
def test_the_thresholds_of_the_lesson_agree_with_a_search(D, F, roof, formats, exact, whole):
    threshold = critical_batch(D, F, roof, **formats)
    assert round(float(threshold), 1) == exact
    assert math.ceil(threshold) == whole
    assert next(B for B in range(1, 10_000) if matmul(B, D, F, **formats).intensity >= roof.ridge) == whole


@pytest.mark.parametrize(
    ("D", "F", "roof"), [(512, 512, H100), (1, 10**9, H100), (590, 590, H100), (306, 306, A100), (2, 2, Roof(1.0, 1.0))]
)
def test_no_batch_is_large_enough_where_the_ceiling_is_not_above_the_ridge(D, F, roof):
    assert roof.ridge >= D * F / (D + F)
    assert critical_batch(D, F, roof) == math.inf
    assert bound(matmul(10**9, D, F), roof).regime == "memory-bound"


def test_a_ceiling_just_above_the_ridge_has_a_threshold():
    assert critical_batch(592, 592, H100) == pytest.approx(112_600, rel=0.01)
    assert critical_batch(4, 4, Roof(1.0, 1.0)) == 2.0


def test_arrays_give_a_threshold_for_each_without_a_warning():
    thresholds = critical_batch(np.array([4096, 512, 2], np.int32), np.array([4096, 512, 2], np.int32), H100)
    assert [round(value, 1) for value in thresholds] == [344.9, math.inf, math.inf]
    assert critical_batch(np.array([2]), 2, Roof(1.0, 1.0)).tolist() == [math.inf]


def test_symbols_give_the_formula_of_the_theorem():
    D, F, R, BW = sympy.symbols("D F R BW", positive=True)
    formula = critical_batch(D, F, Roof(R * BW, BW))
    assert sympy.simplify(formula - R * D * F / (D * F - R * (D + F))) == 0


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
