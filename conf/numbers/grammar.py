r"""Find what a MyST page promises: names, checked numbers, doctests, and the prose and mathematics that the lint reads.

One grammar serves Sphinx and pytest.  `conf.myst` parses the page as the site does, so that both see the same roles,
comments, code and mathematics; this module says which of them promise something, and on which line.

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

from markdown_it.token import Token

from conf import myst
from conf.numbers.tex import from_tex, tex_macro

#: Languages whose code is an example if it has a ``>>>``.
_EXAMPLES: Final = frozenset({"python", "pycon", "doctest"})
#: Directives whose content is shown or run as it stands, and is no prose.
_OPAQUE: Final = frozenset(
    {"autoclass", "autofunction", "automodule", "bibliography", "citation", "code", "code-block", "doctest"}
    | {"eval-rst", "literalinclude", "raw", "toctree"}
)
_CALC: Final = re.compile(r"^(?P<shown>[^<]*?)\s*<(?P<expr>.+)>$", re.DOTALL)
#: Replaces, in a text, whatever the lint need not read; no number continues across it.
HIDDEN: Final = "\u0000"
_TAGS: Final = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)

Kind = Literal["prose", "maths", "caption"]


@dataclass(frozen=True)
class Names:
    """A ``{names}`` block: Python assignments for the expressions of the page."""

    source: str
    line: int


@dataclass(frozen=True)
class Check:
    """A checked number: what the page says, and the expression that must give it."""

    shown: str
    expr: str
    line: int
    kind: Kind
    fault: str = ""


@dataclass(frozen=True)
class Doctest:
    """A code block with ``>>>`` examples."""

    source: str
    line: int


@dataclass(frozen=True)
class Text:
    """A stretch of prose or mathematics for the lint, with `HIDDEN` for roles and code."""

    text: str
    line: int
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


def scan(source: str) -> list[Item]:
    """Find everything in a page that is checked.

    Parameters
    ----------
    source : str
        The text of a MyST page.

    Returns
    -------
    list of Item
        Names, checks, doctests and texts, in the order of the page; a text comes after the checks inside it.

    Examples
    --------
    >>> [type(item).__name__ for item in scan("It is {calc}`8 <2 * 4>`.")]
    ['Check', 'Text']
    """
    return list(_scan(source, 1, "prose"))


def _scan(text: str, first: int, kind: Kind) -> Iterator[Item]:
    """Yield the items of a text that begins on the line `first` of the page."""
    for token in myst.parse(text):
        if token.map is None:  # the end of a block
            continue
        line = first + token.map[0]
        if token.type == "inline":
            yield from _inline(token, line, kind)
        elif token.type in {"math_block", "math_block_label", "amsmath"}:
            yield from _maths(token.content, line)
        elif token.type in {"fence", "colon_fence"}:
            yield from _fence(token, first, kind)
        elif token.type == "html_block":
            yield Text(_TAGS.sub(lambda tag: HIDDEN + "\n" * tag.group().count("\n"), token.content), line, kind)
        elif token.type == "front_matter":
            for match in re.finditer(r"description:(.*)", token.content):
                yield Text(match[1], line + 1 + token.content.count("\n", 0, match.start()), kind)


def _fence(token: Token, first: int, kind: Kind) -> Iterator[Item]:
    directive = myst.directive(token)
    if directive is None:
        name, argument, body, start = "", "", token.content, first + 1 + (token.map or [0])[0]
        examples = token.info.split(maxsplit=1)[:1]
    else:
        name, argument, body, start = directive.name, directive.argument, directive.body, first + directive.line
        examples = [directive.name]
    if name == "names":
        yield Names(body, start)
    elif name == "code-cell":
        yield from _captions(body, start)
    elif name == "math":
        yield from _maths(body, start)
    elif _EXAMPLES.intersection(examples):
        if ">>>" in body:
            yield Doctest(body, start)
    elif directive is not None and name not in _OPAQUE:
        yield from _scan(argument, first + (token.map or [0])[0], kind)
        yield from _scan(body, start, kind)


def _inline(inline: Token, first: int, kind: Kind) -> Iterator[Item]:
    """Yield the checks and the mathematics of a paragraph, then the rest of its text for the lint."""
    left = ""
    address = False
    for token in inline.children or ():
        start, end = token.meta.get("span", (0, 0))
        line = first + inline.content.count("\n", 0, start)
        role = token.meta.get("name") if token.type == "myst_role" else None
        if role == "calc":
            yield _check(split_calc(token.content), token.content, line, kind)
        elif role == "math" or token.type == "math_inline":
            yield from _maths(token.content, line)

        if token.type in {"link_open", "link_close"}:
            address = token.info == "auto" and token.nesting == 1
        elif token.type in {"softbreak", "hardbreak"}:
            left += "\n"
        elif token.type == "image":  # screen readers read its text
            left += "".join(child.content for child in token.children or () if child.type == "text")
        elif token.type == "text" and not address:
            left += token.content
        elif token.nesting == 0:
            left += HIDDEN
        # A line end inside a role, code or an address counts too.
        left += "\n" * (inline.content.count("\n", 0, end) - left.count("\n"))
    yield Text(left, first, kind)


def _maths(tex: str, first: int) -> Iterator[Item]:
    left = tex
    for start, end, arguments in tex_macro(tex, "calc", 2):
        pair = (from_tex(arguments[0]), " ".join(arguments[1].split())) if len(arguments) == 2 else None
        yield _check(pair, tex[start:end], first + tex.count("\n", 0, start), "maths")
    for macro, count in (("calc", 2), ("given", 1)):
        for start, end, _ in reversed(list(tex_macro(left, macro, count))):
            left = left[:start] + HIDDEN + "\n" * left.count("\n", start, end) + left[end:]
    yield Text(left, first, "maths")


def _check(pair: tuple[str, str] | None, raw: str, line: int, kind: Kind) -> Check:
    if pair:
        return Check(*pair, line, kind)
    advice = "is no checked number; write shown <expression>, such as 4.2 ms <14e9 / H100.bandwidth>"
    return Check(raw, "", line, kind, f"{raw!r} {advice}")


def _captions(code: str, first: int) -> Iterator[Item]:
    """Yield what is in the MyST texts that a code cell hands to the page, its arguments called caption or title."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return  # The cell itself fails when it runs, with its own line.
    for node in ast.walk(tree):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            value = keyword.value
            named = keyword.arg in {"caption", "title"}
            if named and isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield from _scan(value.value, first + value.lineno - 1, "caption")
