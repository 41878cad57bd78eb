"""The four-step method for one kernel: two bars, the longer one is the bound, and what three changes would give."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import Any, Final

from figures.four_steps.description import DESCRIPTION, OWN
from figures.shared.canvas import SMALL, TEXT, WIDTH, Box, bar_style, canvas, painted, set_axis, set_rows, text
from figures.shared.colours import COLOURS, INK, MUTED
from figures.shared.controls import Choice, Control, Interactive, Lines, Number, Press, device_choice, format_choice
from figures.shared.drawing import Drawing, render
from figures.shared.template import shown
from figures.shared.words import as_given, split_unit, working_of_roof
from roofline import Bound, InvalidValue, Kernel, Roof, bound, device
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.costs import COMMON_COSTS, FORMAT_PARAMETERS
from roofline.tables import Cell, Table
from roofline.tables.cell import computed
from roofline.types import FormatName

#: The sizes that cost functions take, as controls: where they start and how far they go.
_SIZES: Final = {
    size.name: size
    for size in (
        Number("B", "B, tokens that share one weight read", 64, 1, 10**6),
        Number("D", "D, rows of the weight", 4096, 16, 10**6),
        Number("F", "F, columns of the weight", 4096, 16, 10**6),
        Number("n", "n, elements of the result", 10**8, 1000, 10**12),
        Number("reads", "Tensors read", 1, 0, 8, log=False),
        Number("writes", "Tensors written", 1, 0, 8, log=False),
        Number("flops_per_element", "FLOPs per element", 1, 0, 100, log=False),
        Number("tokens", "Tokens", 16384, 1, 10**6),
        Number("width", "Features of a token", 4096, 16, 10**6),
        Number("T", "T, tokens of a sequence", 2048, 16, 10**6),
        Number("d_h", "d_h, width of a head", 128, 16, 1024),
        Number("causal", "Causal mask (1: yes, 0: no)", 1, 0, 1, log=False),
        Number("heads", "Query heads", 1, 1, 256),
        Number("g", "g, query heads per KV head", 1, 1, 64),
        Number("kv_heads", "KV heads", 1, 1, 256),
        Number("sequences", "Sequences", 1, 1, 10**4),
        Number("new_tokens", "New tokens of a sequence", 1, 1, 64),
    )
}
#: The lines of the arithmetic: the kernel, the device, and the four steps.
_LINES: Final = 12

_HEIGHT: Final = 520
_INSIDE: Final = Box(14, 56, WIDTH - 14, 458)
_MAIN: Final = 78
_CHANGE: Final = 66


@dataclass(frozen=True)
class Change:
    """One of the three changes that could make a kernel faster.

    Parameters
    ----------
    words : str
        What changes.
    limit : Bound or None
        The bound after it; None where the device has no peak for the format.
    working : str
        The expression that gives the bound.
    """

    words: str
    limit: Bound | None
    working: str


def draw(
    kernel: Kernel | str = "matmul",
    *,
    name: str = "H100 SXM",
    dtype: FormatName = "bf16",
    other: str = "H200 SXM",
    **sizes: float,
) -> Drawing:
    """Draw compute time and memory time of one kernel, and its bound after each of three changes.

    Parameters
    ----------
    kernel : Kernel or str
        The kernel, or the name of its cost function in `roofline`.
    name : str
        The device.
    dtype : str
        The format of the arithmetic and, for a cost function, of every tensor.
    other : str
        The device of the first change, a faster GPU.
    **sizes : float
        Sizes for the cost function; the others start as the controls do.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Raises
    ------
    UnknownDevice, UnknownFormat, InvalidValue
        Where the catalog has no such device or format, or there is no such cost function or size.

    Examples
    --------
    >>> draw("matmul", B=8).alt.split(": ")[0]
    'The four steps for matmul, B = 8, D = 4,096, F = 4,096 on H100 SXM, bf16'
    """
    if isinstance(kernel, str):
        given = _sizes_of(kernel, sizes)
        counted, working = _counted(kernel, given, dtype)
        start = kernel
    else:
        if sizes:
            raise InvalidValue(f"{', '.join(sizes)} given beside a Kernel; sizes go with the name of a cost function")
        counted, working, start, given = kernel, repr(kernel), OWN, {}
    limit = bound(counted, device(name).roof(dtype))
    changes = _changes(limit, working, name, dtype, other)
    alt = _alt(limit, changes, name, dtype)
    svg = render(_picture(limit, changes, name, dtype), "four-steps", alt)
    table = _table(limit, changes, working, working_of_roof(name, dtype))
    return Drawing(svg, alt, table, _live(start, given, counted, (name, dtype, other)))


def _required(kernel: str) -> list[str]:
    parameters = inspect.signature(COMMON_COSTS[kernel]).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is inspect.Parameter.empty]


def _sizes_of(kernel: str, given: dict[str, float]) -> dict[str, float]:
    """Return all sizes of a cost function: as given, else its own default, else where the control starts."""
    if kernel not in COMMON_COSTS:
        raise InvalidValue(f"kernel is {kernel!r}; it must be a Kernel or one of {', '.join(COMMON_COSTS)}")
    parameters = inspect.signature(COMMON_COSTS[kernel]).parameters
    names = [size for size in parameters if size not in FORMAT_PARAMETERS | {"name"}]
    unknown = given.keys() - set(names)
    if unknown:
        raise InvalidValue(f"{kernel} has no {', '.join(sorted(unknown))}; its sizes are {', '.join(names)}")
    sizes = {}
    for size in names:
        default = parameters[size].default
        # A control holds a number: 1 for true.
        sizes[size] = given.get(size, _control(size).value if default is inspect.Parameter.empty else default + 0)
    return sizes


def _control(size: str) -> Number:
    return _SIZES.get(size) or Number(size, size.replace("_", " "), 1, 1, 10**9)


def _counted(kernel: str, sizes: dict[str, float], dtype: FormatName) -> tuple[Kernel, str]:
    cost, required = COMMON_COSTS[kernel], _required(kernel)
    counted = cost(**sizes, dtype=dtype)
    said = ", ".join(DESCRIPTION.say("size", size=size, value=sizes[size]) for size in required)
    parameters = inspect.signature(cost).parameters
    told = {size: value for size, value in sizes.items() if size in required or value != parameters[size].default}
    arguments = ", ".join(f"{size}={value!r}" for size, value in told.items())
    title = f"{kernel.replace('_', ' ')}, {said}"
    return Kernel(title, counted.flops, counted.nbytes), f'{kernel}({arguments}, dtype="{dtype}")'


def _changes(limit: Bound, kernel: str, name: str, dtype: FormatName, other: str) -> tuple[Change, ...]:
    counted, roof = limit.kernel, limit.roof
    here, there = working_of_roof(name, dtype), working_of_roof(other, dtype)
    half = Kernel(counted.name, counted.flops, counted.nbytes / 2)
    return (
        Change(
            DESCRIPTION.say("other", other=other),
            bound(counted, device(other).roof(dtype)) if dtype in device(other).formats else None,
            f"bound({kernel}, {there})",
        ),
        Change(
            DESCRIPTION.say("half"),
            bound(half, roof),
            f'bound(Kernel("half the bytes", {kernel}.flops, {kernel}.nbytes / 2), {here})',
        ),
        Change(
            DESCRIPTION.say("twice"),
            bound(counted, Roof(2 * roof.peak, roof.bandwidth)),
            f"bound({kernel}, Roof(2 * {here}.peak, {here}.bandwidth))",
        ),
    )


def _live(start: str, sizes: dict[str, float], counted: Kernel, chosen: tuple[str, str, str]) -> Interactive:
    name, dtype, other = chosen
    names = [*dict.fromkeys(size for kernel in COMMON_COSTS for size in _sizes_of(kernel, {}))]
    kernels = tuple((kernel, kernel.replace("_", " ")) for kernel in COMMON_COSTS)
    typed = (
        Number("flops", "FLOPs", round(min(max(counted.flops, 1e3), 1e20)), 1e3, 1e20, hidden=start != OWN),
        Number("nbytes", "Bytes", round(min(max(counted.nbytes, 1e3), 1e18)), 1e3, 1e18, hidden=start != OWN),
    )
    controls: tuple[Control, ...] = (
        Choice("kernel", "Kernel", (*kernels, (OWN, "FLOPs and bytes that I type")), start),
        device_choice(name),
        format_choice(dtype),
        device_choice(other, "other", "A faster GPU, to compare"),
        *typed,
        *(
            replace(_control(size), value=sizes.get(size, _control(size).value), hidden=size not in sizes)
            for size in names
        ),
    )
    below = (
        Lines("working", "The arithmetic of the four steps", _LINES),
        Press("text", "Copy as text"),
        Press("python", "Copy as Python"),
    )
    return Interactive("four_steps", controls, DESCRIPTION.say("invitation"), below=below)


def _sums(limit: Bound) -> dict[str, tuple[str, float]]:
    """Return for each regime the division in words, and the time that it gives."""
    peak, bandwidth = as_given(limit.roof.peak, "FLOP/s"), as_given(limit.roof.bandwidth, "B/s")
    return {
        COMPUTE_BOUND: (DESCRIPTION.say("compute", amount=limit.kernel.flops, rate=peak), limit.compute_time),
        MEMORY_BOUND: (DESCRIPTION.say("memory", amount=limit.kernel.nbytes, rate=bandwidth), limit.memory_time),
    }


def _gain(limit: Bound, change: Change, dtype: FormatName) -> str:
    """Return the sentence on what a change gives."""
    if change.limit is None:
        return DESCRIPTION.say("no peak", change=change.words, format=dtype)
    factor, time = limit.time / change.limit.time, shown(change.limit.time, "s")
    name = "no faster" if shown(factor, "×") == shown(1, "×") else "faster"
    return DESCRIPTION.say(name, change=change.words, time=time, factor=factor)


def _alt(limit: Bound, changes: tuple[Change, ...], name: str, dtype: FormatName) -> str:
    return DESCRIPTION.say(
        "alt",
        kernel=limit.kernel.name,
        device=name,
        format=dtype,
        flops=limit.kernel.flops,
        peak=as_given(limit.roof.peak, "FLOP/s"),
        compute=shown(limit.compute_time, "s"),
        nbytes=limit.kernel.nbytes,
        bandwidth=as_given(limit.roof.bandwidth, "B/s"),
        memory=shown(limit.memory_time, "s"),
        longer=DESCRIPTION.say("longer memory" if limit.regime == MEMORY_BOUND else "longer compute"),
        regime=limit.regime,
        time=shown(limit.time, "s"),
        gains="; ".join(_gain(limit, change, dtype) for change in changes),
    )


def _table(limit: Bound, changes: tuple[Change, ...], kernel: str, roof: str) -> Table:
    limited, say = f"bound({kernel}, {roof})", DESCRIPTION.say

    def cell(working: str, form: str) -> Cell:
        return computed(working, lambda value: shown(value, form))

    rows = [
        (Cell(say("1")), cell(f"{kernel}.flops", "FLOP")),
        (Cell(say("2")), cell(f"{kernel}.nbytes", "B")),
        (Cell(say("3 compute")), cell(f"{limited}.compute_time", "s")),
        (Cell(say("3 memory")), cell(f"{limited}.memory_time", "s")),
        (Cell(say("4 time")), cell(f"{limited}.time", "s")),
        (Cell(say("4 regime")), cell(f"{limited}.regime", "")),
    ]
    for change in changes:
        after = Cell(say("no such peak"))
        if change.limit is not None:
            after = replace(
                cell(f"{change.working}.time", "s"), then=cell(f"{limited}.time / {change.working}.time", "×")
            )
        rows.append((Cell(say("row", change=change.words)), after))
    return DESCRIPTION.table(rows, kernel=limit.kernel.name)


@painted
def _picture(limit: Bound, changes: tuple[Change, ...], name: str, dtype: FormatName) -> Any:
    figure, axes = canvas(_HEIGHT, _INSIDE)
    tall = _INSIDE.top - _INSIDE.bottom
    longest = max(limit.time, *(change.limit.time for change in changes if change.limit))
    unit, scale = split_unit(longest)
    set_axis(axes, "x", DESCRIPTION.axes["x"], unit=unit, domain=(0, longest * scale * DESCRIPTION.data["room"]))
    set_rows(axes, 0, tall)
    head, _, sizes = limit.kernel.name.partition(", ")
    title = DESCRIPTION.say("title", kernel=head, device=name, format=dtype)
    text(figure, 14, _HEIGHT - 16, title)
    text(figure, 14, _HEIGHT - 40, sizes or DESCRIPTION.say("no sizes"), color=MUTED, fontsize=SMALL)

    top = tall
    for regime, (division, time) in _sums(limit).items():
        text(figure, _INSIDE.left, _INSIDE.bottom + top - 16, division, color=COLOURS[regime])
        axes.barh([top - 50], [time * scale], height=36, zorder=3, **bar_style(regime))
        holds = regime == limit.regime
        axes.annotate(
            shown(time, "s"), (time * scale, top - 50), (7, 8 if holds else 0), textcoords="offset pixels",
            va="center", color=INK, fontsize=TEXT, fontweight="bold" if holds else "normal",
        )  # fmt: skip
        if holds:
            axes.annotate(
                DESCRIPTION.say("bound"), (time * scale, top - 50), (7, -10), textcoords="offset pixels",
                va="center", color=INK, fontsize=SMALL,
            )  # fmt: skip
        top -= _MAIN

    text(figure, _INSIDE.left, _INSIDE.bottom + top - 18, DESCRIPTION.say("what if"), fontweight="bold")
    top -= 28
    for change in changes:
        text(figure, _INSIDE.left, _INSIDE.bottom + top - 16, _gain(limit, change, dtype))
        if change.limit is not None:
            style = bar_style(change.limit.regime)
            axes.barh([top - 42], [change.limit.time * scale], height=22, zorder=3, **style)
        top -= _CHANGE
    return figure
