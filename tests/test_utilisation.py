"""The shares of a device that a measured time used."""

import pytest

from roofline import (
    LLAMA_3_1_8B,
    decode_step,
    device,
    mbu,
    mfu,
    total_time,
)
from roofline.errors import InvalidValue

H100 = device("H100 SXM")


ROOF = H100.roof("bf16")


def test_decode_at_forty_percent_of_peak_is_a_mistake_in_the_count():
    """A decode step that moves 16 GB in 5 ms uses the bandwidth well and the peak hardly at all."""
    assert mfu(16e9, 5e-3, ROOF) == pytest.approx(16e9 / (5e-3 * 989e12), rel=1e-15)
    assert mbu(16e9, 5e-3, ROOF) == pytest.approx(0.9552, abs=1e-4)
    step = decode_step(LLAMA_3_1_8B, 1, 8192)
    time = total_time(step, ROOF)
    assert mbu(sum(k.nbytes for k in step), time, ROOF) == pytest.approx(1, rel=1e-12)
    assert mfu(sum(k.flops for k in step), time, ROOF) == pytest.approx(0.0041, abs=1e-4)
    with pytest.raises(InvalidValue, match="time is 0; it must be a positive, finite number"):
        mbu(16e9, 0, ROOF)
