"""Check arguments where they enter the package, and tell numbers, arrays and symbols apart.

Numbers are checked, arrays are checked and widened to float64 (so that no integer overflows in silence), and SymPy
symbols pass through.  What comes out is safe for plain arithmetic.  Neither NumPy nor SymPy is imported for a plain
number: whoever passes a value of theirs has loaded them already.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable
from typing import Any, Final, TypeGuard

from .errors import InvalidValue
from .types import Array

#: The rule for sizes that are counted: tokens, heads, columns. They need not be whole, as an average is not.
COUNT: Final = "a positive, finite count"
#: Elements checked at a time: few enough that the second pass over them finds them in the cache.
_BLOCK: Final = 65_536


def is_symbolic(value: object) -> bool:
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


def is_array(value: object) -> TypeGuard[Array]:
    """Say whether a value is a NumPy array, without importing NumPy.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    bool
        True for an array.

    Examples
    --------
    >>> is_array([3.0])
    False
    """
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def amount(name: str, value: object, rule: str = "a positive, finite number", *, zero: bool = False) -> Any:
    """Return a checked number, array or symbol.

    Parameters
    ----------
    name : str
        What the caller calls it; the error names it.
    value : float, numpy.ndarray or sympy.Expr
        The value to check. What converts itself to a NumPy array, such as a pandas Series, is taken as one.
    rule : str
        The rule in words, for the error.
    zero : bool
        Whether zero is allowed.

    Returns
    -------
    float, int, numpy.ndarray or sympy.Expr
        The value; a NumPy scalar becomes a Python number, and an array or a Series an array of float64.

    Raises
    ------
    InvalidValue
        Where the value is not a number, or is negative, NaN, infinite, or zero where that is not allowed; and where
        it has a unit of its own, as a quantity of pint has.

    Examples
    --------
    >>> amount("B", 8)
    8
    >>> amount("B", -1)
    Traceback (most recent call last):
    roofline.errors.InvalidValue: B is -1; it must be a positive, finite number
    """
    if is_symbolic(value):
        return _symbol(name, value, rule, zero)
    # A datasheet value has a unit, too, but is a float, in SI units.
    if not isinstance(value, float) and (hasattr(value, "units") or hasattr(value, "unit")):
        raise InvalidValue(
            f"{name} is {value}, which has a unit of its own; it must be {rule}, so give the number alone, in SI units"
            " (of pint: quantity.m_as('byte'), .m_as('s') or .m_as('byte/s'))"
        )
    if hasattr(value, "__array__"):
        import numpy as np

        array = np.asarray(value)
        if array.ndim:
            return _array(name, array, rule, zero)
        value = array.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        kind = "" if isinstance(value, str | bool) or value is None else f", a {type(value).__name__}"
        way_out = " (wrap a list in numpy.array)" if isinstance(value, list | tuple) else ""
        raise InvalidValue(f"{name} is {value!r}{kind}; it must be {rule}{way_out}")
    # An integer may be larger than any float, so the comparison is with the largest; NaN fails it too.
    if value < 0 or not value <= sys.float_info.max or (value == 0 and not zero):
        raise InvalidValue(f"{name} is {value}; it must be {rule}")
    return value


def counts(**sizes: object) -> tuple[Any, ...]:
    """Return checked sizes, in the order given.

    Parameters
    ----------
    **sizes : float, numpy.ndarray or sympy.Expr
        The sizes by the names that the caller uses for them, each a count above 0.

    Returns
    -------
    tuple
        As from `amount`.

    Raises
    ------
    InvalidValue
        Where one of them breaks the rule.

    Examples
    --------
    >>> B, D = counts(B=8, D=4096)
    >>> counts(B=8, D=0)
    Traceback (most recent call last):
    roofline.errors.InvalidValue: D is 0; it must be a positive, finite count
    """
    checked = {name: amount(name, size, COUNT) for name, size in sizes.items()}
    require_common_shape(**checked)
    return tuple(checked.values())


def flag(name: str, value: object) -> Any:
    """Return a yes or no as 1 or 0, which a formula can multiply by.

    Parameters
    ----------
    name : str
        What the caller calls it; the error names it.
    value : bool or sympy.Expr
        The answer; 1 and 0 are taken for it, and a symbol stands for either.

    Returns
    -------
    int or sympy.Expr
        1 for True.

    Raises
    ------
    InvalidValue
        Where it is neither.

    Examples
    --------
    >>> flag("causal", True)
    1
    """
    if is_symbolic(value):
        return value
    if isinstance(value, int) and value in (0, 1):
        return int(value)
    raise InvalidValue(f"{name} is {value!r}; it must be True or False")


def require_common_shape(**amounts: object) -> None:
    """Raise unless the arrays among some amounts can be combined element by element.

    Parameters
    ----------
    **amounts : float, numpy.ndarray or sympy.Expr
        Amounts by the names that the caller uses for them.

    Raises
    ------
    InvalidValue
        Where two arrays have lengths that NumPy cannot broadcast.

    Examples
    --------
    >>> import numpy as np
    >>> require_common_shape(B=np.ones(2), D=np.ones(3))
    Traceback (most recent call last):
    roofline.errors.InvalidValue: B has the shape (2,), D (3,); arrays must broadcast to one shape
    """
    shapes = {name: value.shape for name, value in amounts.items() if is_array(value)}
    if len(set(shapes.values())) < 2:
        return
    import numpy as np

    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        (first, shape), *others = shapes.items()
        listed = ", ".join([f"{first} has the shape {shape}", *(f"{name} {other}" for name, other in others)])
        raise InvalidValue(f"{listed}; arrays must broadcast to one shape") from None


def _symbol(name: str, value: Any, rule: str, zero: bool) -> Any:
    if value.is_number:
        if value.is_extended_real is False:
            raise InvalidValue(f"{name} is {value}; it must be {rule}")
        # A SymPy number must keep the rule as a Python one does.
        amount(name, float(value), rule, zero=zero)
    return value


def _array(name: str, value: Array, rule: str, zero: bool) -> Array:
    import numpy as np

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


def _in_range(block: Array, zero: bool) -> bool:
    # min and max pass NaN on, so these comparisons are false for it, and no mask array is built.
    least = block.min()
    return bool((least >= 0 if zero else least > 0) and block.max() < math.inf)


def anywhere(condition: Any) -> bool:
    """Say whether a comparison holds, or holds for one element at least.

    Parameters
    ----------
    condition : bool or numpy.ndarray of bool
        What a comparison of numbers or of arrays gave.

    Returns
    -------
    bool
        Whether any of it is true; False for a comparison of symbols, whose truth is not known.

    Examples
    --------
    >>> anywhere(3 > 2)
    True
    """
    # SymPy's true equals True; an undecided relation of symbols does not.
    return bool(condition.any() if is_array(condition) else condition == True)  # noqa: E712


def same(a: object, b: object) -> bool:
    """Say whether two amounts are equal as a whole: one answer for arrays, too.

    Parameters
    ----------
    a, b : float, numpy.ndarray or sympy.Expr
        What to compare.

    Returns
    -------
    bool
        For arrays, whether they have one shape and equal elements.

    Examples
    --------
    >>> same(8, 8.0)
    True
    """
    if is_array(a) or is_array(b):
        import numpy as np

        return is_array(a) and is_array(b) and np.array_equal(a, b)
    return bool(a == b)


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two numbers, arrays or symbols.

    Parameters
    ----------
    a, b : float, numpy.ndarray or sympy.Expr
        What to compare.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        Element by element for arrays; ``Max`` for symbols.

    Examples
    --------
    >>> larger(4096, 8192)
    8192
    """
    return _extreme(a, b, "Max", "maximum", max)


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, arrays or symbols.

    Parameters
    ----------
    a, b : float, numpy.ndarray or sympy.Expr
        What to compare.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        Element by element for arrays; ``Min`` for symbols.

    Examples
    --------
    >>> smaller(4096, 8192)
    4096
    """
    return _extreme(a, b, "Min", "minimum", min)


def _extreme(a: Any, b: Any, of_symbols: str, of_arrays: str, of_numbers: Callable[[Any, Any], Any]) -> Any:
    if is_symbolic(a) or is_symbolic(b):
        return getattr(sys.modules["sympy"], of_symbols)(a, b)
    if is_array(a) or is_array(b):
        return getattr(sys.modules["numpy"], of_arrays)(a, b)
    return of_numbers(a, b)
