"""What the decode rates of all devices show and say."""

from __future__ import annotations

from typing import Final

from figures.shared.description import Axis, Column, Description
from figures.shared.share import share_data
from roofline.tables.atlas import WHICH_DEVICE_HEADS

DESCRIPTION: Final = Description(
    axes={"x": Axis("tokens/s {limit}, kernel by kernel", kind="linear", form="typed")},
    columns=tuple(map(Column, WHICH_DEVICE_HEADS, ("", "typed", "s", "s", "tokens/s .0 plain", "% .0"))),
    says={
        "title": "{model}, {B:typed} × {context:typed} tokens, {format}",
        "narrow title": "{model}, {B:typed} × {context:typed} tokens",
        "several": "× 2: two devices hold it, one does not",
        "row": "{device} × {needed:typed}",
        "rate": "{rate:number .0 plain}",
        "no peak": "no {format} peak",
        "nothing": "–",
        "invitation": "Choose a model, and see how fast each device can be at most, one kernel after the other.",
        "alt": (
            "Bars of the {what}: {model}, {B:typed} sequences of {context:typed} tokens, in {format}. "
            "Of {count:typed} devices, {alone:typed} hold it alone. {first}{bars}{lacking}."
        ),
        "limit": "at most",
        "limit at a share": "at {share:typed}%",
        "what": (
            "most tokens a second that each device can decode, one kernel after the other, bounds and not measurements"
        ),
        "what at a share": (
            "tokens a second that each device decodes at {share:typed}% of its roof, one kernel after the other, "
            "estimates and not bounds"
        ),
        "head at a share": "{head}, at {share:typed}%",
        "first": "The highest {kind} is {rate:tokens/s .0 plain}, on {device}. ",
        "bar": "{device} {rate:tokens/s .0 plain}",
        "lacking": ". No {format} peak: {devices}",
        "readout": (
            "Weights and caches take {held:B}: {alone:typed} of {count:typed} devices hold them alone. {fastest}"
        ),
        "fastest": (
            "The highest bound is {rate:tokens/s .0 plain} on {device}, {time:s} for each token one kernel after the "
            "other, and {fused:s} however they are fused. No device is faster than that at its stated clock; most are "
            "slower."
        ),
        "fastest at a share": (
            "At {share:typed}% of the roof the highest rate is {rate:tokens/s .0 plain} on {device}, {time:s} for each "
            "token one kernel after the other, and {fused:s} however they are fused: estimates and not bounds."
        ),
        "kind": "bound",
        "kind at a share": "estimate",
        "no device": "No device of the list has this format.",
    },
    # How much longer the axis is than the longest bar: room for its number; more on a phone.
    data={"activations": "bf16", "room": 1.14, "narrow room": 1.45, **share_data("decode")},
)
