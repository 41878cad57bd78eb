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

BlockKind = Literal["prose", "maths", "names", "cell", "doctest", "meta"]

#: Fences whose content is of one kind, and which kind.
_KINDS: Final[dict[str, BlockKind]] = {"names": "names", "math": "maths", "code-cell": "cell"}
#: Fences that hold examples where they hold ``>>>``.
_EXAMPLES: Final = frozenset({"python", "pycon", "doctest"})
#: Directives whose content is shown or run as it stands, and is no prose.
_OPAQUE: Final = frozenset(
    {"autoclass", "autofunction", "automodule", "bibliography", "citation", "code", "code-block", "doctest"}
    | {"eval-rst", "literalinclude", "raw", "toctree"}
)
_CLOSED: Final = _OPAQUE | _KINDS.keys()

_FENCE: Final = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,}|~{3,}|:{3,})\s*(?P<info>.*?)\s*$")
_DIRECTIVE: Final = re.compile(r"^\{(?P<name>[\w:.+-]+)\}\s*(?P<argument>.*)$")
_OPTION: Final = re.compile(r"^\s*:[\w-]+:(\s|$)")
_LABEL: Final = re.compile(r"^\s*\([\w:.-]+\)=\s*$")
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
    text = (
        text.replace("{,}", ",")
        .replace(r"\%", "%")
        .replace(r"\approx", "≈")
        .replace(r"\infty", "∞")
        .replace(r"\mu", "µ")
    )
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
    ['Text', 'Check']
    """
    items: list[Item] = []
    for block in _Cutter(source).blocks():
        items += block.items()
    return sorted(items, key=lambda item: (item.start, isinstance(item, Text)))


@dataclass(frozen=True)
class _Block:
    """Some lines of a page that are of one kind."""

    kind: BlockKind
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
            return [
                Text(m[1], self._line(m.start(1)), self.start + m.start(1), "prose")
                for m in re.finditer(r"description:(.*)", self.text)
            ]
        return self._prose(self.text, "prose")

    def _line(self, offset: int) -> int:
        return self.line + self.text.count("\n", 0, offset)

    def _check(self, pair: tuple[str, str] | None, raw: str, start: int, end: int, kind: Kind) -> Check:
        fault = (
            ""
            if pair
            else f"{raw!r} is no checked number; write shown <expression>, such as 4.2 ms <14e9 / H100.bandwidth>"
        )
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
        """Yield what is in the MyST texts that a code cell hands to the page, its arguments called caption or title."""
        try:
            tree = ast.parse(self.text)
        except SyntaxError:
            return  # The cell itself fails when it runs, with its own line.
        for node in ast.walk(tree):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                value = keyword.value
                if (
                    keyword.arg in ("caption", "title")
                    and isinstance(value, ast.Constant)
                    and isinstance(value.value, str)
                ):
                    inner = _Block("prose", value.value, self.line + value.lineno - 1, self.start)
                    yield from inner._prose(value.value, "caption")


class _Cutter:
    """Cuts a page into blocks, each of one kind; directives with prose inside may nest."""

    def __init__(self, source: str) -> None:
        self.lines = source.splitlines(keepends=True)
        self.offsets = [0]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line))
        self.index = 0
        self.prose_from = 0
        self.closers: list[str] = []

    def blocks(self) -> Iterator[_Block]:
        """Yield the blocks, in the order of the page."""
        yield from self._front_matter()
        while self.index < len(self.lines):
            fence = _FENCE.match(self.lines[self.index].rstrip("\n"))
            if fence is None:
                if self._is_markup():
                    yield from self._prose_so_far()
                    self.prose_from = self.index + 1
                self.index += 1
                continue
            yield from self._prose_so_far()
            mark, info = fence["mark"], fence["info"]
            if self.closers and not info and mark[0] == self.closers[-1][0] and len(mark) >= len(self.closers[-1]):
                self.closers.pop()
                self._go_on_at(self.index + 1)
            elif (directive := _DIRECTIVE.match(info)) and directive["name"] not in _CLOSED:
                yield from self._open(mark, directive["argument"])
            else:
                yield from self._whole(mark, directive["name"] if directive else (info.split() or [""])[0])
        yield from self._prose_so_far()

    def _block(self, kind: BlockKind, first: int, end: int) -> _Block:
        return _Block(kind, "".join(self.lines[first:end]), first + 1, self.offsets[first])

    def _go_on_at(self, index: int) -> None:
        self.index = self.prose_from = min(index, len(self.lines))

    def _prose_so_far(self) -> Iterator[_Block]:
        if self.index > self.prose_from:
            yield self._block("prose", self.prose_from, self.index)

    def _front_matter(self) -> Iterator[_Block]:
        if not self.lines or self.lines[0].strip() != "---":
            return
        end = next((i for i in range(1, len(self.lines)) if self.lines[i].strip() == "---"), 0) + 1
        yield self._block("meta", 0, end)
        self._go_on_at(end)

    def _is_markup(self) -> bool:
        """Return whether a line is a comment, a label or an option of a directive, which no reader sees."""
        line = self.lines[self.index]
        if line.startswith("%") or _LABEL.match(line):
            return True
        if not self.closers or not _OPTION.match(line):
            return False
        above = self.index - 1
        while above >= 0 and _OPTION.match(self.lines[above]):
            above -= 1
        opening = _FENCE.match(self.lines[above].rstrip("\n")) if above >= 0 else None
        return opening is not None and bool(opening["info"])

    def _open(self, mark: str, title: str) -> Iterator[_Block]:
        """Enter a directive with prose inside: its title is prose too, its content comes in the next turns."""
        self.closers.append(mark)
        if title:
            start = self.offsets[self.index] + self.lines[self.index].index(title)
            yield _Block("prose", title, self.index + 1, start)
        self._go_on_at(self.index + 1)

    def _whole(self, mark: str, name: str) -> Iterator[_Block]:
        """Take a fence whose content is of one kind, down to its end."""
        end = self._closing(mark)
        first = self.index + 1
        while name in _CLOSED and first < end and (_OPTION.match(self.lines[first]) or not self.lines[first].strip()):
            first += 1
        block = self._block(_KINDS.get(name, "doctest"), first, end)
        if name in _KINDS or (name in _EXAMPLES and ">>>" in block.text):
            yield block
        self._go_on_at(end + 1)

    def _closing(self, mark: str) -> int:
        """Return the line that closes a fence, or the end of the page."""
        for index in range(self.index + 1, len(self.lines)):
            text = self.lines[index].strip()
            if text and set(text) == {mark[0]} and len(text) >= len(mark):
                return index
        return len(self.lines)


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
