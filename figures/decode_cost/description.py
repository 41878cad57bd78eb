"""What the cost of a decode step shows and says."""

from __future__ import annotations

from typing import Final

from figures.shared.canvas import decades
from figures.shared.description import Axis, Column, Description
from figures.shared.share import share_data

#: Tokens of a step: one for each sequence that decodes.
BATCHES: Final = (1.0, 1e4)
#: The rows of the data table; the first compute-bound batch joins them.
SAMPLES: Final = (1, 4, 16, 64, 256, 1024, 4096)
#: Between these two batches the time hardly grows.
FEW: Final = 1
MORE: Final = 64

DESCRIPTION: Final = Description(
    axes={
        "x": Axis("B, sequences that decode together", BATCHES, tuple(decades(*BATCHES)), form="typed"),
        "y": Axis("{D:typed} × {F:typed} matmul, {device}, {format}", form="s 1"),
    },
    columns=(
        Column("Sequences $B$", "typed"),
        Column("FLOPs/$P${of}", "s"),
        Column("bytes/BW{of}", "s"),
        Column("{head}", "s"),
        Column("A token{of}", "s"),
        Column("Without overlap{of}", "s"),
        Column("Regime"),
    ),
    says={
        "step": "least time of the step",
        "step at a share": "time of the step at {share:typed}%",
        "of": "",
        "of at a share": ", at {share:typed}%",
        "head": "At least",
        "head at a share": "At {share:typed}%",
        "limit": "at least",
        "limit at a share": "at {share:typed}% of the roof, an estimate,",
        "what": "least time",
        "what at a share": "time at {share:typed}% of the roof",
        "token": "of that, for each token",
        "no overlap": "no overlap",
        "ridge batch": "ridge batch {exact:number .1}",
        "invitation": "Move B, and see what one more sequence costs.",
        "chosen": (
            "B = {B:typed}: {limit} {time:s}, {token:s} for each token, {regime}{without}. From B = {few:typed} to "
            "{more:typed} the work grows {work:typed}×, and the time {grown}, from {time_few:s} to {time_more:s}{why} "
            "{threshold}"
        ),
        "without": "; without overlap {added:s}",
        "grown by": "by {share:% 2}",
        "grown times": "{factor:×}",
        "follows the work": ": with {more:typed} it is compute-bound, where time follows the work.",
        "weight": (": even with {more:typed}, {share:% 2} of the bytes are the weight, which is read once for all."),
        "from": "It is compute-bound from B = {first:typed} on.",
        "never": "No batch is large enough to be compute-bound.",
        "alt": (
            "Two charts of the {what} of a {D:typed} by {F:typed} matmul on {device} in {format}{stored} against "
            "its batch B: of the step, and of each token. From B = {few:typed} to {more:typed} the step takes "
            "{growth:% .0} longer, {time_few:s} and {time_more:s}. {turn}{dashed}"
        ),
        "stored": ", weights in {weights}, activations in {activations},",
        "turn": (
            "At the ridge batch, B* = {exact:number .1}, it turns from memory-bound to compute-bound: "
            "from there on the time of the step grows with the batch and that of a token stays."
        ),
        "no turn": "No batch is large enough to make it compute-bound.",
        "dashed": " A dashed curve shows both times added, as without overlap.",
    },
    data={"samples": SAMPLES, "few": FEW, "more": MORE, "room": (0.7, 1.4), **share_data("matmul")},
)
