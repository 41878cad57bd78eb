"""Quantities as a reader sees them: read, written, and compared with a computed value."""

import math

import numpy as np
import pytest

from roofline.errors import QuantityError
from roofline.quantity import UNITS, Shown, format_quantity, parse_quantity, parse_shown

# text, SI value, unit, one unit of the last shown digit
READ = [
    ("4.2 ms", 4.2e-3, "s", 1e-4),
    ("119 µs", 119e-6, "s", 1e-6),
    ("119 \u03bcs", 119e-6, "s", 1e-6),  # the Greek letter, which keyboards give
    ("119\u202fµs", 119e-6, "s", 1e-6),  # a narrow no-break space, which typesetters give
    ("119\u00a0µs", 119e-6, "s", 1e-6),
    ("0.03 µs", 3e-8, "s", 1e-8),
    ("80 s", 80.0, "s", 1.0),
    ("1,979 TFLOP/s", 1.979e15, "FLOP/s", 1e12),
    ("67 TFLOPS", 67e12, "FLOP/s", 1e12),
    ("19.5 TFLOPs/s", 19.5e12, "FLOP/s", 1e11),
    ("3.35 TB/s", 3.35e12, "B/s", 1e10),
    ("900 Gbytes/s", 900e9, "B/s", 1e9),
    ("16,384 B", 16384.0, "B", 1.0),
    ("33.6 MB", 33.6e6, "B", 1e5),
    ("8 bytes", 8.0, "B", 1.0),
    ("50 MiB", 50 * 2**20, "B", 2**20),
    ("1.5 KiB", 1536.0, "B", 102.4),
    ("80 GB", 80e9, "B", 1e9),
    ("33.55 MFLOP", 33.55e6, "FLOP", 1e4),
    ("2 FLOPs", 2.0, "FLOP", 1.0),
    ("295 FLOP/byte", 295.0, "FLOP/B", 1.0),
    ("295.2 FLOP/B", 295.2, "FLOP/B", 0.1),
    ("240 tokens/s", 240.0, "tokens/s", 1.0),
    ("1 token", 1.0, "tokens", 1.0),
    ("700 W", 700.0, "W", 1.0),
    ("1.98 GHz", 1.98e9, "Hz", 1e7),
    ("0.3%", 0.003, "%", 0.001),
    ("100 %", 1.0, "%", 0.01),
    ("1.6×", 1.6, "×", 0.1),
    ("64 ×", 64.0, "×", 1.0),
    ("33.55 M", 33.55e6, "", 1e4),
    ("7 k", 7000.0, "", 1000.0),
    ("345", 345.0, "", 1.0),
    ("0.25", 0.25, "", 0.01),
    ("10⁸", 1e8, "", 1e8),
    ("10⁻⁶ s", 1e-6, "s", 1e-6),
    ("10^8", 1e8, "", 1e8),
    ("4 × 10⁸ B", 4e8, "B", 1e8),
    ("4×10⁸ B", 4e8, "B", 1e8),
    ("4 × 10^-3 s", 4e-3, "s", 1e-3),
    ("2.7 × 10⁸ FLOP", 2.7e8, "FLOP", 1e7),
    ("1e6 B", 1e6, "B", 1e6),
    ("1.5e-3 s", 1.5e-3, "s", 1e-4),
    ("-5 s", -5.0, "s", 1.0),
    ("−5 s", -5.0, "s", 1.0),
    ("+5 s", 5.0, "s", 1.0),
    ("  345  ", 345.0, "", 1.0),
]


@pytest.mark.parametrize(("text", "value", "unit", "step"), READ, ids=[repr(row[0]) for row in READ])
def test_a_shown_quantity_is_read_as_value_unit_and_last_digit(text, value, unit, step):
    shown = parse_shown(text)
    assert shown.text == text
    assert shown.value == pytest.approx(value, rel=1e-12)
    assert shown.unit == unit
    assert shown.step == pytest.approx(step, rel=1e-12)
    assert not shown.approximate
    assert shown.holds(value)


@pytest.mark.parametrize(("text", "value"), [("∞", math.inf), ("-∞", -math.inf), ("≈ ∞", math.inf)])
def test_infinity_holds_for_itself_alone(text, value):
    shown = parse_shown(text)
    assert shown.value == value
    assert shown.holds(value)
    assert not shown.holds(-value)
    assert not shown.holds(1e300)
    assert not shown.holds(math.nan)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("≈ 300", 1), ("≈ 295", 3), ("≈ 9.6", 2), ("≈ 1.0", 2), ("≈ 0.05", 1), ("≈ 590", 2), ("≈ 1,365", 4), ("≈ 0", 1)],
)
def test_trailing_zeros_of_an_approximate_whole_number_are_not_significant(text, digits):
    shown = parse_shown(text)
    assert shown.approximate
    assert shown.digits == digits


# shown, values that round to it, values that do not
HOLDS = [
    ("4.2 ms", [14e9 / 3.35e12, 4.15e-3, 4.2499e-3, 4.25e-3], [4.1499e-3, 4.2501e-3, 4.2, 4.2e-6, -4.2e-3]),
    ("295.2", [295.2238805970149, 295.15, 295.25], [295.1, 295.3, 295.26, 2952.2]),
    ("344.9", [344.949], [344.8, 345.0, 345]),
    ("345", [345, 345.4, 344.9], [344.4, 346]),
    ("11.71 µs", [11.705e-6, 11.7054e-6, 11.71e-6], [11.70e-6, 11.7049e-6, 11.71e-3]),
    ("11.70 µs", [11.705e-6, 11.7e-6], [345 * 2 * 4096**2 / 989e12]),
    ("11.7 µs", [11.705e-6], [11.6e-6]),
    ("1.0", [1.0, 0.96], [0.94, 1.06]),
    ("300", [300, 299.6], [295.2]),
    ("≈ 300", [295.2, 300, 345, 250], [240, 355, 3000, 30, -300, 0]),
    ("≈ 295", [295.2, 294.6], [294, 296, 300]),
    ("≈ 150", [153.0, 145.1], [156, 140]),
    ("≈ 1.6×", [1.643], [1.66, 1.54]),
    ("≈ 10", [14, 9.6], [6, 16]),
    ("≈ 7", [7.4, 6.6], [10, 11.2, 12]),  # which round to 10
    ("≈ 95", [95.4], [100, 99]),
    ("≈ 0", [0, 0.4], [0.6, 1]),
    ("0.3%", [0.00339], [0.3, 0.0036, 3e-6]),
    ("100%", [1.0, 0.996], [0.99, 100]),
    ("10⁸", [1e8, 1.4e8], [1.6e8, 1e7, 1e9]),
    ("4 × 10⁸ B", [4e8, 4.4e8], [4.6e8, 4e9]),
    ("1,979 TFLOP/s", [1.979e15, 1979.4e12], [1.98e15, 1979e9]),
    ("16,384 B", [16384], [16383, 16384e3]),
    ("50 MiB", [50 * 2**20], [50e6]),
    ("-5", [-5, -5.4], [5, -5.6]),
]


@pytest.mark.parametrize(("text", "right", "wrong"), HOLDS, ids=[row[0] for row in HOLDS])
def test_a_shown_quantity_holds_for_what_rounds_to_it_and_for_nothing_else(text, right, wrong):
    shown = parse_shown(text)
    assert [value for value in right if not shown.holds(value)] == []
    assert [value for value in wrong if shown.holds(value)] == []
    assert not shown.holds(math.nan)
    assert not shown.holds(math.inf)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not a quantity"),
        ("fast", "is not a quantity"),
        ("µs", "is not a quantity"),
        ("1.2.3", "ends in the unknown unit '.3'"),
        ("12,34", "ends in the unknown unit ',34'"),
        ("1,2345", "ends in the unknown unit '5'"),
        ("5 pages", "ends in the unknown unit 'pages'"),
        ("5 parsecs", "ends in the unknown unit 'parsecs'"),
        ("5 ss", "ends in the unknown unit 'ss'"),
        ("5 flop/byte", "ends in the unknown unit 'flop/byte'; known are FLOP, FLOP/B"),
        ("5 bits", "ends in the unknown unit 'bits'"),
        ("5 Gbit/s", "ends in the unknown unit 'Gbit/s'"),
        ("5 k%", "ends in the unknown unit 'k%'"),
        ("4.2 ms and more", "ends in the unknown unit"),
        ("4 × 8", "ends in the unknown unit '× 8'"),
        ("10⁸⁻", "ends in the unknown unit '⁻'"),
        ("10⁻", "ends in the unknown unit '⁻'"),
        ("∞ s", "has a unit after ∞"),
        ("$4.2$ ms", "is not a quantity"),
    ],
    ids=repr,
)
def test_what_is_no_quantity_is_refused_with_the_text_and_the_reason(text, reason):
    with pytest.raises(QuantityError) as raised:
        parse_shown(text)
    assert str(raised.value).startswith(repr(text))
    assert reason in str(raised.value)


@pytest.mark.parametrize("text", [4.2, None, b"4.2 ms", ["4.2 ms"], True], ids=repr)
def test_what_is_no_text_is_refused(text):
    with pytest.raises(QuantityError, match=r"is not a text; write a quantity such as '4\.2 ms'"):
        parse_shown(text)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("3.35 TB/s", "B/s", 3.35e12),
        ("3.35 TB/s", "byte/s", 3.35e12),
        ("3.35 TB/s", None, 3.35e12),
        ("345", "", 345.0),
        ("50 MB", "B", 50e6),
    ],
)
def test_read_gives_the_si_value_when_the_unit_is_the_wanted_one(text, unit, value):
    assert parse_quantity(text, unit) == value


@pytest.mark.parametrize(
    ("text", "unit", "sentence"),
    [
        ("4.2 ms", "B", "'4.2 ms' is in s; write it in B"),
        ("3.35 TB", "B/s", "'3.35 TB' is in B; write it in B/s"),
        ("345", "s", "'345' is in no unit; write it in s"),
    ],
)
def test_read_refuses_another_unit(text, unit, sentence):
    with pytest.raises(QuantityError) as raised:
        parse_quantity(text, unit)
    assert str(raised.value) == sentence


# value, what write is asked for, text
WRITE = [
    (14e9 / 3.35e12, {"unit": "s", "digits": 2}, "4.2 ms"),
    (4e8 / 3.35e12, {"unit": "s"}, "119 µs"),
    (1.979e15, {"unit": "FLOP/s", "places": 0, "prefix": "T"}, "1,979 TFLOP/s"),
    (1.979e15, {"unit": "FLOP/s"}, "1.98 PFLOP/s"),
    (3.35e12, {"unit": "B/s"}, "3.35 TB/s"),
    (16384, {"unit": "B", "places": 0, "prefix": ""}, "16,384 B"),
    (16384, {"unit": "B"}, "16.4 kB"),
    (0.00339, {"unit": "%", "digits": 1}, "0.3%"),
    (1.0, {"unit": "%", "places": 0}, "100%"),
    (1.643, {"unit": "×", "digits": 2}, "1.6×"),
    (295.2238, {"unit": "FLOP/B"}, "295 FLOP/byte"),
    (0.25, {"unit": "FLOP/B", "digits": 2}, "0.25 FLOP/byte"),  # an intensity gets no prefix unless it is asked for
    (4096 / 3, {"unit": "FLOP/B", "places": 0}, "1,365 FLOP/byte"),
    (295.2238, {"unit": "FLOP/B", "places": 1}, "295.2 FLOP/byte"),
    (295.2238, {"unit": "FLOP/B", "approximate": True}, "≈ 295 FLOP/byte"),
    (239.3, {"unit": "tokens/s"}, "239 tokens/s"),
    (33554432, {"digits": 4, "prefix": "M"}, "33.55 M"),
    (33554432, {"digits": 4}, "33,554,432"),  # a plain number gets no prefix unless it is asked for
    (0, {"unit": "s"}, "0 s"),
    (0, {}, "0"),
    (0, {"places": 2}, "0.00"),
    (-0.0042, {"unit": "s", "digits": 2}, "-4.2 ms"),
    (999.6, {"unit": "B"}, "1.00 kB"),  # rounding moves it to the next prefix
    (999.4, {"unit": "B"}, "999 B"),
    (0.9996e-3, {"unit": "s"}, "1.00 ms"),
    (1234.5, {"digits": 2, "prefix": ""}, "1,234"),  # fewer digits asked for than the whole number has: all of them
    (math.inf, {"unit": "s"}, "∞"),
    (-math.inf, {}, "-∞"),
    (np.float64(0.0042), {"unit": "s", "digits": 3}, "4.20 ms"),
]


@pytest.mark.parametrize(("value", "how", "text"), WRITE, ids=[f"{row[2]} {row[1]}" for row in WRITE])
def test_a_value_is_written_as_a_reader_wants_it_and_reads_back(value, how, text):
    assert format_quantity(value, **how) == text
    assert parse_shown(text).holds(value)


@pytest.mark.parametrize(
    ("value", "how", "reason"),
    [
        (math.nan, {}, "nan is not a quantity"),
        ("fast", {}, "'fast' cannot be written as a quantity; it must be a number"),
        (None, {}, "None cannot be written as a quantity"),
        (10**400, {}, "cannot be written as a quantity"),
        (1.0, {"unit": "parsec"}, "'parsec' is an unknown unit"),
        (1.0, {"unit": "ms"}, "'ms' is an unknown unit"),
        (1.0, {"prefix": "x"}, "'x' is an unknown prefix"),
        (1.0, {"digits": 0}, "0 digits"),
        (1.0, {"places": -1}, "-1 places"),
    ],
)
def test_what_cannot_be_written_is_refused_with_the_reason(value, how, reason):
    with pytest.raises(QuantityError) as raised:
        format_quantity(value, **how)
    assert reason in str(raised.value)


def test_no_two_units_share_a_spelling():
    spellings = [spelling for unit in UNITS.values() for spelling in unit]
    assert len(spellings) == len(set(spellings))


def test_a_shown_quantity_is_a_value_that_can_be_compared():
    assert parse_shown("4.2 ms") == Shown("4.2 ms", 0.0042, "s", 1e-4, approximate=False, digits=2)
