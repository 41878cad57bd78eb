"""What a step takes at least however its kernels are fused."""

import numpy as np
import pytest
import sympy

from roofline import (
    LLAMA_3_1_8B,
    InvalidValue,
    Kernel,
    Model,
    Roof,
    decode_step,
    device,
    fused_time,
    model,
    prefill_step,
    total_time,
    unavoidable_bytes,
)

H100 = device("H100 SXM").roof("bf16")


def test_fused_kernels_do_all_the_work_and_move_what_is_left():
    """A reader of 5 bytes and a thinker of 100 FLOPs under a roof of 10 FLOP/s and 1 byte/s."""
    roof = Roof(10.0, 1.0)
    kernels = [Kernel("reader", 1.0, 5.0), Kernel("thinker", 100.0, 1.0)]
    assert total_time(kernels, roof) == 15.0
    assert fused_time(kernels, roof, 5.0) == 10.1
    assert fused_time(kernels, Roof(1e3, 1.0), 5.0) == 5.0


def test_a_step_moves_its_weights_and_its_cache_in_any_case():
    """7.5 billion weights, 32 caches of 8192 tokens, in bf16."""
    assert unavoidable_bytes(LLAMA_3_1_8B, 32, 8192) == 2 * 7_504_658_432 + 32 * 8192 * 131_072
    small = unavoidable_bytes(LLAMA_3_1_8B, 32, 8192, weights="int4", cache="fp8")
    assert small == 7_504_658_432 / 2 + 32 * 8192 * 65_536
    # A window keeps 4096 tokens of the cache; a denoiser has none.
    assert unavoidable_bytes(model("Mistral 7B"), 1, 10**5) == unavoidable_bytes(model("Mistral 7B"), 1, 4096)
    dit = model("DiT XL/2")
    assert unavoidable_bytes(dit, 8, 256) == 2 * dit.matmul_parameters


def test_all_tokens_of_a_moe_may_go_to_the_same_experts():
    """2 of the 8 experts of Mixtral, where an even router is expected to reach all of them with 64 tokens."""
    mixtral = model("Mixtral 8x7B")
    read = unavoidable_bytes(mixtral, 64, 1) - mixtral.cache_bytes(64, 1)
    assert read == pytest.approx(2 * (mixtral.active_parameters - 4096 * (32_000 + 65)), rel=1e-12)


def test_the_bound_of_a_fused_step_of_llama():
    decode, prefill = decode_step(LLAMA_3_1_8B, 32, 8192), prefill_step(LLAMA_3_1_8B, 1, 2048)
    assert f"{fused_time(decode, H100, unavoidable_bytes(LLAMA_3_1_8B, 32, 8192)) * 1e3:.2f} ms" == "14.74 ms"
    assert f"{total_time(decode, H100) * 1e3:.2f} ms" == "14.83 ms"
    # All FLOPs of the matmuls and of attention at the peak, and hardly any others.
    flops = 2 * 2048 * 6_979_321_856 + 2 * 4096 * 128_256 + 32 * 32 * 4 * 128 * 2048 * 2049 // 2
    fused = fused_time(prefill, H100, unavoidable_bytes(LLAMA_3_1_8B, 1, 2048))
    assert fused == pytest.approx(flops / 989e12, rel=1e-3)
    assert fused < total_time(prefill, H100)


def test_arrays_and_symbols_are_taken():
    batches = np.array([1, 64])
    together = fused_time(
        decode_step(LLAMA_3_1_8B, batches, 8192), H100, unavoidable_bytes(LLAMA_3_1_8B, batches, 8192)
    )
    alone = [
        fused_time(decode_step(LLAMA_3_1_8B, b, 8192), H100, unavoidable_bytes(LLAMA_3_1_8B, b, 8192)) for b in (1, 64)
    ]
    assert together == pytest.approx(alone, rel=1e-12)
    h, L, q, n, d, f, V, b, T = sympy.symbols("h L q n d f V b T", positive=True)
    shape = Model("any model", h, L, q, n, d, f, V)
    assert sympy.simplify(unavoidable_bytes(shape, b, T) - shape.step_weight_bytes() - 4 * b * T * L * n * d) == 0


def test_no_fusion_needs_more_bytes_than_its_kernels_move():
    with pytest.raises(InvalidValue, match=r"^nbytes is 9; it must be at most what the kernels move together, 8\.0$"):
        fused_time([Kernel("a", 1.0, 4.0), Kernel("b", 1.0, 4.0)], H100, 9)
    with pytest.raises(InvalidValue, match="is not a list of kernels"):
        fused_time(Kernel("a", 1.0, 4.0), H100, 4)
