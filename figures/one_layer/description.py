"""What one transformer layer shows and says."""

from __future__ import annotations

from typing import Final

from figures.shared.description import Axis, Column, Description

#: What a reader can set the figure to.
SEQUENCES: Final = (1, 10_000)
TOKENS: Final = (1, 1_000_000)
#: The choice of KV heads that the model was published with.
PUBLISHED: Final = "published"
#: The format of the activations, and of the cache as the figure opens.
ACTIVATIONS: Final = "bf16"

DESCRIPTION: Final = Description(
    axes={"x": Axis("least time on {device}, {format}, in {unit}", kind="linear", form="typed")},
    columns=(
        Column("Kernel"),
        Column("FLOPs", "FLOP"),
        Column("Bytes", "B"),
        Column("Intensity (FLOP/byte)", "number .1"),
        Column("At least", "s"),
        Column("Of the sum", "% .1"),
        Column("Regime"),
    ),
    says={
        "title": "{model}, {phase}, {sequences:typed} × {tokens:typed} tokens",
        "stored": "weights {weights}, cache {cache}",
        "sum": "the sum",
        "sum row": "one layer, the sum",
        "step row": "the whole step",
        "fused row": "the step, however fused",
        "weights": "weights among its bytes",
        "cache": "cache among its bytes",
        "invitation": "Change the batch, the context or the model, and see which bar grows.",
        "bar": "{name} {time:s}",
        "none": "none",
        "nothing": "–",
        "alt": (
            "Bars of the least time of each of the {count:typed} kernels of one {model} layer ({phase}, "
            "{sequences:typed} × {tokens:typed} tokens, {device}, {format}{stored}). The bounds add up to {total:s}. "
            "Memory-bound: {memory}. Compute-bound: {compute}. The bounds of the whole step add up to {step:s}; "
            "however its kernels are fused, it takes at least {fused:s}."
        ),
        "alt stored": ", {stored}",
        "readout": (
            "One kernel after the other, a layer takes at least {total:s}, and the whole step of {layers:typed} layers "
            "at least {step:s}, so at most {rate:tokens/s plain}{served}. However fused, the step takes at least "
            "{fused:s}. Of its bytes, {weights:%} are weights and {cache:%} cache ({kind}). "
            "{room}{turns}"
        ),
        "of prompt": " of prompt",
        "mha": "MHA",
        "gqa": "GQA, g = {g:typed}",
        "weights alone": "The weights alone ({weights:B}) do not fit into {memory:B 2}.",
        "cache alone": "The cache alone ({cache:B}) does not fit into {memory:B 2}.",
        "fits": "Weights ({weights:B}) and cache ({cache:B}) fit into {memory:B 2}.",
        "does not fit": "Weights ({weights:B}) and cache ({cache:B}) do not fit into {memory:B 2}.",
        "turn": "{name} from {first:typed}",
        "attention never": "attention at no batch",
        "turns": " Compute-bound as the batch grows: {kernels}.",
        "no turns": " No kernel is compute-bound with up to {most:typed} sequences.",
        "published": "as published (g = {g:typed})",
        "not divided": ("{model} has {heads:typed} query heads, which {g} does not divide: g is as published."),
    },
    data={
        "batches": SEQUENCES,
        "published": PUBLISHED,
        "activations": ACTIVATIONS,
        # How much longer the axis is than the sum: room for its time; more on a phone.
        "room": 1.35,
        "narrow room": 1.5,
    },
)
