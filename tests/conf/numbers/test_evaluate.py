"""What a page says is held against what the code gives, and the sentence about it helps an author."""

import math

import numpy as np
import pytest
import sympy

import roofline
from conf.numbers.evaluate import CheckError, Page, describe, namespace
from conf.numbers.grammar import Check, Names

HEAD = """\
H100 = device("H100 SXM").roof("bf16")
fast = device("H100 SXM")
"""


@pytest.fixture
def page():
    page = Page()
    page.define(Names(HEAD, line=5))
    return page


def fault(page: Page, shown: str, expr: str) -> str:
    with pytest.raises(CheckError) as caught:
        page.check(shown, expr)
    return str(caught.value)


# right, wrong in its last digit, the expression, and the value that a reader is shown
QUANTITIES = {
    "a time in ms": ("4.2 ms", "4.3 ms", "14e9 / H100.bandwidth", "4.1791 ms"),
    "a time in µs": ("119 µs", "118 µs", "4e8 / H100.bandwidth", "119.403 µs"),
    "a rate with a comma": ("1,979 TFLOP/s", "1,978 TFLOP/s", "fast.roof('fp8').peak", "1.979 PFLOP/s"),
    "bytes with a comma": ("16,384 B", "16,385 B", "2 * 8192", "16.384 kB"),
    "a percentage": ("0.3%", "0.4%", "0.0034", "0.34%"),
    "a factor": ("1.6×", "1.7×", "3.35 / 2.039", "1.64296×"),
    "about": ("≈ 300", "≈ 400", "H100.ridge", "295.224"),
    "an intensity": ("295 FLOP/byte", "296 FLOP/byte", "H100.ridge", "295.224 FLOP/byte"),
    "tokens a second": ("240 tokens/s", "241 tokens/s", "240.4", "240.4 tokens/s"),
    "a prefix alone": ("33.55 M", "33.56 M", "2 * 4096 * 4096 - 0.0", "33,554,432"),
    "a power of ten": ("10⁸", "10⁹", "1e8", "100,000,000"),
    "scientific": ("4 × 10⁸ B", "5 × 10⁸ B", "4 * 10**8", "400 MB"),
    "a whole number": ("345", "344", "ceil(critical_batch(4096, 4096, H100))", "345"),
    "a decimal": ("344.9", "344.8", "critical_batch(4096, 4096, H100)", "344.949"),
    "a binary prefix": ("50 MiB", "51 MiB", "50 * 2**20", "52.4288 MB"),
    "a negative number": ("-2.5", "-2.6", "-5 / 2", "-2.5"),
    "infinity": ("∞", "10⁹", "critical_batch(512, 512, H100)", "∞"),
    "zero": ("0", "1", "0", "0"),
}  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "expr", "value"), QUANTITIES.values(), ids=QUANTITIES.keys())
def test_a_quantity_holds_and_its_neighbour_does_not(page, right, wrong, expr, value):
    assert page.check(right, expr) == value
    sentence = fault(page, wrong, expr)
    assert sentence == f"the page says {wrong}, the code gives {value}: {expr}"


@pytest.mark.parametrize(
    ("shown", "expr"),
    [("4.2 µs", "14e9 / H100.bandwidth"), ("4.2 s", "14e9 / H100.bandwidth"), ("295 kFLOP/byte", "H100.ridge")],
    ids=["a prefix too small", "no prefix", "a prefix too large"],
)
def test_a_prefix_off_by_1000_does_not_hold(page, shown, expr):
    assert "the code gives" in fault(page, shown, expr)


def test_about_accepts_the_shown_digits_and_nothing_else_does(page):
    page.check("≈ 300", "H100.ridge")
    assert "the page says 300, the code gives 295.224" in fault(page, "300", "H100.ridge")


def test_a_right_number_with_a_wrong_expression_does_not_hold(page):
    page.check("4.2 ms", "14e9 / H100.bandwidth")
    fault(page, "4.2 ms", "14e9 / H100.peak")


def test_text_must_be_equal(page):
    assert page.check("memory-bound", "bound(matmul(8, 4096, 4096), H100).regime") == "memory-bound"
    assert fault(page, "compute-bound", "bound(matmul(8, 4096, 4096), H100).regime") == (
        "the page says 'compute-bound', the code gives 'memory-bound': bound(matmul(8, 4096, 4096), H100).regime"
    )


VALUES = {
    "an int": (8, "8"),
    "a NumPy float": (np.float64(0.25), "0.25"),
    "a NumPy int": (np.int64(8), "8"),
    "a NumPy scalar array": (np.array(0.25), "0.25"),
    "a SymPy integer": (sympy.Integer(8), "8"),
    "a SymPy fraction": (sympy.Rational(1, 4), "0.25"),
}


@pytest.mark.parametrize(("value", "shown"), VALUES.values(), ids=VALUES.keys())
def test_every_kind_of_number_is_a_number(page, value, shown):
    page.names["x"] = value
    assert page.check(shown, "x") == shown


WRONG_TYPES = {
    "a bool": ("True", "bool"),
    "None": ("None", "NoneType"),
    "a list": ("[1, 2]", "list"),
    "an array": ("np.array([1, 2])", "ndarray"),
    "a roof": ("H100", "Roof"),
    "a complex number": ("1j", "complex"),
}


@pytest.mark.parametrize(("expr", "kind"), WRONG_TYPES.values(), ids=WRONG_TYPES.keys())
def test_what_is_no_number_is_named_by_its_type(page, expr, kind):
    sentence = fault(page, "8", expr)
    assert f"a {kind}; a checked number needs a number or a text" in sentence


FAULTS = {
    "a misspelt name": ("8", "H10.peak", "there is no name 'H10'; near it: H100"),
    "a misspelt function": ("8", "critical_bach(1)", "there is no name 'critical_bach'; near it: critical_batch"),
    "an unknown name": ("8", "qwertyuiop", "there is no name 'qwertyuiop'; define it in the page's names block"),
    "a misspelt attribute": ("8", "H100.rigde", "AttributeError"),
    "an unknown device": ("8", "device('A1').bandwidth", "A1'"),
    "a division by zero": ("8", "1 / 0", "ZeroDivisionError: division by zero"),
    "no expression": ("8", "2 *", "'2 *' is not a Python expression"),
    "a statement": ("8", "x = 2", "'x = 2' is not a Python expression"),
    "an unknown unit": ("8 furlongs", "8", "unknown unit 'furlongs'"),
    "words for a number": ("eight", "8", "'eight' is not a quantity"),
    "not a number": ("8", "inf - inf", "nan"),
    "an import": ("8", "__import__('os').getpid()", "there is no name '__import__'"),
}


@pytest.mark.parametrize(("shown", "expr", "sentence"), FAULTS.values(), ids=FAULTS.keys())
def test_an_author_reads_what_is_wrong(page, shown, expr, sentence):
    said = fault(page, shown, expr)
    assert sentence in said
    assert "\n" not in said


NAMES_FAULTS = {
    "no Python": ("A = 1\nB = = 2", "line 6: the names block is not Python"),
    "an import": ("A = 1\nimport os", "line 6: a names block holds assignments only"),
    "a call": ("print(1)", "line 5: a names block holds assignments only"),
    "a failing line": ("A = 1\n\nB = device('H100')", "line 7: B = device('H100') fails: "),
    "a misspelt name": ("A = devise('L4')", "there is no name 'devise'; near it: Device, device"),
}


@pytest.mark.parametrize(("source", "sentence"), NAMES_FAULTS.values(), ids=NAMES_FAULTS.keys())
def test_a_wrong_names_block_is_named_by_its_line(source, sentence):
    with pytest.raises(CheckError) as caught:
        Page().define(Names(source, line=5))
    assert sentence in str(caught.value)


def test_pages_share_no_names():
    first, second = Page(), Page()
    first.define(Names("mine = 8", 1))
    assert first.check("8", "mine") == "8"
    assert "there is no name 'mine'" in fault(second, "8", "mine")


def test_verify_reports_a_malformed_check(page):
    with pytest.raises(CheckError, match="it is malformed"):
        page.verify(Check("8", "", 1, "prose", fault="it is malformed"))


def test_every_public_name_of_the_package_is_there():
    assert set(roofline.__all__) <= namespace().keys()
    assert namespace()["inf"] == math.inf


SIX_DIGITS = {
    "a third": ("1 / 3", "0.33", "0.333333"),
    "two thirds of a second": ("2 / 3", "667 ms", "666.667 ms"),
    "no trailing zeros": ("0.25", "0.25", "0.25"),
    "a large whole number": ("10**9 + 1", "1,000,000,001", "1000000001"),
    "a large product": ("2 * 345 * 4096 * 4096", "11.6 GFLOP", "11.5763 GFLOP"),
}


@pytest.mark.parametrize(("expr", "shown", "value"), SIX_DIGITS.values(), ids=SIX_DIGITS.keys())
def test_a_reader_sees_six_digits_in_the_shown_unit(page, expr, shown, value):
    assert page.check(shown, expr).replace(",", "") == value


def test_a_datasheet_value_brings_its_source(page):
    working = page.working("4.2 ms", "14e9 / H100.bandwidth")
    assert working.source == describe(fast_bandwidth())
    assert fast_bandwidth().date in working.source


def fast_bandwidth() -> roofline.DatasheetValue:
    return roofline.device("H100 SXM").bandwidth


def test_a_ridge_point_brings_both_of_its_values_and_each_once(page):
    lines = page.working("295", "H100.ridge + 0 * H100.peak").source.splitlines()
    assert len(lines) == 2
    assert sum("bandwidth" in line for line in lines) == 1


def test_a_number_without_datasheet_values_has_no_source(page):
    assert page.working("8", "2 * 4").source == ""


def test_a_name_that_is_defined_anew_means_the_new_thing(page):
    assert page.check("295", "round(H100.ridge)") == "295"
    page.define(Names('H100 = device("H100 SXM").roof("fp8")', 9))
    assert page.check("591", "round(H100.ridge)") == "591"
