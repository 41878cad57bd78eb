"""Claims that turned out to be wrong stay away, and what the pages say instead is true of the catalog."""

import re
from functools import cache
from pathlib import Path

import pytest

from roofline import device, devices, elementwise, layer_norm, rms_norm

ROOT = Path(__file__).parents[1]
TEXTS = ("README.md", "docs/**/*.md", "figures/**/*.py", "roofline/**/*.py")

#: A pattern for each claim, what is wrong with it, and a sentence that once stood on a page.
REFUSED = [
    (r"no device can beat|no device is faster than its bound(?! at its stated clock)",
     "cards clock above the clock that their peak is multiplied by",
     "The bars are bounds that no device can beat, not measurements."),
    (r"\bnever exceeds\b", "it is a limit at the stated clock", "The pipe never exceeds BW"),
    (r"first sold in 2022", "the H100 was announced in 2022; SXM systems were delivered in 2023",
     "an H100 SXM, first sold in 2022"),
    (r"only three things can move", "several new tokens of a sequence move decode attention, too",
     "Only three things can move the point"),
    (r"the one way of batching that helps attention", "so does a shared beginning",
     "It is the one way of batching that helps attention"),
    (r"no batch (?:can help|helps decode attention)", "a batch with a common beginning does",
     "No batch helps decode attention"),
    (r"why does each new gpu ask for|each generation of gpus brings|ridge (?:keeps moving right|rises from one)",
     "in bf16 the ridge point fell after the H100", "Why does each new GPU ask for a still larger batch?"),
    (r"compute (?:every|all) numbers? of this (?:site|lesson)", "there are some thirty cost functions",
     "which compute every number of this site"),
    (r"every number on every page is computed", "some are given, with their source",
     "Every number on every page is computed by the small package"),
    (r"which no algorithm can beat", "Strassen's has fewer FLOPs, and data on the chip need not be read",
     "each output written once, which no algorithm can beat"),
    (r"stays? below \{given\}`5 FLOP/byte`", "an op with an exponential may do more",
     "All of them stay below {given}`5 FLOP/byte`."),
    (r"elementwise op is always memory-bound", "that depends on how many FLOPs it does",
     "An elementwise op is always memory-bound."),
    (r"\{cite\}`dettmers2022int8` speeds up", "that paper found a slowdown for small models",
     "W8A8 {cite}`dettmers2022int8` speeds up both."),
    (r"tends? to reach|\{given\}`70–\d0%` (?:of|MBU|MFU)", "what real code reaches is computed from measurements",
     "Well-tuned memory-bound kernels tend to reach {given}`70–90%` MBU"),
    (r"no kernel gets it|nothing (?:can )?speeds? one up", "measurements above a datasheet exist",
     "the full bandwidth of the datasheet, and no kernel gets it"),
]  # fmt: skip


@cache
def texts():
    """What is said in pages, captions and docstrings, a file each, in one line."""
    files = {path for pattern in TEXTS for path in ROOT.glob(pattern)}
    return {str(path.relative_to(ROOT)): " ".join(path.read_text(encoding="utf-8").split()) for path in sorted(files)}


@pytest.mark.parametrize(("claim", "fault", "once"), REFUSED)
def test_no_text_says_again_what_was_found_wrong(claim, fault, once):
    pattern = re.compile(claim, re.IGNORECASE)
    assert pattern.search(once)
    assert [name for name, text in texts().items() if pattern.search(text)] == [], fault


def ridge(name, dtype="bf16"):
    return device(name).roof(dtype).ridge


def test_in_bf16_the_ridge_point_rose_to_the_h100_and_then_fell():
    assert ridge("A100 SXM 80GB") < ridge("H200 SXM") < ridge("B200") < ridge("H100 SXM")


def test_in_the_narrowest_format_the_b200_asks_for_a_smaller_batch_than_the_h100_and_the_b300_for_a_larger_one():
    """The batch of a large weight at the ridge: half the bytes of a weight times the ridge point."""
    h100, b200, b300 = ridge("H100 SXM", "fp8") * 1 / 2, ridge("B200", "fp4") * 0.5 / 2, ridge("B300", "fp4") * 0.5 / 2
    assert b200 < h100 < b300


@pytest.mark.parametrize("gpu", [gpu.name for gpu in devices() if "fp32" in gpu.peaks])
@pytest.mark.parametrize("op", [elementwise(10**8, name="relu"), elementwise(10**8, reads=2, name="residual add"),
                                rms_norm(16384, 4096), layer_norm(16384, 4096)], ids=lambda op: op.name)  # fmt: skip
def test_the_elementwise_ops_of_the_lesson_are_memory_bound_even_at_half_of_the_printed_peak(gpu, op):
    """An op that stands alone is one operation an instruction, and a printed peak counts two."""
    assert op.intensity < ridge(gpu, "fp32") / 2
