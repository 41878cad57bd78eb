r"""Find what a MyST page promises: names, checked numbers, given numbers, doctests, prose and mathematics.

One grammar serves Sphinx and pytest.  It reads the source text, so every finding has its exact line, and it knows
just enough of MyST to tell prose from code: fences, inline code, roles and mathematics.

A checked number is ``{calc}`344.9 <critical_batch(4096, 4096, H100)>` `` in prose, or
``\calc{344.9}{critical_batch(4096, 4096, H100)}`` in mathematics.  A given number is ``{given}`80 GB` `` or
``\given{80}``.  The names of a page come from its ``{names}`` blocks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

#: Fences whose content is shown as it stands, and never holds a check.
LITERAL: Final = frozenset({"", "bash", "bibtex", "console", "css", "html", "javascript", "json", "latex", "markdown", "md", "myst"})
LITERAL_PLUS: Final = LITERAL | {"none", "pycon", "python", "rst", "sh", "shell", "tex", "text", "toml", "yaml", "yml"}
#: Directives whose content is not prose.
OPAQUE: Final = frozenset(
    {"autoclass", "autofunction", "automodule", "bibliography", "citation", "code", "code-block", "eval-rst", "literalinclude", "raw", "toctree"}
)
MATH: Final = frozenset({"math"})
CELL: Final = frozenset({"code-cell"})

_FENCE: Final = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,}|~{3,}|:{3,})\s*(?P<info>.*?)\s*$")
_DIRECTIVE: Final = re.compile(r"^\{(?P<name>[\w:.+-]+)\}\s*(?P<argument>.*)$")
_OPTION: Final = re.compile(r"^\s*:[\w-]+:(\s|$)")
_ROLE: Final = re.compile(r"\{(?P<name>[\w:.+-]+)\}$")
_CALC: Final = re.compile(r"^(?P<shown>[^<]*?)\s*<(?P<expr>.+)>$", re.DOTALL)
_TEX_SPACES: Final = re.compile(r"\\[,;:! ]|~")

Kind = Literal["prose", "maths", "caption"]


@dataclass(frozen=True)
class Names:
    """A ``{names}`` block: Python assignments for the expressions of the page."""

    source: str
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Check:
    """A checked number: what the page says, and the expression that must give it."""

    shown: str
    expr: str
    line: int
    start: int
    end: int
    kind: Kind
    fault: str = ""


@dataclass(frozen=True)
class Doctest:
    """A code block with ``>>>`` examples."""

    source: str
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Text:
    """A stretch of prose or mathematics for the lint, with marks and code blanked out."""

    text: str
    line: int
    start: int
    kind: Kind


Item = Names | Check | Doctest | Text


def split_calc(content: str) -> tuple[str, str] | None:
    """Split the content of a ``calc`` role.

    Parameters
    ----------
    content : str
        Such as ``"344.9 <critical_batch(4096, 4096, H100)>"``.

    Returns
    -------
    tuple of str or None
        What is shown and the expression, white space folded; None where the content has another form.

    Examples
    --------
    >>> split_calc("0.25 <1 / 4>")
    ('0.25', '1 / 4')
    """
    match = _CALC.match(content.strip())
    if match is None or not match["shown"].strip():
        return None
    return " ".join(match["shown"].split()), " ".join(match["expr"].split())


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
    text = text.replace("{,}", ",").replace(r"\%", "%").replace(r"\approx", "≈").replace(r"\infty", "∞").replace(r"\mu", "µ")
    text = re.sub(r"\\times(?=\s*10)", "×", text).replace(r"\times", "×")
    text = re.sub(r"10\^(?:\{(-?\d+)\}|(\d))", lambda m: "10" + (m[1] or m[2]).translate(_RAISED), text)
    text = _TEX_SPACES.sub(" ", text.replace(r"\quad", " "))
    return " ".join(text.replace("µ ", "µ").split())


_RAISED: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


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


def scan(source: str) -> list[Item]:
    """Find everything in a page that is checked.

    Parameters
    ----------
    source : str
        The text of a MyST page.

    Returns
    -------
    list of Item
        Names, checks, doctests and texts, in the order of the page.

    Examples
    --------
    >>> [type(item).__name__ for item in scan("It is {calc}`8 <2 * 4>`.")]
    ['Check', 'Text']
    """
    items: list[Item] = []
    for block in _blocks(source):
        items += block.items()
    return sorted(items, key=lambda item: (item.start, isinstance(item, Text)))


@dataclass(frozen=True)
class _Block:
    """Some lines of a page that are of one kind."""

    kind: Literal["prose", "maths", "names", "cell", "doctest", "meta"]
    text: str
    line: int
    start: int

    def items(self) -> list[Item]:
        if self.kind == "names":
            return [Names(self.text, self.line, self.start, self.start + len(self.text))]
        if self.kind == "doctest":
            return [Doctest(self.text, self.line, self.start, self.start + len(self.text))]
        if self.kind == "cell":
            return list(self._captions())
        if self.kind == "maths":
            return self._maths(self.text, 0)
        if self.kind == "meta":
            return [Text(m[1], self._line(m.start(1)), self.start + m.start(1), "prose") for m in re.finditer(r"description:(.*)", self.text)]
        return self._prose(self.text, "prose")

    def _line(self, offset: int) -> int:
        return self.line + self.text.count("\n", 0, offset)

    def _check(self, pair: tuple[str, str] | None, raw: str, start: int, end: int, kind: Kind) -> Check:
        fault = "" if pair else f"{raw!r} is no checked number; write shown <expression>, such as 4.2 ms <14e9 / H100.bandwidth>"
        shown, expr = pair or (raw, "")
        return Check(shown, expr, self._line(start), self.start + start, self.start + end, kind, fault)

    def _prose(self, text: str, kind: Kind) -> list[Item]:
        """Roles, inline code and mathematics of a stretch of prose, and what is left of it for the lint."""
        items: list[Item] = []
        left = list(text)

        def blank(start: int, end: int) -> None:
            left[start:end] = [c if c == "\n" else "\u0000" for c in text[start:end]]

        for start, end, name, content in _spans(text):
            if name == "calc":
                items.append(self._check(split_calc(content), content, start, end, kind))
            if name != "math":
                blank(start, end)
            else:
                items += self._maths(content, text.index(content, start))
                blank(start, end)
        for start, end in _dollars("".join(left)):
            items += self._maths("".join(left[start:end]), start)
            blank(start, end)
        return [*items, Text("".join(left), self.line, self.start, kind)]

    def _maths(self, tex: str, offset: int) -> list[Item]:
        items: list[Item] = []
        left = list(tex)
        for start, end, arguments in tex_macro(tex, "calc", 2):
            pair = (from_tex(arguments[0]), " ".join(arguments[1].split())) if len(arguments) == 2 else None
            items.append(self._check(pair, tex[start:end], offset + start, offset + end, "maths"))
            left[start:end] = [c if c == "\n" else "\u0000" for c in tex[start:end]]
        for start, end, _ in tex_macro(tex, "given", 1):
            left[start:end] = [c if c == "\n" else "\u0000" for c in tex[start:end]]
        return [*items, Text("".join(left), self._line(offset), self.start + offset, "maths")]

    def _captions(self) -> Iterator[Item]:
        """The MyST texts that a code cell hands to the page: its string arguments called caption or title."""
        try:
            tree = ast.parse(self.text)
        except SyntaxError:
            return  # The cell itself fails when it runs, with its own line.
        for node in ast.walk(tree):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                value = keyword.value
                if keyword.arg in ("caption", "title") and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    inner = _Block("prose", value.value, self.line + value.lineno - 1, self.start)
                    yield from inner._prose(value.value, "caption")


def _blocks(source: str) -> Iterator[_Block]:
    """Cut a page into blocks, each of one kind; fences may nest."""
    lines = source.splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    index = 0
    if lines and lines[0].strip() == "---":
        index = next((i for i in range(1, len(lines)) if lines[i].strip() == "---"), 0) + 1
        yield _Block("meta", "".join(lines[:index]), 1, 0)
    prose_from = index
    closers: list[str] = []

    def prose(to: int) -> Iterator[_Block]:
        if to > prose_from:
            yield _Block("prose", "".join(lines[prose_from:to]), prose_from + 1, offsets[prose_from])

    while index < len(lines):
        fence = _FENCE.match(lines[index].rstrip("\n"))
        if fence is None:
            skip = _OPTION.match(lines[index]) and closers and _only_options_above(lines, index)
            if skip or lines[index].startswith("%") or re.match(r"^\s*\([\w:.-]+\)=\s*$", lines[index]):
                yield from prose(index)
                prose_from = index + 1
            index += 1
            continue
        yield from prose(index)
        mark, info = fence["mark"], fence["info"]
        if closers and not info and mark[0] == closers[-1][0] and len(mark) >= len(closers[-1]):
            closers.pop()
            index += 1
            prose_from = index
            continue
        directive = _DIRECTIVE.match(info)
        name = directive["name"] if directive else info.split()[0] if info else ""
        if directive and name not in OPAQUE | MATH | CELL | {"names", "doctest"}:
            # A directive with prose inside: its title is prose too, its content comes in the next turns.
            closers.append(mark)
            prose_from = index + 1
            if directive["argument"]:
                title = directive["argument"]
                yield _Block("prose", title, index + 1, offsets[index] + lines[index].index(title))
            index += 1
            continue
        end = _closing(lines, index, mark)
        first = index + 1
        if directive:
            while first < end and (_OPTION.match(lines[first]) or not lines[first].strip()):
                first += 1
        body, line, start = "".join(lines[first:end]), first + 1, offsets[first]
        if name == "names":
            yield _Block("names", body, line, start)
        elif name in MATH:
            yield _Block("maths", body, line, start)
        elif name in CELL:
            yield _Block("cell", body, line, start)
        elif ">>>" in body and name in ("python", "pycon", "doctest"):
            yield _Block("doctest", body, line, start)
        index = prose_from = min(end + 1, len(lines))
    yield from prose(len(lines))


def _only_options_above(lines: list[str], index: int) -> bool:
    """Whether a line that looks like an option stands right below the opening of its directive."""
    above = index - 1
    while above >= 0 and _OPTION.match(lines[above]):
        above -= 1
    return above >= 0 and (match := _FENCE.match(lines[above].rstrip("\n"))) is not None and bool(match["info"])


def _closing(lines: list[str], opening: int, mark: str) -> int:
    """The line that closes a fence, or the end of the page."""
    for index in range(opening + 1, len(lines)):
        text = lines[index].strip()
        if text and set(text) == {mark[0]} and len(text) >= len(mark):
            return index
    return len(lines)


def _spans(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Inline code and roles: start, end, the role's name (empty for code) and the content."""
    position = 0
    while (run := re.compile(r"`+").search(text, position)) is not None:
        ticks = run.group()
        paragraph = re.compile(r"\n\s*\n").search(text, run.end())
        limit = paragraph.start() if paragraph else len(text)
        close = re.compile(rf"(?<!`){ticks}(?!`)").search(text, run.end(), limit)
        if close is None:
            position = run.end()
            continue
        role = _ROLE.search(text, 0, run.start())
        start = role.start() if role else run.start()
        yield start, close.end(), role["name"] if role else "", text[run.end() : close.start()]
        position = close.end()


def _dollars(text: str) -> Iterator[tuple[int, int]]:
    """Mathematics between dollar signs, display first, and in amsmath environments."""
    pattern = re.compile(
        r"(?<!\\)\$\$(?P<display>.+?)(?<!\\)\$\$"
        r"|(?<![\\$\w])\$(?P<inline>(?!\s)(?:[^$\n]|\n(?!\s*\n))+?)(?<![\\\s])\$(?!\d)"
        r"|\\begin\{(?P<env>(?:align|gather|equation|multline)\*?)\}(?P<ams>.+?)\\end\{(?P=env)\}",
        re.DOTALL,
    )
    for match in pattern.finditer(text):
        yield match.span("display" if match["display"] else "inline" if match["inline"] else "ams")
