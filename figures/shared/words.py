"""Words that alt texts and data tables share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from roofline import format_quantity, parse_quantity


def listed(items: Iterable[str]) -> str:
    """Return a list as a sentence has it.

    Parameters
    ----------
    items : iterable of str
        The items.

    Returns
    -------
    str
        With commas and a last "and"; empty for no items.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = list(items) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def as_given(value: Any, unit: str) -> str:
    """Return a catalog value as its source writes it, such as 1,979 TFLOP/s and not 1.98 PFLOP/s.

    Parameters
    ----------
    value : float
        The catalog value, or any number in SI units.
    unit : str
        Its unit.

    Returns
    -------
    str
        The number with its unit.

    Examples
    --------
    >>> from roofline import device
    >>> as_given(device("H100 SXM").roof("fp8").peak, "FLOP/s"), as_given(2.4e12, "B/s")
    ('1,979 TFLOP/s', '2.40 TB/s')
    """
    return str(getattr(value, "shown", None) or format_quantity(value, unit))


def split_unit(longest: float) -> tuple[str, float]:
    """Return the unit of time that suits an axis, and what to multiply seconds by.

    Parameters
    ----------
    longest : float
        The longest time on the axis, s.

    Returns
    -------
    tuple of str and float
        Such as ``"µs"`` and 1e6.

    Examples
    --------
    >>> split_unit(1.03e-5)
    ('µs', 1000000.0)
    """
    unit = format_quantity(longest, "s").rpartition(" ")[2]
    return unit, 1 / parse_quantity(f"1 {unit}", "s")


def working_of_roof(name: str, dtype: str) -> str:
    """Return the expression that gives the roof of a device.

    Parameters
    ----------
    name : str
        The device.
    dtype : str
        The format.

    Returns
    -------
    str
        Over the public names of `roofline`.

    Examples
    --------
    >>> working_of_roof("H100 SXM", "bf16")
    'device("H100 SXM").roof("bf16")'
    """
    return f'device("{name}").roof("{dtype}")'
