"""The roofline of one GPU: both axes logarithmic, the two roofs, and kernels as points on them."""

from __future__ import annotations

import math
from typing import Any, Final

from figures.one_gpu.description import CHOSEN, DESCRIPTION, FACTORS, INTENSITIES, POINTS, RATES, Point
from figures.shared.canvas import (
    LINE,
    SMALL,
    TEXT,
    WIDTH,
    Box,
    along,
    canvas,
    draw_roof,
    marker_style,
    painted,
    regime_key,
    set_axis,
    text,
    text_width,
)
from figures.shared.colours import COMPUTE, INK, MEMORY, MUTED
from figures.shared.controls import Choice, Interactive, Number, device_choice, format_choice
from figures.shared.drawing import Drawing, render
from figures.shared.template import filled
from figures.shared.words import as_given, listed, working_of_roof
from roofline import Bound, Roof, bound, device
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.tables import Cell, Table
from roofline.types import FormatName

_HEIGHT: Final = 528
_INSIDE: Final = Box(52, 54, 454, 450)


def draw(
    name: str = "H100 SXM",
    dtype: FormatName = "bf16",
    points: tuple[Point, ...] = POINTS,
    *,
    other: str = "A100 SXM 80GB",
) -> Drawing:
    """Draw the roofline of one GPU with kernels on it, and that of another as an outline to compare with.

    Parameters
    ----------
    name : str
        The device.
    dtype : str
        The format of every tensor and of the arithmetic.
    points : tuple of Point
        The kernels, in the order of the data table.
    other : str
        The device to compare with, in the same format or, where it has no such peak, in bf16 or its first format.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Raises
    ------
    UnknownDevice, UnknownFormat
        Where the catalog has no such device or format.

    Examples
    --------
    >>> draw().alt[:96]
    'The roofline of an H100 SXM in bf16, both axes logarithmic. The memory roof rises with 3.35 TB/s'
    """
    roof = device(name).roof(dtype)
    other_dtype = _format_of(other, dtype)
    outline = device(other).roof(other_dtype)
    bounds = {point: bound(point.kernel(dtype), roof) for point in points}
    alt = _alt(name, dtype, roof, bounds, other, other_dtype)
    same = (name, dtype) == (other, other_dtype)
    there = {point: bound(point.kernel(other_dtype), outline).attainable for point in points}
    labels = {
        point: point.label if same else DESCRIPTION.say("name", label=point.label, rise=limit.attainable / there[point])
        for point, limit in bounds.items()
    }
    svg = render(_picture(name, dtype, roof, bounds, labels, other, outline), "one-gpu", alt)
    # The script knows the lesson's kernels and no others.
    live = _live(name, dtype, other, other_dtype) if points == POINTS else None
    return Drawing(svg, alt, _table(name, dtype, points, other, other_dtype), live)


def _format_of(other: str, dtype: FormatName) -> FormatName:
    formats = device(other).formats
    return next((fmt for fmt in (dtype, "bf16") if fmt in formats), formats[0])


def _live(name: str, dtype: FormatName, other: str, other_dtype: FormatName) -> Interactive:
    controls = (
        device_choice(name),
        format_choice(dtype),
        Choice("point", "Kernel", tuple((point.value, point.label) for point in POINTS), CHOSEN.value),
        Number("factor", "Move it: times its own intensity", 1, *FACTORS, whole=False),
        device_choice(other, "other", "Compare with"),
        format_choice(other_dtype, "other_format", "in format"),
    )
    return Interactive("one_gpu", controls, DESCRIPTION.say("invitation"))


def _alt(
    name: str, dtype: FormatName, roof: Roof, bounds: dict[Point, Bound], other: str, other_dtype: FormatName
) -> str:
    def group(regime: str) -> str:
        members = listed(
            DESCRIPTION.say("point", label=point.label, intensity=limit.kernel.intensity)
            for point, limit in sorted(bounds.items(), key=lambda item: item[1].kernel.intensity)
            if limit.regime == regime
        )
        return members or DESCRIPTION.say("none")

    return DESCRIPTION.say(
        "alt",
        article="an" if name[0] in "AHLR8" else "a",
        device=name,
        format=dtype,
        bandwidth=as_given(roof.bandwidth, "B/s"),
        peak=as_given(roof.peak, "FLOP/s"),
        ridge=roof.ridge,
        memory=group(MEMORY_BOUND),
        compute=group(COMPUTE_BOUND),
        other=other,
        other_format=other_dtype,
    )


def _table(name: str, dtype: FormatName, points: tuple[Point, ...], other: str, other_dtype: FormatName) -> Table:
    def cells(point: Point) -> tuple[Cell, ...]:
        kernel = point.working(dtype)
        limited = f"bound({kernel}, {working_of_roof(name, dtype)})"
        there = f"bound({point.working(other_dtype)}, {working_of_roof(other, other_dtype)})"
        return DESCRIPTION.row(
            Cell(point.label),
            f"{kernel}.flops",
            f"{kernel}.nbytes",
            f"{kernel}.intensity",
            f"{limited}.compute_time",
            f"{limited}.memory_time",
            f"{limited}.attainable",
            f"{limited}.fraction_of_peak",
            f"{limited}.regime",
            f"{limited}.attainable / {there}.attainable",
        )

    return DESCRIPTION.table(map(cells, points), other=other, other_format=other_dtype)


@painted
def _picture(
    name: str,
    dtype: FormatName,
    roof: Roof,
    bounds: dict[Point, Bound],
    labels: dict[Point, str],
    other: str,
    outline: Roof,
) -> Any:
    figure, axes = canvas(_HEIGHT, _INSIDE)
    set_axis(axes, "x", DESCRIPTION.axes["x"])
    set_axis(axes, "y", DESCRIPTION.axes["y"])
    text(figure, 10, _HEIGHT - 14, filled(DESCRIPTION.axes["y"].title, device=name, format=dtype))
    regime_key(figure, 10, _HEIGHT - 40)

    low, high = INTENSITIES
    axes.plot(
        [low, outline.ridge, high], [outline.attainable(low), outline.peak, outline.peak],
        color=MUTED, linewidth=1.6, linestyle=(0, (1, 2.5)),
    )  # fmt: skip
    axes.plot([low, roof.ridge], [roof.peak, roof.peak], color=COMPUTE, linewidth=1.2, linestyle=(0, (4, 4)))
    draw_roof(axes, roof, INTENSITIES, RATES[0])
    taken = [_label_outline(figure, other, outline)]
    taken += _label_roofs(figure, roof, taken[0])
    _label_points(figure, roof, bounds, labels, taken)
    for limit in bounds.values():
        axes.plot([limit.kernel.intensity], [limit.attainable], zorder=3, **marker_style(limit.regime))
    return figure


def _x(intensity: float) -> float:
    return along(intensity, INTENSITIES, _INSIDE.left, _INSIDE.right)


def _y(rate: float) -> float:
    return along(rate, RATES, _INSIDE.bottom, _INSIDE.top)


def _label_roofs(figure: Any, roof: Roof, outline: Box) -> list[Box]:
    """Name both roofs and the ridge point beside them; return what the names cover."""
    peak = DESCRIPTION.say("compute roof", peak=as_given(roof.peak, "FLOP/s"))
    ridge = DESCRIPTION.say("ridge", ridge=roof.ridge)
    x, y = _x(roof.ridge), _y(roof.peak)
    # To the left of the ridge point, above the roof; with a ridge point far to the left, below the roof's other end.
    wide = text_width(peak)
    leftwards = _INSIDE.left + wide + 12 < x
    where, side, level = (_INSIDE.left + 4, "left", y + 13) if leftwards else (_INSIDE.right, "right", y - 14)
    left = where if leftwards else where - wide
    if _line(left, level, wide).meets(outline):
        level = outline.bottom - LINE / 2
    text(figure, where, level, peak, color=COMPUTE, ha=side)
    covered = _line(left, level, wide)

    # Written along the slope, in the middle of its length.
    low = INTENSITIES[0]
    angle = math.degrees(math.atan2(y - _y(roof.attainable(low)), x - _x(low)))
    middle = math.sqrt(low * roof.ridge) * 0.8
    away = TEXT / 2 + 9
    text(
        figure,
        _x(middle) - away * math.sin(math.radians(angle)),
        _y(roof.attainable(middle)) + away * math.cos(math.radians(angle)),
        DESCRIPTION.say("memory roof", bandwidth=as_given(roof.bandwidth, "B/s")),
        color=MEMORY,
        ha="center",
        rotation=angle,
        rotation_mode="anchor",
    )
    wide = text_width(ridge, SMALL)
    right = x + 8 + wide < WIDTH - 4
    low = _INSIDE.bottom + 12
    text(figure, x + 8 if right else x - 8, low, ridge, color=MUTED, fontsize=SMALL, ha="left" if right else "right")
    return [
        covered,
        _line(x + 8 if right else x - 8 - wide, low, wide),
        Box(x, y - 3, _INSIDE.right, y + 3),  # the flat roof itself
    ]


def _label_outline(figure: Any, other: str, outline: Roof) -> Box:
    """Name the device to compare with under the right end of its outline; return what the name covers."""
    right, middle = _INSIDE.right, _y(outline.peak) - LINE / 2 - 2
    text(figure, right, middle, other, color=MUTED, fontsize=SMALL, ha="right")
    return _line(right - text_width(other, SMALL), middle, text_width(other, SMALL))


def _label_points(
    figure: Any, roof: Roof, bounds: dict[Point, Bound], labels: dict[Point, str], taken: list[Box]
) -> None:
    """Name each point beside a thin leader: below the slope to the right, above the flat roof to the left.

    It goes from the ridge point outwards, so that a leader never crosses the name of another point.
    """
    ordered = sorted(bounds.items(), key=lambda item: item[1].kernel.intensity)
    below = [(point, limit, -1) for point, limit in reversed(ordered) if limit.regime == MEMORY_BOUND]
    above = [(point, limit, 1) for point, limit in ordered if limit.regime == COMPUTE_BOUND]
    for point, limit, step in below + above:
        x, y, wide = _x(limit.kernel.intensity), _y(limit.attainable), text_width(labels[point])
        left = min(x + 10, WIDTH - 4 - wide) if step < 0 else max(x - 10 - wide, _INSIDE.left)
        middle = y + (-6 if step < 0 else 16)
        if step < 0 and left < x:
            # Moved to the left by the edge of the drawing, the name must stay below the slope.
            steepness = (y - _y(roof.attainable(INTENSITIES[0]))) / (x - _x(INTENSITIES[0]))
            middle -= (x - left) * steepness + LINE / 2
        while any(_line(left, middle, wide).meets(other) for other in taken):
            middle += step
        taken.append(_line(left, middle, wide))
        if abs(middle - y) > 8:
            _leader(figure, x, y, middle, -step * 7 if left > x or step > 0 else 0)
            taken.append(Box(x - 5, min(y, middle), x, max(y, middle)))
        text(figure, left, middle, labels[point], color=INK)


def _line(left: float, middle: float, wide: float) -> Box:
    return Box(left - 2, middle - LINE / 2, left + wide + 2, middle + LINE / 2)


def _leader(figure: Any, x: float, y: float, middle: float, aside: float) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - with the rest of matplotlib

    xs, ys = [x, x, x + aside], [y, middle, middle]
    figure.add_artist(
        Line2D([value / WIDTH for value in xs], [value / _HEIGHT for value in ys], color=MUTED, linewidth=1, zorder=1)
    )
