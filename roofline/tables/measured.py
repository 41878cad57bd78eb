"""The table of what published measurements reach of their bounds."""

from __future__ import annotations

from roofline.reality import KINDS, measurements, median_share

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


def shares_of_all() -> Table:
    """Return every published measurement beside its bound.

    Returns
    -------
    Table
        A row for each, in the order of the catalog, with its cause where it is above its bound.

    Examples
    --------
    >>> shares_of_all().texts()[0][:4]
    ['bandwidth-047', 'bandwidth', 'A100 SXM 40GB', 'gpu-stream of gpu-benches']
    """
    rows = []
    for point in measurements():
        devices = point.device.name if point.devices == 1 else f"{point.devices} × {point.device.name}"
        rows.append(
            (
                Cell(point.id),
                Cell(point.kind),
                Cell(devices),
                Cell(point.code),
                Cell(point.value.shown),
                number(f"measured('{point.id}').share", "%", 2),
                Cell(point.above or ""),
            )
        )
    return Table(("Id", "What ran", "Device", "Code", "Measured", "Share of the bound", "Above, because"), tuple(rows))
