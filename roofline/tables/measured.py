"""The table of what published measurements reach of their bounds."""

from __future__ import annotations

from roofline.reality import KINDS, median_share

from .cell import Cell, number
from .table import Table


def shares_by_kind() -> Table:
    """Return, for each kind of measurement, how many there are and what share of the bound they reach.

    Returns
    -------
    Table
        A row for each kind, that with the highest median first. Points above their bound are counted in a column of
        their own and nowhere else.

    Examples
    --------
    >>> shares_by_kind().texts()[0]
    ['bandwidth', '12', '92%', '85%', '100%', '1']
    """
    found = []
    for kind in KINDS:
        call = f"measured_shares('{kind}')"
        row = (
            Cell(kind),
            number(f"len({call})", places=0),
            number(f"median_share('{kind}')", "%", 2),
            number(f"min({call})", "%", 2),
            number(f"max({call})", "%", 2),
            number(f"len(measurements('{kind}')) - len({call})", places=0),
        )
        found.append((median_share(kind), row))
    found.sort(key=lambda entry: entry[0], reverse=True)
    columns = ("What ran", "Points", "Median share", "Lowest", "Highest", "Above the bound")
    return Table(columns, tuple(row for _, row in found))
