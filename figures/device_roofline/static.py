"""The roofs of one device, as a drawing of a few kilobytes: a page of the atlas has many of them.

All have the same axes, so that two devices can be compared by eye.
"""

from __future__ import annotations

import html
import math
from itertools import groupby
from typing import Final

from figures.shared.canvas import TEXT, WIDTH, along
from figures.shared.colours import COMPUTE, GRID, INK, MEMORY, MUTED, SURFACE, themed
from figures.shared.drawing import Drawing
from figures.shared.words import listed
from roofline import Device, device, format_quantity
from roofline.quantity import ridge_places, ridge_text
from roofline.tables import Cell, Table
from roofline.tables.cell import as_printed, computed, number
from roofline.types import FormatName

#: The axes of all devices: FLOP/byte and FLOP/s.
INTENSITIES: Final = (0.1, 1e4)
RATES: Final = (5e9, 2e16)

_HEIGHT: Final = 300
_LEFT: Final = 52
_RIGHT: Final = 306
_TOP: Final = 34
_BOTTOM: Final = 250
#: The least distance of the names of two roofs, px.
_GAP: Final = 18
_HALO: Final = f"paint-order: stroke; stroke: {SURFACE}; stroke-width: 4px"


def draw(name: str = "H100 SXM") -> Drawing:
    """Draw the roofs of one device: one slope, and one flat roof for each peak.

    Parameters
    ----------
    name : str
        The device.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Raises
    ------
    UnknownDevice
        Where the catalog has no such device.

    Examples
    --------
    >>> draw("M1 GPU").alt
    'The roofline of the M1 GPU: memory 68.25 GB/s; peaks: fp32 and fp16 2.6 TFLOP/s, ridge point 38.1 FLOP/byte.'
    """
    gpu = device(name)
    roofs = _roofs(gpu)
    said = "; ".join(
        f"{listed(formats)} {shown}, ridge point {_ridge(peak / gpu.bandwidth)}" for peak, shown, formats in roofs
    )
    alt = f"The roofline of the {gpu.name}: memory {gpu.bandwidth.shown}; peaks: {said}."
    return Drawing(_svg(gpu, roofs, alt), alt, _table(gpu))


def _roofs(gpu: Device) -> list[tuple[float, str, list[FormatName]]]:
    """Return each height of roof with the formats that have it, the highest first."""
    falling = sorted(gpu.formats, key=lambda fmt: -float(gpu.peaks[fmt]))
    groups = ((peak, list(formats)) for peak, formats in groupby(falling, key=lambda fmt: float(gpu.peaks[fmt])))
    return [(peak, gpu.peaks[formats[0]].shown, formats) for peak, formats in groups]


def _ridge(value: float) -> str:
    return ridge_text(value, "FLOP/B")


def _table(gpu: Device) -> Table:
    def cells(fmt: FormatName) -> tuple[Cell, ...]:
        get = f'device("{gpu.name}")'
        unit = "FLOP/B" if gpu.peaks[fmt].unit == "FLOP/s" else ""
        return (
            Cell(fmt),
            computed(f'{get}.peaks["{fmt}"]', as_printed),
            number(f'{get}.roof("{fmt}").ridge', unit, places=ridge_places),
        )

    return Table(("Format", "Dense peak", "Ridge point"), tuple(map(cells, gpu.formats)))


def _svg(gpu: Device, roofs: list[tuple[float, str, list[FormatName]]], alt: str) -> str:
    low, high = INTENSITIES
    parts = []
    for power in range(int(math.log10(low)), int(math.log10(high)) + 1):
        x = _x(10.0**power)
        parts += [
            _line(x, _TOP, x, _BOTTOM, GRID, 1),
            _text(x, _BOTTOM + 18, format_quantity(10.0**power, "", 1, prefix=""), MUTED, TEXT, "middle"),
        ]
    for power in (10, 12, 14, 16):
        y = _y(10.0**power)
        tick = format_quantity(10.0**power, "FLOP", 1).removesuffix("FLOP")
        parts += [_line(_LEFT, y, _RIGHT, y, GRID, 1), _text(_LEFT - 6, y + 5, tick, MUTED, TEXT, "end")]
    parts.append(_text(4, 18, "FLOP/s", MUTED, TEXT))
    parts.append(_text((_LEFT + _RIGHT) / 2, _HEIGHT - 10, "arithmetic intensity, FLOP/byte", INK, TEXT, "middle"))
    top = roofs[0][0] / gpu.bandwidth
    parts.append(_line(_x(low), _y(low * gpu.bandwidth), _x(top), _y(roofs[0][0]), MEMORY, 3))
    names = _spread([_y(peak) for peak, _, _ in roofs])
    for (peak, shown, formats), level in zip(roofs, names, strict=True):
        x, y = _x(peak / gpu.bandwidth), _y(peak)
        parts.append(_line(x, y, _RIGHT, y, COMPUTE, 2))
        parts.append(f'<circle cx="{x:.4g}" cy="{y:.4g}" r="3.5" style="fill: {INK}"/>')
        if abs(level - y) > 1:
            parts.append(_line(_RIGHT, y, _RIGHT + 8, level, MUTED, 1))
        parts.append(_text(_RIGHT + 11, level + 5, _roof_name(formats, shown), COMPUTE, TEXT))
    # Below the slope, where no roof is.
    parts.append(_text(_x(low) + 22, _y(low * gpu.bandwidth) + 9, gpu.bandwidth.shown, MEMORY, TEXT))
    style = "display: block; width: 100%; max-width: 30rem; height: auto; margin: 0 auto"
    head = f'<svg viewBox="0 0 {WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(alt)}" style="{style}">'
    return themed(f"{head}{''.join(parts)}</svg>")


def _roof_name(formats: list[FormatName], shown: str) -> str:
    """Return the name of a roof, short enough for the margin."""
    words = "/".join(fmt.replace("_tensor", " tensor").replace("_acc16", " acc16") for fmt in formats)
    number = shown.split(maxsplit=1)[0]
    return f"{words} {number}" if len(words) < 20 else f"{words[:19]}… {number}"


def _spread(levels: list[float]) -> list[float]:
    """Return the levels, from top to bottom, moved so that they are a line apart and above the bottom of the chart."""
    placed: list[float] = []
    for level in levels:
        placed.append(max(level, placed[-1] + _GAP) if placed else level)
    floor = float(_BOTTOM)
    for index in range(len(placed) - 1, -1, -1):
        placed[index] = min(placed[index], floor)
        floor = placed[index] - _GAP
    return placed


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    ends = " ".join(f'{key}="{value:.4g}"' for key, value in (("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)))
    return f'<line {ends} style="stroke: {colour}; stroke-width: {width:g}; stroke-linecap: round"/>'


def _text(x: float, y: float, words: str, colour: str, size: int, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.4g}" y="{y:.4g}" text-anchor="{anchor}" '
        f'style="fill: {colour}; font-size: {size}px; {_HALO}">{html.escape(words)}</text>'
    )


def _x(intensity: float) -> float:
    return along(intensity, INTENSITIES, _LEFT, _RIGHT)


def _y(rate: float) -> float:
    return along(rate, RATES, _BOTTOM, _TOP)
