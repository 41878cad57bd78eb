"""Every published measurement as a mark under its bound: achieved over what the bound allows, a row for each kind."""

from __future__ import annotations

from typing import Any, Final

from figures.shared.canvas import SMALL, TEXT, WIDTH, Box, along, canvas, marker_style, painted, text
from figures.shared.colours import GRID, INK, MUTED, SURFACE
from figures.shared.drawing import Drawing, render
from figures.shared.words import listed
from roofline import Measurement, format_quantity, measurements, median_share
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.reality import KINDS
from roofline.tables import shares_of_all

#: Achieved over bound.
SHARES: Final = (0.02, 5.0)
_TICKS: Final = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
_ROW: Final = 62
_FOOT: Final = 60
_HEAD: Final = 76
_LEFT: Final = 142
#: How far apart the centres of two marks are at least, px, and how far a row reaches to either side of its middle.
_APART: Final = 7.0
_REACH: Final = 24.0


def draw() -> Drawing:
    """Draw all published measurements, those of one kind in one row, with the median of each.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Examples
    --------
    >>> draw().alt.split(". ")[1]
    'A line marks the bound, 100%'
    """
    kinds = sorted(KINDS, key=median_share, reverse=True)
    alt = (
        f"Marks of {len(measurements())} published measurements on a logarithmic axis from "
        f"{_tick(SHARES[0])} to {_tick(SHARES[1])} of their bound. A line marks the bound, 100%. "
        f"Medians: {listed(f'{kind} {_percent(median_share(kind))}' for kind in kinds)}. "
        f"{_above()} lie above the line."
    )
    return Drawing(render(_picture(kinds), "how-close", alt), alt, shares_of_all())


def _percent(share: float) -> str:
    return format_quantity(share, "%", 2)


def _tick(share: float) -> str:
    return format_quantity(share, "%", 1)


def _above() -> int:
    return len([point for point in measurements() if point.above])


def spread(places: list[float]) -> list[float]:
    """Return how far each mark moves off the middle of its row, so that none hides another while there is room.

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
    steps = [0.0, *(side * step * _APART for step in range(1, int(_REACH // _APART) + 1) for side in (1, -1))]
    placed: list[tuple[float, float]] = []
    moved: dict[int, float] = {}
    for index in sorted(range(len(places)), key=lambda index: places[index]):
        free = (
            step
            for step in steps
            if all((places[index] - x) ** 2 + (step - y) ** 2 >= _APART**2 - 1e-9 for x, y in placed)
        )
        # Where a row is full, the mark stays in the middle.
        step = next(free, 0.0)
        placed.append((places[index], step))
        moved[index] = step
    return [moved[index] for index in range(len(places))]


def _regime(point: Measurement) -> str:
    """Return the regime of the bound; where only a peak bounds the work, it is the peak's."""
    return point.limit.regime if point.limit else COMPUTE_BOUND


@painted
def _picture(kinds: list[str]) -> Any:
    height = _HEAD + _ROW * len(kinds) + _FOOT
    inside = Box(_LEFT, _FOOT, WIDTH - 24, height - _HEAD)
    figure, axes = canvas(height, inside)
    axes.set(xscale="log", xlim=SHARES, ylim=(inside.bottom, inside.top))
    axes.minorticks_off()
    axes.set_yticks([])
    axes.set_xticks(_TICKS, [_tick(tick) for tick in _TICKS])
    axes.set_xlabel("share of what the bound allows", color=INK, fontsize=TEXT, labelpad=6)
    _key(figure, height)

    axes.plot([1, 1], [inside.bottom, inside.top], color=INK, linewidth=2, zorder=2)
    text(figure, _x(1.0, inside), inside.top + 13, "the bound", ha="center")
    text(figure, inside.left - 12, inside.top + 13, "median", ha="right", color=MUTED, fontsize=SMALL)
    for row, kind in enumerate(kinds):
        middle = inside.top - _ROW * (row + 0.5)
        if row:
            axes.plot(SHARES, [middle + _ROW / 2] * 2, color=GRID, linewidth=1, zorder=1)
        points = measurements(kind)
        text(figure, 8, middle + 9, kind)
        text(figure, 8, middle - 10, f"{len(points)} points", color=MUTED, fontsize=SMALL)
        shares = [point.share for point in points]
        for point, share, off in zip(points, shares, spread([_x(share, inside) for share in shares]), strict=True):
            style = marker_style(_regime(point)) | {"markersize": 6, "markeredgewidth": 1, "zorder": 4}
            if point.above:
                style |= {"markerfacecolor": SURFACE, "markeredgecolor": style["color"]}
            axes.plot([share], [middle + off], **style)
        median = median_share(kind)
        axes.plot([median] * 2, [middle - _REACH, middle + _REACH], color=INK, linewidth=2.5, zorder=5)
        text(figure, inside.left - 12, middle, _percent(median), ha="right")
    return figure


def _key(figure: Any, height: float) -> None:
    """Say above the picture what the marks are."""
    y = height - 16
    for x, regime in ((10, MEMORY_BOUND), (150, COMPUTE_BOUND)):
        figure.add_artist(_mark(x + 6, y, height, regime))
        text(figure, x + 18, y, regime)
    text(figure, 306, y, "|  median of the row")
    text(figure, 10, y - 20, "hollow: above its bound, cause in the table", fontsize=SMALL, color=MUTED)


def _mark(x: float, y: float, height: float, regime: str) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - slow, and needed only where something is drawn

    return Line2D([x / WIDTH], [y / height], **(marker_style(regime) | {"markersize": 8}))


def _x(share: float, inside: Box) -> float:
    return along(share, SHARES, inside.left, inside.right)
