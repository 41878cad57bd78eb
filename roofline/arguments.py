"""Check arguments once, at the door: sizes and amounts.

Numbers are checked, arrays are checked and widened to float64 (so that no integer overflows in silence), and SymPy
symbols pass through.  What comes out is safe for plain arithmetic.
"""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any, Final

import numpy as np

from .errors import InvalidValue

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


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two numbers, arrays or symbols.

    Parameters
    ----------
    a, b : float, numpy.ndarray or sympy.Expr
        What to compare.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        Number by number in arrays; ``Max`` for symbols.

    Examples
    --------
    >>> larger(4096, 8192)
    8192
    """
    return _extreme(a, b, "Max", np.maximum, max)


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, arrays or symbols.

    Parameters
    ----------
    a, b : float, numpy.ndarray or sympy.Expr
        What to compare.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        Number by number in arrays; ``Min`` for symbols.

    Examples
    --------
    >>> smaller(4096, 8192)
    4096
    """
    return _extreme(a, b, "Min", np.minimum, min)


def _extreme(a: Any, b: Any, symbolic: str, on_arrays: Any, on_numbers: Any) -> Any:
    if is_symbolic(a) or is_symbolic(b):
        import sympy

        return getattr(sympy, symbolic)(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return on_arrays(a, b)
    return on_numbers(a, b)
