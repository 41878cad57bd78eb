"""Latent attention caches one short vector a token, and reads it for all heads at once."""

import pytest
import sympy

from roofline import (
    attention_decode,
    attention_prefill,
    bound,
    decode_layer,
    decode_step,
    device,
    head_matmul,
    matmul,
    mla_decode,
    mla_prefill,
    model,
    prefill_layer,
)
from roofline.errors import InvalidValue

DEEPSEEK = model("DeepSeek V3")


def test_costs_what_a_count_by_hand_gives():
    """Each of 128 heads meets 512 + 64 elements of a token for its score, and uses 512 of them."""
    kernel = mla_decode(1000, 128, 512, 64, sequences=3)
    assert kernel.flops == 3 * 1000 * 128 * 2 * (576 + 512)
    assert kernel.nbytes == 3 * 1000 * 2 * 576
    assert mla_decode(1000, 128, 512, 64, dtype="fp8", new_tokens=2).intensity == 4 * kernel.intensity


def test_the_intensity_is_that_of_all_heads_sharing_one_read():
    T, heads, r, p, e = sympy.symbols("T heads r p e", positive=True)
    found = mla_decode(T, heads, r, p, dtype=e).intensity
    assert sympy.simplify(found - 2 * heads * (2 * r + p) / (e * (r + p))) == 0
    assert sympy.limit(found, p, 0) == 4 * heads / e
    # Without positions and with values as wide as keys, it is attention with one KV head whose keys are its values.
    assert found.subs(p, 0) == 2 * attention_decode(T, r, g=heads, dtype=e).intensity


def test_deepseek_caches_fewer_bytes_than_llama_and_reads_them_at_sixty_times_the_intensity():
    """70,272 bytes a token over 61 layers; as MHA it would be 71 times that: 128 heads of 192 + 128 elements."""
    assert DEEPSEEK.kv_bytes_per_token() == 61 * 2 * 576 == 70_272
    assert pytest.approx(71.1, abs=0.05) == 61 * 2 * 128 * (192 + 128) / 70_272
    assert f"{mla_decode(8192, 128, 512, 64).intensity:.1f}" == "241.8"
    assert attention_decode(8192, 128, g=model("Llama 3.1 8B").g).intensity == 4


def test_latent_attention_sits_beside_the_ridge_point():
    kernel = mla_decode(8192, 128, 512, 64)
    assert bound(kernel, device("H100 SXM").roof("bf16")).regime == "memory-bound"
    assert bound(kernel, device("H200 SXM").roof("bf16")).regime == "compute-bound"


def test_prefill_expands_keys_and_values():
    kernel = mla_prefill(100, 128, 128, 64, 128, sequences=2)
    assert kernel.flops == 2 * 128 * (100 * 101 // 2) * 2 * (192 + 128)
    assert mla_prefill(100, 128, 128, 64, 128, causal=False, sequences=2).flops == 2 * 128 * 100**2 * 2 * (192 + 128)
    assert kernel.nbytes == 2 * 100 * 2 * (128 * (192 + 128 + 128 + 128) + 64)
    # Where keys and values have the same width and no key is shared, it is plain attention but for one key more.
    T, heads, d, e = sympy.symbols("T heads d e", positive=True)
    rope = sympy.Symbol("rope", positive=True)
    assert (
        mla_prefill(T, heads, d, rope, d, dtype=e).flops.subs(rope, 0)
        == attention_prefill(T, d, dtype=e, heads=heads).flops
    )


def test_a_layer_of_deepseek_folds_the_expansion_into_query_and_output_in_decode_only():
    decode = [kernel.name for kernel in decode_layer(DEEPSEEK, 1, 1024)][:8]
    assert decode == [
        "norm",
        "Q and KV down projection",
        "Q up projection",
        "Q into latent",
        "attention",
        "latent into O",
        "output projection",
        "residual add",
    ]
    prefill = [kernel.name for kernel in prefill_layer(DEEPSEEK, 1, 1024)][:6]
    assert prefill[2:] == ["Q up projection", "KV up projection", "attention", "output projection"]


def test_both_ways_read_the_same_weights():
    """The expansion is 512 x 128 x (128 + 128) weights, in one matrix or in two per head."""
    decode = {k.name: k.flops for k in decode_layer(DEEPSEEK, 1, 1024)}
    prefill = {k.name: k.flops for k in prefill_layer(DEEPSEEK, 1, 1)}
    folded = decode["Q into latent"] + decode["latent into O"]
    assert folded == prefill["KV up projection"] == 2 * 512 * 128 * 256


def test_the_matmuls_of_a_step_read_the_active_parameters():
    step = decode_step(DEEPSEEK, 1, 1)
    flops = sum(k.flops for k in step if k.name not in {"norm", "attention", "residual add", "SwiGLU", "weighted sum"})
    # The router looks at all its experts; the input embedding and the norms are no matmul.
    assert flops / 2 == DEEPSEEK.active_parameters - 7168 * (129_280 + 2 * 61 + 1)


def test_a_head_matmul_is_one_matmul_a_head():
    one = matmul(7, 128, 512, weights="fp8")
    many = head_matmul(7, 128, 128, 512, weights="fp8")
    assert (many.flops, many.nbytes) == (128 * one.flops, 128 * one.nbytes)


@pytest.mark.parametrize("name", ["T", "heads", "kv_rank", "rope", "sequences", "new_tokens"])
def test_refuses_a_size_that_is_none(name):
    sizes = {"T": 8, "heads": 8, "kv_rank": 8, "rope": 8, "sequences": 1, "new_tokens": 1}
    with pytest.raises(InvalidValue, match=f"{name} is -1; it must be a positive, finite count"):
        mla_decode(**sizes | {name: -1})
