"""The door of the package: what it lets in, and in which shape."""

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pint
import pytest
import sympy

from roofline import Kernel, Roof, attention_decode, device, matmul
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


SERIES = pd.Series([1, 8], index=["few", "more"])


@pytest.mark.parametrize("series", [SERIES, SERIES.astype("Int64"), pd.DataFrame({"B": SERIES})["B"]], ids=str)
def test_a_series_is_taken_as_the_array_of_its_values(series):
    checked = amount("B", series)
    assert type(checked) is np.ndarray
    assert checked.dtype == np.float64
    assert checked.tolist() == [1, 8]
    assert matmul(series, 4096, 4096).intensity.tolist() == matmul(np.array([1, 8]), 4096, 4096).intensity.tolist()


def test_a_series_with_a_gap_is_refused():
    for series in (pd.Series([1.0, None]), pd.Series([1, None], dtype="Int64")):
        with pytest.raises(InvalidValue, match=r"^B\[1\] is nan; each must be a positive, finite number$"):
            amount("B", series)


@pytest.mark.parametrize("magnitude", [3.35, np.array([3.35, 4.8])], ids=["number", "array"])
def test_a_quantity_with_a_unit_is_refused_with_the_way_to_the_number(magnitude):
    bandwidth = pint.Quantity(magnitude, "terabyte / second")
    with pytest.raises(
        InvalidValue, match=r"^bandwidth is .* which has a unit of its own; .* in SI units .*m_as\('byte/s'\)"
    ):
        Roof(989e12, bandwidth)
    assert Roof(989e12, bandwidth.m_as("byte/s")).ridge == pytest.approx(989 / magnitude, rel=1e-12)


def test_a_datasheet_value_is_a_number_in_spite_of_its_unit():
    bandwidth = device("H100 SXM").bandwidth
    assert bandwidth.unit == "B/s"
    assert amount("bandwidth", bandwidth) == 3.35e12


#: The examples of the README and the command line, where neither NumPy nor SymPy can be imported.
WITHOUT = """
import doctest, re, sys
sys.modules["numpy"] = sys.modules["sympy"] = None
import roofline
assert "quantiphy" not in sys.modules
for block in re.findall(r"^```python\\n(.*?)^```$", open("README.md", encoding="utf-8").read(), re.M | re.S):
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0
from roofline.cli import main
for command in (["matmul", "--B", "8", "--D", "64", "--F", "64", "--device", "L4"], [], ["models"], ["devices"]):
    assert main(command) == 0
assert main(["step", "Llama 3.1 8B", "--device", "H200 SXM", "--batch", "32", "--context", "8192"]) == 0
"""


def test_nothing_needs_numpy_until_an_array_comes():
    root = Path(__file__).parents[1]
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=root,
        check=False,
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8"},
    )
    assert ran.returncode == 0, ran.stderr
    assert "memory-bound" in ran.stdout


@pytest.mark.parametrize(
    "make",
    [
        lambda: Kernel("k", np.ones(2), np.ones(3)),
        lambda: matmul(np.ones(2), np.ones(3), 4),
        lambda: attention_decode(np.ones((2, 2)), 128, kv_heads=np.ones(3)),
    ],
    ids=["Kernel", "matmul", "attention_decode"],
)
def test_arrays_that_do_not_fit_together_are_refused_in_a_sentence(make):
    with pytest.raises(InvalidValue, match=r"has the shape .*; arrays must broadcast to one shape"):
        make()
