"""How much fits into memory: sequences beside the weights, and devices for a batch."""

import math

import pytest

from roofline import (
    LLAMA_3_1_8B,
    decode_step,
    device,
    devices_needed,
    model,
    sequences_that_fit,
    sequences_until_cache_outweighs,
)
from roofline.errors import InvalidValue

H100 = device("H100 SXM")


ROOF = H100.roof("bf16")


def test_memory_runs_out_long_before_the_ridge_point_is_reached():
    """81,559 MiB less 16.06 GB of weights, over 8,192 x 131,072 B of cache: 64; the ridge point asks for 295."""
    fit = sequences_that_fit(LLAMA_3_1_8B, H100.memory, 8192)
    assert fit == pytest.approx((81_559 * 2**20 - 16_060_522_496) / (8192 * 131_072), rel=1e-15)
    assert int(fit) == 64 < ROOF.ridge
    assert int(sequences_that_fit(LLAMA_3_1_8B, H100.memory, 8192, weights="fp8", cache="fp8")) == 144
    assert sequences_that_fit(model("Llama 3.1 405B"), H100.memory, 8192) < 0


def test_a_model_of_70_billion_parameters_in_bf16_fits_on_an_h200():
    """Its 141.1 GB are more than the 141 GB that the device is sold with, and less than the 143,771 MiB that it has."""
    assert devices_needed(model("Llama 3.1 70B"), device("H200 SXM").memory, 3, 8192) == 1
    assert devices_needed(model("Llama 3.1 70B"), device("H200 SXM").memory, 4, 8192) == 2


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


def test_a_model_that_fills_a_device_to_the_last_byte_fits():
    shape, gpu = model("Llama 3.1 8B"), device("H100 SXM")
    tokens = (gpu.memory - shape.weight_bytes()) / shape.kv_bytes_per_token()
    assert devices_needed(shape, gpu.memory, 1, math.floor(tokens)) == 1
    assert devices_needed(shape, gpu.memory, 1, math.floor(tokens) + 1) == 2
