"""The laws of the roofline bound, for any kernel under any roof."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline.bounds import bound, speedup
from roofline.kernel import Kernel
from roofline.roof import Roof

from .strategies import amounts, factors, kernels, roofs

pytestmark = pytest.mark.property

ROUNDING = 1e-12


def near(value, rel=ROUNDING):
    return pytest.approx(value, rel=rel, abs=0)


@given(kernels, roofs)
def test_no_kernel_exceeds_the_peak_or_the_slope(kernel, roof):
    attainable = bound(kernel, roof).attainable
    assert attainable <= roof.peak
    assert attainable <= kernel.intensity * roof.bandwidth
    assert attainable in (roof.peak, kernel.intensity * roof.bandwidth)
    assert attainable == roof.attainable(kernel.intensity)


@given(kernels, roofs)
def test_the_bound_is_the_larger_time_and_at_least_half_of_the_sum(kernel, roof):
    limit = bound(kernel, roof)
    assert limit.time >= limit.compute_time
    assert limit.time >= limit.memory_time
    assert limit.time in (limit.compute_time, limit.memory_time)
    assert limit.time <= limit.compute_time + limit.memory_time <= 2 * limit.time


@given(kernels, roofs)
def test_both_forms_of_the_bound_agree(kernel, roof):
    """FLOPs over the least time are the most FLOP/s."""
    limit = bound(kernel, roof)
    assert kernel.flops / limit.time == near(limit.attainable)


@given(kernels, roofs)
def test_compute_bound_is_to_lie_at_or_above_the_ridge(kernel, roof):
    limit = bound(kernel, roof)
    assert (limit.regime == "compute-bound") == (kernel.intensity >= roof.ridge)
    assert limit.regime in ("compute-bound", "memory-bound")
    longer, shorter = limit.compute_time, limit.memory_time
    if limit.regime == "memory-bound":
        longer, shorter = shorter, longer
    assert longer >= shorter * (1 - ROUNDING)


@given(kernels, roofs)
def test_the_share_of_peak_is_the_intensity_over_the_ridge_up_to_one(kernel, roof):
    limit = bound(kernel, roof)
    assert 0 <= limit.fraction_of_peak <= 1
    assert limit.fraction_of_peak == near(min(1.0, kernel.intensity / roof.ridge))
    assert limit.fraction_of_peak == near(limit.attainable / roof.peak)
    assert (limit.fraction_of_peak == 1) == (limit.regime == "compute-bound")


@given(roofs, st.integers(-30, 30))
def test_a_kernel_of_the_ridge_points_own_intensity_is_compute_bound(roof, power):
    """Powers of two scale floats exactly, so this kernel lies at the ridge to the last bit."""
    kernel = Kernel("at the ridge", roof.peak * 2.0**power, roof.bandwidth * 2.0**power)
    assert bound(kernel, roof).regime == "compute-bound"


@given(kernels, roofs, factors)
def test_k_times_the_work_takes_k_times_as_long_in_the_same_regime(kernel, roof, k):
    old, new = bound(kernel, roof), bound(Kernel("k times", k * kernel.flops, k * kernel.nbytes), roof)
    assert new.time == near(k * old.time)
    assert new.attainable == near(old.attainable)


@given(kernels, roofs, factors)
def test_k_times_both_limits_take_one_kth_of_the_time(kernel, roof, k):
    old, new = bound(kernel, roof), bound(kernel, Roof(k * roof.peak, k * roof.bandwidth))
    assert k * new.time == near(old.time)
    assert new.fraction_of_peak == near(old.fraction_of_peak)


@given(kernels, roofs, st.floats(1.0, 100.0))
def test_only_a_change_of_the_longer_time_helps(kernel, roof, k):
    limit = bound(kernel, roof)
    faster, wider = Roof(k * roof.peak, roof.bandwidth), Roof(roof.peak, k * roof.bandwidth)
    useless = faster if limit.regime == "memory-bound" else wider
    assert speedup(kernel, roof, useless) == near(1.0)
    assert speedup(kernel, roof, Roof(k * roof.peak, k * roof.bandwidth)) == near(k)


@given(kernels, roofs, roofs)
def test_a_speedup_lies_between_the_ratios_of_the_two_limits(kernel, old, new):
    ratios = sorted([new.peak / old.peak, new.bandwidth / old.bandwidth])
    assert ratios[0] * (1 - ROUNDING) <= speedup(kernel, old, new) <= ratios[1] * (1 + ROUNDING)


@given(kernels, roofs, roofs, roofs)
def test_speedups_compose_and_undo(kernel, a, b, c):
    assert speedup(kernel, a, a) == 1
    assert speedup(kernel, a, b) * speedup(kernel, b, a) == near(1.0)
    assert speedup(kernel, a, b) * speedup(kernel, b, c) == near(speedup(kernel, a, c))


@given(roofs, st.floats(0.01, 1.0), st.floats(0.01, 1.0), kernels)
def test_a_derated_roof_is_never_above_the_first(roof, compute, bandwidth, kernel):
    lower = roof.derated(compute, bandwidth)
    assert bound(kernel, lower).time >= bound(kernel, roof).time * (1 - ROUNDING)
    assert lower.ridge == near(roof.ridge * compute / bandwidth)


@given(st.lists(st.tuples(amounts, amounts), min_size=1, max_size=20), roofs)
def test_an_array_of_kernels_agrees_with_one_kernel_at_a_time(pairs, roof):
    together = bound(Kernel("all", *(np.array(column) for column in zip(*pairs, strict=True))), roof)
    alone = [bound(Kernel("one", flops, nbytes), roof) for flops, nbytes in pairs]
    for name in ("compute_time", "memory_time", "time", "regime", "attainable", "fraction_of_peak"):
        assert list(getattr(together, name)) == [getattr(one, name) for one in alone], name
