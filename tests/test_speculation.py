"""What drafted tokens give, and what it costs to verify them."""

import numpy as np
import pytest
import sympy

from roofline import (
    LLAMA_3_1_8B,
    decode_layer,
    decode_step,
    device,
    expected_tokens,
    total_time,
)
from roofline.errors import InvalidValue

H100 = device("H100 SXM")


ROOF = H100.roof("bf16")


@pytest.mark.parametrize(
    ("accepted", "drafted", "tokens"), [(0, 4, 1), (0.5, 1, 1.5), (0.8, 4, 3.3616), (0.5, 0, 1), (0.999999, 3, 4)]
)
def test_a_verified_draft_gives_this_many_tokens(accepted, drafted, tokens):
    assert expected_tokens(accepted, drafted) == pytest.approx(tokens, rel=1e-5)


def test_a_draft_is_a_geometric_sum():
    a = sympy.Symbol("a", positive=True)
    assert sympy.simplify(expected_tokens(a, 4) - (1 + a + a**2 + a**3 + a**4)) == 0
    assert expected_tokens(np.array([0.0, 0.5]), 1) == pytest.approx([1, 1.5])
    with pytest.raises(InvalidValue, match=r"accepted is 1; it must be a chance of at least 0 and below 1"):
        expected_tokens(1, 4)


def test_verifying_a_draft_is_a_larger_batch():
    """Five tokens of each of 8 sequences: the weight matmuls of a batch of 40, and five queries for a read of cache."""
    draft = {k.name: k for k in decode_layer(LLAMA_3_1_8B, 8, 8192, new_tokens=5)}
    plain = {k.name: k for k in decode_layer(LLAMA_3_1_8B, 40, 8192)}
    one = {k.name: k for k in decode_layer(LLAMA_3_1_8B, 8, 8192)}
    assert draft["down projection"] == plain["down projection"]
    assert draft["attention"].nbytes == one["attention"].nbytes
    assert draft["attention"].intensity == 5 * one["attention"].intensity == 20
    step = decode_step(LLAMA_3_1_8B, 8, 8192, new_tokens=5)
    assert step[-1].flops == 2 * 40 * 4096 * 128_256
    # Nearly free where the step is memory-bound.
    assert total_time(step, ROOF) < 1.02 * total_time(decode_step(LLAMA_3_1_8B, 8, 8192), ROOF)
