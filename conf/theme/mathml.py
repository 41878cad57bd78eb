r"""Sphinx extension: mathematics as MathML, made while the site is built.

Registers the Sphinx math renderer ``mathml`` (``html_math_renderer = "mathml"``). A page then needs no script and no
other host to show a formula. TeX that cannot be rendered is a warning with file and line, so a build with ``-W`` fails.

The conversion is math-core's. The rest is our own, because no extension of Sphinx renders during the build and
lets a number within a formula carry its working.

Checked numbers arrive as ``\calcmark{KEY}{SHOWN}``, with ``node["calc"]`` mapping KEY to what is known about the
number. SHOWN is rendered like any other TeX and its MathML is wrapped in ``<mrow class="calc" data-...>``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from conf import METADATA

logger = logging.getLogger(__name__)

Marks = Mapping[str, Mapping[str, str]]

#: Private-use characters that fence a checked number on its way through the converter.
OPEN, CLOSE = "\ue000", "\ue001"

#: What the page gets of a checked number, as ``data-*``.
DATA = ("expr", "value", "source")

#: Numbering and width belong to the page, so environments become their plain inner forms.
ENVIRONMENTS = {"split": "aligned", "align": "aligned", "gather": "gathered", "equation": None}

#: An inline formula with more characters than this may break across lines, after one of these at its top level.
LONG = 22
BREAKS = frozenset("=≠≤≥<>≈≲≳≪≫∝→⟶⇒⟹⟺⇔+−±,")


class MathError(ValueError):
    """TeX that cannot be rendered; the message says what is wrong and near which text."""


def render(tex: str, display: bool, marks: Marks) -> str:
    r"""Render TeX to MathML.

    Parameters
    ----------
    tex
        The formula, with checked numbers as ``\calcmark{KEY}{SHOWN}``.
    display
        Whether the formula stands on its own line.
    marks
        For each KEY, what is known about the number: ``expr``, ``value`` and perhaps ``source``.

    Returns
    -------
    str
        A ``<math>`` element. A long inline formula gives several, with a line break allowed between them.

    Raises
    ------
    MathError
        If the TeX is malformed or uses a command that the converter lacks.
    """
    prepared = _plain_environments(_as_rows(_fence(tex, marks)) if display else _fence(tex, marks))
    try:
        mathml = _converter().convert_with_local_state(prepared, displaystyle=display)
    except LatexError as error:
        raise MathError(_explain(str(error), prepared)) from error
    mathml = _tidy(mathml)
    if OPEN in mathml or CLOSE in mathml:
        mathml = _wrap_marks(mathml, marks)
    return mathml if display else "<wbr>".join(_breakable(mathml))


def unmark(tex: str) -> str:
    r"""Return the TeX as an author would read it, each ``\calcmark{KEY}{SHOWN}`` replaced by SHOWN.

    >>> unmark(r"B^* = \calcmark{k}{344.9}")
    'B^* = 344.9'
    """
    return "".join(text if key is None else unmark(text) for key, text in _split_marks(tex))


def take_tag(tex: str) -> tuple[str, str | None]:
    r"""Take ``\tag{...}`` out of a display formula: the page sets it where equation numbers stand.

    >>> take_tag(r"a = b \tag{*}")
    ('a = b ', '(*)')
    """
    start = re.search(r"\\tag(\*?)\s*(?=\{)", tex)
    if not start:
        return tex, None
    tag, end = _group(tex, start.end())
    rest = tex[: start.start()] + tex[end:]
    if re.search(r"\\tag\b", rest):
        raise MathError(r"more than one \tag in one formula")
    return rest, tag if start[1] else f"({tag})"


@functools.cache
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


def _group(tex: str, start: int) -> tuple[str, int]:
    """Return the inside of the brace group that opens at ``start``, and where the text goes on after it."""
    depth, i = 0, start
    while i < len(tex):
        if tex[i] == "\\":
            i += 1
        elif tex[i] == "{":
            depth += 1
        elif tex[i] == "}":
            depth -= 1
            if depth == 0:
                return tex[start + 1 : i], i + 1
        i += 1
    raise MathError(f"a brace is never closed, near '{tex[start : start + 20]}'")


def _split_marks(tex: str) -> Iterator[tuple[str | None, str]]:
    """Yield the TeX in pieces: ``(None, text)``, or ``(KEY, SHOWN)`` for a checked number."""
    done = 0
    for mark in re.finditer(r"\\calcmark\{([A-Za-z0-9]+)\}(?=\{)", tex):
        if mark.start() < done:
            continue
        yield None, tex[done : mark.start()]
        shown, done = _group(tex, mark.end())
        yield mark[1], shown
    yield None, tex[done:]


def _fence(tex: str, marks: Marks) -> str:
    """Put each checked number between two private-use characters, which the converter keeps as text."""
    fenced = []
    for key, text in _split_marks(tex):
        if key is None:
            fenced.append(text)
        elif key not in marks:
            raise MathError(f"the checked number '{key}' is not known to this formula")
        else:
            # The inner group keeps TeX's spacing: a sign that starts the number stays a sign.
            fenced.append(rf"{{\text{{{OPEN}{key}}}{{{_fence(text, marks)}}}\text{{{CLOSE}}}}}")
    return "".join(fenced)


def _wrap_marks(mathml: str, marks: Marks) -> str:
    def attributes(match: re.Match[str]) -> str:
        data = marks[match[1]]
        pairs = "".join(f' data-{name}="{escape(str(data[name]))}"' for name in DATA if data.get(name))
        return f'<mrow class="calc" tabindex="0"{pairs}>'

    wrapped = re.sub(rf"<mtext>{OPEN}([A-Za-z0-9]+)</mtext>", attributes, mathml)
    wrapped = wrapped.replace(f"<mtext>{CLOSE}</mtext>", "</mrow>")
    if OPEN in wrapped or CLOSE in wrapped:
        raise MathError(r"a checked number cannot stand here (inside \text, say); end the \text before it")
    return wrapped


def _as_rows(tex: str) -> str:
    r"""Treat a display as Sphinx does: blank lines and a bare ``\\`` start a new row."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", tex) if part.strip()]
    outside = re.sub(r"\\begin\{(\w+\*?)\}.*?\\end\{\1\}", "", tex, flags=re.DOTALL)
    if len(parts) > 1:
        return r"\begin{gathered}" + r"\\".join(_as_rows(part) for part in parts) + r"\end{gathered}"
    if r"\\" in outside:
        return r"\begin{aligned}" + tex.strip() + r"\end{aligned}"
    return tex.strip()


def _plain_environments(tex: str) -> str:
    def plain(match: re.Match[str]) -> str:
        inner = ENVIRONMENTS[match[2]]
        return rf"\{match[1]}{{{inner}}}" if inner else ""

    return re.sub(rf"\\(begin|end)\{{({'|'.join(ENVIRONMENTS)})\*?\}}", plain, tex)


def _tidy(mathml: str) -> str:
    """Join ``1{,}979`` to one number, and drop variation selectors that the page's font does not need."""
    mathml = re.sub(r'<mn>(\d[\d,]*)</mn><mo rspace="0">,</mo><mn>(?=\d{3}(?:\D))', r"<mn>\1,", mathml)
    # A second pass for millions: each match consumes the number with which the next one would begin.
    mathml = re.sub(r'<mn>(\d[\d,]*)</mn><mo rspace="0">,</mo><mn>(?=\d{3}(?:\D))', r"<mn>\1,", mathml)
    return mathml.replace("\ufe00", "").replace("\ufe01", "")


def _explain(message: str, tex: str) -> str:
    place = re.match(r"(\d+): (.*)", message, re.DOTALL)
    if not place:
        return message
    near = tex[max(0, int(place[1]) - 1) :][:30].strip().replace(OPEN, "").replace(CLOSE, "")
    return f"{place[2]} (near '{near}')" if near else place[2]


def _children(mathml: str) -> Iterator[str]:
    """Yield the source of each top-level child of one ``<math>`` element."""
    inside = mathml[mathml.index(">") + 1 : mathml.rindex("</math>")]
    depth = start = 0
    for tag in re.finditer(r"<(/?)[a-z][^>]*?(/?)>", inside):
        depth += -1 if tag[1] else 0 if tag[2] else 1
        if depth == 0:
            yield inside[start : tag.end()]
            start = tag.end()


def _breakable(mathml: str) -> Iterator[str]:
    """Cut a long inline formula after top-level relations: browsers never break a line inside ``<math>``."""
    children = list(_children(mathml))
    texts = [re.sub(r"<[^>]*>|&\w+;|\s", "", child) for child in children]
    if sum(map(len, texts)) <= LONG:
        yield mathml
        return
    piece, size = "", 0
    left = sum(map(len, texts))
    for child, text in zip(children, texts, strict=True):
        piece, size, left = piece + child, size + len(text), left - len(text)
        if child.startswith("<mo") and text in BREAKS and size >= 4 and left >= 2:
            yield f"<math>{piece}</math>"
            piece, size = "", 0
    yield f"<math>{piece}</math>"


def _one_line(tex: str) -> str:
    return " ".join(unmark(tex).split())


def _report(node: nodes.Element, tex: str, error: MathError) -> str:
    one_line = _one_line(tex)
    logger.warning("cannot render maths: %s, in: %s", error, one_line, location=node, type="mathml")
    return f'<code class="math-error">{escape(one_line)}</code>'


def _render_display(tex: str, marks: Marks, numbered: bool) -> tuple[str, str]:
    """Render a display formula and, as HTML, the tag that stands beside it."""
    body, tag = take_tag(tex)
    if tag is None:
        return render(body, True, marks), ""
    if numbered:
        raise MathError(r"this equation has a label, so the site numbers it; remove its \tag")
    maths = re.fullmatch(r"(\(?)\$(.*)\$(\)?)", tag)
    return render(body, True, marks), maths[1] + render(maths[2], False, {}) + maths[3] if maths else escape(tag)


def _start(self: HTML5Translator, node: nodes.Element, tag: str, suffix: str) -> None:
    """Open the element around a formula, with the TeX that a reader gets by copying it."""
    attributes: dict[str, Any] = {"class": "math notranslate nohighlight", "data-tex": _one_line(node.astext())}
    self.body.append(self.starttag(node, tag, suffix, **attributes))


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write an inline formula."""
    _start(self, node, "span", "")
    try:
        self.body.append(render(node.astext(), False, node.get("calc") or {}))
    except MathError as error:
        self.body.append(_report(node, node.astext(), error))
    self.body.append("</span>")
    raise nodes.SkipNode


def visit_displaymath(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a display formula in a box that scrolls when it is too wide, with its number or tag beside it."""
    number = get_node_equation_number(self, node) if node.get("number") else None
    try:
        mathml, beside = _render_display(node.astext(), node.get("calc") or {}, number is not None)
    except MathError as error:
        mathml, beside = _report(node, node.astext(), error), ""
    _start(self, node, "div", "\n")
    name = f"Equation {number}" if number else "Equation"
    self.body.append(f'<div class="math-scroll" data-name="{name}">{mathml}</div>')
    if number:
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    elif beside:
        self.body.append(f'<span class="eqno">{beside}</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer; Sphinx calls this once."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    return METADATA
