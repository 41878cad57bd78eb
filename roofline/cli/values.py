"""Numbers as people type them: 4096, 1e6, 16,384, 10⁸ and, where there is a unit, 3.35 TB/s."""

from __future__ import annotations

import math

from roofline.errors import InvalidValue, RooflineError
from roofline.quantity import parse_quantity, parse_shown


def number(name: str, text: str) -> float:
    """Read a number.

    Parameters
    ----------
    name : str
        What it is; the error names it.
    text : str
        What was typed.

    Returns
    -------
    float or int
        A whole number where the text is one, with all the digits that were typed. ``nan`` and ``inf`` are read, too,
        for the cost functions to refuse.

    Raises
    ------
    InvalidValue
        Where it is not a number. A letter after the digits is refused, too: 4m may mean 4 milli or 4 million, and 8k
        may mean 8000 or 8192.

    Examples
    --------
    >>> number("B", "16,384"), number("B", "10⁸"), number("B", "1e26")
    (16384, 100000000, 1e+26)
    """
    value = _plain_number(text)
    if value is None:
        raise InvalidValue(f"{name} is {text!r}; it must be a number, such as 4096 or 1e6")
    return value


def count(name: str, text: str) -> float:
    """Read a number of things that come whole.

    Parameters
    ----------
    name : str
        What is counted; the error names it.
    text : str
        What was typed.

    Returns
    -------
    float or int
        A whole number, or ``nan`` or ``inf``, as from `number`.

    Raises
    ------
    InvalidValue
        Where it is not a number, or not whole.

    Examples
    --------
    >>> count("sequences", "1.5")
    Traceback (most recent call last):
    roofline.errors.InvalidValue: sequences is 1.5; it must be a whole number, such as 32
    """
    value = number(name, text)
    if math.isfinite(value) and value % 1:
        raise InvalidValue(f"{name} is {text.strip()}; it must be a whole number, such as 32")
    return value


def quantity(name: str, text: str, unit: str) -> float:
    """Read a number in SI units, or a quantity with its unit.

    Parameters
    ----------
    name : str
        What it is; the error names it.
    text : str
        What was typed.
    unit : str
        The unit that it must have where it has one, such as ``"B/s"``.

    Returns
    -------
    float or int
        The value in SI units.

    Raises
    ------
    InvalidValue
        Where it is neither.

    Examples
    --------
    >>> quantity("bandwidth", "3.35 TB/s", "B/s"), quantity("bandwidth", "3.35e12", "B/s")
    (3350000000000.0, 3350000000000)
    """
    value = _plain_number(text)
    if value is not None:
        return value
    try:
        return parse_quantity(text, unit)
    except RooflineError as error:
        raise InvalidValue(f"{name}: {error}") from None


def _plain_number(text: str) -> float | None:
    """Return the number that a text is, or None where it is not one or has a prefix, a unit or ``≈``."""
    digits = text.strip().replace(",", "")
    if digits.isdecimal() and digits.isascii() and _grouped(text.strip()):
        return int(digits)  # not through a float, which would round a long one
    if any(letter.isalpha() for letter in text.casefold().replace("e", "")):
        return float(text) if text.strip().casefold().lstrip("+-") in {"nan", "inf", "infinity"} else None
    try:
        shown = parse_shown(text)
    except RooflineError:
        # A float may be written in ways that a quantity may not, such as .5 and 1e400.
        try:
            return float(text)
        except ValueError:
            return None
    if shown.unit or shown.approximate:
        return None
    # Above 2⁵³ a float is not exact: as an integer it would show digits that nobody typed.
    return int(shown.value) if shown.value.is_integer() and abs(shown.value) < 2**53 else shown.value


def _grouped(text: str) -> bool:
    """Say whether all commas separate thousands."""
    first, *groups = text.split(",")
    return not groups or (1 <= len(first) <= 3 and all(len(group) == 3 for group in groups))
