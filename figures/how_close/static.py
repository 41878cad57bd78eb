"""Every published measurement as a mark under its bound: achieved over what the bound allows, a row for each kind."""

from __future__ import annotations

import statistics
from typing import Any, Final

from figures.how_close.description import (
    ALL,
    BATCHES,
    DESCRIPTION,
    INSIDE,
    NONE,
    REACH,
    ROW,
    ROWS,
    SHARES,
)
from figures.shared.canvas import SMALL, along, canvas, marker_style, painted, regime_key, set_axis, text
from figures.shared.colours import GRID, INK, MUTED, SURFACE
from figures.shared.controls import Choice, Interactive
from figures.shared.drawing import Drawing, render
from figures.shared.words import listed
from roofline import measurements, median_share
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.tables import Cell

_HEAD: Final = 76
_HEIGHT: Final = INSIDE.top + _HEAD


def draw() -> Drawing:
    """Draw all published measurements, those of one kind in one row, with the median of each.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Examples
    --------
    >>> draw().alt.split(". ")[1]
    'A line marks the bound'
    """
    say = DESCRIPTION.say
    points = measurements()
    alt = say(
        "alt",
        count=len(points),
        least=SHARES[0],
        most=SHARES[1],
        medians=listed(say("row", kind=kind, share=median_share(kind)) for kind in ROWS),
        above=sum(point.above is not None for point in points),
    )
    table = DESCRIPTION.table(
        DESCRIPTION.row(
            *(Cell(point[name]) for name in ("id", "kind", "on", "code", "measured")),
            f"measured({point['id']!r}).share",
            Cell(point["above"]),
        )
        for point in DESCRIPTION.data["points"]
    )
    return Drawing(render(_picture(), "how-close", alt), alt, table, _live())


def _live() -> Interactive:
    points = measurements()
    median = statistics.median(point.share for point in points if not point.above)
    everything = (ALL, ALL)
    controls = (
        Choice("kind", "What ran", (everything, *((kind, kind) for kind in ROWS)), ALL),
        Choice("device", "Device", (everything, *((name, name) for name in _device_names())), ALL),
        Choice("batch", "Batch", (everything, *((name, name) for name in BATCHES)), ALL),
        Choice("point", "Tell of one", ((NONE, NONE), *((point.id, point.id) for point in points)), NONE),
    )
    readout = DESCRIPTION.say(
        "readout",
        shown=len(points),
        count=len(points),
        middle=DESCRIPTION.say("middle", median=median),
        chosen="",
    )
    return Interactive("how_close", controls, readout)


def _device_names() -> list[str]:
    return sorted({point.device.name for point in measurements()})


@painted
def _picture() -> Any:
    say = DESCRIPTION.say
    figure, axes = canvas(_HEIGHT, INSIDE)
    set_axis(axes, "x", DESCRIPTION.axes["x"])
    axes.set(ylim=(INSIDE.bottom, INSIDE.top))
    axes.set_yticks([])
    regime_key(figure, 10, _HEIGHT - 16)
    text(figure, 10, _HEIGHT - 38, say("key"), fontsize=SMALL, color=MUTED)
    text(figure, along(1.0, SHARES, INSIDE.left, INSIDE.right), INSIDE.top + 13, say("bound"), ha="center")
    text(figure, INSIDE.left - 12, INSIDE.top + 13, say("median"), ha="right", color=MUTED, fontsize=SMALL)
    axes.plot([1, 1], [INSIDE.bottom, INSIDE.top], color=INK, linewidth=2, zorder=2)
    for row, kind in enumerate(ROWS):
        middle = INSIDE.top - ROW * (row + 0.5)
        if row:
            axes.plot(SHARES, [middle + ROW / 2] * 2, color=GRID, linewidth=1, zorder=1)
        points = [point for point in DESCRIPTION.data["points"] if point["kind"] == kind]
        text(figure, 8, middle + 9, kind)
        text(figure, 8, middle - 10, say("points", count=len(points)), color=MUTED, fontsize=SMALL)
        text(figure, INSIDE.left - 12, middle, say("share", share=median_share(kind)), ha="right")
        for point in points:
            regime = COMPUTE_BOUND if point["compute"] else MEMORY_BOUND
            style = marker_style(regime) | {"markersize": 6, "markeredgewidth": 1, "zorder": 4}
            if point["above"]:
                style |= {"markerfacecolor": SURFACE, "markeredgecolor": style["color"], "markeredgewidth": 1.5}
            axes.plot([point["share"]], [middle + point["off"]], **style)
        axes.plot([median_share(kind)] * 2, [middle - REACH, middle + REACH], color=INK, linewidth=2.5, zorder=5)
    return figure
