"""No fusion takes a step below its floor, and the floor is never above the sum of the kernels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline import bound, decode_step, fused_time, models, prefill_step, total_time, unavoidable_bytes

from .strategies import formats, kernels, roofs

pytestmark = pytest.mark.property


@given(st.sampled_from(models()), st.integers(1, 4096), st.integers(1, 1024), formats, formats, roofs)
def test_a_fused_step_is_never_bounded_above_the_sum_of_its_kernels(model, sequences, tokens, weights, cache, roof):
    stored = {"weights": weights, "cache": cache}
    nbytes = unavoidable_bytes(model, sequences, tokens, **stored)
    for make in (prefill_step,) if model.conditioning else (decode_step, prefill_step):
        step = make(model, sequences, tokens, **stored)
        assert fused_time(step, roof, nbytes) <= total_time(step, roof) * (1 + 1e-12)


@given(st.lists(kernels, min_size=1, max_size=5), roofs)
def test_joining_kernels_never_takes_longer_and_a_single_one_takes_as_long(parts, roof):
    whole = fused_time(parts, roof, sum(part.nbytes for part in parts))
    assert whole <= total_time(parts, roof) * (1 + 1e-12)
    assert fused_time(parts[:1], roof, parts[0].nbytes) == bound(parts[0], roof).time
    # Fewer bytes, but never less work.
    least = min(part.nbytes for part in parts)
    assert fused_time(parts, roof, least) <= whole
    assert fused_time(parts, roof, least) * roof.peak * (1 + 1e-12) >= sum(part.flops for part in parts)
