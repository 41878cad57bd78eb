"""The two limits of a device, and the line that they draw."""

import numpy as np
import pytest
import sympy

from roofline import device
from roofline.bounds import bound
from roofline.errors import InvalidValue
from roofline.kernel import Kernel
from roofline.roof import Roof

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
