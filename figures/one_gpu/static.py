"""The roofline of one GPU: both axes logarithmic, the two roofs, and kernels as points on them."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import dataclass
from typing import Any, Final

import roofline
from figures.shared.canvas import (
    LINE,
    SMALL,
    TEXT,
    WIDTH,
    Box,
    canvas,
    marker_style,
    painted,
    regime_key,
    text,
    text_width,
)
from figures.shared.colours import COMPUTE, INK, MEMORY, MUTED
from figures.shared.controls import Choice, Interactive, Number, device_choice, format_choice
from figures.shared.drawing import Drawing, render
from figures.shared.words import as_given, listed, working_of_roof
from roofline import Bound, Kernel, Roof, bound, device, format_quantity
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.tables import Cell, Table

#: The same axes for every device and format, so that a change of device is seen: FLOP/byte and FLOP/s.
INTENSITIES: Final = (0.05, 1e4)
RATES: Final = (1e9, 1e17)
#: How far a point may be moved: times its own intensity.
FACTORS: Final = (1e-5, 1e5)

_HEIGHT: Final = 510
_INSIDE: Final = Box(52, 54, 454, 450)


@dataclass(frozen=True)
class Point:
    """A kernel of the picture.

    Parameters
    ----------
    label : str
        What the picture calls it.
    cost : str
        Name of its cost function in `roofline`.
    sizes : tuple of int
        The sizes that the cost function takes first.

    Examples
    --------
    >>> Point("matmul B = 1", "matmul", (1, 4096, 4096)).working("bf16")
    'matmul(1, 4096, 4096, dtype="bf16")'
    """

    label: str
    cost: str
    sizes: tuple[int, ...]

    @property
    def value(self) -> str:
        """What the address of the page calls it.

        Returns
        -------
        str
            Its label in lower case, without spaces and signs.

        Examples
        --------
        >>> Point("matmul B = 1", "matmul", (1, 4096, 4096)).value
        'matmul-b-1'
        """
        return re.sub(r"[^a-z0-9]+", "-", self.label.lower()).strip("-")

    def kernel(self, dtype: str) -> Kernel:
        """Return its cost in a format.

        Parameters
        ----------
        dtype : str
            The format of every tensor.

        Returns
        -------
        Kernel
            FLOPs and bytes.
        """
        kernel: Kernel = getattr(roofline, self.cost)(**self.named(), dtype=dtype)
        return kernel

    def named(self) -> dict[str, int]:
        """Return its sizes by the names that the cost function has for them.

        Returns
        -------
        dict of str to int
            In the order of the function's parameters.

        Examples
        --------
        >>> Point("matmul B = 1", "matmul", (1, 4096, 4096)).named()
        {'B': 1, 'D': 4096, 'F': 4096}
        """
        return dict(zip(inspect.signature(getattr(roofline, self.cost)).parameters, self.sizes, strict=False))

    def working(self, dtype: str) -> str:
        """Return the expression that gives the same kernel.

        Parameters
        ----------
        dtype : str
            The format of every tensor.

        Returns
        -------
        str
            Over the public names of `roofline`.
        """
        parameters = inspect.signature(getattr(roofline, self.cost)).parameters
        by_name = {name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY}
        sizes = (f"{name}={size}" if name in by_name else str(size) for name, size in self.named().items())
        return f'{self.cost}({", ".join(sizes)}, dtype="{dtype}")'


#: The kernels of the lesson.
POINTS: Final = (
    Point("ReLU", "elementwise", (10**8,)),
    Point("RMSNorm", "rms_norm", (16384, 4096)),
    Point("matmul B = 1", "matmul", (1, 4096, 4096)),
    Point("decode attention (MHA)", "attention_decode", (8192, 128)),
    Point("decode attention (GQA)", "attention_decode", (8192, 128, 4)),
    Point("matmul B = 8", "matmul", (8, 4096, 4096)),
    Point("matmul B = 64", "matmul", (64, 4096, 4096)),
    Point("attention T = 256", "attention_prefill", (256, 128)),
    Point("matmul B = 345", "matmul", (345, 4096, 4096)),
    Point("attention T = 2,048", "attention_prefill", (2048, 128)),
    Point("matmul B = 4,096", "matmul", (4096, 4096, 4096)),
)


def draw(
    name: str = "H100 SXM", dtype: str = "bf16", points: tuple[Point, ...] = POINTS, *, other: str = "A100 SXM 80GB"
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
    alt = f"{_alt(name, dtype, roof, bounds)} A dotted outline is the roofline of {other} in {other_dtype}."
    svg = render(_picture(name, dtype, roof, bounds, other, outline), "one-gpu", alt)
    # The script knows the lesson's kernels and no others.
    live = _live(name, dtype, other, other_dtype) if points == POINTS else None
    return Drawing(svg, alt, _table(name, dtype, bounds, other, other_dtype), live)


def _format_of(other: str, dtype: str) -> str:
    formats = device(other).formats
    return next((fmt for fmt in (dtype, "bf16") if fmt in formats), formats[0])


def _live(name: str, dtype: str, other: str, other_dtype: str) -> Interactive:
    controls = (
        device_choice(name),
        format_choice(dtype),
        Choice("point", "Kernel", tuple((point.value, point.label) for point in POINTS), POINTS[6].value),
        Number("factor", "Move it: times its own intensity", 1, *FACTORS, whole=False),
        device_choice(other, "other", "Compare with"),
        format_choice(other_dtype, "other_format", "in format"),
    )
    return Interactive("one_gpu", controls, "Choose a kernel, move it, or switch the device.")


def _alt(name: str, dtype: str, roof: Roof, bounds: dict[Point, Bound]) -> str:
    def group(regime: str) -> str:
        return listed(
            f"{point.label} at {format_quantity(at, 'FLOP/B', _digits(at), prefix='')}"
            for at, point in sorted(
                ((limit.kernel.intensity, point) for point, limit in bounds.items() if limit.regime == regime),
                key=lambda item: item[0],
            )
        )

    return (
        f"The roofline of {'an' if name[0] in 'AHLR8' else 'a'} {name} in {dtype}, both axes logarithmic. "
        f"The memory roof rises with {as_given(roof.bandwidth, 'B/s')} until it meets the flat compute roof of "
        f"{as_given(roof.peak, 'FLOP/s')} at the ridge point, {format_quantity(roof.ridge, 'FLOP/B', 3, prefix='')}. "
        f"Memory-bound, on the slope: {group(MEMORY_BOUND) or 'none'}. "
        f"Compute-bound, on the flat roof: {group(COMPUTE_BOUND) or 'none'}."
    )


def _table(name: str, dtype: str, bounds: dict[Point, Bound], other: str, other_dtype: str) -> Table:
    outline = device(other).roof(other_dtype)

    def cells(point: Point, limit: Bound) -> tuple[Cell, ...]:
        kernel = point.working(dtype)
        limited = f"bound({kernel}, {working_of_roof(name, dtype)})"
        intensity = limit.kernel.intensity
        there = f"bound({point.working(other_dtype)}, {working_of_roof(other, other_dtype)})"
        rise = limit.attainable / bound(point.kernel(other_dtype), outline).attainable
        return (
            Cell(point.label),
            Cell(format_quantity(limit.kernel.flops, "FLOP"), f"{kernel}.flops"),
            Cell(format_quantity(limit.kernel.nbytes, "B"), f"{kernel}.nbytes"),
            Cell(format_quantity(intensity, "", _digits(intensity), prefix=""), f"{kernel}.intensity"),
            Cell(format_quantity(limit.compute_time, "s"), f"{limited}.compute_time"),
            Cell(format_quantity(limit.memory_time, "s"), f"{limited}.memory_time"),
            Cell(format_quantity(limit.attainable, "FLOP/s"), f"{limited}.attainable"),
            Cell(format_quantity(limit.fraction_of_peak, "%", 2), f"{limited}.fraction_of_peak"),
            Cell(limit.regime, f"{limited}.regime"),
            Cell(format_quantity(rise, "×"), f"{limited}.attainable / {there}.attainable"),
        )

    heads = (
        *("Kernel", "FLOPs", "Bytes", "Intensity (FLOP/byte)", "FLOPs/P", "bytes/BW", "At most", "Of peak, at most"),
        *("Regime", f"Against {other}, {other_dtype}"),
    )
    return Table(heads, tuple(cells(point, limit) for point, limit in bounds.items()))


@painted
def _picture(name: str, dtype: str, roof: Roof, bounds: dict[Point, Bound], other: str, outline: Roof) -> Any:
    figure, axes = canvas(_HEIGHT, _INSIDE)
    axes.set(xscale="log", yscale="log", xlim=INTENSITIES, ylim=RATES)
    axes.minorticks_off()
    ticks = [10.0**power for power in range(-1, 5)]
    axes.set_xticks(ticks, [format_quantity(tick, "", 1, prefix="") for tick in ticks])
    ticks = [10.0**power for power in range(11, 17)]
    axes.set_yticks(ticks, [format_quantity(tick, "FLOP/s", 1).removesuffix("FLOP/s") for tick in ticks])
    axes.set_xlabel("arithmetic intensity, FLOP/byte", color=INK, fontsize=TEXT, labelpad=6)
    text(figure, 10, _HEIGHT - 14, f"FLOP/s that a kernel can reach, {name}, {dtype}")
    regime_key(figure, 10, _HEIGHT - 40)

    low, high = INTENSITIES
    axes.plot(
        [low, outline.ridge, high], [outline.attainable(low), outline.peak, outline.peak],
        color=MUTED, linewidth=1.6, linestyle=(0, (1, 2.5)),
    )  # fmt: skip
    axes.plot([roof.ridge, roof.ridge], [RATES[0], roof.peak], color=MUTED, linewidth=1.2, linestyle=(0, (2, 3)))
    axes.plot([low, roof.ridge], [roof.peak, roof.peak], color=COMPUTE, linewidth=1.2, linestyle=(0, (4, 4)))
    axes.plot([low, roof.ridge], [roof.attainable(low), roof.peak], color=MEMORY, linewidth=3, solid_capstyle="round")
    axes.plot([roof.ridge, high], [roof.peak, roof.peak], color=COMPUTE, linewidth=3, solid_capstyle="round")
    taken = [_label_outline(figure, other, outline), *_label_roofs(figure, roof)]
    _label_points(figure, roof, bounds, taken)
    for limit in bounds.values():
        axes.plot([limit.kernel.intensity], [limit.attainable], zorder=3, **marker_style(limit.regime))
    return figure


def _x(intensity: float) -> float:
    share = math.log10(intensity / INTENSITIES[0]) / math.log10(INTENSITIES[1] / INTENSITIES[0])
    return _INSIDE.left + share * (_INSIDE.right - _INSIDE.left)


def _y(rate: float) -> float:
    share = math.log10(rate / RATES[0]) / math.log10(RATES[1] / RATES[0])
    return _INSIDE.bottom + share * (_INSIDE.top - _INSIDE.bottom)


def _label_roofs(figure: Any, roof: Roof) -> list[Box]:
    """Name both roofs and the ridge point where they are; return what the names cover."""
    peak = f"compute roof\n{as_given(roof.peak, 'FLOP/s')}"
    ridge = f"ridge point\n{format_quantity(roof.ridge, 'FLOP/B', 3, prefix='')}"
    x, y = _x(roof.ridge), _y(roof.peak)
    text(figure, _INSIDE.left + 4, y + 6, peak, color=COMPUTE, va="bottom", linespacing=1.25)
    wide = max(text_width(line) for line in peak.split("\n"))
    covered = Box(_INSIDE.left, y, _INSIDE.left + wide + 12, y + 8 + 2 * LINE)

    # Written along the slope, in the middle of its length.
    low = INTENSITIES[0]
    angle = math.degrees(math.atan2(y - _y(roof.attainable(low)), x - _x(low)))
    middle = math.sqrt(low * roof.ridge) * 0.8
    away = TEXT / 2 + 9
    text(
        figure,
        _x(middle) - away * math.sin(math.radians(angle)),
        _y(roof.attainable(middle)) + away * math.cos(math.radians(angle)),
        f"memory roof, {as_given(roof.bandwidth, 'B/s')}",
        color=MEMORY,
        ha="center",
        rotation=angle,
        rotation_mode="anchor",
    )
    wide = max(text_width(line, SMALL) for line in ridge.split("\n"))
    right = x + 8 + wide < WIDTH - 4
    text(
        figure, x + 8 if right else x - 8, _INSIDE.bottom + 26, ridge,
        color=MUTED, fontsize=SMALL, ha="left" if right else "right", linespacing=1.25,
    )  # fmt: skip
    left = x + 8 if right else x - 8 - wide
    return [
        covered,
        Box(left, _INSIDE.bottom, left + wide, _INSIDE.bottom + 8 + 2 * LINE),
        Box(x, y - 3, _INSIDE.right, y + 3),  # the flat roof itself
    ]


def _label_outline(figure: Any, other: str, outline: Roof) -> Box:
    """Name the device to compare with under the right end of its outline; return what the name covers."""
    right, middle = _INSIDE.right, _y(outline.peak) - LINE / 2 - 2
    text(figure, right, middle, other, color=MUTED, fontsize=SMALL, ha="right")
    return _line(right - text_width(other, SMALL), middle, text_width(other, SMALL))


def _label_points(figure: Any, roof: Roof, bounds: dict[Point, Bound], taken: list[Box]) -> None:
    """Name each point beside a thin leader: below the slope to the right, above the flat roof to the left.

    From the ridge outwards, so that a leader never crosses the name of another point.
    """
    ordered = sorted(bounds.items(), key=lambda item: item[1].kernel.intensity)
    below = [(point, limit, -1) for point, limit in reversed(ordered) if limit.regime == MEMORY_BOUND]
    above = [(point, limit, 1) for point, limit in ordered if limit.regime == COMPUTE_BOUND]
    for point, limit, step in below + above:
        x, y, wide = _x(limit.kernel.intensity), _y(limit.attainable), text_width(point.label)
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
        text(figure, left, middle, point.label, color=INK)


def _line(left: float, middle: float, wide: float) -> Box:
    return Box(left - 2, middle - LINE / 2, left + wide + 2, middle + LINE / 2)


def _leader(figure: Any, x: float, y: float, middle: float, aside: float) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - with the rest of matplotlib

    xs, ys = [x, x, x + aside], [y, middle, middle]
    figure.add_artist(
        Line2D([value / WIDTH for value in xs], [value / _HEIGHT for value in ys], color=MUTED, linewidth=1, zorder=1)
    )


def _digits(intensity: float) -> int:
    """Two digits, and all of a larger whole number."""
    return max(2, math.floor(math.log10(intensity)) + 1)
