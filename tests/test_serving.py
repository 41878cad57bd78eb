"""Serving changes how many tokens share a read: drafts, chunks and shared prefixes, and what fits in memory."""

import numpy as np
import pytest
import sympy

from roofline import (
    LLAMA_3_1_8B,
    attention_chunk,
    attention_decode,
    attention_prefill,
    attention_shared_prefix,
    bound,
    causal_share,
    decode_layer,
    decode_step,
    device,
    expected_tokens,
    mbu,
    mfu,
    model,
    sequences_that_fit,
    sequences_until_cache_outweighs,
    total_time,
)
from roofline.errors import InvalidValue

H100 = device("H100 SXM")
ROOF = H100.roof("bf16")


def test_memory_runs_out_long_before_the_ridge_point_is_reached():
    """80 GB less 16.06 GB of weights, over 8,192 x 131,072 B of cache: 59 sequences; the ridge point asks for 295."""
    fit = sequences_that_fit(LLAMA_3_1_8B, H100.memory, 8192)
    assert fit == pytest.approx((80e9 - 16_060_522_496) / (8192 * 131_072), rel=1e-15)
    assert int(fit) == 59 < ROOF.ridge
    assert int(sequences_that_fit(LLAMA_3_1_8B, H100.memory, 8192, weights="fp8", cache="fp8")) == 134
    assert sequences_that_fit(model("Llama 3.1 405B"), H100.memory, 8192) < 0


def test_the_cache_outweighs_the_weights_from_fourteen_sequences_on():
    batch = sequences_until_cache_outweighs(LLAMA_3_1_8B, 8192)
    assert batch == pytest.approx(15_009_316_864 / (8192 * 131_072), rel=1e-15)
    assert LLAMA_3_1_8B.cache_bytes(14, 8192) > LLAMA_3_1_8B.step_weight_bytes() > LLAMA_3_1_8B.cache_bytes(13, 8192)


def test_a_denoiser_has_no_cache_to_fit():
    for count in (
        lambda: sequences_that_fit(model("DiT XL/2"), 80e9, 256),
        lambda: decode_step(model("DiT XL/2"), 1, 8),
    ):
        with pytest.raises(InvalidValue, match=r"^DiT XL/2 has no"):
            count()


@pytest.mark.parametrize(
    ("accepted", "drafted", "tokens"), [(0, 4, 1), (0.5, 1, 1.5), (0.8, 4, 3.3616), (0.5, 0, 1), (0.999999, 3, 4)]
)
def test_a_verified_draft_gives_this_many_tokens(accepted, drafted, tokens):
    assert expected_tokens(accepted, drafted) == pytest.approx(tokens, rel=1e-5)


def test_a_draft_is_a_geometric_sum():
    a = sympy.Symbol("a", positive=True)
    assert sympy.simplify(expected_tokens(a, 4) - (1 + a + a**2 + a**3 + a**4)) == 0
    assert expected_tokens(np.array([0.0, 0.5]), 1) == pytest.approx([1, 1.5])
    with pytest.raises(InvalidValue, match=r"accepted is 1; it must be a chance from 0, below 1"):
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
    decode = attention_decode(8192, 128, 4, kv_heads=8)
    assert last.flops == decode.flops
    assert last.nbytes == decode.nbytes + 2 * 2 * 32 * 128  # the query and the output
    chunk = attention_chunk(512, 7680, 128, kv_heads=8, g=4)
    assert decode.intensity < chunk.intensity < full.intensity


def test_the_chunks_of_a_prompt_do_the_work_of_the_whole():
    chunks = [attention_chunk(512, before, 128, kv_heads=8, g=4) for before in range(0, 2048, 512)]
    assert sum(chunk.flops for chunk in chunks) == attention_chunk(2048, 0, 128, kv_heads=8, g=4).flops
    assert sum(chunk.nbytes for chunk in chunks) > attention_chunk(2048, 0, 128, kv_heads=8, g=4).nbytes


def test_a_shared_prefix_is_read_once():
    shared = attention_shared_prefix(8192, 1024, 128, 4, kv_heads=8, sequences=32)
    apart = attention_decode(9216, 128, 4, kv_heads=8, sequences=32)
    assert shared.flops == apart.flops
    assert shared.nbytes == 2 * 2 * 128 * 8 * (8192 + 32 * 1024)
    assert apart.nbytes / shared.nbytes == 7.2
    assert bound(shared, ROOF).regime == "memory-bound"
    p, B, g = sympy.symbols("p B g", positive=True)
    own = sympy.Symbol("own", positive=True)
    found = attention_shared_prefix(p, own, 128, g, sequences=B).intensity
    assert sympy.limit(found, own, 0) == B * g  # the batch counts, as in a weight matmul


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


def test_activations_have_a_format_of_their_own():
    """W8A8: a matmul takes in 1 byte for each weight and activation, and gives out 2."""
    kernel = decode_layer(LLAMA_3_1_8B, 8, 8192, weights="int8", activations="int8")[1]
    assert kernel.nbytes == 4096 * 6144 + 8 * (4096 + 2 * 6144)
