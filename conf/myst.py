r"""Read Markdown as the site does: MyST's own parser gives the tokens, so a tool and the page see the same things.

markdown-it gives lines for blocks only.  Here, whatever may span lines inside a paragraph (a role, code, mathematics)
also gets its place: ``token.meta["span"]`` has its offsets in the content of its ``inline`` token.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from docutils.parsers.rst import Directive as DirectiveClass
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.directives import parse_directive_text
from myst_parser.parsers.mdit import create_md_parser

from conf.conf import myst_enable_extensions

#: The rules for whatever is not plain words; a match may continue on the next line.
_SPANNING: Final = frozenset(
    {"myst_role", "math_inline", "backticks", "html_inline", "link", "image", "span", "footnote_ref"}
)


@dataclass(frozen=True)
class Directive:
    """A directive as the author wrote it, not interpreted.

    Attributes
    ----------
    name : str
        Such as ``"note"``; empty for a plain ``:::`` block.
    argument : str
        What follows the name on its line.
    body : str
        Its content, without options.
    line : int
        The first line of the body, from 0, in the text that was parsed.
    """

    name: str
    argument: str
    body: str
    line: int


class _AnyDirective(DirectiveClass):
    """What MyST needs to separate the options of any directive from its body."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = {"any": str}


def config() -> MdParserConfig:
    """Return the settings with which the site runs MyST.

    Returns
    -------
    MdParserConfig
        With the extensions of Markdown that ``conf.py`` names.

    Examples
    --------
    >>> "colon_fence" in config().enable_extensions
    True
    """
    return MdParserConfig(enable_extensions=set(myst_enable_extensions))


def parse(text: str) -> list[Token]:
    r"""Return the tokens of a text.

    Parameters
    ----------
    text : str
        MyST.

    Returns
    -------
    list of Token
        The blocks; an ``inline`` token holds those of its paragraph, heading or table cell.

    Examples
    --------
    >>> [child.type for child in parse("So {calc}`8 <2 * 4>`.")[1].children]
    ['text', 'myst_role', 'text']
    """
    return _parser().parse(text)


def directive(token: Token) -> Directive | None:
    r"""Return the directive that a fence holds.

    Parameters
    ----------
    token : Token
        A block.

    Returns
    -------
    Directive or None
        None for code that is only shown, and for every other block.

    Examples
    --------
    >>> directive(parse("```{note}\n:class: tip\n\nA word.\n```")[0])
    Directive(name='note', argument='', body='A word.\n', line=3)
    """
    name, _, argument = token.info.strip().partition(" ")
    named = name.startswith("{") and name.endswith("}")
    if token.type not in {"fence", "colon_fence"} or not (named or token.type == "colon_fence"):
        return None
    first = _first(token)
    if not named:
        return Directive("", "", token.content, first + 1)
    # The options are the directive's own affair, so they are not validated here.
    found = parse_directive_text(_AnyDirective, argument.strip(), token.content, validate_options=False)
    body = "".join(f"{line}\n" for line in found.body)
    return Directive(name[1:-1], argument.strip(), body, first + 1 + found.body_offset)


def _first(token: Token) -> int:
    if token.map is None:
        raise ValueError(f"a {token.type} token is no block: it has no lines")
    return token.map[0]


@functools.cache
def _parser() -> MarkdownIt:
    parser = create_md_parser(config(), RendererHTML)
    rules = parser.inline.ruler
    for name, rule in list(zip(rules.get_active_rules(), rules.getRules(""), strict=True)):
        if name in _SPANNING:
            rules.at(name, _noting(rule))
    return parser


def _noting(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """Wrap a rule so that it notes the span of the last token that it makes."""

    def noting(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        matched = rule(state, silent)
        if matched and len(state.tokens) > before:
            state.tokens[-1].meta["span"] = (start, state.pos)
        return matched

    return noting
