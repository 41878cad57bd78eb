"""Sphinx extension: a table of what a page of the reference describes, made from that page.

``{api-summary} api/bound`` lists each function and class of the page ``api/bound`` with a link and its first sentence.
Sphinx's own autosummary would have the names typed a second time.  A row also has the anchors of whatever it stands
for, so that addresses from the time when the reference was one page still work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

#: What an anchor was called before its object was renamed or moved, by the name that it has now.
FORMER: Final = {
    "roofline.DatasheetValue": "roofline.Figure",
    "roofline.Device.datasheet": "roofline.Device.figures",
    "roofline.Model": "roofline.Shape",
    "roofline.devices_needed": "roofline.atlas.devices_needed",
    "roofline.format_quantity": "roofline.write",
    "roofline.parse_quantity": "roofline.read",
    "roofline.quantity.parse_shown": "roofline.quantity.read_shown",
    "roofline.tables.atlas": "roofline.atlas",
    "roofline.tables.datasheet_values": "roofline.tables.device_figures",
}


class summary(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """Where the table of a page will stand."""


class ApiSummary(SphinxDirective):
    """The directive. Its argument is the page, from this page's folder, and ``:name:`` the label of the table."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"name": lambda text: text}

    def run(self) -> list[nodes.Node]:
        """Return a place for the table: not all pages have been read yet."""
        page, _ = self.env.relfn2path(f"{self.arguments[0]}.md")
        docname = page.removesuffix(".md")
        if docname not in self.env.found_docs:
            raise self.error(f"there is no page {docname!r} to sum up")
        place = summary("", page=docname)
        self.set_source_info(place)
        self.add_name(place)
        return [place]


class FillIn(SphinxPostTransform):
    """Puts the tables in, before Sphinx resolves the references that their sentences may have."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Replace each place of this page; Sphinx calls this before it writes the page."""
        for place in list(self.document.findall(summary)):
            described = list(descriptions(self.env.get_doctree(place["page"])))
            if not described:
                raise ValueError(f"{place['page']} describes nothing; {self.env.docname} cannot sum it up")
            address = self.app.builder.get_relative_uri(self.env.docname, place["page"])
            table = _table([_row(one, address, self.env.docname) for one in described])
            table["ids"] = place["ids"]
            place.replace_self(table)


def descriptions(page: nodes.document) -> Iterator[addnodes.desc]:
    """Yield what autodoc describes on a page, without the members of classes.

    Parameters
    ----------
    page : docutils.nodes.document
        The page.

    Yields
    ------
    sphinx.addnodes.desc
        A function, a class, an error or a value.

    Examples
    --------
    >>> page = nodes.document(None, None)
    >>> page += addnodes.desc("", addnodes.desc_content("", addnodes.desc()))
    >>> len(list(descriptions(page)))
    1
    """
    for one in page.findall(addnodes.desc):
        inside = one.parent
        while inside is not None and not isinstance(inside, addnodes.desc):
            inside = inside.parent
        if inside is None:
            yield one


def _row(one: addnodes.desc, address: str, docname: str) -> nodes.row:
    """Return the row of one description: its name, which links to it, and its first sentence."""
    signature = next(one.findall(addnodes.desc_signature))
    name = nodes.literal("", signature["fullname"])
    link = nodes.reference("", "", name, internal=True, refuri=f"{address}#{signature['ids'][0]}")
    anchors = [target for each in one.findall(addnodes.desc_signature) for target in each["ids"]]
    spans = [nodes.inline("", "", ids=[anchor]) for anchor in (*anchors, *formerly(anchors))]
    said = next((part for part in one.findall(nodes.paragraph)), nodes.paragraph())
    sentence = said.deepcopy()
    for reference in sentence.findall(addnodes.pending_xref):
        reference["refdoc"] = docname  # the table is not on the page of the description
    cells = (nodes.paragraph("", "", *spans, link), sentence)
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def formerly(anchors: Sequence[str]) -> list[str]:
    """Return the names that anchors had before.

    Parameters
    ----------
    anchors : sequence of str
        Names of objects.

    Returns
    -------
    list of str
        One for each that was renamed, or belongs to something that was.

    Examples
    --------
    >>> formerly(["roofline.Model.g", "roofline.Modelling"])
    ['roofline.Shape.g']
    """
    return [
        old + anchor.removeprefix(new)
        for anchor in anchors
        for new, old in FORMER.items()
        if f"{anchor}.".startswith(f"{new}.")
    ]


def _table(rows: list[nodes.row]) -> nodes.table:
    head = nodes.row("", *(nodes.entry("", nodes.paragraph("", title)) for title in ("Name", "What it is")))
    columns = [nodes.colspec(colwidth=width) for width in (1, 3)]
    return nodes.table("", nodes.tgroup("", *columns, nodes.thead("", head), nodes.tbody("", *rows), cols=2))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; Sphinx calls this once."""
    app.add_node(summary)
    app.add_directive("api-summary", ApiSummary)
    app.add_post_transform(FillIn)
    return METADATA
