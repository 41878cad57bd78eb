"""Llama 3.1 8B on a roofline: with the batch the decode matmul climbs to the ridge, and decode attention stays."""

from __future__ import annotations

import math
from typing import Any, Final

from figures.batch_sweep.description import BATCHES, CONTEXT, DESCRIPTION, INTENSITIES, PROMPT, RATES, STEPS
from figures.shared.canvas import (
    LINE,
    SMALL,
    WIDTH,
    Box,
    along,
    canvas,
    draw_roof,
    marker_style,
    painted,
    regime_key,
    set_axis,
    text,
    text_width,
)
from figures.shared.colours import COMPUTE, MEMORY, MUTED
from figures.shared.controls import Interactive, Number, Press, Presses, Switch, device_choice, format_choice
from figures.shared.drawing import Drawing, render
from figures.shared.template import filled
from figures.shared.words import working_of_roof
from roofline import (
    LLAMA_3_1_8B,
    Bound,
    Kernel,
    Roof,
    attention_decode,
    bound,
    critical_batch,
    device,
    matmul,
)
from roofline.bounds import MEMORY_BOUND
from roofline.tables import Cell, Table
from roofline.types import FormatName

_HEIGHT: Final = 480
_INSIDE: Final = Box(52, 54, 462, 416)


def draw(batch: int = 1, *, mha: bool = False, name: str = "H100 SXM", dtype: FormatName = "bf16") -> Drawing:
    """Draw three kernels of Llama 3.1 8B on the roofline of a device, at one decode batch.

    Parameters
    ----------
    batch : int
        Sequences that decode together.
    mha : bool
        Whether each query head has a KV head of its own, instead of one for ``g`` of them.
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
    >>> draw(64).alt.split(". ")[3]
    'Decode attention stays at 4 FLOP/byte, whatever the batch (GQA, g = 4)'
    """
    roof = device(name).roof(dtype)
    points = {
        "matmul": bound(decode_matmul(batch, dtype), roof),
        "attention": bound(decode_attention(batch, mha=mha), roof),
        "prefill": bound(decode_matmul(PROMPT, dtype), roof),
    }
    said = _said(batch, mha, name, dtype, roof, points)
    alt = DESCRIPTION.say("alt", **said)
    svg = render(_picture(batch, mha, name, dtype, roof, points), "batch-sweep", alt)
    live = _live(batch, mha, name, dtype, DESCRIPTION.say("readout", **said))
    return Drawing(svg, alt, _table(mha, name, dtype, roof), live)


def decode_matmul(tokens: int, dtype: FormatName) -> Kernel:
    """Return the matmul with one hidden x hidden weight, such as the output projection of a layer.

    Parameters
    ----------
    tokens : int
        Tokens that share the read of the weight: the batch in decode, the prompt in prefill.
    dtype : str
        The format of the weight.

    Returns
    -------
    Kernel
        FLOPs and bytes.
    """
    return matmul(tokens, LLAMA_3_1_8B.hidden, LLAMA_3_1_8B.hidden, weights=dtype)


def decode_attention(batch: int, *, mha: bool) -> Kernel:
    """Return the attention of one layer in decode, with the cache in bf16.

    Parameters
    ----------
    batch : int
        Sequences that decode together.
    mha : bool
        Whether each query head has a KV head of its own.

    Returns
    -------
    Kernel
        FLOPs and bytes.

    Examples
    --------
    >>> [float(decode_attention(8, mha=mha).intensity) for mha in (False, True)]
    [4.0, 1.0]
    """
    g, kv_heads = _grouping(mha)
    return attention_decode(CONTEXT, LLAMA_3_1_8B.head_dim, g=g, kv_heads=kv_heads, sequences=batch)


def _grouping(mha: bool) -> tuple[int, int]:
    """Return the query heads for each KV head, and the KV heads."""
    return (1, LLAMA_3_1_8B.q_heads) if mha else (int(LLAMA_3_1_8B.g), LLAMA_3_1_8B.kv_heads)


def _live(batch: int, mha: bool, name: str, dtype: FormatName, readout: str) -> Interactive:
    controls = (
        Number("B", "B, sequences that decode together", batch, *BATCHES),
        Presses("Sweep the batch", (Press("back", "Back"), Press("play", "Play"), Press("forward", "Forward"))),
        device_choice(name),
        format_choice(dtype),
        Switch("mha", "MHA instead of GQA", mha),
    )
    return Interactive("batch_sweep", controls, readout)


def _kind(mha: bool) -> str:
    return DESCRIPTION.say("mha" if mha else "gqa", g=str(_grouping(mha)[0]))


def _exact(roof: Roof, dtype: FormatName) -> float:
    return float(critical_batch(LLAMA_3_1_8B.hidden, LLAMA_3_1_8B.hidden, roof, weights=dtype))


def _threshold(exact: float) -> str:
    return DESCRIPTION.say("never") if math.isinf(exact) else DESCRIPTION.say("from", first=math.ceil(exact))


def _said(batch: int, mha: bool, name: str, dtype: FormatName, roof: Roof, points: dict[str, Bound]) -> dict[str, Any]:
    """Return the values of the sentences' gaps."""
    return {
        "B": batch,
        "side": LLAMA_3_1_8B.hidden,
        "regime": points["matmul"].regime,
        "intensity": points["matmul"].kernel.intensity,
        "threshold": _threshold(_exact(roof, dtype)),
        "attention": points["attention"].kernel.intensity,
        "kind": _kind(mha),
        "model": LLAMA_3_1_8B.name,
        "device": name,
        "format": dtype,
        "ridge": roof.ridge,
        "prompt": PROMPT,
        "prefill": points["prefill"].kernel.intensity,
        "prefill_regime": points["prefill"].regime,
    }


def _table(mha: bool, name: str, dtype: FormatName, roof: Roof) -> Table:
    hidden, (g, kv_heads) = LLAMA_3_1_8B.hidden, _grouping(mha)
    exact = _exact(roof, dtype)
    first = {math.ceil(exact)} if exact <= BATCHES[1] else set()
    where = working_of_roof(name, dtype)
    none = Cell("–")

    def row(label: Cell, tokens: int, batch: int | None) -> tuple[Cell, ...]:
        kernel = f'matmul({tokens}, {hidden}, {hidden}, weights="{dtype}")'
        limited = f"bound({kernel}, {where})"
        cache = f"{CONTEXT}, {LLAMA_3_1_8B.head_dim}, g={g}, kv_heads={kv_heads}, sequences={batch}"
        attention = f"attention_decode({cache})"
        return DESCRIPTION.row(
            label,
            f"{kernel}.intensity",
            f"{limited}.time",
            f"{limited}.fraction_of_peak",
            f"{limited}.regime",
            *((none, none) if batch is None else (f"{attention}.intensity", f"bound({attention}, {where}).time")),
        )

    batches = [row(DESCRIPTION.columns[0].label(batch), batch, batch) for batch in sorted({*STEPS, *first})]
    return DESCRIPTION.table([*batches, row(Cell(DESCRIPTION.say("prompt", tokens=PROMPT)), PROMPT, None)])


@painted
def _picture(batch: int, mha: bool, name: str, dtype: FormatName, roof: Roof, points: dict[str, Bound]) -> Any:
    figure, axes = canvas(_HEIGHT, _INSIDE)
    title = {"model": LLAMA_3_1_8B.name, "device": name, "format": dtype}
    set_axis(axes, "x", DESCRIPTION.axes["x"])
    set_axis(axes, "y", DESCRIPTION.axes["y"])
    text(figure, 10, _HEIGHT - 14, filled(DESCRIPTION.axes["y"].title, **title))
    regime_key(figure, 10, _HEIGHT - 40)

    draw_roof(axes, roof, INTENSITIES, RATES[0])
    # Where the matmul is with other batches.
    for tokens in STEPS:
        limit = bound(decode_matmul(tokens, dtype), roof)
        style = {**marker_style(limit.regime), "markersize": 6}
        axes.plot([limit.kernel.intensity], [limit.attainable], zorder=3, **style)
    for limit in points.values():
        axes.plot([limit.kernel.intensity], [limit.attainable], zorder=4, **marker_style(limit.regime))
    _label(figure, batch, mha, roof, points)
    return figure


def _label(figure: Any, batch: int, mha: bool, roof: Roof, points: dict[str, Bound]) -> None:
    """Name each point below the slope or above the flat roof, and the roofs where there is room."""
    taken: list[Box] = []
    x, y = _x(roof.ridge), _y(roof.peak)
    ridge = DESCRIPTION.say("ridge", ridge=roof.ridge)
    low = _INSIDE.bottom + 12
    _place(figure, taken, ridge, [(x + 8, low, "left"), (x - 8, low, "right")], color=MUTED, fontsize=SMALL)
    if x + 100 < _INSIDE.right:
        _place(
            figure,
            taken,
            DESCRIPTION.say("compute roof"),
            [(_INSIDE.right, y - 14, "right")],
            color=COMPUTE,
            fontsize=SMALL,
        )
    start = (_INSIDE.left, _y(roof.attainable(INTENSITIES[0])))
    if x - start[0] > 120:
        text(
            figure, (start[0] + x) / 2 - 8, (start[1] + y) / 2 + 12, DESCRIPTION.say("memory roof"),
            color=MEMORY, fontsize=SMALL,
            ha="center", rotation=math.degrees(math.atan2(y - start[1], x - start[0])), rotation_mode="anchor",
        )  # fmt: skip
    wordings = {
        "prefill": DESCRIPTION.say("prefill"),
        "attention": DESCRIPTION.say("attention", kind=_kind(mha)),
        "matmul": DESCRIPTION.say("matmul", B=batch),
    }
    for key, words in wordings.items():
        x, y = _x(points[key].kernel.intensity), _y(points[key].attainable)
        rows = [LINE * row for row in range(4)]
        if points[key].regime == MEMORY_BOUND:
            places = [*((x + 12, y - 8 - row, "left") for row in rows), (x - 10, y + 10, "right")]
        else:
            places = [(left, y + 16 + row, side) for row in rows for left, side in ((x + 20, "right"), (x - 8, "left"))]
        _place(figure, taken, words, places)


def _place(figure: Any, taken: list[Box], words: str, places: list[tuple[float, float, str]], **options: Any) -> None:
    """Write a text at the first of some places where it covers no other text and stays in the drawing.

    `figures.one_gpu` has too many points for a list of places: there a name moves on until it is free.
    """

    def box(x: float, y: float, side: str) -> Box:
        left = x - text_width(words) if side == "right" else x
        return Box(left, y - LINE / 2, left + text_width(words), y + LINE / 2)

    def free(place: tuple[float, float, str]) -> bool:
        covered = box(*place)
        return covered.left >= 0 and covered.right <= WIDTH and not any(covered.meets(other) for other in taken)

    chosen = next(filter(free, places), places[0])
    taken.append(box(*chosen))
    text(figure, chosen[0], chosen[1], words, ha=chosen[2], **options)


def _x(intensity: float) -> float:
    return along(intensity, INTENSITIES, _INSIDE.left, _INSIDE.right)


def _y(rate: float) -> float:
    return along(rate, RATES, _INSIDE.bottom, _INSIDE.top)
