"""The answer of ``above``: the causes that fit a measured time, each with its reason and its test."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from roofline.above import Explanation, causes_above
from roofline.catalog import Device
from roofline.errors import InvalidValue, QuantityError
from roofline.kernel import Kernel
from roofline.quantity import format_quantity, parse_shown
from roofline.steps import total_time

from .terminal import Answer

#: Characters of a line, less the margin and the labels.
_WIDTH: Final = 80 - 16


def seconds_at(rate: str, kernels: Sequence[Kernel], tokens: float | None) -> float:
    """Return how long kernels take at a rate.

    Parameters
    ----------
    rate : str
        In FLOP/s, OP/s, B/s or, for a step, tokens/s.
    kernels : sequence of Kernel
        What ran.
    tokens : float or None
        Tokens of the step; None for a kernel.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    InvalidValue
        Where the text is no rate, or none of what ran.

    Examples
    --------
    >>> seconds_at("2 TB/s", [Kernel("copy", 0, 4e9)], None)
    0.002
    """
    try:
        shown = parse_shown(rate)
    except QuantityError as error:
        raise InvalidValue(f"rate: {error}") from None
    amounts = {
        "FLOP/s": sum(kernel.flops for kernel in kernels),
        "OP/s": sum(kernel.flops for kernel in kernels),
        "B/s": sum(kernel.nbytes for kernel in kernels),
        **({} if tokens is None else {"tokens/s": tokens}),
    }
    if not amounts.get(shown.unit) or not shown.value > 0:
        units = " or ".join(unit for unit, amount in amounts.items() if amount)
        raise InvalidValue(f"rate is {rate!r}; it must be above 0 and in {units}")
    return float(amounts[shown.unit]) / shown.value


def explained(
    name: str, kernels: Sequence[Kernel], gpu: Device, seconds: float, record: dict[str, Any], **more: float | None
) -> Answer:
    """Return the answer for a measured time.

    Parameters
    ----------
    name : str
        What ran, for the title.
    kernels : sequence of Kernel
        What ran.
    gpu : Device
        Where.
    seconds : float
        The measured time, s.
    record : dict
        What the record says of sizes, device and format; the format is used here.
    **more : float or None
        ``square`` and ``unavoidable``, as for `roofline.causes_above`.

    Returns
    -------
    Answer
        The bound, the share of it, and the causes, where the time is below the bound.

    Examples
    --------
    >>> from roofline import device
    >>> answer = explained("copy", [Kernel("copy", 0, 4e9)], device("L4"), 20e-3, {"format": "bf16"})
    >>> answer.facts[-1]
    ('share', '67% of what the bound allows: not above the roof')
    """
    limit = total_time(kernels, gpu.roof(record["format"]))
    found = causes_above(kernels, gpu, record["format"], seconds, **more)
    share = limit / seconds
    standing = "above the roof" if found else "not above the roof"
    facts = [
        ("bound", f"at least {format_quantity(limit, 's', 4)}"),
        ("measured", format_quantity(seconds, "s", 4)),
        ("share", f"{format_quantity(share, '%', 2 if share < 1 else 3)} of what the bound allows: {standing}"),
    ]
    if found and all(each.cause.grade == "any number" for each in found):
        facts.append(("note", "no cause with a factor of its own fits; what is left fits any number"))
    for number, each in enumerate(found, 1):
        facts += [("", ""), *_facts(number, each)]
    return Answer(
        {
            "kernel": name,
            **record,
            "flops": sum(kernel.flops for kernel in kernels),
            "bytes": sum(kernel.nbytes for kernel in kernels),
            "bound": limit,
            "time": seconds,
            "share": share,
            "causes": [_record(each) for each in found],
        },
        f"{name} on {gpu.name}, {record['format']}",
        tuple(facts),
    )


def _record(each: Explanation) -> dict[str, Any]:
    numbers = {"bound": each.bound, "share": each.share, "fit": each.fit}
    return {**dataclasses.asdict(each.cause), "why": each.why, **numbers}


def _facts(number: int, each: Explanation) -> Iterator[tuple[str, str]]:
    """Yield the lines of one cause."""
    paragraphs = {
        f"{number}.": each.cause.title + ".",
        "it fits": each.why[0].upper() + each.why[1:] + ".",
        "it changes": each.cause.change,
        "to try": each.cause.test,
    }
    if each.bound is not None and each.share is not None:
        bound, share = format_quantity(each.bound, "s", 3), format_quantity(each.share, "%", 2)
        paragraphs["it changes"] += f" The bound is then {bound}, and the point reaches {share} of what it allows."
    for label, text in paragraphs.items():
        first, *others = textwrap.wrap(text, _WIDTH, break_on_hyphens=False)
        yield label, first
        yield from (("", line) for line in others)
