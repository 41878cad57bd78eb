"""A cell of a table is its expression: evaluated once, shown with the digits asked for, and kept as its working."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from roofline.errors import ExpressionError, RooflineError
from roofline.expressions import Expressions
from roofline.quantity import format_quantity

if TYPE_CHECKING:
    from roofline.catalog import DatasheetValue


@dataclass(frozen=True)
class Cell:
    """One cell: what it shows, and the expression that gives it.

    Written by hand, ``Cell("text")``, it is a label or an input; `number` and `computed` write one from its expression.

    Parameters
    ----------
    shown : str
        The text, with TeX between dollar signs where it has mathematics.
    working : str
        A Python expression over the public names of `roofline` that evaluates to what is shown; empty for labels.
    then : Cell, optional
        What follows in the same cell, after a space.

    Examples
    --------
    >>> str(Cell("from", then=number("ceil(344.9)")))
    'from 345'
    """

    shown: str
    working: str = ""
    then: Cell | None = None

    def pieces(self) -> Iterator[tuple[str, str]]:
        """Yield each piece of the cell.

        Yields
        ------
        tuple of str
            What is shown, and its working or an empty text.

        Examples
        --------
        >>> list(Cell("8").pieces())
        [('8', '')]
        """
        yield self.shown, self.working
        if self.then is not None:
            yield from self.then.pieces()

    def __str__(self) -> str:
        return " ".join(shown for shown, _ in self.pieces())


#: What stands in a cell where there is nothing to show.
NONE: Final = Cell("–")

#: One for all tables, so that a call that many cells share is evaluated once.
_EXPRESSIONS: Final = Expressions()


def value_of(working: str) -> Any:
    """Return what the working of a cell gives, for a table that needs it before its cell is written.

    Parameters
    ----------
    working : str
        A Python expression over the public names of `roofline`.

    Returns
    -------
    object
        Its value.

    Raises
    ------
    RooflineError
        The error of the function that refused an argument, so that whoever asks for a table sees what to correct; else
        an ExpressionError.

    Examples
    --------
    >>> value_of("bound(matmul(8, 4096, 4096), device('H100 SXM').roof('bf16')).regime")
    'memory-bound'
    """
    try:
        return _EXPRESSIONS.evaluate(working)
    except ExpressionError as error:
        if isinstance(error.__cause__, RooflineError):
            raise error.__cause__ from None
        raise


def computed(working: str, write: Callable[[Any], str] = str, *, then: Cell | None = None) -> Cell:
    """Return the cell of an expression.

    Parameters
    ----------
    working : str
        A Python expression over the public names of `roofline`.
    write : callable
        Takes the value and returns what is shown; where left out, the value as Python prints it, such as a regime.
    then : Cell, optional
        What follows in the same cell.

    Returns
    -------
    Cell
        With the expression as its working.

    Raises
    ------
    RooflineError
        Where the expression fails, as for `value_of`.

    Examples
    --------
    >>> computed("device('H100 SXM').bandwidth", as_printed)
    Cell(shown='3.35 TB/s', working="device('H100 SXM').bandwidth", then=None)
    """
    return Cell(write(value_of(working)), working, then)


def number(
    working: str,
    unit: str = "",
    digits: int = 3,
    *,
    places: int | Callable[[float], int] | None = None,
    prefix: str | None = None,
    approximate: bool = False,
    then: Cell | None = None,
) -> Cell:
    """Return the cell of an expression that gives a number.

    Parameters
    ----------
    working : str
        A Python expression over the public names of `roofline`.
    unit, digits, prefix, approximate
        As for `roofline.quantity.format_quantity`.
    places : int or callable, optional
        Digits after the decimal point, or what gives them for the value.
    then : Cell, optional
        What follows in the same cell.

    Returns
    -------
    Cell
        With the expression as its working.

    Raises
    ------
    RooflineError
        Where the expression fails, as for `value_of`.
    QuantityError
        Where it does not give a number, or the unit or the digits break their rule.

    Examples
    --------
    >>> number("14e9 / device('H100 SXM').bandwidth", "s", 2).shown
    '4.2 ms'
    """

    def write(value: Any) -> str:
        decimals = places(value) if callable(places) else places
        return format_quantity(value, unit, digits, places=decimals, prefix=prefix, approximate=approximate)

    return computed(working, write, then=then)


def as_printed(value: DatasheetValue) -> str:
    """Return a datasheet value as its source writes it: 1,979 TFLOP/s and not 1.98 PFLOP/s.

    Parameters
    ----------
    value : DatasheetValue
        The value.

    Returns
    -------
    str
        Number and unit.

    Examples
    --------
    >>> from roofline import device
    >>> as_printed(device("H100 SXM").roof("fp8").peak)
    '1,979 TFLOP/s'
    """
    return value.shown
