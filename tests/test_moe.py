"""A mixture of experts reads the experts that its batch reaches, and needs N/k times the batch of a dense layer."""

import numpy as np
import pytest
import sympy

from roofline import (
    bound,
    critical_batch,
    decode_layer,
    decode_step,
    device,
    expected_experts,
    expert_matmul,
    matmul,
    model,
    moe_critical_batch,
    most_experts,
    tokens_per_expert,
    total_time,
)
from roofline.errors import InvalidValue

H200 = device("H200 SXM").roof("bf16")


@pytest.mark.parametrize(
    ("N", "k", "B", "experts"),
    [(8, 2, 1, 2), (8, 2, 2, 3.5), (8, 2, 3, 4.625), (8, 8, 1, 8), (8, 2, 10**6, 8), (256, 8, 1, 8), (128, 8, 2, 15.5)],
)
def test_expects_this_many_experts(N, k, B, experts):
    assert expected_experts(N, k, B) == pytest.approx(experts, rel=1e-14)


def test_expects_what_throwing_dice_gives():
    chance = np.random.default_rng(0)
    reached = [len({expert for _ in range(3) for expert in chance.choice(8, 2, replace=False)}) for _ in range(20_000)]
    assert np.mean(reached) == pytest.approx(4.625, abs=0.03)


def test_experts_take_arrays_and_symbols():
    assert expected_experts(8, 2, np.array([1, 2, 3])) == pytest.approx([2, 3.5, 4.625])
    N, k, B = sympy.symbols("N k B", positive=True)
    assert sympy.simplify(expected_experts(N, k, B).subs(B, 1) - k) == 0
    assert sympy.simplify(expected_experts(N, k, B).subs(B, 2) - (2 * k - k**2 / N)) == 0
    assert sympy.limit(expected_experts(8, 2, B), B, sympy.oo) == 8


def test_an_expert_matmul_costs_what_a_count_by_hand_gives():
    """Three tokens on 8 experts, two each: 3 rows in, 6 rows out, 4.625 matrices of 16 x 32 in bf16."""
    kernel = expert_matmul(3, 16, 32, 8, 2)
    assert kernel.flops == 2 * 6 * 16 * 32
    assert kernel.nbytes == 2 * (4.625 * 16 * 32 + 3 * 16 + 6 * 32)
    int4 = expert_matmul(3, 16, 32, 8, 2, weights="int4", activations="fp8", outputs="bf16")
    assert int4.nbytes == 0.5 * 4.625 * 16 * 32 + 3 * 16 + 6 * 2 * 32
    assert expert_matmul(3, 16, 32, 8, 2, rows=2).nbytes == 2 * (4.625 * 16 * 32 + 6 * (16 + 32))


def test_a_program_that_reads_each_row_once_does_not_beat_an_expert_matmul():
    """DeepSeek V3, 4096 tokens: all 256 experts, and a row of 7168 for each token, not for each of its 8 experts."""
    kernel = expert_matmul(4096, 7168, 4096, 256, 8)
    assert kernel.nbytes <= 2 * (256 * 7168 * 4096 + 4096 * 7168 + 8 * 4096 * 4096)


def test_the_experts_that_a_batch_reaches_lie_between_two_bounds():
    assert [most_experts(8, 2, B) for B in (1, 3, 4, 64)] == [2, 6, 8, 8]
    chance = np.random.default_rng(0)
    for B in (1, 2, 3, 5, 9):
        reached = [
            len({expert for _ in range(B) for expert in chance.choice(8, 2, replace=False)}) for _ in range(1000)
        ]
        assert 2 <= min(reached) <= max(reached) <= most_experts(8, 2, B)
        assert 2 <= expected_experts(8, 2, B) <= most_experts(8, 2, B)
    # The mean is no bound on either side.
    assert min(reached) < expected_experts(8, 2, 9) < max(reached)
    N, k, B = sympy.symbols("N k B", positive=True)
    assert most_experts(N, k, B) == sympy.Min(N, B * k)


def test_one_expert_for_all_is_a_dense_matmul():
    dense, one = matmul(7, 16, 32), expert_matmul(7, 16, 32, 1, 1)
    assert (one.flops, one.nbytes) == (dense.flops, dense.nbytes)


def test_the_batch_that_a_moe_needs_is_n_over_k_times_as_large():
    dense = critical_batch(2048, 768, H200)
    needed = moe_critical_batch(128, 8, dense)
    assert needed == 16 * dense
    assert tokens_per_expert(128, 8, needed) == pytest.approx(dense)
    for batch, regime in ((needed * 0.999, "memory-bound"), (needed * 1.001, "compute-bound")):
        assert bound(expert_matmul(batch, 2048, 768, 128, 8, rows=8), H200).regime == regime


@pytest.mark.parametrize("name", ["N", "k", "B"])
def test_refuses_a_count_that_is_none(name):
    with pytest.raises(InvalidValue, match=f"{name} is 0; it must be a positive, finite count"):
        expected_experts(**{"N": 8, "k": 2, "B": 3} | {name: 0})


def test_a_layer_of_mixtral_has_a_router_and_its_experts():
    names = [kernel.name for kernel in decode_layer(model("Mixtral 8x7B"), 3, 1024)]
    # Literals of its own, so that a wrong order in a dense layer is not taken over.
    assert names == [
        "norm",
        "QKV projection",
        "attention",
        "output projection",
        "residual add",
        "norm",
        "router",
        "experts: gate and up",
        "SwiGLU",
        "experts: down projection",
        "weighted sum",
        "residual add",
    ]


def test_a_step_of_a_moe_reads_the_experts_expected_and_all_else_once():
    """What a step moves without the rows of its matmuls is what `step_weight_bytes` says."""
    mixtral = model("Mixtral 8x7B")
    assert mixtral.step_weight_bytes() == 2 * mixtral.matmul_parameters
    one, many = mixtral.step_weight_bytes(tokens=1), mixtral.step_weight_bytes(tokens=10**6)
    assert many == mixtral.step_weight_bytes()
    assert one == 2 * (mixtral.active_parameters - 4096 * (32000 + 65))
    step = decode_step(mixtral, 1, 1)
    matmuls = [k for k in step if "projection" in k.name or k.name in {"router", "experts: gate and up", "output head"}]
    rows = 32 * (4096 + 6144 + 4096 + 4096 + 4096 + 8 + 4096 + 2 * (2 * 14336 + 14336 + 4096)) + 4096 + 32000
    assert sum(k.nbytes for k in matmuls) == pytest.approx(one + 2 * rows, rel=1e-12)


def test_a_moe_gives_up_its_advantage_as_the_batch_grows():
    """At batch 1, Mixtral takes about the time of a dense model of its active size; at 16, that of its whole size."""
    mixtral = model("Mixtral 8x7B")
    times = {batch: total_time(decode_step(mixtral, batch, 1), H200) * H200.bandwidth / 2 for batch in (1, 16)}
    assert times[1] == pytest.approx(mixtral.active_parameters, rel=0.02)
    assert times[16] == pytest.approx(mixtral.parameters, rel=0.03)


def test_deepseek_v3_goes_through_its_shared_expert_and_starts_dense():
    deepseek = model("DeepSeek V3")
    names = [kernel.name for kernel in decode_layer(deepseek, 1, 1024)]
    assert names[9:] == [
        "router",
        "experts: gate and up",
        "SwiGLU",
        "experts: down projection",
        "shared expert: gate and up",
        "SwiGLU",
        "shared expert: down projection",
        "weighted sum",
        "residual add",
    ]
    first = [kernel.name for kernel in decode_layer(deepseek, 1, 1024, layer=0)]
    assert first[9:] == ["gate and up", "SwiGLU", "down projection", "residual add"]
    # 8 of 256 experts and one shared one, of 3 x 7168 x 2048 weights each.
    experts = [k for k in decode_layer(deepseek, 1, 1024) if "expert" in k.name]
    assert sum(k.flops for k in experts) == 2 * 9 * 3 * 7168 * 2048


def test_a_token_goes_to_at_most_all_experts():
    for cost in (
        lambda: expected_experts(8, 9, 1),
        lambda: expected_experts(8, np.array([2, 9]), 1),
        lambda: most_experts(8, 9, 1),
        lambda: tokens_per_expert(8, 9, 4),
        lambda: moe_critical_batch(8, 9, 300),
        lambda: expert_matmul(4, 16, 16, 8, 9),
    ):
        with pytest.raises(InvalidValue, match=r"a token can go to at most all N experts$"):
            cost()
