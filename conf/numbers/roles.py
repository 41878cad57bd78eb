r"""Sphinx extension: checked numbers in prose, in mathematics and in what code cells show.

The source of each page is scanned when Sphinx reads it, by the grammar that pytest uses too, and whatever is wrong is
reported with its line.  The roles then only show the numbers, and check those that the scan cannot see, such as one in
a table that a code cell made.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.element import add_elements, fold, make, phrase
from conf.numbers.evaluate import CheckError, Page, Working
from conf.numbers.examples import Examples
from conf.numbers.grammar import Check, Doctest, Names, scan, split_calc
from conf.numbers.lint import unchecked
from conf.numbers.tex import from_tex, tex_macro

logger = logging.getLogger(__name__)


class checked(phrase):  # noqa: N801 - docutils names nodes in lower case
    """A checked number in a doctree, with its working as data for the script."""


class _Pages:
    """The names of the pages that are being read, and the numbers that the scan has already checked."""

    def __init__(self) -> None:
        self.page: dict[str, Page] = {}
        self.judged: dict[str, set[tuple[str, str]]] = {}

    def begin(self, docname: str, source: str, path: str) -> None:
        page = self.page[docname] = Page()
        judged = self.judged[docname] = set()
        items = scan(source)
        # Names first, wherever their block stands: the title above it may hold a number too.
        for item in sorted((i for i in items if isinstance(i, Names | Check)), key=lambda i: isinstance(i, Check)):
            try:
                if isinstance(item, Names):
                    page.define(item)
                else:
                    judged.add((item.shown, item.expr))
                    page.verify(item)
            except CheckError as error:
                logger.error("%s", error, location=f"{path}:{item.line}", type="calc")  # noqa: TRY400 - for an author, no traceback
        blocks = [item for item in items if isinstance(item, Doctest)]
        examples = Examples(blocks, page.names)
        for fault in (fault for block in blocks for fault in examples.faults(block)):
            logger.error("an example fails: %s", fault.text, location=f"{path}:{fault.line}", type="calc")
        for found in unchecked(items):
            logger.warning("%s", found, location=f"{path}:{found.line}", type="calc", subtype="lint")

    def working(self, docname: str, shown: str, expr: str, location: Any) -> Working | None:
        """Return the working of a number, or report what is wrong with it unless the scan has done so."""
        try:
            return self.page.get(docname, Page()).working(shown, expr)
        except CheckError as error:
            if (shown, expr) not in self.judged.get(docname, set()):
                logger.error("%s", error, location=location, type="calc")  # noqa: TRY400
            return None


_PAGES = _Pages()


def _begin(app: Sphinx, docname: str, content: list[str]) -> None:
    path = app.env.doc2path(docname)
    if path.suffix == ".md":
        _PAGES.begin(docname, content[0], str(path))


class CalcRole(SphinxRole):
    """``{calc}`shown <expression>` ``: a number that the page and the code must agree on."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the node of the number."""
        pair = split_calc(self.text)
        if pair is None:  # reported by the scan
            return [nodes.inline(text=self.text)], []
        shown, expr = pair
        working = _PAGES.working(self.env.docname, shown, expr, self.get_location())
        # A number stays together with its unit: no line may end between them.
        text = shown.replace(" ", "\u00a0") if any(c.isdigit() for c in shown) else shown
        if working is None:
            return [nodes.inline(text=text)], []
        data = {f"data-{name}": vars(working)[name] or None for name in ("expr", "value", "source")}
        return [make(checked, "span", nodes.Text(text), html=data, classes=["calc"])], []


class GivenRole(SphinxRole):
    """``{given}`80 GB` ``: a number that is an input or a quotation, and so has no working."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the text as it stands."""
        return [nodes.inline(text=self.text.replace(" ", "\u00a0"), classes=["given"])], []


class NamesDirective(SphinxDirective):
    """``{names}``: assignments for the expressions of this page; readers can unfold them."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return a folded block with the assignments."""
        code = "\n".join(self.content)
        literal = nodes.literal_block(code, code, language="python")
        names = fold("Names used in the numbers of this page", literal, classes=["names"])
        return [nodes.container("", names, classes=["names-block"])]


def _maths(document: nodes.document) -> list[nodes.math | nodes.math_block]:
    """Return all mathematics of a page, inline and displayed."""
    return [*document.findall(nodes.math), *document.findall(nodes.math_block)]


def _replace_text(node: nodes.TextElement, text: str) -> None:
    node.clear()
    node += nodes.Text(text)


class MarkChecksInMaths(SphinxTransform):
    r"""Check each ``\calc`` in mathematics, and leave a mark to which the renderer attaches the working."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Go through all mathematics of the page."""
        for node in _maths(self.document):
            tex = node.astext()
            if r"\calc" not in tex and r"\given" not in tex:
                continue
            marks: dict[str, dict[str, str]] = {}
            for start, end, arguments in reversed(list(tex_macro(tex, "calc", 2))):
                if len(arguments) != 2:
                    continue  # reported by the scan
                expr = " ".join(arguments[1].split())
                location = (self.env.docname, node.line or (node.parent and node.parent.line))
                working = _PAGES.working(self.env.docname, from_tex(arguments[0]), expr, location)
                shown = arguments[0]
                if working is not None:
                    key = f"n{len(marks)}"
                    marks[key] = vars(working)
                    shown = rf"\calcmark{{{key}}}{{{arguments[0]}}}"
                tex = tex[:start] + shown + tex[end:]
            for start, end, arguments in reversed(list(tex_macro(tex, "given", 1))):
                tex = tex[:start] + "".join(arguments) + tex[end:]
            node["calc"] = marks
            node.rawsource = tex
            _replace_text(node, tex)


class PlainMaths(SphinxPostTransform):
    """Builders other than HTML cannot show the working, so they get the formula alone."""

    default_priority = 200

    def run(self, **_: Any) -> None:
        """Take the marks out."""
        if self.app.builder.format == "html":
            return
        for node in _maths(self.document):
            tex = node.astext()
            for start, end, arguments in reversed(list(tex_macro(tex, "calcmark", 2))):
                tex = tex[:start] + arguments[-1] + tex[end:]
            _replace_text(node, tex)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the roles, the directive and the transforms; Sphinx calls this once."""
    add_elements(app, checked)
    app.add_role("calc", CalcRole())
    app.add_role("given", GivenRole())
    app.add_directive("names", NamesDirective)
    app.add_transform(MarkChecksInMaths)
    app.add_post_transform(PlainMaths)
    app.connect("source-read", _begin)
    # The names live only while a page is read, in this process; a second process would have its own.
    return METADATA
