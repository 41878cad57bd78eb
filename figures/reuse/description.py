"""What the ridge points of all devices show and say."""

from __future__ import annotations

from typing import Final

from figures.shared.canvas import decades
from figures.shared.description import Axis, Column, Description

#: The same axis for every format, so that a switch is seen: FLOP/byte.
INTENSITIES: Final = (1.0, 4096.0)
#: Tokens that share one weight read.
BATCHES: Final = (1.0, 1024.0)
#: Rows and columns of a weight that is so large that the activations do not count: 2 * batch / bytes, exactly.
BOUNDLESS: Final = 2.0**400

DESCRIPTION: Final = Description(
    axes={"x": Axis("ridge point, FLOP/byte", INTENSITIES, tuple(decades(*INTENSITIES)), form="typed")},
    columns=(
        Column("Device"),
        Column("Year"),
        Column("Format"),
        Column("Ridge point (FLOP/byte)", "number ridge"),
        Column("Decode matmul (FLOP/byte)", "number short"),
        Column("Batch needed", "number .1"),
        Column("Regime"),
    ),
    says={
        "title": "Ridge points, {format}",
        "best title": "Ridge points, each at its best format",
        "mark": "batch {B:typed}: {span} FLOP/byte",
        "ridge": "{ridge:number ridge}",
        "intensity": "{intensity:number short}",
        "to": "{least} to {most}",
        "no peak": "no {format} peak",
        "nothing": "–",
        "none": "none",
        "gives": "Batch {B:typed} gives {span} FLOP/byte: compute-bound on {blue:typed} of the {devices}{with}. {rest}",
        "device": "1 device",
        "devices": "{count:typed} devices",
        "with": " with {format}",
        "needed": "They need a batch of {needed}{stored}.",
        "stored": " with {weights} weights",
        "medians": (
            "Dashed: the median of each year, {first:number ridge} in {since}, {last:number ridge} in {until}."
        ),
        "alt": (
            "Bars of the ridge points of {count:typed} devices, {where}, in FLOP/byte on a logarithmic axis. "
            "A line marks the intensity of a decode matmul with {tokens} to a weight read, {span} FLOP/byte. "
            "Compute-bound there: {compute}; memory-bound there: {memory}.{lacking}"
        ),
        "in": "in {format}",
        "in the best": "each in its best floating-point format",
        "token": "1 token",
        "tokens": "{B:typed} tokens",
        "bar": "{device} {ridge:number ridge}",
        "lacking": " No {format} peak: {devices}.",
    },
    data={"boundless": BOUNDLESS, "activations": "bf16"},
)
