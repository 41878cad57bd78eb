"""The door of the package: what it lets in, and in which shape."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy

from roofline.arguments import amount, is_symbolic
from roofline.errors import InvalidValue

X = sympy.Symbol("x", positive=True)


@pytest.mark.parametrize("value", [1, 4096, 0.5, 10**30, Fraction(1, 3), 5e-324, 1.7976931348623157e308])
def test_a_good_number_comes_back_as_it_is(value):
    assert amount("B", value) is value


@pytest.mark.parametrize(
    ("scalar", "kind"),
    [
        (np.int32(7), int),
        (np.int64(7), int),
        (np.uint8(7), int),
        (np.float32(7), float),
        (np.float64(7), float),
        (np.array(7), int),
        (np.array(7.0), float),
    ],
    ids=lambda value: repr(value) if isinstance(value, np.generic | np.ndarray) else value.__name__,
)
def test_a_numpy_scalar_comes_back_as_a_python_number_that_cannot_overflow(scalar, kind):
    checked = amount("B", scalar)
    assert checked == 7
    assert type(checked) is kind


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "uint64", "float16", "float32", "float64"])
def test_an_array_comes_back_as_float64_whatever_it_was(dtype):
    checked = amount("B", np.array([1, 100], dtype))
    assert checked.dtype == np.float64
    assert checked.tolist() == [1.0, 100.0]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0, -2.0], "B[1] is -2.0; each must be positive"),
        ([1.0, 0.0], "B[1] is 0.0; each must be positive"),
        ([math.nan, 1.0], "B[0] is nan; each must be positive"),
        ([1.0, 2.0, math.inf], "B[2] is inf; each must be positive"),
        ([1.0, -math.inf, math.nan], "B[1] is -inf; each must be positive"),
        ([[1.0, 2.0], [3.0, 0.0]], "B[(1, 1)] is 0.0; each must be positive"),
        ([1, 0], "B[1] is 0.0; each must be positive"),
        ([True, False], "B is an array of bool; it must hold numbers, each positive"),
        (["8"], "B is an array of <U1; it must hold numbers, each positive"),
        ([8j], "B is an array of complex128; it must hold numbers, each positive"),
        ([None], "B is an array of object; it must hold numbers, each positive"),
    ],
    ids=str,
)
def test_the_first_wrong_element_of_an_array_is_named_with_its_place(values, sentence):
    with pytest.raises(InvalidValue) as raised:
        amount("B", np.array(values), "positive")
    assert str(raised.value) == sentence


def test_zero_passes_only_with_leave():
    assert amount("flops", 0, zero=True) == 0
    assert amount("flops", np.zeros(3), zero=True).tolist() == [0, 0, 0]
    with pytest.raises(InvalidValue, match="flops is 0; it must be"):
        amount("flops", 0)
    with pytest.raises(InvalidValue, match=r"flops\[0\] is 0\.0; each must be"):
        amount("flops", np.zeros(3))


def test_an_empty_array_is_no_error():
    assert amount("B", np.array([], np.int32)).shape == (0,)


def test_a_list_is_refused_with_the_way_out():
    with pytest.raises(InvalidValue, match=r"B is \[1, 2\], a list; .* \(wrap a list in numpy\.array\)"):
        amount("B", [1, 2])
    with pytest.raises(InvalidValue, match=r"B is \(1,\), a tuple; .* \(wrap a list in numpy\.array\)"):
        amount("B", (1,))


@pytest.mark.parametrize("symbolic", [X, 2 * X, X + sympy.Symbol("y"), sympy.Integer(7), sympy.pi], ids=str)
def test_symbols_and_good_sympy_numbers_pass_through(symbolic):
    assert amount("B", symbolic) is symbolic


@pytest.mark.parametrize(
    "wrong", [sympy.Integer(0), sympy.Rational(-1, 2), sympy.nan, sympy.oo, sympy.zoo, sympy.I], ids=str
)
def test_a_wrong_sympy_number_is_as_wrong_as_a_python_one(wrong):
    with pytest.raises(InvalidValue, match=r"B is .*; it must be"):
        amount("B", wrong)


def test_only_sympy_expressions_are_symbolic():
    assert is_symbolic(X + 1)
    assert is_symbolic(sympy.Integer(3))
    assert not any(is_symbolic(value) for value in (3, 3.0, "x", None, np.array([X])))


def test_numbers_need_no_sympy():
    """SymPy is an extra, and slow to import: asking whether 3 is a symbol must not load it."""
    code = "import sys, roofline; roofline.matmul(8, 8, 8); raise SystemExit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
