"""What is written reads back, and nothing else passes for it."""

import math
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofline.quantity import _PREFIXES, UNITS, format_quantity, parse_shown

pytestmark = pytest.mark.property

units = st.sampled_from(sorted(UNITS))
prefixes = st.sampled_from(sorted(_PREFIXES))
#: Twelve digits are what a float holds with room to spare for the scaling by a prefix.
digits = st.integers(1, 12)
values = st.builds(
    lambda mantissa, power, sign: sign * mantissa * 10.0**power,
    st.floats(1.0, 9.999999),
    st.integers(-14, 22),
    st.sampled_from([1, -1]),
)


def fits(shown):
    """Say whether a float holds all shown digits; a plain number as large as 10²⁰ shows more than that."""
    return abs(shown.value) < 1e14 * shown.step


@given(values, units, digits, st.booleans())
def test_what_is_written_reads_back_and_holds(value, unit, n, approximate):
    shown = parse_shown(format_quantity(value, unit, n, approximate=approximate))
    assert shown.holds(value)
    assert shown.unit == unit
    assert shown.approximate == approximate
    assert shown.value == pytest.approx(value, rel=0.5 * 10.0 ** (1 - n) * (1 + 1e-9))


@given(values, units, digits, prefixes)
def test_a_chosen_prefix_reads_back_too(value, unit, n, prefix):
    text = format_quantity(value, unit, n, prefix=prefix)
    assert parse_shown(text).holds(value)


@given(values, units, st.integers(0, 6), prefixes)
def test_chosen_places_read_back_with_a_last_digit_of_that_place(value, unit, places, prefix):
    text = format_quantity(value, unit, places=places, prefix=prefix)
    shown = parse_shown(text)
    assert shown.holds(value)
    number = re.match(r"-?[\d,]+(?:\.(\d+))?", text)
    assert len(number[1] or "") == places


@given(values, units, digits)
def test_one_more_or_less_in_the_last_shown_digit_does_not_hold(value, unit, n):
    shown = parse_shown(format_quantity(value, unit, n))
    assume(fits(shown))
    assert not shown.holds(shown.value + shown.step)
    assert not shown.holds(shown.value - shown.step)


@given(values, units, digits, st.sampled_from([1, -1]))
def test_a_text_with_another_last_digit_does_not_hold(value, unit, n, change):
    text = format_quantity(value, unit, n)
    shown = parse_shown(text)
    assume(fits(shown))
    # Half-way between two roundings both are right.
    assume(abs(abs(value - shown.value) / shown.step - 0.5) > 1e-3)
    number = re.match(r"-?[\d,.]+", text)[0]
    last = int(number[-1]) + change
    assume(0 <= last <= 9)
    assert not parse_shown(number[:-1] + str(last) + text[len(number) :]).holds(value)


@given(values, units, digits, st.sampled_from([1000, 1e-3, 1e6, 1e-6]))
def test_a_prefix_off_by_a_thousand_does_not_hold(value, unit, n, factor):
    shown = parse_shown(format_quantity(value, unit, n))
    assert not shown.holds(value * factor)


@given(values, units, digits)
def test_a_wrong_sign_does_not_hold(value, unit, n):
    assert not parse_shown(format_quantity(value, unit, n)).holds(-value)


@given(values, units, st.integers(1, 4), st.floats(0.3, 3.0))
def test_about_holds_for_what_rounds_to_the_shown_or_to_the_significant_digits(value, unit, n, factor):
    shown = parse_shown(format_quantity(value, unit, n, approximate=True))
    other = shown.value * factor
    assume(other != 0)
    steps = (shown.step, 10.0 ** (math.floor(math.log10(abs(other))) - shown.digits + 1))
    # Half-way between two roundings both are right.
    assume(all(abs(other / step % 1 - 0.5) > 1e-6 for step in steps))
    assert shown.holds(other) == any(
        math.isclose(round(other / step) * step, shown.value, rel_tol=1e-9) for step in steps
    )


@given(st.floats(1.0, 9.99), st.integers(-14, 22))
def test_a_power_of_ten_reads_like_the_same_number_written_out(mantissa, power):
    superscript = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    number = f"{mantissa:.2f}"
    shown = parse_shown(f"{number} × 10{superscript} B")
    assert shown.value == float(f"{number}e{power}")
    assert math.isclose(shown.step, 10.0 ** (power - 2), rel_tol=1e-12)
    assert parse_shown(f"{number} × 10^{power} B").value == shown.value
