r"""Turn the MyST of a page into Markdown that any notebook shows: roles to their text, directives to quotes and folds.

It knows what a page with exercises needs, and refuses the rest by line: a construct that would reach a reader as raw
MyST is an error of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from conf.numbers.grammar import split_calc
from conf.numbers.tex import tex_macro

#: What a label leads to: an address, or nothing where the notebook has no site to link to.
Link = Callable[[str], str]

_FENCE: Final = re.compile(r"^(?P<mark>`{3,}|~{3,}|:{3,})\s*(?:\{(?P<name>[\w:.+-]+)\}\s*(?P<argument>.*?))?\s*$")
_CODE_FENCE: Final = re.compile(r"^(?P<mark>`{3,}|~{3,})\s*[\w+-]*\s*$")
_LABEL: Final = re.compile(r"^\([\w:.-]+\)=\s*$")
_OPTION: Final = re.compile(r"^:[\w-]+:(\s|$)")
_CODE: Final = re.compile(r"(?:\{(?P<role>[\w:.+-]+)\})?(?P<ticks>`+)(?P<content>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LINK: Final = re.compile(r"\[(?P<words>[^\]]*)\]\(#(?P<label>[\w:.-]+)\)")
_TITLED: Final = re.compile(r"^(?P<words>.+?)\s*<(?P<label>[\w:.-]+)>$", re.DOTALL)
_DISPLAY: Final = re.compile(r"\$\$(?P<tex>.+?)\$\$(?:[ \t]*\([\w:.-]+\))?", re.DOTALL)

#: Shown by a page for its own use.
_LEFT_OUT: Final = frozenset({"names", "notebook-links", "toctree"})
_QUOTED: Final = frozenset({"admonition", "attention", "caution", "hint", "important", "note", "tip", "warning"})
_REFERENCES: Final = frozenset({"ref", "numref", "prf:ref", "doc", "term", "eq"})


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


def plain(source: str, link: Link = lambda _: "") -> str:
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
    >>> plain("(sec-a)=\n# A\n\nIt takes {calc}`4.2 ms <14e9 / BW>`, see [there](#sec-b).")
    '# A\n\nIt takes 4.2 ms, see there.'
    >>> plain("See [there](#sec-b).", {"sec-b": "https://example.org/b.html"}.get)
    'See [there](https://example.org/b.html).'
    """
    text = _blocks(source.splitlines(), link, 0)
    if "](#" in text:
        line = next(number for number, line in enumerate(source.splitlines()) if "](#" in line)
        raise NotPlain(line, "a link to a label has words without code or roles, on one line: [words](#label)")
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _blocks(lines: list[str], link: Link, first: int) -> str:
    """Return some lines in plain form; `first` is the line of the first in the text."""
    done: list[str] = []
    prose: list[str] = []
    index = 0

    def flush() -> None:
        if prose:
            done.append(_inline("\n".join(prose), link, first + index - len(prose)))
            prose.clear()

    while index < len(lines):
        line = lines[index]
        fence = _FENCE.match(line) or _CODE_FENCE.match(line)
        if fence is None:
            # A line that no reader sees leaves an empty one, so that the lines of an error stay right.
            prose.append("" if _LABEL.match(line) or line.startswith("%") else line)
            index += 1
            continue
        flush()
        end = _closing(lines, index, fence["mark"])
        name = fence.groupdict().get("name")
        if name is None:
            done.append("\n".join(lines[index : end + 1]))
        else:
            done.append(_directive(name, fence["argument"], lines[index + 1 : end], link, first + index))
        index = end + 1
    flush()
    return "\n".join(done)


def _closing(lines: list[str], opening: int, mark: str) -> int:
    for index in range(opening + 1, len(lines)):
        text = lines[index].strip()
        if text and set(text) == {mark[0]} and len(text) >= len(mark):
            return index
    return len(lines)


def _directive(name: str, argument: str, body: list[str], link: Link, line: int) -> str:
    if name in _LEFT_OUT:
        return ""
    options = 0
    while options < len(body) and _OPTION.match(body[options]):
        options += 1
    if name == "math":
        return _inline("$$\n" + "\n".join(body[options:]).strip() + "\n$$", link, line)
    content = _blocks(body[options:], link, line + 1 + options).strip()
    title = _inline(argument, link, line)
    if name in _QUOTED:
        return "\n".join(
            f"> {text}".rstrip() for text in [f"**{title or name.capitalize()}**", "", *content.split("\n")]
        )
    if name == "dropdown":
        return f"<details>\n<summary>{title}</summary>\n\n{content}\n\n</details>"
    raise NotPlain(line, f"the directive {name} has no plain form for a notebook; use an admonition or a dropdown")


def _inline(text: str, link: Link, line: int) -> str:
    """Return prose without roles; what stands in inline code is left as it is."""
    parts: list[str] = []
    position = 0
    for match in _CODE.finditer(text):
        parts.append(_maths_and_links(text[position : match.start()], link))
        parts.append(_role(match, link, line + text.count("\n", 0, match.start())))
        position = match.end()
    parts.append(_maths_and_links(text[position:], link))
    return "".join(parts)


def _role(match: re.Match[str], link: Link, line: int) -> str:
    role, content = match["role"], match["content"]
    if role is None:
        return match.group()
    if role == "calc":
        pair = split_calc(content)
        return pair[0] if pair else content
    if role == "given":
        return content
    if role == "math":
        return f"${content}$"
    titled = _TITLED.match(content)
    if role in _REFERENCES and titled:
        return _linked(titled["words"], titled["label"], link)
    wanted = "write [words](#label) here" if role in _REFERENCES else "say it in words"
    raise NotPlain(line, f"{match.group()} has no plain form for a notebook; {wanted}")


def _linked(words: str, label: str, link: Link) -> str:
    address = link(label)
    return f"[{words}]({address})" if address else words


def _maths_and_links(text: str, link: Link) -> str:
    for macro, count in (("calc", 2), ("given", 1)):
        for start, end, arguments in reversed(list(tex_macro(text, macro, count))):
            text = text[:start] + (arguments[0] if arguments else "") + text[end:]
    text = _DISPLAY.sub(lambda match: f"$${match['tex']}$$", text)
    return _LINK.sub(lambda match: _linked(match["words"], match["label"], link), text)
