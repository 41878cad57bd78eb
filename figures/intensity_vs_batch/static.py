"""Intensity of a weight matmul against its batch: the curve, its ceiling, the ridge point and B*."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from figures.intensity_vs_batch.description import BATCHES, BOUNDLESS, DESCRIPTION, MARKED, ROOM, SAMPLES
from figures.shared.canvas import TEXT, Box, canvas, marker_style, painted, regime_key, set_axis, text
from figures.shared.colours import COMPUTE, INK, MEMORY, MUTED
from figures.shared.controls import Interactive, Number, Press, Switch, device_choice, format_choice
from figures.shared.drawing import Drawing, render
from figures.shared.template import filled
from figures.shared.words import working_of_roof
from roofline import Roof, bound, critical_batch, device, matmul
from roofline.tables import Cell, Table
from roofline.types import FormatName

_HEIGHT: Final = 420
_INSIDE: Final = Box(52, 54, 446, 352)


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
    return Interactive("intensity_vs_batch", controls, DESCRIPTION.say("invitation"))


def _ceiling(D: int, F: int, dtype: FormatName) -> float:
    return float(matmul(BOUNDLESS, D, F, dtype).intensity)


def _alt(D: int, F: int, name: str, dtype: FormatName, roof: Roof) -> str:
    exact = critical_batch(D, F, roof, dtype)
    never = math.isinf(exact)
    end = DESCRIPTION.say("never meets") if never else DESCRIPTION.say("meets", exact=exact, first=math.ceil(exact))
    return DESCRIPTION.say(
        "alt",
        D=D,
        F=F,
        format=dtype,
        start=matmul(1, D, F, dtype).intensity,
        ceiling=_ceiling(D, F, dtype),
        answer=DESCRIPTION.say("answer", device=name, ridge=roof.ridge, end=end),
    )


def _table(D: int, F: int, name: str, dtype: FormatName, roof: Roof) -> Table:
    exact = critical_batch(D, F, roof, dtype)
    first = [] if math.isinf(exact) else [math.ceil(exact)]

    def cells(B: int) -> tuple[Cell, ...]:
        kernel = f'matmul({B}, {D}, {F}, "{dtype}")'
        limited = f"bound({kernel}, {working_of_roof(name, dtype)})"
        return DESCRIPTION.row(
            DESCRIPTION.columns[0].label(B),
            f"{kernel}.flops",
            f"{kernel}.nbytes",
            f"{kernel}.intensity",
            f"{limited}.compute_time",
            f"{limited}.memory_time",
            f"{limited}.regime",
            f"{limited}.fraction_of_peak",
        )

    return DESCRIPTION.table(cells(B) for B in sorted({*SAMPLES, *first}))


@painted
def _picture(D: int, F: int, name: str, dtype: FormatName, roof: Roof) -> Any:
    ceiling, exact = _ceiling(D, F, dtype), critical_batch(D, F, roof, dtype)
    top = ROOM * max(ceiling, roof.ridge)
    figure, axes = canvas(_HEIGHT, _INSIDE)
    set_axis(axes, "x", DESCRIPTION.axes["x"])
    set_axis(axes, "y", DESCRIPTION.axes["y"], domain=(0, top))
    title = {"D": D, "F": F, "device": name, "format": dtype}
    text(figure, 10, _HEIGHT - 14, filled(DESCRIPTION.axes["y"].title, **title))
    regime_key(figure, 10, _HEIGHT - 40)

    # The names are where the curve is not: that of the ceiling on the left, that of the ridge point on the right.
    for level, words, color, dashes, (end, side, shift) in (
        (ceiling, DESCRIPTION.say("ceiling", ceiling=ceiling), INK, (0, (6, 4)), (0, "left", 5)),
        (roof.ridge, DESCRIPTION.say("ridge", ridge=roof.ridge), COMPUTE, "solid", (1, "right", -2)),
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
    for tokens in MARKED:
        limit = bound(matmul(tokens, D, F, dtype), roof)
        axes.plot([tokens], [limit.kernel.intensity], zorder=4, clip_on=False, **marker_style(limit.regime))
    _mark_threshold(axes, exact, roof)
    return figure


def _mark_threshold(axes: Any, exact: float, roof: Roof) -> None:
    if math.isinf(exact) or exact > BATCHES[1]:
        return
    axes.plot([exact, exact], [0, roof.ridge], color=MUTED, linewidth=1.4, linestyle=(0, (2, 3)), zorder=2)
    words = DESCRIPTION.say("threshold", exact=exact)
    # Above the ridge point and left of B* there is no curve.
    axes.annotate(
        words, (exact, roof.ridge), (-2, 5), textcoords="offset pixels",
        color=INK, fontsize=TEXT, fontweight="bold", ha="right", va="bottom",
    )  # fmt: skip
