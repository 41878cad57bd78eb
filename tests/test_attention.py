"""Attention in parts: what a mask keeps, chunks of a prompt, and a prefix that sequences share."""

import pytest
import sympy

from roofline import (
    InvalidValue,
    attention_chunk,
    attention_decode,
    attention_prefill,
    attention_shared_prefix,
    bound,
    causal_share,
    device,
)

H100 = device("H100 SXM")


ROOF = H100.roof("bf16")


def test_a_causal_mask_keeps_half():
    assert causal_share(1) == 1
    assert causal_share(3) == 6 / 9
    assert causal_share(10**6) == pytest.approx(0.5, rel=1e-5)
    T = sympy.Symbol("T", positive=True)
    assert sympy.limit(causal_share(T), T, sympy.oo) == sympy.Rational(1, 2)


def test_a_measured_causal_kernel_does_not_beat_its_bound():
    """FlashAttention-3 with a causal mask, 16 heads of 128, 16,384 tokens, on an H100: 1.785 ms."""
    sizes = {"T": 16_384, "d_h": 128, "heads": 16}
    masked, full = (bound(attention_prefill(**sizes, causal=causal), ROOF) for causal in (True, False))
    assert masked.time < 1.785e-3 < full.time
    assert masked.kernel.flops / 1.785e-3 < 989e12
    assert f"{masked.time * 1e3:.3f} ms" == "1.112 ms"


@pytest.mark.parametrize(("T", "window"), [(1, 1), (7, 1), (7, 3), (7, 7)])
def test_a_mask_keeps_the_pairs_that_counting_gives(T, window):
    seen = sum(token - window < other <= token for token in range(T) for other in range(T))
    assert causal_share(T, window) == pytest.approx(seen / T**2, rel=1e-15)
    if window == T:
        assert attention_prefill(T, 1).flops == 4 * seen
        assert causal_share(T, window) == causal_share(T)


def test_a_window_wider_than_the_prompt_is_refused():
    with pytest.raises(InvalidValue, match=r"^window is 9 and T is 8; a token attends to at most all T tokens$"):
        causal_share(8, 9)


@pytest.mark.parametrize("wrong", [2, 0.5, "yes", None, [True]])
def test_a_mask_is_there_or_not(wrong):
    with pytest.raises(InvalidValue, match=r"^causal is .*; it must be True or False$"):
        attention_prefill(8, 8, causal=wrong)


def test_a_chunk_lies_between_prefill_and_decode():
    square = attention_prefill(8192, 128, heads=32, g=4, causal=False)
    last = attention_chunk(1, 8191, 128, kv_heads=8, g=4)
    decode = attention_decode(8192, 128, g=4, kv_heads=8)
    assert last.flops == decode.flops
    assert last.nbytes == decode.nbytes + 2 * 2 * 32 * 128  # the query and the output
    chunk = attention_chunk(512, 7680, 128, kv_heads=8, g=4)
    assert decode.intensity < chunk.intensity < square.intensity


def test_the_chunks_of_a_prompt_do_the_work_of_the_whole():
    chunks = [attention_chunk(512, before, 128, kv_heads=8, g=4) for before in range(0, 2048, 512)]
    assert sum(chunk.flops for chunk in chunks) == attention_chunk(2048, 0, 128, kv_heads=8, g=4).flops
    assert sum(chunk.nbytes for chunk in chunks) > attention_chunk(2048, 0, 128, kv_heads=8, g=4).nbytes


def test_a_shared_prefix_is_read_once():
    shared = attention_shared_prefix(8192, 1024, 128, g=4, kv_heads=8, sequences=32)
    apart = attention_decode(9216, 128, g=4, kv_heads=8, sequences=32)
    assert shared.flops == apart.flops
    assert shared.nbytes == 2 * 2 * 128 * 8 * (8192 + 32 * 1024)
    assert apart.nbytes / shared.nbytes == 7.2
    assert bound(shared, ROOF).regime == "memory-bound"
    p, B, g = sympy.symbols("p B g", positive=True)
    own = sympy.Symbol("own", positive=True)
    found = attention_shared_prefix(p, own, 128, g=g, sequences=B).intensity
    assert sympy.limit(found, own, 0) == B * g  # the batch counts, as in a weight matmul
