"""What the intensity of a matmul against its batch shows and says."""

from __future__ import annotations

from typing import Final

from figures.shared.canvas import decades
from figures.shared.description import Axis, Column, Description

#: Tokens that share one weight read: from one sequence in decode to a long prefill.
BATCHES: Final = (1.0, 1e5)
#: The rows of the data table; the first compute-bound batch joins them.
SAMPLES: Final = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
#: The points of the curve that have a mark.
MARKED: Final = (1, 16, 64, 256, 1024, 4096, 16384)
#: A batch beyond which the intensity does not change in any digit that is shown.
BOUNDLESS: Final = 10**12
#: How far the vertical axis goes above the ceiling or the ridge point.
ROOM: Final = 1.16

DESCRIPTION: Final = Description(
    axes={
        "x": Axis("B, tokens that share one weight read", BATCHES, tuple(decades(*BATCHES)), form="typed"),
        "y": Axis("FLOP/byte of a {D:typed} × {F:typed} matmul, {device}, {format}", form="typed", kind="linear"),
    },
    columns=(
        Column("Tokens $B$", "typed"),
        Column("FLOPs", "FLOP"),
        Column("Bytes", "B 4"),
        Column("Intensity $I$ (FLOP/byte)", "number 4"),
        Column("FLOPs/$P$", "s 4"),
        Column("bytes/BW", "s 4"),
        Column("Regime"),
        Column("Of peak, at most", "% 2"),
    ),
    says={
        "narrow title": "intensity, FLOP/byte",
        "invitation": "Guess B*, then press Reveal.",
        "ceiling": "ceiling, {ceiling:number ridge}",
        "ridge": "ridge point, {ridge:number ridge}",
        "threshold": "B* = {exact:number .1}",
        "guess": "your guess, {guess:typed}",
        "hidden": "?",
        "chosen": "B = {B:typed}: {intensity:FLOP/B 4}, at least {time:s 4}{rest}",
        "asking": ". Guess B* and press Reveal.",
        "revealed": ", {regime}, at most {share:% 2} of peak. {threshold}{remark}",
        "from": "It is compute-bound from B = {first:typed} on (B* = {exact:number .1}).",
        "never": (
            "No batch is large enough: the ceiling of {ceiling:FLOP/B ridge} is not above the ridge point of "
            "{ridge:FLOP/B ridge}."
        ),
        "guess never": (
            " Your guess was {guess:typed}, but no batch is large enough: the ceiling is not above the ridge point."
        ),
        "guess right": " Your guess of {guess:typed} is right: B* is {exact:number .1}.",
        "guess thumb": (
            " Your guess of {guess:typed} is the rule of thumb. The activations, which also move, make B* "
            "{exact:number .1}."
        ),
        "guess sparse": (
            " Your guess of {guess:typed} fits the sparse peak, twice the dense one. With the dense peak B* is "
            "{exact:number .1}."
        ),
        "guess high": " Your guess of {guess:typed} is {distance} too high: B* is {exact:number .1}.",
        "guess low": " Your guess of {guess:typed} is {distance} too low: B* is {exact:number .1}.",
        "distance near": "{share:% 1}",
        "distance far": "{factor:× 2}",
        "alt": (
            "Intensity of a {D:typed} by {F:typed} matmul in {format} against its batch B, on a logarithmic axis. "
            "The curve starts at {start:FLOP/B .1 plain} for B = 1 and bends towards its ceiling, "
            "{ceiling:FLOP/B ridge}. {answer}"
        ),
        "answer": "A horizontal line marks the ridge point of {device}, {ridge:FLOP/B ridge}. {end}",
        "meets": (
            "The curve meets it at B* = {exact:number .1}: with fewer tokens the matmul is memory-bound, from "
            "{first:typed} on it is compute-bound."
        ),
        "never meets": (
            "The curve never reaches the ridge point, so no batch is large enough and every one is memory-bound."
        ),
    },
    data={"samples": SAMPLES, "marked": MARKED, "boundless": BOUNDLESS, "room": ROOM},
)
