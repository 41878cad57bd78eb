"""Intensity of a weight matmul against its batch: the curve, its ceiling, the ridge point and B*."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from figures.shared.canvas import TEXT, Box, canvas, few_ticks, marker_style, painted, regime_key, text
from figures.shared.colours import COMPUTE, INK, MEMORY, MUTED
from figures.shared.controls import Interactive, Number, Press, Switch, device_choice, format_choice
from figures.shared.drawing import Drawing, render
from figures.shared.words import working_of_roof
from roofline import Roof, bound, critical_batch, device, format_quantity, matmul
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.tables import Cell, Table
from roofline.types import FormatName

#: Tokens that share one weight read: from one sequence in decode to a long prefill.
BATCHES: Final = (1.0, 1e5)
#: The rows of the data table; the first compute-bound batch joins them.
SAMPLES: Final = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)

_HEIGHT: Final = 420
_INSIDE: Final = Box(52, 54, 446, 352)
# A batch beyond which the intensity does not change in any digit that is shown.
_BOUNDLESS: Final = 10**12


def draw(D: int = 4096, F: int = 4096, *, name: str = "H100 SXM", dtype: FormatName = "bf16") -> Drawing:
    """Draw the intensity of a weight matmul against its batch.

    Parameters
    ----------
    D, F : int
        Rows and columns of the weight matrix.
    name : str
        The device.
    dtype : str
        The format of all three matrices and of the arithmetic.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Raises
    ------
    UnknownDevice, UnknownFormat, InvalidValue
        Where an argument breaks its rule.

    Examples
    --------
    >>> draw(512, 512).alt.split(". ")[-1]
    'The curve never reaches the ridge point, so no batch is large enough and every one is memory-bound.'
    """
    roof = device(name).roof(dtype)
    alt = _alt(D, F, name, dtype, roof)
    svg = render(_picture(D, F, name, dtype, roof), "intensity-vs-batch", alt)
    return Drawing(svg, alt, _table(D, F, name, dtype, roof), _live(D, F, name, dtype))


def _live(D: int, F: int, name: str, dtype: FormatName) -> Interactive:
    controls = (
        Number("guess", "Your guess for B*, tokens", 50, *BATCHES),
        Press("reveal", "Reveal"),
        Number("B", "B, tokens that share one weight read", 1, *BATCHES),
        Number("D", "D, rows of the weight", D, 16, 65536),
        Number("F", "F, columns of the weight", F, 16, 65536),
        device_choice(name),
        format_choice(dtype),
        Switch("revealed", "Revealed", hidden=True),
    )
    return Interactive("intensity_vs_batch", controls, "Guess B*, then press Reveal.")


def _ceiling(D: int, F: int, dtype: FormatName) -> float:
    return float(matmul(_BOUNDLESS, D, F, dtype).intensity)


def _alt(D: int, F: int, name: str, dtype: FormatName, roof: Roof) -> str:
    ceiling, exact = _ceiling(D, F, dtype), critical_batch(D, F, roof, dtype)
    start = matmul(1, D, F, dtype).intensity
    if math.isinf(exact):
        end = f"The curve never reaches the ridge point, so no batch is large enough and every one is {MEMORY_BOUND}."
    else:
        end = (
            f"The curve meets it at B* = {format_quantity(exact, '', places=1)}: "
            f"with fewer tokens the matmul is {MEMORY_BOUND}, "
            f"from {format_quantity(math.ceil(exact), '', places=0)} on it is {COMPUTE_BOUND}."
        )
    return (
        f"Intensity of a {D} by {F} matmul in {dtype} against its batch B, on a logarithmic axis. "
        f"The curve starts at {format_quantity(start, 'FLOP/B', places=1, prefix='')} for B = 1 and bends towards its "
        f"ceiling, {_flop_per_byte(ceiling)}. "
        f"A horizontal line marks the ridge point of {name}, {_flop_per_byte(roof.ridge)}. {end}"
    )


def _table(D: int, F: int, name: str, dtype: FormatName, roof: Roof) -> Table:
    exact = critical_batch(D, F, roof, dtype)
    first = [] if math.isinf(exact) else [math.ceil(exact)]

    def cells(B: int, label: str) -> tuple[Cell, ...]:
        kernel = f'matmul({B}, {D}, {F}, "{dtype}")'
        limit = bound(matmul(B, D, F, dtype), roof)
        return (
            Cell(label),
            Cell(format_quantity(limit.kernel.intensity, "", places=1), f"{kernel}.intensity"),
            Cell(
                format_quantity(limit.kernel.intensity / roof.ridge, "", places=2),
                f"{kernel}.intensity / {working_of_roof(name, dtype)}.ridge",
            ),
            Cell(limit.regime, f"bound({kernel}, {working_of_roof(name, dtype)}).regime"),
        )

    rows = [cells(B, f"{B}") for B in sorted({*SAMPLES, *first})]
    return Table(
        ("Tokens $B$", "Intensity $I$ (FLOP/byte)", "$I/R$", "Regime"),
        (*rows, cells(_BOUNDLESS, "no end: the ceiling")),
    )


@painted
def _picture(D: int, F: int, name: str, dtype: FormatName, roof: Roof) -> Any:
    ceiling, exact = _ceiling(D, F, dtype), critical_batch(D, F, roof, dtype)
    top = 1.16 * max(ceiling, roof.ridge)
    figure, axes = canvas(_HEIGHT, _INSIDE)
    axes.set(xscale="log", xlim=BATCHES, ylim=(0, top))
    axes.minorticks_off()
    ticks = [10.0**power for power in range(6)]
    axes.set_xticks(ticks, [format_quantity(tick, "", 1, prefix="") for tick in ticks])
    few_ticks(axes.yaxis, 5)
    axes.set_xlabel("B, tokens that share one weight read", color=INK, fontsize=TEXT, labelpad=6)
    text(figure, 10, _HEIGHT - 14, f"FLOP/byte of a {D:,} × {F:,} matmul, {name}, {dtype}")
    regime_key(figure, 10, _HEIGHT - 40)

    # Each name is where the curve is not: the ceiling's on the left, the ridge point's on the right.
    for level, words, color, dashes, (end, side, shift) in (
        (ceiling, f"ceiling, {_plain(ceiling)}", INK, (0, (6, 4)), (0, "left", 5)),
        (roof.ridge, f"ridge point, {_plain(roof.ridge)}", COMPUTE, "solid", (1, "right", -2)),
    ):
        axes.axhline(level, color=color, linewidth=1.6, linestyle=dashes, zorder=2)
        axes.annotate(
            words, (BATCHES[end], level), (shift, 4), textcoords="offset pixels",
            color=color, ha=side, va="bottom", fontsize=TEXT,
        )  # fmt: skip

    B = np.geomspace(*BATCHES, 241)
    beyond = np.greater(B, exact)
    for part, color in ((B[~beyond], MEMORY), (B[beyond], COMPUTE)):
        if part.size and not math.isinf(exact):
            part = np.sort(np.append(part, exact))  # noqa: PLW2901 - both parts meet at B*
        if part.size:
            axes.plot(
                part, matmul(part, D, F, dtype).intensity, color=color, linewidth=3, solid_capstyle="round", zorder=3
            )
    for tokens in (1, 16, 64, 256, 1024, 4096, 16384):
        limit = bound(matmul(tokens, D, F, dtype), roof)
        axes.plot([tokens], [limit.kernel.intensity], zorder=4, clip_on=False, **marker_style(limit.regime))
    _mark_threshold(axes, exact, roof)
    return figure


def _mark_threshold(axes: Any, exact: float, roof: Roof) -> None:
    if math.isinf(exact) or exact > BATCHES[1]:
        return
    axes.plot([exact, exact], [0, roof.ridge], color=MUTED, linewidth=1.4, linestyle=(0, (2, 3)), zorder=2)
    words = f"B* = {format_quantity(exact, '', places=1)}"
    # Above the ridge point and left of B* there is no curve.
    axes.annotate(
        words, (exact, roof.ridge), (-2, 5), textcoords="offset pixels",
        color=INK, fontsize=TEXT, fontweight="bold", ha="right", va="bottom",
    )  # fmt: skip


def _plain(value: float) -> str:
    return format_quantity(value, "", places=0 if value >= 100 else 1, prefix="")


def _flop_per_byte(value: float) -> str:
    return f"{_plain(value)} FLOP/byte"
