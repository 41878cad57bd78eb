"""The critical batch: from where on a matmul is compute-bound."""

import math

import numpy as np
import pytest
import sympy

from roofline import device
from roofline.bounds import bound
from roofline.kernels import matmul
from roofline.roof import Roof
from roofline.threshold import critical_batch

H100 = device("H100 SXM").roof("bf16")


H100_FP8 = device("H100 SXM").roof("fp8")


A100 = device("A100 SXM 80GB").roof("bf16")


# what, D, F, roof, formats, B* to the first decimal, first whole batch
THRESHOLDS = [
    ("H100 bf16", 4096, 4096, H100, {}, 344.9, 345),
    ("H100 bf16, MLP of Llama 3.1 8B", 4096, 14336, H100, {}, 325.4, 326),
    ("H100 fp8", 4096, 4096, H100_FP8, {"dtype": "fp8"}, 345.2, 346),
    ("A100 bf16", 4096, 4096, A100, {}, 165.4, 166),
    ("H100 bf16, DiT-XL", 1152, 1152, H100, {}, 605.6, 606),
    ("A100 bf16, width 512", 512, 512, A100, {}, 380.4, 381),
    ("H100 W8A16", 4096, 4096, H100, {"weights": "int8"}, 172.5, 173),
    ("H100 bf16 with fp32 outputs, F above D", 4096, 14336, H100, {"outputs": "fp32"}, 353.5, 354),
    ("H100 W4A16", 4096, 4096, H100, {"weights": "int4"}, 86.2, 87),
]


@pytest.mark.parametrize(
    ("D", "F", "roof", "formats", "exact", "whole"), [row[1:] for row in THRESHOLDS], ids=[row[0] for row in THRESHOLDS]
)
def test_the_thresholds_of_the_lesson_agree_with_a_search(D, F, roof, formats, exact, whole):
    threshold = critical_batch(D, F, roof, **formats)
    assert round(float(threshold), 1) == exact
    assert math.ceil(threshold) == whole
    assert next(B for B in range(1, 10_000) if matmul(B, D, F, **formats).intensity >= roof.ridge) == whole


@pytest.mark.parametrize(
    ("D", "F", "roof"), [(512, 512, H100), (1, 10**9, H100), (590, 590, H100), (306, 306, A100), (2, 2, Roof(1.0, 1.0))]
)
def test_no_batch_is_large_enough_where_the_ceiling_is_not_above_the_ridge(D, F, roof):
    assert roof.ridge >= D * F / (D + F)
    assert critical_batch(D, F, roof) == math.inf
    assert bound(matmul(10**9, D, F), roof).regime == "memory-bound"


def test_a_ceiling_just_above_the_ridge_has_a_threshold():
    assert critical_batch(592, 592, H100) == pytest.approx(112_600, rel=0.01)
    assert critical_batch(4, 4, Roof(1.0, 1.0)) == 2.0


def test_arrays_give_a_threshold_for_each_without_a_warning():
    thresholds = critical_batch(np.array([4096, 512, 2], np.int32), np.array([4096, 512, 2], np.int32), H100)
    assert [round(value, 1) for value in thresholds] == [344.9, math.inf, math.inf]
    assert critical_batch(np.array([2]), 2, Roof(1.0, 1.0)).tolist() == [math.inf]


def test_symbols_give_the_formula_of_the_theorem():
    D, F, R, BW = sympy.symbols("D F R BW", positive=True)
    formula = critical_batch(D, F, Roof(R * BW, BW))
    assert sympy.simplify(formula - R * D * F / (D * F - R * (D + F))) == 0
