"""The roofline that the notebook's measuring cell measured on one machine, kept as data so that builds stay the same.

The rates are measurements and are never asserted; what follows from them is a checked number.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from figures.shared.canvas import LINE, SMALL, TEXT, Box, along, canvas, draw_roof, marker_style, painted, text
from figures.shared.colours import COMPUTE, INK, MEMORY, MUTED, SURFACE
from figures.shared.drawing import Drawing, render
from roofline import Roof, elementwise, format_quantity, matmul, parse_quantity
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.quantity import ridge_text
from roofline.tables import Cell, Table
from roofline.tables.cell import number

_INTENSITIES: Final = (0.02, 2e3)
_RATES: Final = (2e8, 4e11)
_HEIGHT: Final = 380
_INSIDE: Final = Box(52, 54, 466, 346)


@cache
def record() -> dict[str, Any]:
    """Return the recorded run and the machine that it ran on.

    Returns
    -------
    dict
        ``date``, ``machine``, ``note``, ``side``, ``product`` and ``scale``; a rate is a text such as ``"7.5 GB/s"``.

    Examples
    --------
    >>> record()["machine"]["cores"]
    2
    """
    recorded: dict[str, Any] = json.loads(files(__package__).joinpath("run.json").read_text(encoding="utf-8"))
    return recorded


def draw() -> Drawing:
    """Draw the two measured roofs, the product on one of them and the arrays of four sizes on and above the other.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Examples
    --------
    >>> draw().alt.split(",")[0]
    'The measured roofline of a CPU'
    """
    run = record()
    roof = Roof(
        peak=parse_quantity(run["product"], unit="FLOP/s"),
        bandwidth=parse_quantity(run["scale"][-1]["rate"], unit="B/s"),
    )
    small = ", ".join(f"{row['rate']} for arrays of {row['arrays']}" for row in run["scale"][:-1])
    alt = (
        "The measured roofline of a CPU, both axes logarithmic. "
        f"The memory roof rises with {run['scale'][-1]['rate']}, "
        f"the rate of x * 2 on arrays of {run['scale'][-1]['arrays']}. "
        f"The flat compute roof is at {run['product']}, "
        f"the rate of A @ B. They meet at {ridge_text(roof.ridge, 'FLOP/B')}. "
        f"Smaller arrays lie above the memory roof: {small}."
    )
    return Drawing(render(_picture(run, roof), "own-cpu", alt), alt, _table(run))


def _table(run: dict[str, Any]) -> Table:
    rows = []
    for row in run["scale"]:
        working = f'elementwise({row["count"]}, "fp32")'
        rows.append(
            (
                Cell(f"x * 2, {row['arrays']} an array"),
                Cell(row["rate"]),
                number(f"{working}.intensity"),
                number(f'parse_quantity("{row["rate"]}") * {working}.intensity', "FLOP/s"),
            )
        )
    side = run["side"]
    working = f'matmul({side}, {side}, {side}, "fp32")'
    rows.append(
        (
            Cell(f"A @ B, side {side}"),
            number(f'parse_quantity("{run["product"]}") / {working}.intensity', "B/s"),
            number(f"{working}.intensity"),
            Cell(run["product"]),
        )
    )
    return Table(("Job", "byte/s", "Intensity (FLOP/byte)", "FLOP/s"), tuple(rows))


@painted
def _picture(run: dict[str, Any], roof: Roof) -> Any:
    figure, axes = canvas(_HEIGHT, _INSIDE)
    axes.set(xscale="log", yscale="log", xlim=_INTENSITIES, ylim=_RATES)
    axes.minorticks_off()
    ticks = [10.0**power for power in range(-1, 4)]
    axes.set_xticks(ticks, [format_quantity(tick, "", 1, prefix="") for tick in ticks])
    ticks = [10.0**power for power in range(9, 12)]
    axes.set_yticks(ticks, [format_quantity(tick, "FLOP/s", 1).removesuffix("FLOP/s") for tick in ticks])
    axes.set_xlabel("arithmetic intensity, FLOP/byte", color=INK, fontsize=TEXT, labelpad=6)
    text(figure, 10, _HEIGHT - 14, "FLOP/s, measured")

    draw_roof(axes, roof, _INTENSITIES, _RATES[0])
    x, y = _x(roof.ridge), _y(roof.peak)
    text(figure, x + 4, y + 14, f"compute roof, {run['product']}", color=COMPUTE)
    text(figure, x + 8, _INSIDE.bottom + 26, f"ridge point\n{format_quantity(roof.ridge, 'FLOP/B', 2, prefix='')}",
         color=MUTED, fontsize=SMALL, linespacing=1.25)  # fmt: skip

    for row in run["scale"]:
        kernel = elementwise(row["count"], "fp32")
        style = marker_style(MEMORY_BOUND)
        if row is not run["scale"][-1]:
            style |= {"markerfacecolor": SURFACE, "markeredgecolor": MEMORY, "zorder": 3}
        axes.plot(
            [kernel.intensity], [kernel.intensity * parse_quantity(row["rate"], unit="B/s")], **(style | {"zorder": 3})
        )
    # The points of x * 2 stand one above the other: the lowest has a name, and the others share one.
    lowest, highest = (f(parse_quantity(row["rate"], unit="B/s") for row in run["scale"]) * 0.125 for f in (min, max))
    text(figure, _x(0.125) + 12, _y(lowest) - 8, f"x * 2, {run['scale'][-1]['arrays']}")
    text(figure, _INSIDE.left + 4, _y(highest) + 1.8 * LINE, "smaller arrays,\nin a cache", linespacing=1.25)
    product = matmul(run["side"], run["side"], run["side"], "fp32")
    axes.plot([product.intensity], [roof.peak], **(marker_style(COMPUTE_BOUND) | {"zorder": 3}))
    text(figure, _x(product.intensity), y - LINE, "A @ B", ha="center")
    return figure


def _x(intensity: float) -> float:
    return along(intensity, _INTENSITIES, _INSIDE.left, _INSIDE.right)


def _y(rate: float) -> float:
    return along(rate, _RATES, _INSIDE.bottom, _INSIDE.top)
