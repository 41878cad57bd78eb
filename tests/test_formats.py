"""The table of number formats, and the names and bytes that callers give."""

import numpy as np
import pytest
import sympy

from roofline import devices
from roofline.errors import InvalidValue, UnknownFormat
from roofline.formats import BYTES, FORMATS, bytes_per_element, format_name, matmul_bytes

X = sympy.Symbol("x", positive=True)


@pytest.mark.parametrize(
    ("fmt", "expected"),
    [
        ("fp64", 8),
        ("fp32", 4),
        ("tf32", 4),
        ("bf16", 2),
        ("fp16", 2),
        ("fp8", 1),
        ("int8", 1),
        ("fp6", 0.75),
        ("fp4", 0.5),
        ("int4", 0.5),
    ],
)
def test_each_format_takes_this_many_bytes(fmt, expected):
    assert bytes_per_element(fmt) == expected


def test_the_table_of_formats_has_no_other_rows():
    assert len(BYTES) == 10


@pytest.mark.parametrize("given", [8, 0.5, 2.0, X], ids=str)
def test_bytes_may_be_given_as_a_number_or_symbol(given):
    assert bytes_per_element(given) == given


@pytest.mark.parametrize("bits", [16, 32, 8.001, np.int64(16), np.array([2, 16]), sympy.Integer(12)], ids=repr)
def test_bits_are_refused_for_bytes(bits):
    with pytest.raises(InvalidValue, match=r"dtype is .*; it must be .* at most 8 \(not bits\)"):
        bytes_per_element(bits)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bf61", "near it: bf16"),
        ("float16", "near it: "),
        ("int", "near it: int8, int4"),
        ("zzz", "known are fp64, fp32, tf32, bf16, fp16, fp8, int8, fp6, fp4, int4"),
        ("", "known are fp64"),
    ],
)
def test_an_unknown_format_is_refused_with_a_hint(name, hint):
    with pytest.raises(UnknownFormat) as raised:
        bytes_per_element(name, "weights")
    assert str(raised.value).startswith(f"weights is {name!r}, which is not a known number format; {hint}")


@pytest.mark.parametrize(
    ("dtype", "weights", "activations", "outputs", "expected"),
    [
        ("bf16", None, None, None, (2, 2, 2)),
        ("fp8", None, None, None, (1, 1, 1)),
        ("bf16", "int4", None, None, (0.5, 2, 2)),
        ("bf16", None, "fp8", None, (2, 1, 1)),
        ("bf16", None, None, "fp32", (2, 2, 4)),
        ("bf16", "fp8", "fp8", "bf16", (1, 1, 2)),
        (2, 0.5, 1, 4, (0.5, 1, 4)),
    ],
)
def test_outputs_follow_activations_which_follow_the_common_format(dtype, weights, activations, outputs, expected):
    assert matmul_bytes(dtype, weights, activations, outputs) == expected


@pytest.mark.parametrize("given", ["BF16", " bf16", "Bf16\n"], ids=repr)
def test_a_name_is_accepted_in_any_case_and_with_spaces_around_it(given):
    assert format_name(given) == "bf16"
    assert bytes_per_element(given) == 2
    assert devices()[0].roof(given) == devices()[0].roof("bf16")


def test_only_what_memory_stores_has_bytes():
    with pytest.raises(UnknownFormat, match="'fp16_acc16', which is not a known number format; near it: fp16"):
        bytes_per_element("fp16_acc16")


def test_a_name_must_be_a_string():
    with pytest.raises(InvalidValue, match="a number format is named by a string such as 'bf16', not 16"):
        format_name(16)


def test_a_ratio_of_peaks_names_a_format_that_stands_in_the_table():
    others = [row.peak.times[1] for row in FORMATS.values() if row.peak and row.peak.times]
    assert set(others) <= set(FORMATS)


def test_what_is_shown_in_a_table_of_peaks_has_a_peak():
    assert all(row.peak for row in FORMATS.values() if row.in_atlas or row.in_lesson)
