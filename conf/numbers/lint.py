"""Find the numbers of a page that nothing checks.

A number with a unit, a decimal point, a ``%`` or a ``×`` is a claim.  It is checked by ``calc`` or marked as
``given``; any other is reported.  Whole numbers without a unit (4096, 8 heads) are inputs and pass, and so do the
names of devices and models, which hold numbers without being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from conf.numbers.grammar import Item, Text
from roofline import devices
from roofline.steps import LLAMA_3_1_8B

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
#: What looks like a number and is not: links, labels, section numbers in references, HTML tags and entities.
_NOT_PROSE: Final = re.compile(
    r"\]\([^)\s]*\)|<https?://[^>]*>|https?://\S+|</?[A-Za-z][^>]*>|&#?\w+;|\{[^{}\n]*\}(?=\s|$)"
)


@dataclass(frozen=True)
class Unchecked:
    """A number that nothing checks."""

    text: str
    line: int
    start: int

    def __str__(self) -> str:
        return (
            f"{self.text!r} is not checked; write {{calc}}`{self.text} <expression>`, "
            f"or {{given}}`{self.text}` where it is an input (in maths \\calc{{…}}{{…}} or \\given{{…}})"
        )


def names_with_numbers() -> re.Pattern[str]:
    """Return a pattern for the names of devices and models.

    Returns
    -------
    re.Pattern
        It matches each name as a whole, the longest first.

    Examples
    --------
    >>> bool(names_with_numbers().search("a decode step of Llama 3.1 8B takes"))
    True
    """
    # 'A100 SXM 80 GB' is how people write the name that the catalog has as 'A100 SXM 80GB'.
    names = [re.escape(name).replace(r"\ ", r"[\s-]") for name in [*(d.name for d in devices()), LLAMA_3_1_8B.name]]
    spaced = [re.sub(r"(\d)GB", r"\1\\s?GB", name) for name in sorted(names, key=len, reverse=True)]
    return re.compile("|".join([*spaced, r"Llama[ -]\d(?:\.\d)?(?:[ -]\d+B)?", r"Python \d\.\d+", r"CC BY \d\.\d"]))


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
    names = names_with_numbers()
    found = []
    for item in items:
        if not isinstance(item, Text):
            continue
        text = item.text
        for hidden in (names, _NOT_PROSE) if item.kind != "maths" else ():
            text = hidden.sub(lambda m: re.sub(r"[^\n]", "\u0000", m.group()), text)
        for match in (_MATHS if item.kind == "maths" else _PROSE).finditer(text):
            line = item.line + text.count("\n", 0, match.start())
            found.append(Unchecked(" ".join(match.group().split()), line, item.start + match.start()))
    return found
