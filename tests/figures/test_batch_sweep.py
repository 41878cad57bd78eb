"""The static picture of the batch sweep says the package's numbers, and what a larger batch does not change."""

import math

import pytest

from figures import batch_sweep
from figures.batch_sweep.static import STEPS, decode_attention, decode_matmul
from roofline import LLAMA_3_1_8B, decode_layer
from tests.figures.test_static import texts


@pytest.mark.parametrize("batch", STEPS)
def test_the_kernels_are_those_of_a_layer(batch):
    layer = {kernel.name: kernel for kernel in decode_layer(LLAMA_3_1_8B, batch, 2048)}
    for kernel, name in (
        (decode_matmul(batch, "bf16"), "output projection"),
        (decode_attention(batch, mha=False), "attention"),
    ):
        assert (kernel.flops, kernel.nbytes) == (layer[name].flops, layer[name].nbytes)


def test_attention_has_the_same_intensity_at_every_batch():
    for mha, g in ((False, LLAMA_3_1_8B.g), (True, 1)):
        assert {decode_attention(batch, mha=mha).intensity for batch in STEPS} == {g}


def test_the_alt_text_says_regime_threshold_and_g():
    alt = batch_sweep.draw(64).alt
    for words in (
        "the ridge is reached at B = 345",
        "62.1 FLOP/byte, memory-bound",
        "(GQA, g = 4)",
        "295 FLOP/byte",
    ):
        assert words in alt
    assert (
        "Decode attention stays at 1 FLOP/byte, whatever the batch (MHA, g = 1)" in batch_sweep.draw(64, mha=True).alt
    )


def test_the_table_has_every_step_the_threshold_and_the_prompt():
    rows = batch_sweep.draw().table.texts()
    batches = ["1", "2", "4", "8", "16", "32", "64", "128", "256", "345", "512", "1,024"]
    assert [row[0] for row in rows] == [*batches, "prefill, 2,048 tokens"]
    assert {row[0]: row[4] for row in rows}["345"] == "compute-bound"
    assert {row[5] for row in rows[:-1]} == {"4.000"}


def test_a_device_that_no_batch_suits_is_said_so():
    never = batch_sweep.static._threshold(math.inf)
    assert never == "no batch is large enough"


def test_the_picture_marks_the_ridge_and_the_batch():
    shown = [words for words, *_ in texts(batch_sweep.draw(64).svg)]
    for words in ("decode matmul, B = 64", "prefill matmul", "ridge 295"):
        assert words in shown
