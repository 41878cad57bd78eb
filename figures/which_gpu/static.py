"""A bar for each device: how many tokens a second it can decode, kernel by kernel, and how many the model needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from figures.shared.canvas import (
    SMALL,
    WIDTH,
    Box,
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
from figures.shared.controls import Choice, Interactive, Number, Switch, format_choice, stored_choice
from figures.shared.drawing import Drawing, render
from figures.shared.share import share_controls
from figures.shared.words import listed
from figures.which_gpu.description import DESCRIPTION
from roofline import Device, bound, decode_step, devices, model, models
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
    """One device: how many of it hold the model, and the bound on their rate.

    Parameters
    ----------
    device : Device
        The device.
    needed : int
        Devices that hold the weights and the caches.
    rate : float
        Tokens/s of the batch at most, all of them together, one kernel after the other; 0 where the device has no peak
        in the format.
    memory_share : float
        The share of the time that memory-bound kernels take.
    """

    device: Device
    needed: int
    rate: float
    memory_share: float

    @property
    def regime(self) -> str:
        """The regime of the kernels that take most of the time."""
        return MEMORY_BOUND if self.memory_share > 0.5 else COMPUTE_BOUND

    @property
    def name(self) -> str:
        """The name of the device, and how many are needed where one is not enough."""
        if self.needed == 1:
            return self.device.name
        return DESCRIPTION.say("row", device=self.device.name, needed=self.needed)


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
    said = {"model": name, "B": sequences, "context": context, "format": dtype}
    alt = _alt(rows, said)
    svg = render(_picture(rows, said), "which-gpu", alt)
    found = which_device(name, sequences, context, fmt=dtype, weights=weights, cache=cache)
    rank = {row.device.name: index for index, row in enumerate(rows)}
    table = DESCRIPTION.table(sorted(found.rows, key=lambda row: rank[row[0].shown]))
    # The script knows no experts, no latent attention and no windows.
    live = _live(name, sequences, context, dtype, weights, cache) if model(name).is_plain else None
    return Drawing(svg, alt, table, live)


def _rows(
    name: str, sequences: int, context: int, dtype: FormatName, weights: FormatName, cache: FormatName
) -> list[Row]:
    chosen = model(name)
    step = decode_step(chosen, sequences, context, weights=weights, cache=cache)
    rows = []
    for gpu in devices():
        needed = devices_needed(chosen, gpu.memory, sequences, context, weights=weights, cache=cache)
        rate = share = 0.0
        if dtype in gpu.formats:
            limits = [bound(kernel, gpu.roof(dtype)) for kernel in step]
            time = sum(limit.time for limit in limits)
            share = sum(limit.time for limit in limits if limit.regime == MEMORY_BOUND) / time
            rate = needed * sequences / time
        rows.append(Row(gpu, needed, rate, share))
    # Devices that hold the model alone come first, those without a peak in the format last.
    return sorted(rows, key=lambda row: (row.rate == 0, row.needed > 1, -row.rate))


def _live(
    name: str, sequences: int, context: int, dtype: FormatName, weights: FormatName, cache: FormatName
) -> Interactive:
    plain = tuple((one.name, one.name) for one in models() if one.is_plain)
    controls = (
        Choice("model", "Model", plain, name),
        Number("B", "Batch, sequences that decode together", sequences, 1, 1024),
        Number("context", "Tokens in the cache of each", context, 128, 131072),
        format_choice(dtype, label="Format of the arithmetic"),
        _stored(weights, "weights", "Format of the weights"),
        _stored(cache, "cache", "Format of the KV cache"),
        *share_controls("decode"),
        Switch("alone", "Only devices that hold it alone"),
    )
    return Interactive("which_gpu", controls, DESCRIPTION.say("invitation"))


def _stored(value: str, name: str, label: str) -> Choice:
    """Return a list of formats without "as the arithmetic", whose format a device may lack."""
    options = stored_choice(value, name, label).options[1:]
    return Choice(name, label, options, value)


def _alt(rows: list[Row], said: dict[str, Any]) -> str:
    bars = [row for row in rows if row.rate]
    lacking = listed(row.device.name for row in rows if not row.rate)
    return DESCRIPTION.say(
        "alt",
        **said,
        what=DESCRIPTION.say("what"),
        count=len(rows),
        alone=sum(row.needed == 1 for row in rows),
        first=_first(bars[0]) if bars else "",
        bars="; ".join(DESCRIPTION.say("bar", device=row.name, rate=row.rate) for row in bars),
        lacking=DESCRIPTION.say("lacking", format=said["format"], devices=lacking) if lacking else "",
    )


def _first(row: Row) -> str:
    return DESCRIPTION.say("first", kind=DESCRIPTION.say("kind"), rate=row.rate, device=row.name)


@painted
def _picture(rows: list[Row], said: dict[str, Any]) -> Any:
    height = _FOOT + len(rows) * _ROW + _HEAD
    inside = Box(_LEFT, _FOOT, WIDTH - 20, height - _HEAD)
    figure, axes = canvas(height, inside)
    most = max(row.rate for row in rows) or 1
    end = DESCRIPTION.data["room"] * most
    set_axis(axes, "x", DESCRIPTION.axes["x"], domain=(0, end), limit=DESCRIPTION.say("limit"))
    set_rows(axes, len(rows), 0)
    text(figure, 10, height - 14, DESCRIPTION.say("title", **said))
    regime_key(figure, 10, height - 40, hatches=True)
    text(figure, 10, height - 62, DESCRIPTION.say("several"), color=MUTED, fontsize=SMALL)
    scale = (inside.right - inside.left) / end
    for index, row in enumerate(rows):
        middle = index + 0.5
        text(figure, inside.left - 8, inside.top - middle * _ROW, row.name, ha="right", fontsize=SMALL)
        label = {"textcoords": "offset pixels", "va": "center", "fontsize": SMALL}
        if not row.rate:
            axes.annotate(DESCRIPTION.say("no peak", **said), (0, middle), (6, 0), color=MUTED, **label)
            continue
        axes.barh([middle], [row.rate], height=0.62, zorder=3, **bar_style(row.regime))
        words = DESCRIPTION.say("rate", rate=row.rate)
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
