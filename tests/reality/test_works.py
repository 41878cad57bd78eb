"""The least work of a measurement, against counts by hand."""

import pytest

from roofline import LLAMA_3_1_8B
from roofline.reality.works import AttentionRun, PrefillRun, ServingRun

PROMPT = 8192
PAIRS = PROMPT * (PROMPT + 1) // 2
#: Weights of a layer: Q and O of 4096 x 4096, K and V of 4096 x 1024, and three of the MLP of 4096 x 14336.
MATRICES = 32 * (2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
#: The output head sees one token; norms and adds come to less than a thousandth.
PREFILL = 2 * PROMPT * MATRICES + 32 * 4 * 4096 * PAIRS + 2 * 4096 * 128256


def test_a_prefill_counts_each_pair_that_the_mask_keeps_once():
    least = PrefillRun(LLAMA_3_1_8B, 1, PROMPT, "bf16").least(80e9)
    assert least.flops == pytest.approx(PREFILL, rel=2e-3)


def test_so_does_the_prefill_of_a_request():
    # An answer of two tokens has one step beside the prefill, which at batch 1 is far less than a thousandth of it.
    least = ServingRun(LLAMA_3_1_8B, 1, PROMPT, 2, "bf16", "bf16").least(80e9)
    assert least.flops == pytest.approx(PREFILL, rel=2e-3)


@pytest.mark.parametrize(("causal", "pairs"), [(True, PAIRS), (False, PROMPT**2)])
def test_attention_counts_the_pairs_that_its_mask_keeps(causal, pairs):
    least = AttentionRun("prefill", causal, "bf16", PROMPT, 128, 16).least(80e9)
    assert (least.flops, least.nbytes) == (4 * 128 * 16 * pairs, 4 * 2 * PROMPT * 128 * 16)
