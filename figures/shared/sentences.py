"""What every interactive figure says alike: its notes, what is wrong with an input, and the names of the regimes."""

from __future__ import annotations

from typing import Final

from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND
from roofline.quantity import RIDGE_TENTHS_BELOW

from .controls import SAME, STEPS
from .description import Description

SHARED: Final = Description(
    axes={},
    columns=(),
    says={
        "compute": COMPUTE_BOUND,
        "memory": MEMORY_BOUND,
        "format changed": "{device} has no {format} peak: the format is now {instead}.",
        "not listed": "{label}: “{text}” is not on the list.",
        "neither": "{label}: “{text}” is neither 0 nor 1.",
        "no number": "{label}: “{text}” is no number; type one such as 4096, 4k or 1e6.",
        "out of range": "{label} goes from {low:typed} to {high:typed}: set to {value:typed}.",
        "not whole": "{label} is a whole number: set to {value:typed}.",
        "unknown": "This figure has no “{text}”.",
        "kept": "{said} It keeps {value}.",
        "on": "on",
        "off": "off",
        "reset": "Back at the start.",
        "link copied": "Link copied.",
        "link shown": "The address bar now holds the link; copy it from there.",
    },
    data={"same": SAME, "steps": STEPS, "tenths_below": RIDGE_TENTHS_BELOW},
)
