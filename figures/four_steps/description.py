"""What the four steps show and say."""

from __future__ import annotations

from typing import Final

from figures.shared.description import Axis, Column, Description

#: The value of the kernel's choice where a reader types FLOPs and bytes.
OWN: Final = "own"

DESCRIPTION: Final = Description(
    axes={"x": Axis("least time, in {unit}", kind="linear", form="typed")},
    columns=(Column("Step"), Column("{kernel}")),
    says={
        "title": "{kernel} on {device}, {format}",
        "typed": "typed FLOPs and bytes",
        "no sizes": "The longer bar is the bound.",
        "size": "{size} = {value:typed}",
        "compute": "compute time: {amount:FLOP} ÷ {rate}",
        "memory": "memory time: {amount:B} ÷ {rate}",
        "low compute": "compute (bound): {amount:FLOP} ÷ {rate}",
        "low memory": "memory (bound): {amount:B} ÷ {rate}",
        "bound": "the bound",
        "what if": "What if?",
        "other": "on {other}",
        "half": "half the bytes",
        "twice": "twice the FLOP/s",
        "no peak": "{change}: no {format} peak",
        "no faster": "{change}: {time}, no faster",
        "faster": "{change}: {time}, {factor:×} as fast",
        "1": "1. FLOPs",
        "2": "2. Bytes",
        "3 compute": "3. Compute time",
        "3 memory": "3. Memory time",
        "4 time": "4. The larger: at least",
        "4 regime": "4. Regime",
        "row": "What if: {change}",
        "no such peak": "no such peak",
        "invitation": "Choose a kernel and a device.",
        "readout": (
            "{kernel}, on {device}, {format}: compute time {compute}, memory time {memory}, so {regime}, at least "
            "{time}, at most {share:% 2} of peak. What if? {gains}."
        ),
        "alt": (
            "The four steps for {kernel} on {device}, {format}: two bars. Compute time is {flops:FLOP} over {peak}, "
            "{compute}. Memory time is {nbytes:B} over {bandwidth}, {memory}. The {longer} bar is the longer one, so "
            "the kernel is {regime} and takes at least {time}. Below, what three changes would give: {gains}."
        ),
        "longer compute": "compute",
        "longer memory": "memory",
        "working where": "on {device}, {format}: P = {peak}, BW = {bandwidth}",
        "working element": ", e = {bytes:typed} B",
        "working flops": "1. FLOPs = {value}",
        "working bytes": "2. bytes = {value}",
        "working more": "         = {value}",
        "working compute": "3. compute time = FLOPs ÷ P = {flops:FLOP 4} ÷ {peak} = {compute}",
        "working memory": "   memory time = bytes ÷ BW = {nbytes:B 4} ÷ {bandwidth} = {memory}",
        "working larger": "4. The {longer} time is the larger: {regime}, at least {time}.",
        "working below": "   I = FLOPs ÷ bytes = {intensity:FLOP/B} < ridge point {ridge:FLOP/B ridge}",
        "working above": "   I = FLOPs ÷ bytes = {intensity:FLOP/B} ≥ ridge point {ridge:FLOP/B ridge}",
        "one tensor": "A kernel moves at least one tensor: one is read.",
        "arithmetic copied": "The arithmetic is copied.",
        "script copied": "The script is copied.",
        "not copied": ("This browser does not let the page copy; the text is selected, copy it from there."),
    },
    data={
        "own": OWN,
        "flops": "FLOP 4",
        "nbytes": "B 4",
        "columns": {"flops": "FLOP", "nbytes": "B", "factor": "×"},
        # How much longer the axis is than the longest bar: room for its time.
        "room": 1.22,
    },
)
