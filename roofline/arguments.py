"""Check arguments once, at the door: sizes, amounts and bytes per element.

Numbers are checked, arrays are checked and widened to float64 (so that no integer overflows in silence), and SymPy
symbols pass through.  What comes out is safe for plain arithmetic.
"""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any, Final

import numpy as np

from .errors import InvalidValue, UnknownFormat, near

#: Bytes that one element takes in memory. TF32 is a way to multiply: its values are stored in four bytes.
BYTES: Final[dict[str, float]] = {
    "fp64": 8,
    "fp32": 4,
    "tf32": 4,
    "bf16": 2,
    "fp16": 2,
    "fp8": 1,
    "int8": 1,
    "fp6": 0.75,
    "fp4": 0.5,
    "int4": 0.5,
}

#: Elements checked at a time: few enough that the second pass over them finds them in the cache.
_BLOCK: Final = 65_536


def is_symbolic(value: Any) -> bool:
    """Say whether a value is a SymPy expression, without importing SymPy.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    bool
        True for a SymPy expression.

    Examples
    --------
    >>> is_symbolic(3.0)
    False
    """
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def amount(name: str, value: Any, rule: str = "a positive, finite number", *, zero: bool = False) -> Any:
    """Return a checked number, array or symbol.

    Parameters
    ----------
    name : str
        What the caller calls it; the error names it.
    value : float, numpy.ndarray or sympy.Expr
        The value to check.
    rule : str
        The rule in words, for the error.
    zero : bool
        Whether zero is allowed.

    Returns
    -------
    float, int, numpy.ndarray or sympy.Expr
        The value; a NumPy scalar becomes a Python number and an array becomes float64.

    Raises
    ------
    InvalidValue
        Where the value is not a number, or is negative, NaN, infinite, or zero without leave.

    Examples
    --------
    >>> amount("B", 8)
    8
    >>> amount("B", -1)
    Traceback (most recent call last):
    roofline.errors.InvalidValue: B is -1; it must be a positive, finite number
    """
    if isinstance(value, np.ndarray) and value.ndim:
        return _array(name, value, rule, zero)
    if isinstance(value, np.generic | np.ndarray):
        value = value.item()
    if is_symbolic(value):
        if value.is_number and value.is_extended_real is False:
            raise InvalidValue(f"{name} is {value}; it must be {rule}")
        if value.is_number:
            # A SymPy number is as wrong as a Python one when it breaks the rule.
            amount(name, float(value), rule, zero=zero)
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        kind = "" if isinstance(value, str | bool) or value is None else f", a {type(value).__name__}"
        way_out = " (wrap a list in numpy.array)" if isinstance(value, list | tuple) else ""
        raise InvalidValue(f"{name} is {value!r}{kind}; it must be {rule}{way_out}")
    # An integer may be larger than any float, so the comparison is with the largest; NaN fails it too.
    if value < 0 or not value <= sys.float_info.max or (value == 0 and not zero):
        raise InvalidValue(f"{name} is {value}; it must be {rule}")
    return value


def _array(name: str, value: np.ndarray[Any, Any], rule: str, zero: bool) -> np.ndarray[Any, Any]:
    if value.dtype.kind not in "iuf":
        raise InvalidValue(f"{name} is an array of {value.dtype}; it must hold numbers, each {rule}")
    wide = value.astype(np.float64, copy=False)
    flat = wide.ravel(order="K")
    if not all(_in_range(flat[start : start + _BLOCK], zero) for start in range(0, flat.size, _BLOCK)):
        bad = ~np.isfinite(wide) | (wide < 0) | ((wide == 0) & (not zero))
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        at = where[0] if len(where) == 1 else where
        raise InvalidValue(f"{name}[{at}] is {wide[where]}; each must be {rule}")
    return wide


def _in_range(block: np.ndarray[Any, Any], zero: bool) -> bool:
    # min and max pass NaN on, so these comparisons are false for it, and no mask array is built.
    least = block.min()
    return bool((least >= 0 if zero else least > 0) and block.max() < math.inf)


def bytes_per_element(dtype: Any, name: str = "dtype") -> Any:
    """Return how many bytes one element takes.

    Parameters
    ----------
    dtype : str, float or sympy.Expr
        A format name of `BYTES`, or bytes (not bits) per element, above 0 and at most 8.
    name : str
        What the caller calls it; the error names it.

    Returns
    -------
    float or sympy.Expr
        Bytes per element.

    Raises
    ------
    UnknownFormat
        Where the name is unknown.
    InvalidValue
        Where the number is out of range, for instance bits for bytes.

    Examples
    --------
    >>> bytes_per_element("bf16"), bytes_per_element("int4")
    (2, 0.5)
    >>> bytes_per_element(16)
    Traceback (most recent call last):
    roofline.errors.InvalidValue: dtype is 16; it must be a format name or bytes per element, at most 8 (not bits)
    """
    if isinstance(dtype, str):
        if dtype in BYTES:
            return BYTES[dtype]
        hint = near(dtype, BYTES)
        known = f"near it: {', '.join(hint)}" if hint else f"known are {', '.join(BYTES)}"
        raise UnknownFormat(f"{name} is {dtype!r}, which is no known number format; {known}")
    rule = "a format name or bytes per element, at most 8 (not bits)"
    checked = amount(name, dtype, rule)
    if not getattr(checked, "free_symbols", None) and np.any(np.asarray(checked, np.float64) > 8):
        raise InvalidValue(f"{name} is {dtype}; it must be {rule}")
    return checked
