"""One transformer layer: a bar for each kernel's bound, and their sum."""

from __future__ import annotations

from typing import Any, Final, Literal

from figures.shared.canvas import SMALL, TEXT, WIDTH, Box, bar_style, canvas, few_ticks, painted, regime_key, text
from figures.shared.colours import INK, MUTED
from figures.shared.drawing import Drawing, render
from figures.shared.words import listed, split_unit, working_of_roof
from roofline import LLAMA_3_1_8B, Bound, Shape, bound, decode_layer, device, prefill_layer, total_time, write
from roofline.roof import COMPUTE_BOUND, MEMORY_BOUND
from roofline.tables import Cell, Table

_ROW: Final = 31
_FOOT: Final = 54
_LEFT: Final = 138
_LAYERS: Final = {"decode": decode_layer, "prefill": prefill_layer}


def draw(
    phase: Literal["decode", "prefill"] = "decode",
    sequences: int = 16,
    tokens: int = 2048,
    *,
    shape: Shape = LLAMA_3_1_8B,
    name: str = "H100 SXM",
    dtype: str = "bf16",
) -> Drawing:
    """Draw the bound on the time of each kernel of one layer.

    Parameters
    ----------
    phase : {"decode", "prefill"}
        Which phase of inference.
    sequences : int
        Sequences in the batch.
    tokens : int
        Tokens of each: in the cache for decode, in the prompt for prefill.
    shape : Shape
        The model.
    name : str
        The device.
    dtype : str
        The format of the arithmetic and of the weights; the cache and the activations are bf16.

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
    'The bounds add up to 172 µs'
    """
    roof = device(name).roof(dtype)
    kernels = _LAYERS[phase](shape, sequences, tokens, weights=dtype)
    bounds = [bound(kernel, roof) for kernel in kernels]
    total = total_time(kernels, roof)
    model = "LLAMA_3_1_8B" if shape == LLAMA_3_1_8B else repr(shape)
    layer = f'{phase}_layer({model}, {sequences}, {tokens}, weights="{dtype}")'
    what = f"{sequences:,} × {tokens:,} tokens"
    alt = _alt(f"{phase}, {what}, {name}, {dtype}", shape.name, bounds, total)
    table = _table(layer, working_of_roof(name, dtype), bounds, total)
    return Drawing(
        render(_picture(f"{shape.name}, {phase}, {what}", f"{name}, {dtype}", bounds, total), "one-layer", alt),
        alt,
        table,
    )


def _alt(case: str, model: str, bounds: list[Bound], total: float) -> str:
    def group(regime: str) -> str:
        members = (limit for limit in bounds if limit.regime == regime)
        return listed(f"{limit.kernel.name} {write(limit.time, 's')}" for limit in members) or "none"

    return (
        f"Bars of the least time of each of the {len(bounds)} kernels of one {model} layer ({case}). "
        f"The bounds add up to {write(total, 's')}. "
        f"Memory-bound: {group(MEMORY_BOUND)}. Compute-bound: {group(COMPUTE_BOUND)}."
    )


def _table(layer: str, roof: str, bounds: list[Bound], total: float) -> Table:
    def cells(index: int, limit: Bound) -> tuple[Cell, ...]:
        kernel = f"{layer}[{index}]"
        limited = f"bound({kernel}, {roof})"
        return (
            Cell(limit.kernel.name),
            Cell(write(limit.kernel.flops, "FLOP"), f"{kernel}.flops"),
            Cell(write(limit.kernel.nbytes, "B"), f"{kernel}.nbytes"),
            Cell(write(limit.kernel.intensity, "", places=1), f"{kernel}.intensity"),
            Cell(write(limit.time, "s"), f"{limited}.time"),
            Cell(write(limit.time / total, "%", places=1), f"{limited}.time / total_time({layer}, {roof})"),
            Cell(limit.regime, f"{limited}.regime"),
        )

    rows = [cells(index, limit) for index, limit in enumerate(bounds)]
    none = Cell("–")
    whole = Cell(write(total, "s"), f"total_time({layer}, {roof})")
    heads = ("Kernel", "FLOPs", "Bytes", "Intensity (FLOP/byte)", "At least", "Of the sum", "Regime")
    return Table(heads, (*rows, (Cell("one layer, the sum"), none, none, none, whole, none, none)))


@painted
def _picture(title: str, where: str, bounds: list[Bound], total: float) -> Any:
    rows = len(bounds) + 1
    height = _FOOT + rows * _ROW + 14 + 60
    inside = Box(_LEFT, _FOOT, WIDTH - 14, _FOOT + rows * _ROW + 14)
    figure, axes = canvas(height, inside)
    unit, scale = split_unit(total)
    # The sum sits a little apart; room on the right for its value.
    axes.set(xlim=(0, total * scale * 1.3), ylim=(0, inside.top - inside.bottom))
    axes.grid(visible=False, axis="y")
    axes.set_yticks([])
    axes.spines["bottom"].set_visible(False)
    few_ticks(axes.xaxis, 4)
    axes.set_xlabel(f"least time on {where}, in {unit}", color=INK, fontsize=TEXT, labelpad=6)
    text(figure, 10, height - 14, title)
    regime_key(figure, 10, height - 40, hatches=True)

    for index, limit in enumerate(bounds):
        middle = (rows - index - 0.5) * _ROW + 14
        _bar(axes, 0, limit.time * scale, middle, limit.regime)
        _row_words(figure, axes, inside, middle, limit.kernel.name, limit.time, limit.time * scale)
    axes.axhline(_ROW + 7, color=MUTED, linewidth=1)
    middle, start = 0.5 * _ROW, 0.0
    for regime in (MEMORY_BOUND, COMPUTE_BOUND):
        part = sum(limit.time for limit in bounds if limit.regime == regime) * scale
        _bar(axes, start, part, middle, regime)
        start += part
    _row_words(figure, axes, inside, middle, "the sum", total, total * scale, fontweight="bold")
    return figure


def _bar(axes: Any, start: float, length: float, middle: float, regime: str) -> None:
    if length:
        axes.barh([middle], [length], height=19, left=start, zorder=3, **bar_style(regime))


def _row_words(
    figure: Any, axes: Any, inside: Box, middle: float, label: str, time: float, length: float, **options: Any
) -> None:
    text(figure, inside.left - 8, inside.bottom + middle, label, ha="right", **options)
    axes.annotate(
        write(time, "s"),
        (length, middle),
        (6, 0),
        textcoords="offset pixels",
        va="center",
        color=INK,
        fontsize=SMALL,
        **options,
    )
