"""A bar for each device: how many tokens a second it can decode at most, and how many of it the model needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from figures.shared.canvas import (
    SMALL,
    TEXT,
    WIDTH,
    Box,
    bar_style,
    canvas,
    few_ticks,
    painted,
    regime_key,
    text,
    text_width,
)
from figures.shared.colours import INK, MUTED
from figures.shared.controls import Choice, Interactive, Number, Switch, format_choice, stored_choice
from figures.shared.drawing import Drawing, render
from figures.shared.words import listed
from roofline import Device, bound, decode_step, devices, format_quantity, model, models
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.capacity import devices_needed
from roofline.tables.atlas import which_device
from roofline.types import FormatName

_ROW: Final = 23
_FOOT: Final = 54
_HEAD: Final = 82
_LEFT: Final = 186


@dataclass(frozen=True)
class Row:
    """One device: how many it takes, and what so many of them allow.

    Parameters
    ----------
    device : Device
        The device.
    needed : int
        Devices that hold the weights and the caches.
    rate : float
        Tokens/s of the batch at most, all of them together; 0 where the device has no peak in the format.
    memory_share : float
        The share of the time that memory-bound kernels take.
    """

    device: Device
    needed: int
    rate: float
    memory_share: float

    @property
    def regime(self) -> str:
        """What most of the time goes by."""
        return MEMORY_BOUND if self.memory_share > 0.5 else COMPUTE_BOUND

    @property
    def name(self) -> str:
        """The device, and how many of it where one is not enough."""
        return f"{self.device.name} × {self.needed}" if self.needed > 1 else self.device.name


def draw(
    name: str = "Llama 3.1 8B",
    sequences: int = 16,
    context: int = 8192,
    *,
    dtype: FormatName = "bf16",
    weights: FormatName = "bf16",
    cache: FormatName = "bf16",
) -> Drawing:
    """Draw the bound on the decode rate of a model on every device, the fastest first.

    Parameters
    ----------
    name : str
        The model; the picture of one that is not plain stays as it is.
    sequences, context : int
        Sequences in the batch, and tokens in the cache of each.
    dtype : str
        The format of the arithmetic.
    weights, cache : str
        Formats of the weights and of the KV cache.

    Returns
    -------
    Drawing
        The picture, its alt text and its data.

    Raises
    ------
    UnknownModel, UnknownFormat, InvalidValue
        Where an argument breaks its rule.

    Examples
    --------
    >>> "hold it alone" in draw().alt
    True
    """
    rows = _rows(name, sequences, context, dtype, weights, cache)
    what = f"{name}, {sequences:,} sequences of {context:,} tokens"
    alt = _alt(rows, what, dtype)
    svg = render(_picture(rows, name, f"{sequences:,} × {context:,} tokens, {dtype}", dtype), "which-gpu", alt)
    table = which_device(name, sequences, context, fmt=dtype, weights=weights, cache=cache)
    # The script knows no experts, no latent attention and no windows.
    live = _live(name, sequences, context, dtype, weights, cache) if model(name).is_plain else None
    return Drawing(svg, alt, table, live)


def _rows(
    name: str, sequences: int, context: int, dtype: FormatName, weights: FormatName, cache: FormatName
) -> list[Row]:
    shape = model(name)
    step = decode_step(shape, sequences, context, weights=weights, cache=cache)
    rows = []
    for gpu in devices():
        needed = devices_needed(shape, gpu.memory, sequences, context, weights=weights, cache=cache)
        rate = share = 0.0
        if dtype in gpu.formats:
            limits = [bound(kernel, gpu.roof(dtype)) for kernel in step]
            time = sum(limit.time for limit in limits)
            share = sum(limit.time for limit in limits if limit.regime == MEMORY_BOUND) / time
            rate = needed * sequences / time
        rows.append(Row(gpu, needed, rate, share))
    # Those that hold it alone come first, and what has no peak comes last.
    return sorted(rows, key=lambda row: (row.rate == 0, row.needed > 1, -row.rate))


def _live(
    name: str, sequences: int, context: int, dtype: FormatName, weights: FormatName, cache: FormatName
) -> Interactive:
    plain = tuple((shape.name, shape.name) for shape in models() if shape.is_plain)
    controls = (
        Choice("model", "Model", plain, name),
        Number("B", "Batch, sequences that decode together", sequences, 1, 1024),
        Number("context", "Tokens in the cache of each", context, 128, 131072),
        format_choice(dtype, label="Format of the arithmetic"),
        _stored(weights, "weights", "Format of the weights"),
        _stored(cache, "cache", "Format of the KV cache"),
        Switch("alone", "Only devices that hold it alone"),
    )
    return Interactive("which_gpu", controls, "Choose a model, and see how fast each device can be at most.")


def _stored(value: str, name: str, label: str) -> Choice:
    """Return the formats that something is stored in, without that of the arithmetic, which a device may lack."""
    options = stored_choice(value, name, label).options[1:]
    return Choice(name, label, options, value)


def _alt(rows: list[Row], what: str, dtype: FormatName) -> str:
    bars = [row for row in rows if row.rate]
    alone = [row for row in rows if row.needed == 1]
    lacking = listed(row.device.name for row in rows if not row.rate)
    first = f"The highest bound is {_rate(bars[0].rate)}, on {bars[0].name}. " if bars else ""
    return (
        "Bars of the most tokens a second that each device can decode, bounds and not measurements: "
        f"{what}, in {dtype}. "
        f"Of {len(rows)} devices, {len(alone)} hold it alone. {first}"
        + "; ".join(f"{row.name} {_rate(row.rate)}" for row in bars)
        + (f". No {dtype} peak: {lacking}." if lacking else ".")
    )


def _rate(value: float) -> str:
    return format_quantity(value, "tokens/s", places=0, prefix="")


@painted
def _picture(rows: list[Row], name: str, what: str, dtype: FormatName) -> Any:
    height = _FOOT + len(rows) * _ROW + _HEAD
    inside = Box(_LEFT, _FOOT, WIDTH - 20, height - _HEAD)
    figure, axes = canvas(height, inside)
    most = max(row.rate for row in rows) or 1
    axes.set(xlim=(0, 1.12 * most), ylim=(len(rows), 0))
    axes.grid(visible=False, axis="y")
    axes.set_yticks([])
    few_ticks(axes.xaxis, 4)
    axes.set_xlabel("tokens/s at most, a bound", color=INK, fontsize=TEXT, labelpad=6)
    text(figure, 10, height - 14, f"{name}, {what}")
    regime_key(figure, 10, height - 40, hatches=True)
    text(figure, 10, height - 62, "× 2: two devices hold it, one does not", color=MUTED, fontsize=SMALL)
    scale = (inside.right - inside.left) / (1.12 * most)
    for index, row in enumerate(rows):
        middle = index + 0.5
        text(figure, inside.left - 8, inside.top - middle * _ROW, row.name, ha="right", fontsize=SMALL)
        label = {"textcoords": "offset pixels", "va": "center", "fontsize": SMALL}
        if not row.rate:
            axes.annotate(f"no {dtype} peak", (0, middle), (6, 0), color=MUTED, **label)
            continue
        axes.barh([middle], [row.rate], height=0.62, zorder=3, **bar_style(row.regime))
        words = format_quantity(row.rate, "", places=0, prefix="")
        fits = inside.left + scale * row.rate + 6 + text_width(words, SMALL) < WIDTH
        axes.annotate(
            words,
            (row.rate, middle),
            (6 if fits else -5, 0),
            color=INK,
            ha="left" if fits else "right",
            zorder=4,
            **label,
        )
    return figure
