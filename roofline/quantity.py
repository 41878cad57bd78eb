"""Parse and format quantities: ``"4.2 ms"`` is ``0.0042``, in s.

A page shows ``4.2 ms``; the model computes ``0.00417...``.  `parse_shown` turns what a reader sees into a `Shown`:
its SI value and the size of one unit in its last digit.  `Shown.holds` then answers the only question a checked
number asks: does this value round to these digits?  QuantiPhy reads the prefixes and units; what it does not
know (``1,979``, ``4 × 10⁸``, ``1.6×``, ``0.3%``, ``≈ 300``) is taken apart here first.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from .errors import QuantityError, near

#: Every unit that a quantity may have, by each of its spellings. The key is what pages and tables write.
UNITS: Final[dict[str, tuple[str, ...]]] = {
    "s": ("s",),
    "FLOP": ("FLOP", "FLOPs"),
    "OP": ("OP", "OPs"),
    "B": ("B", "byte", "bytes"),
    "FLOP/s": ("FLOP/s", "FLOPS", "FLOPs/s"),
    "OP/s": ("OP/s", "OPS"),
    "B/s": ("B/s", "byte/s", "bytes/s"),
    "FLOP/B": ("FLOP/B", "FLOP/byte"),
    "tokens": ("tokens", "token"),
    "tokens/s": ("tokens/s", "token/s"),
    "W": ("W",),
    "Hz": ("Hz",),
    "%": ("%",),
    "×": ("×",),
    "": ("",),
}
_CANONICAL: Final = {spelling: unit for unit, spellings in UNITS.items() for spelling in spellings}

#: Outside these limits, a number that no prefix fits is written with a power of ten: a float has 15 significant
#: digits, and nobody counts twelve zeros.
_LEAST: Final = 1e-12
_MOST: Final = 1e15
_RAISED: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SPACES: Final = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f\u2007", " "))
_PREFIXES: Final = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "m": -3, "µ": -6, "n": -9, "p": -12}
_TEN: Final = r"10(?P<{0}>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^-?\d+)"
_NUMBER: Final = re.compile(
    r"(?P<sign>[-+]?)"
    r"(?:(?P<int>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<frac>\d+))?(?:[eE](?P<exp>[-+]?\d+))?(?:\s*×\s*"
    + _TEN.format("pow")
    + r")?"
    r"|(?P<inf>∞))"
    r"\s*(?P<rest>.*)$"
)
_BARE_POWER: Final = re.compile(r"(?P<sign>[-+]?)" + _TEN.format("pow") + r"\s*(?P<rest>.*)$")
#: A value that lies exactly half-way may be shown rounded either way; binary fractions need this much slack for it.
_SLACK: Final = 1e-9


@dataclass(frozen=True)
class Shown:
    """A quantity as a reader sees it.

    Attributes
    ----------
    text : str
        The text itself, such as ``"1,979 TFLOP/s"``.
    value : float
        Its value in SI units (``1.979e15``); ``0.3%`` is 0.003 and ``1.6×`` is 1.6.
    unit : str
        The unit without its prefix, in the spelling of `UNITS`.
    step : float
        One unit of the last shown digit, in SI units (``1e12``).
    approximate : bool
        Whether the text begins with ``≈``.
    digits : int
        Significant digits when trailing zeros of a whole number do not count.

    Examples
    --------
    >>> parse_shown("≈ 300").holds(295.2), parse_shown("300").holds(295.2)
    (True, False)
    """

    text: str
    value: float
    unit: str
    step: float
    approximate: bool
    digits: int

    def holds(self, value: float) -> bool:
        """Say whether ``value`` rounds to the shown digits.

        Parameters
        ----------
        value : float
            The computed value, in SI units.

        Returns
        -------
        bool
            True where the value, in the shown unit and prefix, rounds to the shown digits. A value half-way between
            two roundings holds for both. After ``≈`` rounding to the shown significant digits is enough.

        Examples
        --------
        >>> parse_shown("4.2 ms").holds(14e9 / 3.35e12)
        True
        >>> parse_shown("4.2 µs").holds(14e9 / 3.35e12)
        False
        """
        if math.isnan(value):
            return False
        if math.isinf(self.value) or math.isinf(value):
            return value == self.value
        if self._within(value, self.step):
            return True
        if not self.approximate or value == 0:
            return False
        # The step of the value's own decade, not of the text's: 14 rounds to 10 at one digit, 6 does not. The text must
        # lie on that step too: 11 is not about 7, although half of ten lies between them.
        step = 10.0 ** (math.floor(math.log10(abs(value))) - self.digits + 1)
        return self._within(value, step) and math.isclose(self.value / step, round(self.value / step), rel_tol=1e-9)

    def _within(self, value: float, step: float) -> bool:
        return abs(value - self.value) <= step / 2 * (1 + _SLACK) + abs(value) * 1e-15


def parse_shown(text: str) -> Shown:
    """Read a quantity as a page shows it.

    Parameters
    ----------
    text : str
        Such as ``"4.2 ms"``, ``"1,979 TFLOP/s"``, ``"0.3%"``, ``"1.6×"``, ``"≈ 300"``, ``"33.55 M"``, ``"10⁸"``,
        ``"4 × 10⁸ B"`` or ``"∞"``.

    Returns
    -------
    Shown
        Its SI value, unit and resolution.

    Raises
    ------
    QuantityError
        Where the text is not a number with a known unit.

    Examples
    --------
    >>> shown = parse_shown("1,979 TFLOP/s")
    >>> shown.value, shown.unit, shown.step
    (1979000000000000.0, 'FLOP/s', 1000000000000.0)
    """
    if not isinstance(text, str):
        raise QuantityError(f"{text!r} is not a text; write a quantity such as '4.2 ms'")
    plain = text.translate(_SPACES).replace("−", "-").replace("\u03bc", "µ").strip()
    approximate = plain.startswith("≈")
    plain = plain.removeprefix("≈").strip()
    match = _BARE_POWER.match(plain) or _NUMBER.match(plain)
    if match is None:
        raise QuantityError(
            f"{text!r} is not a quantity; write a number and a unit, such as '4.2 ms' or '1,979 TFLOP/s'"
        )
    groups = match.groupdict()
    sign = "-" if groups["sign"] == "-" else ""
    if groups.get("inf"):
        if groups["rest"]:
            raise QuantityError(f"{text!r} has a unit after ∞; write '∞' alone")
        return Shown(text, -math.inf if sign else math.inf, "", 0.0, approximate, 1)
    whole = (groups.get("int") or "1").replace(",", "")
    fraction = groups.get("frac") or ""
    exponent = int(groups.get("exp") or 0) + int((groups["pow"] or "0").translate(_SUPERSCRIPTS).removeprefix("^"))
    scale, unit = _scale_and_unit(groups["rest"], text)
    value = _scaled(f"{sign}{whole}.{fraction or 0}", exponent, scale)
    if math.isinf(value):
        raise QuantityError(f"{text!r} is larger than a float can be; write a number below 1.8e308, or '∞'")
    significant = (whole + fraction).lstrip("0") if fraction else whole.rstrip("0")
    return Shown(
        text=text,
        value=value,
        unit=unit,
        step=_scaled("1", exponent - len(fraction), scale),
        approximate=approximate,
        digits=max(len(significant), 1),
    )


def _scaled(mantissa: str, exponent: int, scale: float) -> float:
    """Return mantissa times 10**exponent times scale, as exact as a float can be: 2.039 T is 2.039e12."""
    power = round(math.log10(scale))
    if math.isclose(scale, 10.0**power, rel_tol=1e-12):
        return float(f"{mantissa}e{exponent + power}")
    return float(f"{mantissa}e{exponent}") * scale  # Ki, Mi, Gi


def _scale_and_unit(rest: str, text: str) -> tuple[float, str]:
    """Return the factor to SI units and the unit of what follows a number."""
    if rest == "%":
        return 0.01, "%"
    if rest in _CANONICAL:
        return 1.0, _CANONICAL[rest]
    # Slow to import, and not needed to count FLOPs.
    from quantiphy import InvalidNumber, Quantity

    try:
        quantity = Quantity(f"1 {rest}", binary=True)
    except InvalidNumber:
        quantity = None
    # QuantiPhy takes any word for a unit: '5 pages' would be 5 pico-'ages'. Only units that we know may pass.
    unit = _CANONICAL.get(quantity.units) if quantity is not None else None
    if quantity is None or unit in (None, "%", "×"):
        known = [spelling for spellings in UNITS.values() for spelling in spellings if spelling]
        usual = ["s", "B", "FLOP/s", "B/s", "FLOP/byte", "tokens/s"]
        hint = near(rest, known) if len(rest) > 1 else []  # one letter resembles too many
        hint = hint or usual
        raise QuantityError(
            f"{text!r} ends in the unknown unit {rest!r}; known are {', '.join(hint)}, with an SI prefix"
        )
    return float(quantity), unit


def parse_quantity(text: str, unit: str | None = None) -> float:
    """Read a quantity as a number in SI units.

    Parameters
    ----------
    text : str
        Such as ``"3.35 TB/s"``.
    unit : str, optional
        The unit that the text must have, without a prefix, such as ``"B/s"``. Any known unit where left out.

    Returns
    -------
    float
        The value in SI units.

    Raises
    ------
    QuantityError
        Where the text is not a quantity, or has another unit.

    Examples
    --------
    >>> parse_quantity("3.35 TB/s", unit="B/s")
    3350000000000.0
    >>> parse_quantity("4.2 ms", unit="B")
    Traceback (most recent call last):
    roofline.errors.QuantityError: '4.2 ms' is in s; write it in B
    """
    shown = parse_shown(text)
    if unit is not None and unit not in list(_CANONICAL):
        raise QuantityError(f"{unit!r} is an unknown unit; known are {', '.join(u for u in UNITS if u)}")
    if unit is not None and shown.unit != _CANONICAL[unit]:
        raise QuantityError(f"{text!r} is in {shown.unit or 'no unit'}; write it in {unit}")
    return shown.value


def format_quantity(
    value: float,
    unit: str = "",
    digits: int = 3,
    *,
    places: int | None = None,
    prefix: str | None = None,
    approximate: bool = False,
) -> str:
    """Write a number in SI units as a reader wants to see it.

    Parameters
    ----------
    value : float
        The value in SI units; for ``%`` the fraction, for ``×`` the factor.
    unit : str
        A unit of `UNITS`; empty for a plain number.
    digits : int
        Significant digits, 1 or more; not used where ``places`` is given.
    places : int, optional
        Digits after the decimal point, 0 or more.
    prefix : str, optional
        The SI prefix to use (``""`` for none). Where left out, the one that puts the number between 1 and 1000; a
        plain number and an intensity get none. A number that no prefix fits is written with a power of ten.
    approximate : bool
        Put ``≈`` in front.

    Returns
    -------
    str
        Such as ``"4.18 ms"``. `parse_shown` reads it back, and its ``holds(value)`` is true.

    Raises
    ------
    QuantityError
        Where the unit, the prefix or the number of digits is unknown, or the value is not a number.

    Examples
    --------
    >>> format_quantity(14e9 / 3.35e12, "s", 2)
    '4.2 ms'
    >>> format_quantity(1.979e15, "FLOP/s", places=0, prefix="T")
    '1,979 TFLOP/s'
    >>> format_quantity(0.00339, "%", 1), format_quantity(1.643, "×", 2)
    ('0.3%', '1.6×')
    >>> format_quantity(3.4e33, "FLOP", 2)
    '3.4 × 10³³ FLOP'
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise QuantityError(f"{value!r} cannot be written as a quantity; it must be a number") from None
    if math.isnan(number):
        raise QuantityError("nan is not a quantity; compute a number first")
    if unit not in list(UNITS):
        raise QuantityError(f"{unit!r} is an unknown unit; known are {', '.join(u for u in UNITS if u)}")
    counts = (digits, 0 if places is None else places)
    if not all(type(count) is int for count in counts) or counts < (1, 0) or counts[1] < 0:
        raise QuantityError(
            f"{digits} digits and {places} places cannot be written; ask for 1 digit or 0 places, or more"
        )
    if prefix is not None and prefix not in list(_PREFIXES):
        raise QuantityError(f"{prefix!r} is an unknown prefix; known are {', '.join(p for p in _PREFIXES if p)}")
    lead = "≈ " if approximate else ""
    if math.isinf(number):
        return f"{lead}{'-' if number < 0 else ''}∞"
    if unit == "%":
        return f"{lead}{_digits(number * 100, digits, places)}%"
    if unit == "×":
        return f"{lead}{_digits(number, digits, places)}×"
    shown_unit = {"FLOP/B": "FLOP/byte"}.get(unit, unit)
    if prefix is None:
        # A plain number and an intensity keep their size: 0.25 FLOP/byte, not 250 mFLOP/byte.
        prefix = _fitting_prefix(number, digits, places) if unit not in ("", "FLOP/B") else ""
    if places is None and not prefix and number and not _LEAST <= abs(number) < _MOST:
        return f"{lead}{_power_of_ten(number, digits)} {shown_unit}".rstrip()
    mantissa = _digits(number / 10.0 ** _PREFIXES[prefix], digits, places)
    return f"{lead}{mantissa} {prefix}{shown_unit}".rstrip()


#: A ridge point that rounds to less than 100 is shown with one decimal place; the scripts of the site take this too.
RIDGE_TENTHS_BELOW: Final = 99.95


def ridge_places(ridge: float) -> int:
    """Return how many decimal places a ridge point is shown with everywhere: one below 100, none from there on.

    Parameters
    ----------
    ridge : float
        FLOP/byte, or operations/byte.

    Returns
    -------
    int
        1 or 0.

    Examples
    --------
    >>> ridge_places(25.5), ridge_places(99.94), ridge_places(99.96)
    (1, 1, 0)
    """
    return 1 if ridge < RIDGE_TENTHS_BELOW else 0


def ridge_text(ridge: float, unit: str = "") -> str:
    """Write a ridge point, with the digits that ridge points have everywhere.

    Parameters
    ----------
    ridge : float
        FLOP/byte, or operations/byte.
    unit : str
        ``"FLOP/B"``, or empty where the head of a table says the unit.

    Returns
    -------
    str
        Such as ``"295 FLOP/byte"``.

    Raises
    ------
    QuantityError
        Where it is not a number, or the unit is unknown.

    Examples
    --------
    >>> ridge_text(295.2, "FLOP/B"), ridge_text(25.5)
    ('295 FLOP/byte', '25.5')
    """
    return format_quantity(ridge, unit, places=ridge_places(ridge))


def _fitting_prefix(number: float, digits: int, places: int | None) -> str:
    """Return the prefix whose mantissa, once rounded, lies between 1 and 1000."""
    for prefix, power in sorted(_PREFIXES.items(), key=lambda item: item[1]):
        mantissa = float(_digits(number / 10.0**power, digits, places).replace(",", ""))
        if number == 0 and prefix == "":
            return prefix
        if number != 0 and 1 <= abs(mantissa) < 1000:
            return prefix
    return ""


def _power_of_ten(number: float, digits: int) -> str:
    """Return the number as 1.30 × 10⁻¹⁵."""
    mantissa, _, exponent = f"{number:.{digits - 1}e}".partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_RAISED)}"


def _digits(number: float, digits: int, places: int | None) -> str:
    """Return the number with this many significant digits, or places, and thousands separators."""
    if places is None:
        if number == 0:
            return "0"
        rounded = float(f"{number:.{digits - 1}e}")
        places = max(digits - 1 - math.floor(math.log10(abs(rounded))), 0)
        # Without places, all digits of a whole number are kept: zeros in their stead would be wrong.
        number = rounded if places else number
    return f"{number:,.{places}f}"
