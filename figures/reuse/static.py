"""A bar for each device's ridge point, and a line for the intensity that a batch gives a decode matmul."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from figures.reuse.description import BATCHES, BOUNDLESS, DESCRIPTION, INTENSITIES
from figures.shared.canvas import (
    SMALL,
    WIDTH,
    Box,
    along,
    bar_style,
    canvas,
    painted,
    regime_key,
    set_axis,
    set_rows,
    text,
    text_width,
)
from figures.shared.colours import INK, MUTED
from figures.shared.controls import SAME, Choice, Interactive, Number, format_choice, stored_choice
from figures.shared.drawing import Drawing, render
from figures.shared.template import shown
from figures.shared.words import listed, working_of_roof
from roofline import Bound, Device, bound, critical_batch, devices, matmul
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.formats import BYTES
from roofline.tables import Cell, Table
from roofline.types import FormatName

View = Literal["one", "year", "best"]

VIEWS: Final = (("one", "at one format"), ("year", "by year"), ("best", "each at its best float format"))

#: The weights are in a format of their own, or in that of the arithmetic.
Stored = FormatName | Literal["same"]

_ROW: Final = 23
_FOOT: Final = 54
_HEAD: Final = 82
_LEFT: Final = 188


@dataclass(frozen=True)
class Row:
    """One device: its ridge point, and the bound of a decode matmul on it.

    Parameters
    ----------
    device : Device
        The device.
    dtype : str
        The format of the arithmetic.
    limit : Bound, optional
        The bound of the matmul; None where the device has no peak in the format.
    """

    device: Device
    dtype: FormatName
    limit: Bound | None


def best_format(gpu: Device) -> FormatName:
    """Return the floating-point format in which a device has its highest peak.

    Parameters
    ----------
    gpu : Device
        The device.

    Returns
    -------
    str
        Of two with the same peak, the one with more bytes or else the first of the catalog's list.

    Examples
    --------
    >>> [best_format(gpu) for gpu in devices() if gpu.name in ("H100 SXM", "A100 SXM 80GB", "B200")]
    ['fp8', 'bf16', 'fp4']
    """
    candidates = [fmt for fmt in BYTES if fmt in gpu.formats and not fmt.startswith("int")]
    return max(candidates, key=lambda fmt: float(gpu.peaks[fmt]))


def draw(view: View = "one", batch: int = 64, *, dtype: FormatName = "bf16", weights: Stored = SAME) -> Drawing:
    """Draw the ridge point of every device beside the intensity of a decode matmul.

    Parameters
    ----------
    view : {"one", "year", "best"}
        At one format, by ridge point; at one format, by year; or each at its best floating-point format, by year.
    batch : int
        Tokens that share one weight read.
    dtype : str
        The format of the arithmetic; ``"best"`` does not use it.
    weights : str
        The format of the weights; ``"same"`` is that of the arithmetic.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Examples
    --------
    >>> draw(dtype="fp4").alt.split(". ")[3][:42]
    'No fp4 peak: H100 SXM, H100 PCIe, H100 NVL'
    """
    formats = {gpu: best_format(gpu) if view == "best" else dtype for gpu in devices()}
    rows = ordered(view, [_row(gpu, fmt, batch, weights) for gpu, fmt in formats.items()])
    alt = _alt(view, batch, dtype, rows)
    svg = render(_picture(view, batch, dtype, rows), "reuse", alt)
    live = _live(view, batch, dtype, weights, _readout(view, batch, dtype, weights, rows))
    return Drawing(svg, alt, _table(batch, weights, rows), live)


def ordered(view: View, rows: list[Row]) -> list[Row]:
    """Return the rows in the order of a view; a device without the format comes last, or last of its year.

    Parameters
    ----------
    view : {"one", "year", "best"}
        The view.
    rows : list of Row
        In the order of the catalog.

    Returns
    -------
    list of Row
        Sorted.
    """
    return sorted(
        rows,
        key=lambda row: (
            0 if view == "one" else row.device.year,
            row.limit is None,
            row.limit.roof.ridge if row.limit else 0,
        ),
    )


def _row(gpu: Device, dtype: FormatName, batch: int, weights: Stored) -> Row:
    if dtype not in gpu.formats:
        return Row(gpu, dtype, None)
    stored = dtype if weights == SAME else weights
    return Row(gpu, dtype, bound(matmul(batch, BOUNDLESS, BOUNDLESS, weights=stored), gpu.roof(dtype)))


def _live(view: View, batch: int, dtype: FormatName, weights: str, readout: str) -> Interactive:
    controls = (
        Number("B", "Batch, tokens for each weight read", batch, *BATCHES),
        Choice("view", "View", VIEWS, view),
        format_choice(dtype, label="Format of the arithmetic"),
        stored_choice(weights, "weights", "Format of the weights"),
    )
    return Interactive("reuse", controls, readout)


def _readout(view: View, batch: int, dtype: FormatName, weights: Stored, rows: list[Row]) -> str:
    """Return the sentence that the script begins with at one format, so that nothing moves when it takes over."""
    say = DESCRIPTION.say
    limits = [(row.limit, row.dtype if weights == SAME else weights) for row in rows if row.limit]
    needs = sorted(math.ceil(critical_batch(BOUNDLESS, BOUNDLESS, limit.roof, weights=fmt)) for limit, fmt in limits)
    return say(
        "gives",
        B=batch,
        span=_span(rows),
        blue=sum(limit.regime == COMPUTE_BOUND for limit, _ in limits),
        devices=say("device") if len(limits) == 1 else say("devices", count=len(limits)),
        **{"with": "" if view == "best" else say("with", format=dtype)},
        rest=say(
            "needed",
            needed=_to([shown(needs[0], "typed"), shown(needs[-1], "typed")]),
            stored="" if weights == SAME else say("stored", weights=weights),
        ),
    )


def _alt(view: View, batch: int, dtype: FormatName, rows: list[Row]) -> str:
    say = DESCRIPTION.say

    def group(regime: str) -> str:
        members = [row for row in rows if row.limit and row.limit.regime == regime]
        named = (say("bar", device=row.device.name, ridge=row.limit.roof.ridge) for row in members if row.limit)
        return listed(named) or say("none")

    lacking = listed(row.device.name for row in rows if row.limit is None)
    return say(
        "alt",
        count=len(rows),
        where=say("in the best") if view == "best" else say("in", format=dtype),
        tokens=say("token") if batch == 1 else say("tokens", B=batch),
        span=_span(rows),
        compute=group(COMPUTE_BOUND),
        memory=group(MEMORY_BOUND),
        lacking=say("lacking", format=dtype, devices=lacking) if lacking else "",
    )


def _to(ends: list[str]) -> str:
    """Return one number where both ends are the same, or else a range."""
    return ends[0] if ends[0] == ends[-1] else DESCRIPTION.say("to", least=ends[0], most=ends[-1])


def _span(rows: list[Row]) -> str:
    """Return the intensity of the matmul, or its range where the formats differ."""
    found = sorted({float(row.limit.kernel.intensity) for row in rows if row.limit})
    return _to([DESCRIPTION.say("intensity", intensity=value) for value in (found[0], found[-1])])


def _table(batch: int, weights: Stored, rows: list[Row]) -> Table:
    def cells(row: Row) -> tuple[Cell, ...]:
        name, year = Cell(row.device.name), Cell(str(row.device.year))
        if row.limit is None:
            lacks = Cell(DESCRIPTION.say("no peak", format=row.dtype))
            return (name, year, lacks, *(Cell(DESCRIPTION.say("nothing")),) * 4)
        stored = row.dtype if weights == SAME else weights
        roof = working_of_roof(row.device.name, row.dtype)
        kernel = f'matmul({batch}, 2**400, 2**400, weights="{stored}")'
        return DESCRIPTION.row(
            name,
            year,
            Cell(row.dtype),
            f"{roof}.ridge",
            f"{kernel}.intensity",
            f'critical_batch(2**400, 2**400, {roof}, weights="{stored}")',
            f"bound({kernel}, {roof}).regime",
        )

    return DESCRIPTION.table(map(cells, rows))


@painted
def _picture(view: View, batch: int, dtype: FormatName, rows: list[Row]) -> Any:
    height = _FOOT + len(rows) * _ROW + _HEAD
    inside = Box(_LEFT, _FOOT, WIDTH - 14, height - _HEAD)
    figure, axes = canvas(height, inside)
    set_axis(axes, "x", DESCRIPTION.axes["x"])
    set_rows(axes, len(rows), 0)
    text(figure, 10, height - 14, DESCRIPTION.say("best title" if view == "best" else "title", format=dtype))
    regime_key(figure, 10, height - 40, hatches=True)

    year = None
    for index, row in enumerate(rows):
        middle = index + 0.5
        level = inside.top - middle * _ROW
        text(figure, inside.left - 8, level, row.device.name, ha="right", fontsize=SMALL)
        if view != "one" and row.device.year != year:
            year = row.device.year
            text(figure, 10, level, str(year), color=MUTED, fontsize=SMALL)
        label = {"textcoords": "offset pixels", "va": "center", "fontsize": SMALL}
        if row.limit is None:
            axes.annotate(
                DESCRIPTION.say("no peak", format=row.dtype), (INTENSITIES[0], middle), (6, 0), color=MUTED, **label
            )
            continue
        ridge = row.limit.roof.ridge
        # The bar of a ridge point below the axis is still long enough to show its colour.
        axes.barh([middle], [max(ridge - 1, 0.08)], height=0.62, left=1, zorder=3, **bar_style(row.limit.regime))
        words = DESCRIPTION.say("ridge", ridge=ridge)
        if view == "best":
            axes.annotate(row.dtype, (1, middle), (6, 0), color=INK, **label)
        fits = _x(ridge) + 6 + text_width(words, SMALL) < WIDTH
        axes.annotate(
            words, (max(ridge, 1), middle), (6 if fits else -5, 0), color=INK, ha="left" if fits else "right", **label
        )
    _mark_intensity(axes, batch, rows)
    return figure


def _mark_intensity(axes: Any, batch: int, rows: list[Row]) -> None:
    low, high = INTENSITIES
    steps = [
        (min(max(float(row.limit.kernel.intensity), low), high), index) for index, row in enumerate(rows) if row.limit
    ]
    if not steps:
        return
    xs = [x for x, _ in steps for _ in range(2)]
    ys = [y for _, index in steps for y in (index, index + 1)]
    axes.plot(xs, ys, color=INK, linewidth=2.2, zorder=4, clip_on=False)
    words = DESCRIPTION.say("mark", B=batch, span=_span(rows))
    fits = _x(xs[0]) + text_width(words, SMALL) < WIDTH
    axes.annotate(
        words, (xs[0], ys[0]), (-4 if fits else 4, 5), textcoords="offset pixels",
        color=INK, fontsize=SMALL, ha="left" if fits else "right", va="bottom",
    )  # fmt: skip


def _x(intensity: float) -> float:
    return along(intensity, INTENSITIES, _LEFT, WIDTH - 14)
