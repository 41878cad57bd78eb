"""What the published measurements beside their bounds show and say."""

from __future__ import annotations

import math
from typing import Any, Final

from figures.shared.canvas import WIDTH, Box, along
from figures.shared.description import Axis, Column, Description
from roofline import Measurement, format_quantity, measurements, median_share
from roofline.bounds import COMPUTE_BOUND
from roofline.reality import KINDS, bound_of

#: Achieved over bound.
SHARES: Final = (0.02, 5.0)
#: The rows from top to bottom: the kind that comes nearest to its bound first.
ROWS: Final = tuple(sorted(KINDS, key=median_share, reverse=True))
ROW: Final = 62
#: Where the rows are in the picture, px.
INSIDE: Final = Box(142, 60, WIDTH - 24, 60 + ROW * len(ROWS))
#: Sequences or prompts that share a step: from, to; a matmul or a stream has none.
BATCHES: Final = {"1": (1, 1), "2 to 31": (2, 31), "32 or more": (32, None), "not stated": (None, None)}
ALL: Final = "all"
NONE: Final = "none"
#: How far apart the centres of two marks are at least, px, and how far a row reaches to either side of its middle.
APART: Final = 7.0
REACH: Final = 24.0


def spread(places: list[float]) -> list[float]:
    """Return how far each mark moves off the middle of its row, so that none hides another.

    Parameters
    ----------
    places : list of float
        Where the marks are along the row, px.

    Returns
    -------
    list of float
        Px across the row, in the same order.

    Examples
    --------
    >>> spread([10.0, 10.0, 10.0, 40.0])
    [0.0, 7.0, -7.0, 0.0]
    """
    steps = [0.0, *(float(side * step) for step in range(1, int(REACH) + 1) for side in (1, -1))]
    moved: dict[int, float] = {}
    for index in sorted(range(len(places)), key=lambda index: places[index]):
        others = [(places[other], step) for other, step in moved.items()]

        def room(step: float, x: float = places[index], others: list[tuple[float, float]] = others) -> float:
            """Return how far the nearest mark is, or the distance that is enough."""
            return min([APART, *(math.hypot(x - other, step - y) for other, y in others)])

        # The nearest to the middle with room enough; where a row is full, the one with most room.
        moved[index] = max(steps, key=room)
    return [moved[index] for index in range(len(places))]


def _devices_of(point: Measurement) -> str:
    """Return the device of a measurement, and how many of it there were."""
    return point.device.name if point.devices == 1 else f"{point.devices} × {point.device.name}"


def _points() -> list[dict[str, Any]]:
    """Return what is drawn and told of each measurement, in Python and in the script."""
    off: dict[str, float] = {}
    for kind in ROWS:
        points = measurements(kind)
        places = [along(point.share, SHARES, INSIDE.left, INSIDE.right) for point in points]
        off |= dict(zip((point.id for point in points), spread(places), strict=True))
    return [
        {
            "id": point.id,
            "kind": point.kind,
            "device": point.device.name,
            "on": _devices_of(point),
            "work": point.work.described,
            "code": point.code,
            "batch": point.batch,
            "measured": point.value.shown,
            "bound": format_quantity(bound_of(point), point.value.unit),
            "share": point.share,
            # Where only a peak bounds the work, the regime is the peak's.
            "compute": point.limit is None or point.limit.regime == COMPUTE_BOUND,
            "above": point.above or "",
            "source": f"{point.value.source.title}, {point.where}",
            "date": point.date,
            "off": off[point.id],
        }
        for point in measurements()
    ]


DESCRIPTION: Final = Description(
    axes={"x": Axis("share of what the bound allows", SHARES, (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0), form="% 1")},
    columns=(
        Column("Id"),
        Column("What ran"),
        Column("Device"),
        Column("Code"),
        Column("Measured"),
        Column("Share of the bound", "% 2"),
        Column("Above, because"),
    ),
    says={
        "bound": "the bound",
        "median": "median",
        "key": "hollow: above its bound; upright line: the median",
        "points": "{count:typed} points",
        "point": "1 point",
        "share": "{share:% 2}",
        "nothing": "–",
        "alt": (
            "Marks of {count:typed} published measurements on a logarithmic axis from {least:% 1} to {most:% 1} of "
            "their bound. A line marks the bound. Medians: {medians}. {above:typed} lie above the line."
        ),
        "row": "{kind} {share:% 2}",
        "readout": "{shown:typed} of {count:typed} measurements. {middle}{chosen}",
        "middle": "The median of those that keep their bound is {median:% 2} of it.",
        "no middle": "None of them keeps its bound.",
        "chosen": (
            " {id}: {work}, on {on}, with {code}. Measured {measured}, bound {bound}: {share:% 2} of it{cause}. "
            "Source: {source}, {date}."
        ),
        "cause": ", {above}",
        "mark": "{id}: {work}, {on}: {measured}, {share:% 2} of the bound",
        "left out": "{id} is not among the measurements that are left, so none is told of.",
    },
    data={
        "points": _points(),
        "rows": ROWS,
        "batches": {name: list(ends) for name, ends in BATCHES.items()},
        "all": ALL,
        "none": NONE,
        "reach": REACH,
    },
)
