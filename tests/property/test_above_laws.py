"""The laws of points above the roof, for any kernel on any device of the catalog."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofline.above import causes_above
from roofline.above.causes import GRADES
from roofline.above.point import LAUNCH
from roofline.catalog import devices
from roofline.kernel import Kernel
from roofline.steps import total_time

pytestmark = pytest.mark.property

places = st.sampled_from([(gpu, fmt) for gpu in devices() for fmt in gpu.formats])
kernels = st.builds(Kernel, st.sampled_from(["attention", "matmul"]), st.floats(1e6, 1e18), st.floats(1e3, 1e13))
lists = st.lists(kernels, min_size=1, max_size=4)
#: How far above the roof: just so, by a clock, by a cache, by a slip.
excesses = st.floats(1.001, 1.2) | st.floats(1.2, 8) | st.floats(8, 1e4)
squares = st.none() | st.floats(1, 1e6)


def seconds_above(listed, place, excess):
    gpu, fmt = place
    return total_time(listed, gpu.roof(fmt)) / excess


def names(found):
    return [each.cause.name for each in found]


@given(lists, places, excesses, squares)
def test_above_the_roof_there_are_causes_and_none_leaves_the_point_above(listed, place, excess, square):
    seconds = seconds_above(listed, place, excess)
    found = causes_above(listed, *place, seconds, square=square)
    assert {"work", "timing"} <= set(names(found))
    assert len(set(names(found))) == len(found)
    for each in found:
        if each.bound is not None:
            assert each.bound <= seconds * (1 + 1e-8)
            assert each.share == pytest.approx(each.bound / seconds)
            assert each.allowed >= excess * (1 - 1e-8)
        assert 0 <= each.fit <= 1 + 1e-6


@given(lists, places, st.floats(1e-4, 1.0), squares)
def test_at_or_below_the_roof_there_is_nothing_to_explain(listed, place, share, square):
    assert causes_above(listed, *place, seconds_above(listed, place, share), square=square) == ()


@given(lists, places, excesses, squares)
def test_the_ranking_is_by_grade_and_then_by_fit(listed, place, excess, square):
    found = causes_above(listed, *place, seconds_above(listed, place, excess), square=square)
    keys = [(GRADES.index(each.cause.grade), -round(each.fit, 2)) for each in found]
    assert keys == sorted(keys)


@given(lists, places, excesses, st.floats(1.0, 100.0), squares)
def test_what_explains_a_time_explains_a_slower_one(listed, place, excess, slower, square):
    """But for a slip of a unit, which is listed only where it leaves a share that anyone would report."""
    assume(excess > slower * 1.001)
    fast, slow = (
        set(names(causes_above(listed, *place, seconds_above(listed, place, each), square=square)))
        for each in (excess, excess / slower)
    )
    assert fast - {"units"} <= slow


@given(lists, places, excesses, st.floats(1.0, 1e3), squares)
def test_only_the_cache_and_a_launch_know_how_large_a_kernel_is(listed, place, excess, k, square):
    seconds = seconds_above(listed, place, excess)
    assume(seconds > LAUNCH or seconds * k <= LAUNCH)
    larger = [Kernel(kernel.name, kernel.flops * k, kernel.nbytes * k) for kernel in listed]
    small, large = (
        {
            each.cause.name: each.share
            for each in causes_above(all_, *place, time, square=square)
            if each.cause.name != "l2"
        }
        for all_, time in ((listed, seconds), (larger, seconds * k))
    )
    close_to_a_limit = {name for name, share in (small | large).items() if share is not None and share > 1 - 1e-6}
    assert small.keys() - close_to_a_limit - {"units"} == large.keys() - close_to_a_limit - {"units"}
    for name in small.keys() & large.keys():
        assert small[name] == (None if large[name] is None else pytest.approx(large[name], rel=1e-6))


@given(
    st.permutations([Kernel("a", 1e12, 1e9), Kernel("b", 1e9, 1e10), Kernel("attention", 1e13, 1e8)]), places, excesses
)
def test_the_order_of_the_kernels_does_not_matter(listed, place, excess):
    seconds = seconds_above(listed, place, excess)
    found, again = (causes_above(each, *place, seconds, square=4096) for each in (listed, sorted(listed, key=str)))
    assert names(found) == names(again)
