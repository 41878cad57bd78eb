"""Find the numbers of a page that nothing checks.

A number with a unit, a decimal point, a ``%`` or a ``×`` is a claim.  It is checked by ``calc`` or marked as
``given``; any other is reported.  Whole numbers without a unit (4096, 8 heads) are inputs and pass, and so do the
names of devices and models, which merely contain numbers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from conf.numbers.grammar import HIDDEN, Item, Text
from roofline import devices
from roofline.catalog import models

_UNITS: Final = (
    r"(?:[kKMGTPEmµμnp]|[KMGT]i)?(?:FLOPs?|FLOPS|OPs?|B|bytes?|s|W|Hz|tokens?)/(?:s|byte|B)"
    r"|(?:[kKMGTPEmµμnp]|[KMGT]i)?(?:FLOPs?|FLOPS|OPS|Hz)|[kKMGTPE]i?B|[mµμnp]s|bytes?|seconds?|milliseconds?|microseconds?"
)
_NUMBER: Final = r"(?<![\w.,/\u0000-])\d[\d,]*(?:\.\d+)*"
_PROSE: Final = re.compile(
    rf"{_NUMBER}(?:"
    rf"[ \u00a0\u202f\u2009-]?(?:{_UNITS})(?![\w])"  # 3.35 TB/s, 80GB, 14-GB
    r"|[ \u00a0\u202f](?:B|s|W|G|M|k|T)(?![\w-])"  # 16,384 B, 33.55 M
    r"|\s?%"
    r"|×(?![\d])|\s×\s10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]"  # 1.6×, 4 × 10⁸, but not 4096 × 4096
    r")"
    r"|(?<![\w.,/\u0000-])\d[\d,]*\.\d+(?![\w]|\.\d)"  # 9.6, but not 1.2.3
)
_MATHS: Final = re.compile(
    r"(?<![\w.\u0000])\d(?:[\d,]|\{,\})*\.\d+"
    r"|(?<![\w.\u0000])\d(?:[\d,]|\{,\})*(?:"
    rf"(?:\\[,; ]|~|\s)*\\(?:text|mathrm)\{{\s*(?:{_UNITS}|B|s)\s*\}}"
    r"|\s*\\%"
    r"|\s*\\times(?!\s*[\w\\({])"
    r")"
)
#: The digits of an address are not a claim. (Addresses in links, code and HTML are not part of the text.)
_ADDRESS: Final = re.compile(r"https?://\S+")


@dataclass(frozen=True)
class Unchecked:
    """A number that nothing checks."""

    text: str
    line: int

    def __str__(self) -> str:
        return (
            f"{self.text!r} is not checked; write {{calc}}`{self.text} <expression>`, "
            f"or {{given}}`{self.text}` where it is an input (in maths \\calc{{…}}{{…}} or \\given{{…}})"
        )


@functools.cache
def names_with_numbers() -> re.Pattern[str]:
    """Return a pattern for the names of devices and models.

    Returns
    -------
    re.Pattern
        It matches each name of the catalog as a whole, the longest first, and the family of a model.

    Examples
    --------
    >>> bool(names_with_numbers().search("a decode step of Llama 3.1 8B takes"))
    True
    """
    # People also shorten 'Llama 3.1 8B' to 'Llama 3.1'.
    families = {model.name.rsplit(" ", 1)[0] for model in models() if model.name.count(" ") > 1}
    names = sorted({*(d.name for d in devices()), *(m.name for m in models()), *families}, key=len, reverse=True)
    # People write 'A100 SXM 80 GB' for 'A100 SXM 80GB', the name in the catalog.
    spaced = [re.sub(r"(\d)GB", r"\1\\s?GB", re.escape(name).replace(r"\ ", r"[\s-]")) for name in names]
    return re.compile("|".join([*spaced, r"Python \d\.\d+", r"CC BY \d\.\d"]))


def unchecked(items: Iterable[Item]) -> list[Unchecked]:
    r"""Find the unchecked numbers among what a page holds.

    Parameters
    ----------
    items : iterable of Item
        What `conf.numbers.grammar.scan` found.

    Returns
    -------
    list of Unchecked
        Each with its line, in the order of the page.

    Examples
    --------
    >>> from conf.numbers.grammar import scan
    >>> [(found.text, found.line) for found in unchecked(scan("Fine: 4096 × 4096.\nNot fine: 4.2 ms."))]
    [('4.2 ms', 2)]
    """
    found: list[Unchecked] = []
    for item in items:
        if not isinstance(item, Text):
            continue
        text, pattern = item.text, _MATHS
        if item.kind != "maths":
            pattern = _PROSE
            for name in (names_with_numbers(), _ADDRESS):
                text = name.sub(lambda match: re.sub(r"[^\n]", HIDDEN, match.group()), text)
        found += [
            Unchecked(" ".join(match.group().split()), item.line + text.count("\n", 0, match.start()))
            for match in pattern.finditer(text)
        ]
    return found
