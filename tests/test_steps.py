"""The kernels of one layer: which, in what order, and what they cost for a known model."""

import re

import numpy as np
import pytest

from roofline import LLAMA_3_1_8B, device, model, models
from roofline.architecture import Model
from roofline.bounds import bound
from roofline.errors import InvalidValue
from roofline.kernel import Kernel
from roofline.roof import Roof
from roofline.steps import decode_layer, decode_step, prefill_layer, prefill_step, total_time

H100 = device("H100 SXM").roof("bf16")
ORDER = [
    "norm",
    "QKV projection",
    "attention",
    "output projection",
    "residual add",
    "norm",
    "gate and up",
    "SwiGLU",
    "down projection",
    "residual add",
]


def test_the_shape_of_llama_3_1_8b_is_the_published_one():
    published = Model(
        name="Llama 3.1 8B",
        hidden=4096,
        layers=32,
        q_heads=32,
        kv_heads=8,
        head_dim=128,
        intermediate=14336,
        vocab=128256,
    )
    assert published == LLAMA_3_1_8B
    assert LLAMA_3_1_8B.g == 4
    assert LLAMA_3_1_8B.with_kv_heads(32).g == 1
    assert LLAMA_3_1_8B.with_kv_heads(1).g == 32


@pytest.mark.parametrize("layer", [decode_layer, prefill_layer])
def test_the_kernels_come_in_the_order_in_which_they_run(layer):
    assert [kernel.name for kernel in layer(LLAMA_3_1_8B, 4, 1024)] == ORDER


# which of ORDER, FLOPs, bytes: one sequence, 8192 tokens in its cache
DECODE = [
    (0, 4 * 4096, 4 * 4096),
    (1, 2 * 4096 * 6144, 2 * (4096 + 4096 * 6144 + 6144)),
    (2, 4 * 4 * 8 * 8192 * 128, 2 * 2 * 8 * 8192 * 128),
    (3, 2 * 4096 * 4096, 2 * (4096 + 4096 * 4096 + 4096)),
    (4, 4096, 6 * 4096),
    (6, 2 * 4096 * 28672, 2 * (4096 + 4096 * 28672 + 28672)),
    (7, 5 * 14336, 6 * 14336),
    (8, 2 * 14336 * 4096, 2 * (14336 + 14336 * 4096 + 4096)),
]


@pytest.mark.parametrize(("place", "flops", "nbytes"), DECODE, ids=[ORDER[row[0]] for row in DECODE])
def test_a_decode_step_of_llama_costs_what_a_count_by_hand_gives(place, flops, nbytes):
    kernel = decode_layer(LLAMA_3_1_8B, 1, 8192)[place]
    assert (kernel.flops, kernel.nbytes) == (flops, nbytes)


def test_the_weights_of_all_layers_are_those_of_an_8b_model():
    """Without the embedding and the output head, which are no part of a layer: 32 x 218.1 M = 6.98 billion."""
    matmuls = [
        kernel for kernel in decode_layer(LLAMA_3_1_8B, 1, 1) if kernel.name in (ORDER[1], ORDER[3], ORDER[6], ORDER[8])
    ]
    assert 32 * sum(kernel.flops / 2 for kernel in matmuls) == 6_979_321_856


def test_in_decode_every_kernel_is_memory_bound_and_in_prefill_the_matmuls_are_not():
    decode = {kernel.name: bound(kernel, H100).regime for kernel in decode_layer(LLAMA_3_1_8B, 1, 8192)}
    assert set(decode.values()) == {"memory-bound"}
    prefill = {kernel.name: bound(kernel, H100).regime for kernel in prefill_layer(LLAMA_3_1_8B, 1, 2048)}
    compute = {name for name, regime in prefill.items() if regime == "compute-bound"}
    assert compute == {"QKV projection", "attention", "output projection", "gate and up", "down projection"}


def test_batching_helps_the_weight_matmuls_and_not_the_attention():
    one, many = ({k.name: k.intensity for k in decode_layer(LLAMA_3_1_8B, b, 8192)} for b in (1, 64))
    assert many["attention"] == one["attention"] == 4.0
    assert many["down projection"] / one["down projection"] > 60


def test_smaller_weights_and_caches_change_only_their_own_kernels():
    plain = decode_layer(LLAMA_3_1_8B, 1, 8192)
    small_weights = decode_layer(LLAMA_3_1_8B, 1, 8192, weights="int4")
    small_cache = decode_layer(LLAMA_3_1_8B, 1, 8192, cache="fp8")

    def changed(kernels):
        return {new.name for new, old in zip(kernels, plain, strict=True) if new != old}

    assert changed(small_weights) == {"QKV projection", "output projection", "gate and up", "down projection"}
    assert changed(small_cache) == {"attention"}
    assert small_cache[2].nbytes == plain[2].nbytes / 2


def test_a_prefill_of_one_token_costs_the_weights_as_much_as_a_decode_step():
    assert prefill_layer(LLAMA_3_1_8B, 3, 1)[1] == decode_layer(LLAMA_3_1_8B, 3, 8192)[1]


def test_arrays_of_batches_agree_with_one_batch_at_a_time():
    curve = total_time(decode_layer(LLAMA_3_1_8B, np.array([1, 64], np.int32), 8192), H100)
    alone = [total_time(decode_layer(LLAMA_3_1_8B, b, 8192), H100) for b in (1, 64)]
    assert curve == pytest.approx(alone, rel=1e-12)


def test_a_shape_of_numpy_integers_does_not_overflow():
    wide = Model("wide", *(np.int32(value) for value in (4096, 32, 32, 8, 128, 14336, 128256)))
    assert prefill_layer(wide, 10**3, 10**4) == prefill_layer(LLAMA_3_1_8B, 10**3, 10**4)


def test_the_parameters_of_llama_3_1_8b_are_the_published_number():
    assert LLAMA_3_1_8B.parameters == 8_030_261_248
    assert LLAMA_3_1_8B.matmul_parameters == 32 * 218_103_808 + 4096 * 128_256


@pytest.mark.parametrize(("cache", "nbytes"), [("bf16", 131_072), ("fp8", 65_536), ("int4", 32_768), (2, 131_072)])
def test_a_token_of_llama_3_1_8b_adds_this_much_to_the_cache(cache, nbytes):
    """Two vectors of 8 heads x 128 in each of 32 layers."""
    assert LLAMA_3_1_8B.kv_bytes_per_token(cache) == nbytes


def test_a_decode_step_is_all_layers_the_last_norm_and_the_output_head():
    step = decode_step(LLAMA_3_1_8B, 1, 8192)
    assert [kernel.name for kernel in step] == [*ORDER, "norm", "output head"]
    layer = decode_layer(LLAMA_3_1_8B, 1, 8192)
    assert total_time(step[:-2], H100) == pytest.approx(32 * total_time(layer, H100), rel=1e-12)
    assert step[-1].flops == 2 * 4096 * 128_256
    assert f"{total_time(step, H100) * 1e3:.2f} ms" == "4.80 ms"


def test_a_decode_step_reads_every_weight_once_and_the_whole_cache():
    step = decode_step(LLAMA_3_1_8B, 1, 8192)
    matmuls = [kernel for kernel in step if kernel.name in (ORDER[1], ORDER[3], ORDER[6], ORDER[8], "output head")]
    assert sum(kernel.flops for kernel in matmuls) == 2 * LLAMA_3_1_8B.matmul_parameters
    assert step[2].nbytes == 8192 * LLAMA_3_1_8B.kv_bytes_per_token()


def test_the_times_of_kernels_add_up_one_max_each():
    """One kernel waits for memory and one for compute: the sum is not the max over summed FLOPs and bytes."""
    roof = Roof(10.0, 1.0)
    reader, thinker = Kernel("reader", 1.0, 5.0), Kernel("thinker", 100.0, 1.0)
    assert total_time([reader, thinker], roof) == 15.0
    assert total_time([reader], roof) == 5.0
    assert total_time([], roof) == 0


def test_the_time_of_a_layer_of_llama():
    assert f"{total_time(decode_layer(LLAMA_3_1_8B, 1, 8192), H100) * 1e6:.0f} µs" == "140 µs"


@pytest.mark.parametrize("kv_heads", [5, 64, 3])
def test_kv_heads_that_do_not_divide_the_query_heads_are_refused(kv_heads):
    with pytest.raises(InvalidValue, match=f"q_heads is 32; it must be a multiple of kv_heads, which is {kv_heads}"):
        LLAMA_3_1_8B.with_kv_heads(kv_heads)


def test_a_prefill_is_all_layers_and_the_head_for_the_last_token_of_each_prompt():
    step, layer = prefill_step(LLAMA_3_1_8B, 2, 1024), prefill_layer(LLAMA_3_1_8B, 2, 1024)
    assert [kernel.name for kernel in step] == [*ORDER, "norm", "output head"]
    assert total_time(step[:-2], H100) == pytest.approx(32 * total_time(layer, H100), rel=1e-12)
    assert step[-2:] == decode_step(LLAMA_3_1_8B, 2, 1024)[-2:]


@pytest.mark.parametrize("step", [decode_step, prefill_step])
def test_weights_and_cache_are_part_of_what_a_step_moves(step):
    """Attention reads the cache alone in decode; without the activations, the matmuls read the weights alone."""
    weights, cache = LLAMA_3_1_8B.step_weight_bytes("int4"), LLAMA_3_1_8B.cache_bytes(8, 512, "fp8")
    kernels = step(LLAMA_3_1_8B, 8, 512, weights="int4", cache="fp8")
    matmuls = [kernel for kernel in kernels if kernel.name in (ORDER[1], ORDER[3], ORDER[6], ORDER[8], "output head")]
    tokens = 8 * (512 if step is prefill_step else 1)
    rows = tokens * 32 * (4096 + 6144 + 4096 + 4096 + 4096 + 2 * 14336 + 14336 + 4096) + 8 * (4096 + 128_256)
    assert sum(kernel.nbytes for kernel in matmuls) == weights + 2 * rows
    queries = 2 * 8 * 512 * 32 * 4096 if step is prefill_step else 0
    assert kernels[2].nbytes == cache + queries


def test_all_weights_and_the_cache_have_a_size_in_memory():
    assert LLAMA_3_1_8B.weight_bytes() == 2 * 8_030_261_248
    assert LLAMA_3_1_8B.weight_bytes("int4") == 8_030_261_248 / 2
    assert LLAMA_3_1_8B.cache_bytes(64, 8192) == 64 * 8192 * 131_072
    with pytest.raises(InvalidValue, match="tokens is 0"):
        LLAMA_3_1_8B.cache_bytes(1, 0)


@pytest.mark.parametrize("shape", models(), ids=lambda shape: shape.name)
@pytest.mark.parametrize("step", [decode_step, prefill_step])
def test_every_model_of_the_catalog_has_a_step(shape, step):
    if shape.conditioning and step is decode_step:
        with pytest.raises(InvalidValue, match="has no decode: it works on all tokens at once; ask for its prefill"):
            step(shape, 32, 1024)
        return
    kernels = step(shape, 32, 1024)
    assert kernels[-1].name == "output head"
    assert total_time(kernels, H100) > 0
    # The matmuls of one layer of each kind read its weights; all of them together, the weights of the model.
    dense = [k for k in step(shape, 1, 1) if k.name not in NO_WEIGHTS]
    assert sum(k.flops for k in dense) / 2 == shape.matmul_parameters - (shape.parameters - shape.active_parameters)


#: Kernels that read no weights, or none that `Model` counts.
NO_WEIGHTS = {"norm", "attention", "residual add", "SwiGLU", "GELU", "weighted sum"}


def test_a_window_bounds_what_attention_reads():
    mistral, gemma = model("Mistral 7B"), model("Gemma 2 9B")
    at_window, beyond = (decode_layer(mistral, 2, context)[2] for context in (4096, 10**5))
    assert at_window == beyond
    assert at_window.nbytes == 2 * 2 * 4096 * 8 * 128 * 2
    step = [k for k in decode_step(gemma, 1, 8192) if k.name == "attention"]
    assert [k.nbytes for k in step] == [21 * 2 * 2 * seen * 8 * 256 for seen in (4096, 8192)]
    assert decode_layer(gemma, 1, 8192)[2].nbytes == 2 * decode_layer(gemma, 1, 8192, layer=0)[2].nbytes
    curve = total_time(decode_step(mistral, 1, np.array([1024, 4096, 8192])), H100)
    assert curve[0] < curve[1] == curve[2]


def test_prefill_counts_the_pairs_that_a_model_sees():
    """The triangle for a decoder, less what a window hides; the square for a denoiser."""
    mistral, gemma, deepseek, dit = (model(name) for name in ("Mistral 7B", "Gemma 2 9B", "DeepSeek V3", "DiT XL/2"))
    full = prefill_layer(LLAMA_3_1_8B, 1, 8192)[2]
    assert full.flops == 4 * 32 * 128 * (8192 * 8193 // 2)
    windowed = prefill_layer(mistral, 1, 8192)[2]  # the same heads
    # The first 4096 tokens see those before them, each of the other 4096 sees 4096.
    assert windowed.flops == pytest.approx(4 * 32 * 128 * (4096 * 4097 // 2 + 4096 * 4096), rel=1e-15)
    assert windowed.nbytes == full.nbytes
    short = [k.flops for k in prefill_step(gemma, 1, 4096) if k.name == "attention"]
    assert short[0] == pytest.approx(short[1], rel=1e-15)
    assert prefill_layer(deepseek, 1, 512)[4].flops == 2 * 128 * (192 + 128) * (512 * 513 // 2)
    assert [k.flops for k in prefill_layer(dit, 1, 256) if k.name == "attention"] == [4 * 1152 * 256**2]
    assert [shape.name for shape in models() if not shape.causal] == ["DiT XL/2"]


def test_an_mlp_without_a_gate_has_two_matrices():
    names = [kernel.name for kernel in decode_layer(model("GPT-2 124M"), 1, 512)]
    assert names[6:9] == ["up projection", "GELU", "down projection"]
    assert decode_layer(model("GPT-2 124M"), 1, 512)[6].flops == 2 * 768 * 3072


def test_a_denoiser_is_steered_once_an_image_and_heads_all_its_tokens():
    """DiT XL/2 at 256 x 256 pixels, one image: 118.6 GMACs, which its authors print as 119 GFLOPs."""
    step = prefill_step(model("DiT XL/2"), 1, 256)
    assert step[0].name == "conditioning"
    assert step[0].flops == 28 * 2 * 1152 * 6 * 1152
    assert step[-1].flops == 2 * 256 * 1152 * 32
    assert f"{sum(k.flops for k in step if k.name not in NO_WEIGHTS - {'attention'}) / 2e9:.1f}" == "118.6"


def test_a_layer_is_counted_from_either_end():
    deepseek = model("DeepSeek V3")
    assert decode_layer(deepseek, 1, 512, layer=2) == decode_layer(deepseek, 1, 512, layer=0)
    assert (
        decode_layer(deepseek, 1, 512, layer=3)
        == decode_layer(deepseek, 1, 512)
        != decode_layer(deepseek, 1, 512, layer=-60)
    )


@pytest.mark.parametrize(
    ("traits", "says"),
    [
        ({"window": -1}, "window is -1; it must be a count, 0 or more"),
        ({"positions": 1.5e400}, "positions is inf; it must be a count, 0 or more"),
        ({"conditioning": "six"}, "conditioning is 'six'; it must be a count, 0 or more"),
    ],
)
def test_a_wrong_trait_of_a_shape_is_refused(traits, says):
    with pytest.raises(InvalidValue, match=re.escape(says)):
        Model("wrong", 4096, 32, 32, 8, 128, 14336, 128256, **traits)


def test_a_model_with_learned_positions_has_no_token_beyond_them():
    gpt2 = model("GPT-2 124M")
    assert decode_layer(gpt2, 1, 1024)
    for ask in (decode_layer, decode_step, prefill_layer, prefill_step):
        with pytest.raises(InvalidValue, match=r"is 1025; GPT-2 124M has positions for 1,024 tokens at most$"):
            ask(gpt2, 1, 1025)


def test_activations_have_a_format_of_their_own():
    """W8A8: a matmul takes in 1 byte for each weight and activation, and gives out 2."""
    kernel = decode_layer(LLAMA_3_1_8B, 8, 8192, weights="int8", activations="int8")[1]
    assert kernel.nbytes == 4096 * 6144 + 8 * (4096 + 2 * 6144)
