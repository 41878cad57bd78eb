"""What the batch sweep shows and says."""

from __future__ import annotations

from typing import Final

from figures.shared.canvas import decades
from figures.shared.description import Axis, Column, Description
from roofline import LLAMA_3_1_8B

#: The same axes for every device and format, so that a switch is seen: FLOP/byte and FLOP/s.
INTENSITIES: Final = (0.2, 5e3)
RATES: Final = (1e10, 6e16)
#: Sequences that decode together; one token each.
BATCHES: Final = (1, 1024)
STEPS: Final = tuple(2**power for power in range(11))
#: Tokens of the prompt of the prefill matmul, and of each cache.
PROMPT: Final = 2048
CONTEXT: Final = 2048

DESCRIPTION: Final = Description(
    axes={
        "x": Axis("arithmetic intensity, FLOP/byte", INTENSITIES, tuple(decades(*INTENSITIES))),
        "y": Axis("FLOP/s at most, {model} on {device}, {format}", RATES, tuple(decades(*RATES)), form="FLOP/s 1 bare"),
    },
    columns=(
        Column("Batch $B$", "typed"),
        Column("Decode matmul $I$ (FLOP/byte)", "number 4"),
        Column("At least", "s 4"),
        Column("Of peak, at most", "% 2"),
        Column("Regime"),
        Column("Decode attention $I$ (FLOP/byte)", "number 4"),
        Column("Attention, at least", "s 4"),
    ),
    says={
        "narrow title": "FLOP/s at most",
        "mha": "MHA, g = {g}",
        "gqa": "GQA, g = {g}",
        "ridge": "ridge {ridge:number ridge}",
        "memory roof": "memory roof",
        "compute roof": "compute roof",
        "prefill": "prefill matmul",
        "attention": "decode attention, {kind}",
        "narrow attention": "attention, {kind}",
        "matmul": "decode matmul, B = {B:typed}",
        "narrow matmul": "matmul, B = {B:typed}",
        "prompt": "prefill, {tokens:typed} tokens",
        "from": "the ridge is reached at B = {first:typed}",
        "never": "no batch is large enough",
        "readout": (
            "B = {B:typed}: the decode matmul ({side:typed} × {side:typed}) is {regime} at {intensity:FLOP/B 4}, "
            "{threshold}. Decode attention stays at {attention:typed} FLOP/byte ({kind})."
        ),
        "playing": "Playing: the batch doubles up to B = {last:typed}. Pause to read the numbers of one batch.",
        "play": "Play",
        "pause": "Pause",
        "alt": (
            "The roofline of {device} in {format}, both axes logarithmic, with three kernels of {model}. "
            "The memory roof rises until it meets the compute roof at the ridge point, {ridge:FLOP/B ridge}. "
            "The decode matmul with B = {B:typed} is at {intensity:FLOP/B short}, {regime}; {threshold}. "
            "Decode attention stays at {attention:FLOP/B short}, whatever the batch ({kind}). "
            "The prefill matmul with {prompt:typed} tokens is at {prefill:FLOP/B short}, {prefill_regime}."
        ),
    },
    data={
        "model": LLAMA_3_1_8B.name,
        "batches": BATCHES,
        "steps": STEPS,
        "prompt": PROMPT,
        "context": CONTEXT,
        "stored": "bf16",  # the cache and the activations, whatever the format of the weights
    },
)
