"""The four-step method for one kernel: two bars, and the longer one is the bound."""

from __future__ import annotations

from typing import Any, Final

from figures.shared.canvas import SMALL, TEXT, WIDTH, Box, bar_style, canvas, few_ticks, painted, text
from figures.shared.colours import COLOURS, INK, MUTED
from figures.shared.drawing import Drawing, render
from figures.shared.words import as_given, split_unit, working_of_roof
from roofline import Bound, Kernel, bound, device, matmul, write
from roofline.roof import COMPUTE_BOUND, MEMORY_BOUND
from roofline.tables import Cell, Table

#: The default: too few tokens for a large weight matrix.
MATMUL: Final = matmul(64, 4096, 4096, name="matmul, B = 64")
_MATMUL_WORKING: Final = "matmul(64, 4096, 4096)"

_HEIGHT: Final = 330
_INSIDE: Final = Box(14, 56, WIDTH - 14, 262)


def draw(kernel: Kernel = MATMUL, *, name: str = "H100 SXM", dtype: str = "bf16") -> Drawing:
    """Draw compute time and memory time of one kernel.

    Parameters
    ----------
    kernel : Kernel
        The kernel; its name is shown.
    name : str
        The device.
    dtype : str
        The format of the arithmetic.

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
    >>> draw().alt.split(": ")[0]
    'The four steps for matmul, B = 64 on H100 SXM, bf16'
    """
    limit = bound(kernel, device(name).roof(dtype))
    alt = _alt(limit, name, dtype)
    working = _MATMUL_WORKING if kernel == MATMUL else repr(kernel)
    table = _table(limit, working, working_of_roof(name, dtype))
    return Drawing(render(_picture(limit, name, dtype), "four-steps", alt), alt, table)


def _sums(limit: Bound) -> dict[str, tuple[str, str, float, str]]:
    """Regime -> the time's name, amount over rate, the time, and the sum in words."""
    flops, nbytes = write(limit.kernel.flops, "FLOP"), write(limit.kernel.nbytes, "B")
    peak, bandwidth = as_given(limit.roof.peak, "FLOP/s"), as_given(limit.roof.bandwidth, "B/s")
    return {
        COMPUTE_BOUND: ("compute time", f"{flops} ÷ {peak}", limit.compute_time, f"{flops} over {peak}"),
        MEMORY_BOUND: ("memory time", f"{nbytes} ÷ {bandwidth}", limit.memory_time, f"{nbytes} over {bandwidth}"),
    }


def _alt(limit: Bound, name: str, dtype: str) -> str:
    (_, _, compute, flops), (_, _, memory, nbytes) = _sums(limit).values()
    longer = "memory" if limit.regime == MEMORY_BOUND else "compute"
    return (
        f"The four steps for {limit.kernel.name} on {name}, {dtype}: two bars. "
        f"Compute time is {flops}, {write(compute, 's')}. Memory time is {nbytes}, {write(memory, 's')}. "
        f"The {longer} bar is the longer one, so the kernel is {limit.regime} "
        f"and takes at least {write(limit.time, 's')}."
    )


def _table(limit: Bound, kernel: str, roof: str) -> Table:
    limited = f"bound({kernel}, {roof})"
    rows = (
        ("1. FLOPs", write(limit.kernel.flops, "FLOP"), f"{kernel}.flops"),
        ("2. Bytes", write(limit.kernel.nbytes, "B"), f"{kernel}.nbytes"),
        ("3. Compute time", write(limit.compute_time, "s"), f"{limited}.compute_time"),
        ("3. Memory time", write(limit.memory_time, "s"), f"{limited}.memory_time"),
        ("4. The larger: at least", write(limit.time, "s"), f"{limited}.time"),
        ("4. Regime", limit.regime, f"{limited}.regime"),
    )
    return Table(
        ("Step", limit.kernel.name), tuple((Cell(step), Cell(shown, working)) for step, shown, working in rows)
    )


@painted
def _picture(limit: Bound, name: str, dtype: str) -> Any:
    figure, axes = canvas(_HEIGHT, _INSIDE)
    tall = _INSIDE.top - _INSIDE.bottom
    unit, scale = split_unit(limit.time)
    axes.set(xlim=(0, limit.time * scale * 1.22), ylim=(0, tall))
    axes.grid(visible=False, axis="y")
    axes.set_yticks([])
    few_ticks(axes.xaxis, 5)
    axes.set_xlabel(f"least time, in {unit}", color=INK, fontsize=TEXT, labelpad=6)
    text(figure, 14, _HEIGHT - 16, f"{limit.kernel.name}, on {name}, {dtype}", fontweight="bold")
    text(figure, 14, _HEIGHT - 40, "The longer bar is the bound.", color=MUTED, fontsize=SMALL)

    for top, (regime, (label, quotient, time, _)) in zip((tall, tall / 2), _sums(limit).items(), strict=True):
        text(figure, _INSIDE.left, _INSIDE.bottom + top - 16, f"{label}: {quotient}", color=COLOURS[regime])
        axes.barh([top - 50], [time * scale], height=36, zorder=3, **bar_style(regime))
        holds = regime == limit.regime
        axes.annotate(
            write(time, "s"), (time * scale, top - 50), (7, 8 if holds else 0), textcoords="offset pixels",
            va="center", color=INK, fontsize=TEXT, fontweight="bold" if holds else "normal",
        )  # fmt: skip
        if holds:
            axes.annotate(
                "the bound", (time * scale, top - 50), (7, -10), textcoords="offset pixels",
                va="center", color=INK, fontsize=SMALL,
            )  # fmt: skip
    return figure
