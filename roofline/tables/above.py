"""The tables of points above the roof: all causes, and how those of one point rank."""

from __future__ import annotations

from roofline.above import CAUSES

from .cell import NONE, Cell, number, value_of
from .table import Table


def causes() -> Table:
    """Return all causes of a point above the roof, with what each changes and how to try it.

    Returns
    -------
    Table
        In the order in which causes that fit equally well are listed.

    Examples
    --------
    >>> causes().texts()[0][0]
    "The data comes from the L2 cache. The memory's bandwidth limits only what does not fit in the cache."
    """
    rows = ((Cell(f"{cause.title}.", then=Cell(cause.change)), Cell(cause.test)) for cause in CAUSES.values())
    return Table(("Cause, and what it changes", "What to try, and what you see"), tuple(rows), numeric=False)


def causes_of_point(point: str) -> Table:
    """Return the causes that fit a measured time, as they rank.

    Parameters
    ----------
    point : str
        The arguments of `roofline.causes_above` as Python: kernel, device, format, seconds.

    Returns
    -------
    Table
        Each cause with the bound that it leaves, that bound's share of the time, and how well it fits; a dash where
        the bound stays, and where a number would be chosen to fit.

    Raises
    ------
    RooflineError
        Where an argument breaks its rule.

    Examples
    --------
    >>> causes_of_point("Kernel('read', 0, 30e6), device('L4'), 'bf16', 50e-6").texts()[0]
    ['The data comes from the L2 cache', '14.3 µs', '29%', '0.36']
    """
    call = f"causes_above({point})"
    rows = []
    for place, found in enumerate(value_of(call)):
        get = f"{call}[{place}]"
        rows.append(
            (
                Cell(found.cause.title),
                NONE if found.bound is None else number(f"{get}.bound", "s"),
                NONE if found.share is None else number(f"{get}.share", "%", 2),
                NONE if found.cause.grade == "any number" else number(f"{get}.fit", places=2),
            )
        )
    return Table(("Cause", "New bound", "Share of it", "Fit"), tuple(rows))
