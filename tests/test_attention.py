"""Attention in parts: what a mask keeps, chunks of a prompt, and a prefix that sequences share."""

import pytest
import sympy

from roofline import (
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


def test_a_chunk_lies_between_prefill_and_decode():
    whole = attention_chunk(2048, 0, 128, kv_heads=8, g=4)
    full = attention_prefill(2048, 128, heads=32, g=4)
    assert whole.flops == full.flops * causal_share(2048)
    assert whole.nbytes == full.nbytes
    last = attention_chunk(1, 8191, 128, kv_heads=8, g=4)
    decode = attention_decode(8192, 128, g=4, kv_heads=8)
    assert last.flops == decode.flops
    assert last.nbytes == decode.nbytes + 2 * 2 * 32 * 128  # the query and the output
    chunk = attention_chunk(512, 7680, 128, kv_heads=8, g=4)
    assert decode.intensity < chunk.intensity < full.intensity


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
