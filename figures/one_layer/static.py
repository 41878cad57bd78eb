"""One transformer layer: a bar for each kernel's bound, and their sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from figures.one_layer.description import ACTIVATIONS, DESCRIPTION, PUBLISHED, SEQUENCES, TOKENS
from figures.shared.canvas import SMALL, WIDTH, Box, bar_style, canvas, painted, regime_key, set_axis, set_rows, text
from figures.shared.colours import INK, MUTED
from figures.shared.controls import SAME, Choice, Interactive, Number, device_choice, format_choice, stored_choice
from figures.shared.drawing import Drawing, render
from figures.shared.template import shown
from figures.shared.words import listed, split_unit, working_of_roof
from roofline import (
    LLAMA_3_1_8B,
    Bound,
    Kernel,
    Model,
    Roof,
    bound,
    decode_layer,
    decode_step,
    device,
    fused_time,
    models,
    prefill_layer,
    prefill_step,
    total_time,
    unavoidable_bytes,
)
from roofline.architecture import WIDTHS
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.tables import Cell, Table
from roofline.types import FormatName

_ROW: Final = 31
_FOOT: Final = 54
_LEFT: Final = 138
_LAYERS: Final[dict[str, Callable[..., list[Kernel]]]] = {"decode": decode_layer, "prefill": prefill_layer}
_STEPS: Final[dict[str, Callable[..., list[Kernel]]]] = {"decode": decode_step, "prefill": prefill_step}


@dataclass(frozen=True)
class _Case:
    """All that the figure shows, and the expressions that give it."""

    phase: str
    sequences: int
    tokens: int
    model: Model
    device: str
    format: FormatName
    weights: FormatName
    cache: FormatName

    @property
    def roof(self) -> Roof:
        return device(self.device).roof(self.format)

    @property
    def sizes(self) -> tuple[Model, int, int]:
        return self.model, self.sequences, self.tokens

    @property
    def formats(self) -> dict[str, str]:
        return {"weights": self.weights, "cache": self.cache}

    @property
    def layer(self) -> list[Kernel]:
        return _LAYERS[self.phase](*self.sizes, **self.formats)

    @property
    def step(self) -> list[Kernel]:
        return _STEPS[self.phase](*self.sizes, **self.formats)

    def working(self, what: Literal["layer", "step"]) -> str:
        return f"{self.phase}_{what}({self.arguments})"

    @property
    def arguments(self) -> str:
        """The expression of the model, its sizes and its formats."""
        formats = ", ".join(f'{name}="{value}"' for name, value in self.formats.items())
        return f"{working_of_model(self.model)}, {self.sequences}, {self.tokens}, {formats}"

    @property
    def title(self) -> str:
        return DESCRIPTION.say("title", **self.said)

    @property
    def said(self) -> dict[str, Any]:
        """The values of the gaps in the titles and the alt text."""
        return {
            "model": self.model.name,
            "phase": self.phase,
            "sequences": self.sequences,
            "tokens": self.tokens,
            "device": self.device,
            "format": self.format,
        }

    @property
    def stored(self) -> str:
        """The formats of weights and cache, where they are not those of the arithmetic and of the activations."""
        if (self.weights, self.cache) == (self.format, ACTIVATIONS):
            return ""
        return DESCRIPTION.say("stored", **self.formats)


def draw(
    phase: Literal["decode", "prefill"] = "decode",
    sequences: int = 16,
    tokens: int = 2048,
    *,
    model: Model = LLAMA_3_1_8B,
    name: str = "H100 SXM",
    dtype: FormatName = "bf16",
    weights: FormatName | None = None,
    cache: FormatName = "bf16",
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
    model : Model
        The model. The figure is interactive where it is one of the catalog, with any number of KV heads.
    name : str
        The device.
    dtype : str
        The format of the arithmetic.
    weights, cache : str, optional
        The formats of the weights, that of the arithmetic where left out, and of the KV cache; the activations are
        bf16.

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
    case = _Case(phase, sequences, tokens, model, name, dtype, weights or dtype, cache)
    bounds = [bound(kernel, case.roof) for kernel in case.layer]
    alt = _alt(case, bounds)
    return Drawing(render(_picture(case, bounds), "one-layer", alt), alt, _table(case), _live(case))


def working_of_model(model: Model) -> str:
    """Return the expression that gives a model.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        Over the public names of `roofline`.

    Examples
    --------
    >>> working_of_model(models()[1].with_kv_heads(64))
    'model("Llama 3.1 70B").with_kv_heads(64)'
    """
    if model == LLAMA_3_1_8B:
        return "LLAMA_3_1_8B"
    published = _published(model)
    if published is None:
        return repr(model)
    whole = f'model("{published.name}")'
    return whole if published == model else f"{whole}.with_kv_heads({model.kv_heads})"


def _published(model: Model) -> Model | None:
    """Return the model of the catalog that differs from this one at most in its KV heads."""

    def rest(other: Model) -> list[Any]:
        return [other.name, *(getattr(other, width) for width in WIDTHS if width != "kv_heads")]

    return next((one for one in models() if rest(one) == rest(model)), None)


def _live(case: _Case) -> Interactive | None:
    published = _published(case.model)
    plain = [one for one in models() if one.is_plain]  # the script knows no experts, no MLA and no windows
    if published is None or published not in plain:
        return None
    groups = sorted({g for one in plain for g in range(1, one.q_heads + 1) if one.q_heads % g == 0})
    g = PUBLISHED if published == case.model else f"{case.model.g}"
    options = ((PUBLISHED, "as published"), ("1", "g = 1 (MHA)"), *((f"{g}", f"g = {g}") for g in groups[1:]))
    controls = (
        Choice("phase", "Phase", (("decode", "decode"), ("prefill", "prefill")), case.phase),
        Choice("model", "Model", tuple((one.name, one.name) for one in plain), published.name),
        Number("sequences", "Batch, sequences", case.sequences, *SEQUENCES),
        Number("tokens", "Context or prompt, tokens of each", case.tokens, *TOKENS),
        Choice("g", "Query heads per KV head, g", options, g),
        device_choice(case.device),
        format_choice(case.format, label="Format of the arithmetic"),
        stored_choice(SAME if case.weights == case.format else case.weights, "weights", "Format of the weights"),
        stored_choice(case.cache, "cache", "Format of the KV cache"),
    )
    return Interactive("one_layer", controls, DESCRIPTION.say("invitation"))


def _alt(case: _Case, bounds: list[Bound]) -> str:
    def group(regime: str) -> str:
        members = (limit for limit in bounds if limit.regime == regime)
        named = listed(DESCRIPTION.say("bar", name=limit.kernel.name, time=limit.time) for limit in members)
        return named or DESCRIPTION.say("none")

    return DESCRIPTION.say(
        "alt",
        **case.said,
        count=len(bounds),
        stored=DESCRIPTION.say("alt stored", stored=case.stored) if case.stored else "",
        total=total_time(case.layer, case.roof),
        memory=group(MEMORY_BOUND),
        compute=group(COMPUTE_BOUND),
        step=total_time(case.step, case.roof),
        fused=fused_time(case.step, case.roof, unavoidable_bytes(*case.sizes, weights=case.weights, cache=case.cache)),
    )


def _table(case: _Case) -> Table:
    layer, step, roof = case.working("layer"), case.working("step"), working_of_roof(case.device, case.format)
    total, moved = f"total_time({layer}, {roof})", f"sum(kernel.nbytes for kernel in {step})"
    model, say = working_of_model(case.model), DESCRIPTION.say
    none = Cell(say("nothing"))

    def of_kernel(index: int, name: str) -> tuple[Cell, ...]:
        kernel = f"{layer}[{index}]"
        limited = f"bound({kernel}, {roof})"
        return DESCRIPTION.row(
            Cell(name),
            f"{kernel}.flops",
            f"{kernel}.nbytes",
            f"{kernel}.intensity",
            f"{limited}.time",
            f"{limited}.time / {total}",
            f"{limited}.regime",
        )

    def part(name: str, nbytes: str) -> tuple[Cell, ...]:
        return DESCRIPTION.row(Cell(say(name)), none, nbytes, none, none, f"{nbytes} / {moved}", none)

    flops, time = f"sum(kernel.flops for kernel in {step})", f"total_time({step}, {roof})"
    least = f"unavoidable_bytes({case.arguments})"
    fused = f"fused_time({step}, {roof}, {least})"
    return DESCRIPTION.table(
        [
            *(of_kernel(index, kernel.name) for index, kernel in enumerate(case.layer)),
            DESCRIPTION.row(Cell(say("sum row")), none, none, none, total, none, none),
            DESCRIPTION.row(Cell(say("step row")), flops, moved, none, time, none, none),
            DESCRIPTION.row(Cell(say("fused row")), flops, least, none, fused, none, none),
            part("weights", f'{model}.step_weight_bytes("{case.weights}")'),
            part("cache", f'{model}.cache_bytes({case.sequences}, {case.tokens}, "{case.cache}")'),
        ]
    )


@painted
def _picture(case: _Case, bounds: list[Bound]) -> Any:
    total = total_time(case.layer, case.roof)
    rows = len(bounds) + 1
    foot = _FOOT + (19 if case.stored else 0)
    height = foot + rows * _ROW + 14 + 60
    inside = Box(_LEFT, foot, WIDTH - 14, foot + rows * _ROW + 14)
    figure, axes = canvas(height, inside)
    unit, scale = split_unit(total)
    # Room on the right for the value of the sum.
    limits = (0, total * scale * DESCRIPTION.data["room"])
    set_axis(axes, "x", DESCRIPTION.axes["x"], **case.said, unit=unit, domain=limits)
    set_rows(axes, 0, inside.top - inside.bottom)
    axes.spines["bottom"].set_visible(False)
    if case.stored:
        text(figure, (inside.left + inside.right) / 2, 12, case.stored, ha="center")
    text(figure, 10, height - 14, case.title)
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
    _row_words(figure, axes, inside, middle, DESCRIPTION.say("sum"), total, total * scale, fontweight="bold")
    return figure


def _bar(axes: Any, start: float, length: float, middle: float, regime: str) -> None:
    if length:
        axes.barh([middle], [length], height=19, left=start, zorder=3, **bar_style(regime))


def _row_words(
    figure: Any, axes: Any, inside: Box, middle: float, label: str, time: float, length: float, **options: Any
) -> None:
    text(figure, inside.left - 8, inside.bottom + middle, label, ha="right", **options)
    axes.annotate(
        shown(time, "s"),
        (length, middle),
        (6, 0),
        textcoords="offset pixels",
        va="center",
        color=INK,
        fontsize=SMALL,
        **options,
    )
