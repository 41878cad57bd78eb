"""The least time of one decode matmul against its batch, for the step and for each token of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from figures.decode_cost.description import BATCHES, DESCRIPTION, FEW, MORE, SAMPLES
from figures.shared.canvas import (
    SMALL,
    Box,
    canvas,
    marker_style,
    painted,
    panel,
    regime_key,
    set_axis,
    text,
)
from figures.shared.colours import COMPUTE, INK, MEMORY, MUTED
from figures.shared.controls import SAME, Interactive, Number, Switch, device_choice, format_choice, stored_choice
from figures.shared.drawing import Drawing, render
from figures.shared.share import share_controls
from figures.shared.template import filled
from figures.shared.words import working_of_roof
from roofline import Bound, Kernel, Roof, bound, critical_batch, device, matmul
from roofline.tables import Cell, Table
from roofline.types import FormatName

_HEIGHT: Final = 548
_UPPER: Final = Box(66, 288, 452, 464)
_LOWER: Final = Box(66, 54, 452, 230)
_DASHES: Final = (0, (6, 4))


@dataclass(frozen=True)
class _Case:
    """One matmul on one device."""

    D: int
    F: int
    device: str
    format: FormatName
    weights: FormatName
    activations: FormatName

    @property
    def roof(self) -> Roof:
        return device(self.device).roof(self.format)

    def kernel(self, B: Any) -> Kernel:
        return matmul(B, self.D, self.F, self.format, weights=self.weights, activations=self.activations)

    def at(self, B: Any) -> Bound:
        return bound(self.kernel(B), self.roof)

    def working(self, B: int) -> str:
        stored = "".join(
            f', {name}="{value}"'
            for name, value in (("weights", self.weights), ("activations", self.activations))
            if value != self.format
        )
        return f'matmul({B}, {self.D}, {self.F}, "{self.format}"{stored})'

    @property
    def threshold(self) -> float:
        return critical_batch(
            self.D, self.F, self.roof, self.format, weights=self.weights, activations=self.activations
        )

    @property
    def growth(self) -> float:
        """The share by which the time grows from `FEW` tokens to `MORE`."""
        return float(self.at(MORE).time / self.at(FEW).time - 1)


def draw(
    D: int = 4096,
    F: int = 4096,
    *,
    batch: int = 64,
    name: str = "H100 SXM",
    dtype: FormatName = "bf16",
    weights: FormatName | None = None,
    activations: FormatName | None = None,
) -> Drawing:
    """Draw the least time of a decode matmul against its batch.

    Parameters
    ----------
    D, F : int
        Rows and columns of the weight matrix.
    batch : int
        The batch that the interactive figure starts with; each sequence brings one token.
    name : str
        The device.
    dtype : str
        The format of the arithmetic.
    weights, activations : str, optional
        The formats of the weights and of the activations; that of the arithmetic where left out.

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
    >>> draw().alt.split(". ")[1]
    'From B = 1 to 64 the step takes 3% longer, 10.0 µs and 10.3 µs'
    """
    case = _Case(D, F, name, dtype, weights or dtype, activations or dtype)
    alt = _alt(case)
    return Drawing(render(_picture(case), "decode-cost", alt), alt, _table(case), _live(case, batch))


def _live(case: _Case, batch: int) -> Interactive:
    def stored(value: str) -> str:
        return SAME if value == case.format else value

    controls = (
        Number("B", "B, sequences that decode together", batch, *BATCHES),
        Switch("sum", "Show the time without overlap", value=True),
        *share_controls("matmul"),
        Number("D", "D, rows of the weight", case.D, 16, 65536),
        Number("F", "F, columns of the weight", case.F, 16, 65536),
        device_choice(case.device),
        format_choice(case.format, label="Format of the arithmetic"),
        stored_choice(stored(case.weights), "weights", "Format of the weights"),
        stored_choice(stored(case.activations), "activations", "Format of the activations"),
    )
    return Interactive("decode_cost", controls, DESCRIPTION.say("invitation"))


def _alt(case: _Case) -> str:
    never = math.isinf(case.threshold)
    same = case.weights == case.activations == case.format
    return DESCRIPTION.say(
        "alt",
        what=DESCRIPTION.say("what"),
        D=case.D,
        F=case.F,
        device=case.device,
        format=case.format,
        stored="" if same else DESCRIPTION.say("stored", weights=case.weights, activations=case.activations),
        few=FEW,
        more=MORE,
        growth=case.growth,
        time_few=case.at(FEW).time,
        time_more=case.at(MORE).time,
        turn=DESCRIPTION.say("no turn") if never else DESCRIPTION.say("turn", exact=case.threshold),
        dashed=DESCRIPTION.say("dashed"),
    )


def _table(case: _Case) -> Table:
    roof = working_of_roof(case.device, case.format)
    first = [] if math.isinf(case.threshold) else [math.ceil(case.threshold)]

    def cells(B: int) -> tuple[Cell, ...]:
        limited = f"bound({case.working(B)}, {roof})"
        return DESCRIPTION.row(
            DESCRIPTION.columns[0].label(B),
            f"{limited}.compute_time",
            f"{limited}.memory_time",
            f"{limited}.time",
            f"{limited}.time / {B}",
            f"{limited}.time_without_overlap",
            f"{limited}.regime",
        )

    heads = {name: DESCRIPTION.say(name) for name in ("of", "head")}
    return DESCRIPTION.table((cells(B) for B in sorted({*SAMPLES, *first})), **heads)


@painted
def _picture(case: _Case) -> Any:
    figure, upper = canvas(_HEIGHT, _UPPER)
    lower = panel(figure, _LOWER)
    title = {"D": case.D, "F": case.F, "device": case.device, "format": case.format}
    text(figure, 10, _HEIGHT - 14, filled(DESCRIPTION.axes["y"].title, **title))
    regime_key(figure, 10, _HEIGHT - 38)
    _key_of_sum(figure)
    text(figure, 10, _UPPER.top + 14, DESCRIPTION.say("step"), color=MUTED)
    text(figure, 10, _LOWER.top + 14, DESCRIPTION.say("token"), color=MUTED)
    for axes, share in ((upper, False), (lower, True)):
        _curves(axes, case, share)
        _mark_threshold(axes, case, named=not share)
    # The upper chart has the same vertical lines as the lower one, but no numbers below them.
    upper.set_xticklabels([])
    upper.set_xlabel("")
    return figure


def _key_of_sum(figure: Any) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 - with the rest of matplotlib

    width, height = figure.get_size_inches() * 72
    y = (_HEIGHT - 38) / height
    figure.add_artist(Line2D([330 / width, 356 / width], [y, y], color=INK, linewidth=1.8, linestyle=_DASHES))
    text(figure, 364, _HEIGHT - 38, DESCRIPTION.say("no overlap"))


def _curves(axes: Any, case: _Case, share: bool) -> None:
    """Draw the bound, and the sum of both times, over the batch: of the step, or of each token where ``share``."""

    def of(B: Any, time: Any) -> Any:
        return time / B if share else time

    B = np.geomspace(*BATCHES, 161)
    both = of(B, case.at(B).time_without_overlap)
    least = of(B, case.at(B).time)
    below, above = DESCRIPTION.data["room"]
    set_axis(axes, "x", DESCRIPTION.axes["x"])
    set_axis(axes, "y", DESCRIPTION.axes["y"], domain=(below * least.min(), above * both.max()))

    axes.plot(B, both, color=INK, linewidth=1.8, linestyle=_DASHES, zorder=2)
    exact = case.threshold
    for part, color in ((B[exact > B], MEMORY), (B[exact <= B], COMPUTE)):
        if part.size and exact < BATCHES[1]:
            part = np.sort(np.append(part, exact))  # noqa: PLW2901 - both parts meet at B*
        if part.size:
            axes.plot(part, of(part, case.at(part).time), color=color, linewidth=3, solid_capstyle="round", zorder=3)
    for tokens in SAMPLES:
        limit = case.at(tokens)
        axes.plot([tokens], [of(tokens, limit.time)], zorder=4, clip_on=False, **marker_style(limit.regime))


def _mark_threshold(axes: Any, case: _Case, *, named: bool) -> None:
    if case.threshold > BATCHES[1]:
        return
    axes.axvline(case.threshold, color=MUTED, linewidth=1.4, linestyle=(0, (2, 3)), zorder=1)
    if named:
        # Left of B* the curves are low, so there is room for the name unless B* is small.
        side = "right" if case.threshold > 30 else "left"
        axes.annotate(
            DESCRIPTION.say("ridge batch", exact=case.threshold), (case.threshold, axes.get_ylim()[1]),
            (-6 if side == "right" else 6, -16), textcoords="offset pixels",
            color=INK, fontsize=SMALL, fontweight="bold", ha=side, va="center",
        )  # fmt: skip
