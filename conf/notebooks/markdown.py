r"""Turn the MyST of a page into Markdown that any notebook shows: roles to their text, directives to quotes and folds.

It rewrites what MyST's own parser finds and leaves every other character as it is.  It handles what a page with
exercises needs, and refuses the rest with its line: a construct that would reach a reader as raw MyST is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from markdown_it.token import Token

from conf import myst
from conf.numbers.grammar import split_calc
from conf.numbers.tex import tex_macro

#: What a label leads to: an address, or nothing where the notebook has no site to link to.
Link = Callable[[str], str]

_TITLED: Final = re.compile(r"^(?P<words>.+?)\s*<(?P<label>[\w:.-]+)>$", re.DOTALL)
_EQUATION_LABEL: Final = re.compile(r"(?<=\$\$)[ \t]*\([^)]*\)\s*$")

#: Of use on the page only.
_LEFT_OUT: Final = frozenset({"names", "notebook-links", "toctree"})
_QUOTED: Final = frozenset({"admonition", "attention", "caution", "hint", "important", "note", "tip", "warning"})
_REFERENCES: Final = frozenset({"ref", "numref", "prf:ref", "doc", "term", "eq"})
#: What MyST adds to Markdown besides roles and directives, and notebooks cannot show.
_REFUSED: Final = {"dl_open": "a definition list", "footnote_ref": "a footnote", "span_close": "a text with attributes"}
#: Tokens whose attributes do not count: no author wrote them, or the token that ends the construct is refused.
_BEARERS: Final = frozenset({"myst_target", "myst_line_comment", "span_open"})


class NotPlain(Exception):
    """Something that has no plain form, and its line within the text.

    Parameters
    ----------
    line : int
        The line, from 0.
    why : str
        What to write instead.
    """

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def to_markdown(source: str, link: Link = lambda _: "") -> str:
    r"""Return a text in plain Markdown.

    Parameters
    ----------
    source : str
        MyST without front matter and without code cells.
    link : callable
        Takes a label and returns the address of what it names; where that is empty, the words stand alone.

    Returns
    -------
    str
        Markdown.

    Raises
    ------
    NotPlain
        Where a role or directive has no plain form.

    Examples
    --------
    >>> to_markdown("(sec-a)=\n# A\n\nIt takes {calc}`4.2 ms <14e9 / BW>`, see [there](#sec-b).")
    '# A\n\nIt takes 4.2 ms, see there.'
    >>> to_markdown("See [there](#sec-b).", {"sec-b": "https://example.org/b.html"}.get)
    'See [there](https://example.org/b.html).'
    """
    return re.sub(r"\n{3,}", "\n\n", _blocks(source, link, 0)).strip()


def _blocks(source: str, link: Link, first: int) -> str:
    """Return a text in plain form; `first` is its first line in the whole."""
    lines: list[str | None] = list(source.split("\n"))  # None where the construct above includes the line
    done: dict[int, int] = {}  # how far a line has been rewritten: the cells of a table share one

    def region(start: int, end: int) -> str:
        return "\n".join(line for line in lines[start:end] if line is not None)

    def replace(start: int, end: int, text: str) -> None:
        lines[start:end] = [text, *[None] * (end - start - 1)]

    for token in myst.parse(source):
        if token.map is None:
            continue
        start, end = token.map
        _refuse(token, first + start, token.attrs)
        directive = myst.directive(token)
        if token.type in {"myst_target", "myst_line_comment"}:
            replace(start, end, "")
        elif directive is not None:
            if token.level:
                raise NotPlain(first + start, f"the directive {directive.name} is in a list or quotation; move it out")
            replace(start, end, _directive(directive, link, first + start, first + directive.line))
        elif token.type in {"math_block", "math_block_label"}:
            replace(start, end, _EQUATION_LABEL.sub("", _without_macros(region(start, end))))
        elif token.type == "amsmath":
            end = start + token.content.count("\n") + 1
            replace(start, end, _without_macros(region(start, end)))
        elif token.type == "inline":
            end = max(end, start + 1)
            text, position = region(start, end), done.get(start, 0)
            for change in _changes(token, link, first + start):
                before, after = _in_source(token.content[change.start : change.end]).split(text[position:], maxsplit=1)
                text = text[:position] + before + change.text + after
                position = len(text) - len(after)
            replace(start, end, text)
            done[start] = position
    return region(0, len(lines))


def _in_source(content: str) -> re.Pattern[str]:
    """Find in the source what stands in a paragraph: a line may begin with marks, and a bar in a table is escaped."""
    return re.compile(re.escape(content).replace("\\\n", r"\n[\s>]*").replace(r"\|", r"\\?\|"))


def _directive(directive: myst.Directive, link: Link, line: int, first: int) -> str:
    if directive.name in _LEFT_OUT:
        return ""
    if directive.name == "math":
        return _without_macros(f"$$\n{directive.body.strip()}\n$$")
    content = _blocks(directive.body, link, first).strip()
    title = _blocks(directive.argument, link, line)
    if directive.name in _QUOTED:
        quoted = [f"**{title or directive.name.capitalize()}**", "", *content.split("\n")]
        return "\n".join(f"> {text}".rstrip() for text in quoted)
    if directive.name == "dropdown":
        return f"<details>\n<summary>{title}</summary>\n\n{content}\n\n</details>"
    name = f"the directive {directive.name}" if directive.name else "a block between colons"
    raise NotPlain(line, f"{name} has no plain form for a notebook; use an admonition or a dropdown")


@dataclass(frozen=True)
class _Change:
    """What becomes of a part of a paragraph; code stays as it is, and is listed so that nothing inside it changes."""

    start: int
    end: int
    text: str


def _changes(inline: Token, link: Link, first: int) -> list[_Change]:
    """Return what changes in a paragraph, in order."""
    changes: list[_Change] = []
    opening: dict[str, str | int | float] = {}  # attributes of the link that is open
    for token in inline.children or ():
        start, end = token.meta.get("span", (0, 0))
        line = first + inline.content.count("\n", 0, start)
        raw = inline.content[start:end]
        if token.type == "link_open":
            opening = token.attrs
            continue
        _refuse(token, line, opening if token.type == "link_close" else token.attrs)
        if token.type == "link_close":
            target = str(opening["href"])
            if "://" in target or target.startswith("mailto:"):
                continue
            words, found, _ = raw.rpartition("](#")
            if not found or not words.strip("["):
                raise NotPlain(line, f"{raw} leads to another place of the site; write [words](#label)")
            inside = [change for change in changes if change.start > start]
            changes = [change for change in changes if change.start < start]
            for change in reversed(inside):
                words = words[: change.start - start] + change.text + words[change.end - start :]
            changes.append(_Change(start, end, _linked(words[1:], target[1:], link)))
        elif token.type == "myst_role":
            changes.append(_Change(start, end, _role(token, raw, link, line)))
        elif end:
            changes.append(_Change(start, end, _without_macros(raw) if token.type == "math_inline" else raw))
    return changes


def _role(token: Token, raw: str, link: Link, line: int) -> str:
    role, content = token.meta["name"], token.content
    if role == "calc":
        pair = split_calc(content)
        return pair[0] if pair else content
    if role == "given":
        return content
    if role == "math":
        return f"${_without_macros(content)}$"
    titled = _TITLED.match(content)
    if role in _REFERENCES and titled:
        return _linked(titled["words"], titled["label"], link)
    wanted = "write [words](#label) here" if role in _REFERENCES else "say it in words"
    raise NotPlain(line, f"{raw} has no plain form for a notebook; {wanted}")


def _refuse(token: Token, line: int, attributes: dict[str, str | int | float]) -> None:
    what = _REFUSED.get(token.type)
    if what is None and token.type not in _BEARERS and {"id", "class"} & attributes.keys():
        what = "an attribute"
    if what:
        raise NotPlain(line, f"{what} has no plain form for a notebook; say it in a paragraph, a list or a table")


def _linked(words: str, label: str, link: Link) -> str:
    address = link(label)
    return f"[{words}]({address})" if address else words


def _without_macros(tex: str) -> str:
    for macro, count in (("calc", 2), ("given", 1)):
        for start, end, arguments in reversed(list(tex_macro(tex, macro, count))):
            tex = tex[:start] + (arguments[0] if arguments else "") + tex[end:]
    return tex
