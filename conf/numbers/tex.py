r"""Read the mathematics of a page.

This stays our own: TeX is no Markdown, so MyST hands it over as it stands, and two macros need no TeX parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SPACES: Final = re.compile(r"\\[,;:! ]|~")
_RAISED: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def from_tex(shown: str) -> str:
    r"""Turn a quantity written in TeX into the form that prose has.

    Parameters
    ----------
    shown : str
        Such as ``r"4 \times 10^{8}\,\text{B}"``.

    Returns
    -------
    str
        Such as ``"4 × 10⁸ B"``.

    Examples
    --------
    >>> from_tex(r"1{,}979\ \mathrm{TFLOP/s}"), from_tex(r"\approx 300"), from_tex(r"0.3\%")
    ('1,979 TFLOP/s', '≈ 300', '0.3%')
    """
    text = re.sub(r"\\(?:text|mathrm|textrm|operatorname)\{([^{}]*)\}", r"\1", shown)
    text = (
        text.replace("{,}", ",")
        .replace(r"\%", "%")
        .replace(r"\approx", "≈")
        .replace(r"\infty", "∞")
        .replace(r"\mu", "µ")
    )
    text = re.sub(r"\\times(?=\s*10)", "×", text).replace(r"\times", "×")
    text = re.sub(r"10\^(?:\{(-?\d+)\}|(\d))", lambda m: "10" + (m[1] or m[2]).translate(_RAISED), text)
    text = _SPACES.sub(" ", text.replace(r"\quad", " "))
    return " ".join(text.replace("µ ", "µ").split())


def tex_macro(text: str, name: str, arguments: int, start: int = 0) -> Iterator[tuple[int, int, list[str]]]:
    r"""Yield each use of a TeX macro.

    Parameters
    ----------
    text : str
        TeX.
    name : str
        The macro, without its backslash.
    arguments : int
        How many arguments in braces it takes.
    start : int
        Where to begin.

    Yields
    ------
    tuple of (int, int, list of str)
        Start, end and arguments of each use; the braces inside an argument are balanced. Where an argument is
        missing, the list is shorter.

    Examples
    --------
    >>> list(tex_macro(r"B = \calc{8}{f(8)}", "calc", 2))
    [(4, 18, ['8', 'f(8)'])]
    """
    pattern = re.compile(rf"\\{name}(?![A-Za-z])")
    for match in pattern.finditer(text, start):
        position, found = match.end(), []
        for _ in range(arguments):
            opening = re.compile(r"\s*\{").match(text, position)
            if opening is None:
                break
            depth, end = 1, opening.end()
            while end < len(text) and depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            if depth:
                break
            found.append(text[opening.end() : end - 1])
            position = end
        yield match.start(), position, found
