"""Sphinx extension: recall cards, the deck that the review page reads, and the same deck for Anki.

A card stands on a page, where it is built and checked like everything else there.  When the site is done, all cards
are collected from what the pages became, so that a figure that changes on a card changes in both decks too::

    ```{recall-card} card-ridge-h100
    :see: sec-ridge-points-table

    The question.

    ---

    The answer.
    ```
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, cast
from urllib.parse import urlsplit

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.writers.html5 import HTML5Translator

from conf.assets import add_assets
from conf.practice.anki import package, plain_html

#: Where the decks are, from the root of the site.
DECK = "practice/cards.json"
ANKI = "downloads/roofline-lesson.apkg"

_ID = re.compile(r"card-[a-z0-9]+(-[a-z0-9]+)*")
_RULE = re.compile(r"^\s*-{3,}\s*$")
_LINK = re.compile(r'(?<= href=")([^"]*)')


class card(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """A card: a ``card_front``, a ``card_back`` and a ``card_source``; ``number`` counts the cards of its page."""


class card_front(nodes.General, nodes.Element):  # noqa: N801
    """The question."""


class card_back(nodes.General, nodes.Element):  # noqa: N801
    """The answer."""


class card_source(nodes.General, nodes.TextElement):  # noqa: N801
    """A link to the section that explains the answer."""


class review(nodes.General, nodes.Element):  # noqa: N801
    """Where the review works; its content is for a browser in which it cannot."""


@dataclass(frozen=True)
class Card:
    """A card as the review page gets it; addresses begin at the root of the site.

    Attributes
    ----------
    id : str
        Its label. The reader's history hangs on it, so it never changes.
    front, back : str
        HTML of the question and of the answer.
    page : str
        Where the card stands.
    source : dict of str
        ``href`` and ``title`` of the section that explains the answer.
    """

    id: str
    front: str
    back: str
    page: str
    source: dict[str, str]


class CardDirective(SphinxDirective):
    """``{recall-card}``: its label, ``:see:`` with that of a section, and question and answer with ``---`` between."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"see": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the node of the card."""
        label = self.arguments[0]
        if not _ID.fullmatch(label):
            raise self.error(f"{label!r} is no label of a card; write card-, then words in lower case with - between")
        if "see" not in self.options:
            raise self.error(f"{label} does not say where its answer comes from; add :see: with the label of a section")
        lines = list(self.content)
        rule = next((i for i, line in enumerate(lines) if _RULE.match(line)), None)
        if rule is None or not "".join(lines[:rule]).strip() or not "".join(lines[rule + 1 :]).strip():
            raise self.error(f"{label} needs a question and an answer, with a line --- between them")
        known = _cards(self.env)
        here = known.setdefault(self.env.docname, [])
        if label in here or any(label in ids for page, ids in known.items() if page != self.env.docname):
            raise self.error(f"there are two cards {label}; a label belongs to one card")
        here.append(label)

        front, back = card_front(ids=[f"front-{label}"]), card_back()
        self.state.nested_parse(self.content[:rule], self.content_offset, front)
        self.state.nested_parse(self.content[rule + 1 :], self.content_offset + rule + 1, back)
        node = card("", front, back, self._source(), number=len(here))
        self.set_source_info(node)
        self.options["name"] = label
        self.add_name(node)
        return [node]

    def _source(self) -> card_source:
        target = self.options["see"]
        options = {"refdomain": "std", "reftype": "ref", "refexplicit": False, "refwarn": True}
        link = addnodes.pending_xref("", nodes.inline(target, target), reftarget=target, **options)
        link["refdoc"] = self.env.docname
        self.set_source_info(link)
        return card_source("", "", nodes.Text("From "), link, nodes.Text("."), target=target)


class NamePageOfSource(SphinxPostTransform):
    """Name the page too: in a deck, "The table" alone says nothing."""

    default_priority = 100  # after Sphinx has resolved the links

    def run(self, **_: Any) -> None:
        """Go through the cards of the page."""
        labels = self.env.domains.standard_domain.labels
        for source in self.document.findall(card_source):
            for link in source.findall(nodes.reference):
                page = self.env.titles[labels[source["target"]][0]].astext()
                if page != link.astext():
                    words = f"{page}: {link.astext()}"
                    link.children[:] = [nodes.inline(words, words)]


class ReviewDirective(SphinxDirective):
    """``{review}``: where the review works; the content says what to do without JavaScript."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return its node."""
        node = review()
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class AnkiRole(SphinxRole):
    """``{anki}`the words of the link` ``: the deck for Anki."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link."""
        return [nodes.reference(self.text, self.text, refuri=_from(self.env.docname, ANKI), classes=["anki-deck"])], []


def _cards(env: BuildEnvironment) -> dict[str, list[str]]:
    """Return the labels of the cards of each page."""
    known: dict[str, list[str]] = vars(env).setdefault("lesson_cards", {})
    return known


def _purge(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _cards(env).pop(docname, None)


def _merge(_app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    _cards(env).update({page: ids for page, ids in _cards(other).items() if page in docnames})


def _from(docname: str, address: str) -> str:
    """Return the way from a page to an address that begins at the root of the site."""
    return "../" * docname.count("/") + address


def from_root(html: str, page: str) -> str:
    """Let the links of a piece of HTML begin at the root of the site.

    Parameters
    ----------
    html : str
        The piece.
    page : str
        The page that it stands on, such as ``"practice/cards.html"``.

    Returns
    -------
    str
        The piece, for any page; links to other hosts stay.

    Examples
    --------
    >>> from_root('<a class="x" href="../lesson/method.html#sec-limits">', "practice/cards.html")
    '<a class="x" href="lesson/method.html#sec-limits">'
    """

    def moved(match: re.Match[str]) -> str:
        address = urlsplit(match[1])
        if address.scheme or address.netloc:
            return match[1]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), address.path)) if address.path else page
        return address._replace(path=path).geturl()

    return _LINK.sub(moved, html)


def _found(app: Sphinx) -> Iterator[tuple[str, card]]:
    """Yield each card as its page shows it, with the name of the page."""
    for docname in sorted(_cards(app.env)):
        doctree = app.env.get_and_resolve_doctree(docname, app.builder, tags=app.tags)
        for node in doctree.findall(card):
            yield docname, node


def _as_html(app: Sphinx, node: nodes.Element) -> str:
    builder = cast("StandaloneHTMLBuilder", app.builder)
    return "".join(builder.render_partial(child)["fragment"] for child in node.children).strip()


def _collect(app: Sphinx) -> Iterator[tuple[Card, nodes.Element, nodes.Element]]:
    """Yield each card, with the nodes of its question and its answer."""
    for docname, node in _found(app):
        vars(app.builder)["current_docname"] = docname  # links that a node makes begin there
        page = app.builder.get_target_uri(docname)
        front, back, source = node.children
        assert isinstance(front, nodes.Element)  # noqa: S101 - says so to mypy
        assert isinstance(back, nodes.Element)  # noqa: S101
        label = node["ids"][0]
        links = list(source.findall(nodes.reference))
        if not links:
            continue  # the label of :see: is unknown, which is reported already
        href = links[0].get("refuri") or f"#{links[0]['refid']}"
        href = from_root(f' href="{href}"', page).removeprefix(' href="').removesuffix('"')
        yield (
            Card(
                id=label,
                front=from_root(_as_html(app, front), page),
                back=from_root(_as_html(app, back), page),
                page=f"{page}#{label}",
                source={"href": href, "title": links[0].astext()},
            ),
            front,
            back,
        )


def write_decks(app: Sphinx, exception: Exception | None) -> None:
    """Write both decks, once all pages are written."""
    if exception is not None or app.builder.name != "html" or not any(_cards(app.env).values()):
        return
    found = list(_collect(app))
    deck = {"cards": [asdict(one) for one, _, _ in found]}
    target = Path(app.outdir) / DECK
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(deck, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    site = app.config.html_baseurl
    notes = [(one.id, plain_html(front), plain_html(back), _source(one, site)) for one, front, back in found]
    anki = Path(app.outdir) / ANKI
    anki.parent.mkdir(parents=True, exist_ok=True)
    anki.write_bytes(package(notes, int(os.environ.get("SOURCE_DATE_EPOCH") or 0) or None))


def _source(one: Card, site: str) -> str:
    """Return a link to the section behind a card or, where the site has no address yet, the name of the section."""
    title = nodes.Text(one.source["title"])
    link = nodes.reference("", "", title, refuri=site + one.source["href"]) if site else title
    return plain_html(nodes.inline("", "", link))


def visit_card(self: HTML5Translator, node: card) -> None:
    """Open the card."""
    group: dict[str, Any] = {"role": "group", "aria-label": f"Card {node['number']}"}
    self.body.append(self.starttag(node, "div", CLASS="recall-card", **group))


def visit_front(self: HTML5Translator, node: card_front) -> None:
    """Open the question."""
    self.body.append(self.starttag(node, "div", CLASS="recall-front"))


def visit_back(self: HTML5Translator, node: card_back) -> None:
    """Open the fold with the answer, which the source closes."""
    front = f"front-{node.parent['ids'][0]}"
    self.body.append(f'<details class="recall-answer"><summary aria-describedby="{front}">Show the answer</summary>\n')
    self.body.append('<div class="recall-back">\n')


def visit_source(self: HTML5Translator, node: card_source) -> None:
    """Open the line that says where the answer comes from."""
    self.body.append(self.starttag(node, "p", "", CLASS="recall-source"))


def depart_source(self: HTML5Translator, node: card_source) -> None:  # noqa: ARG001 - docutils' signature
    """Close the line and the fold."""
    self.body.append("</p>\n</details>\n")


def visit_review(self: HTML5Translator, node: review) -> None:
    """Open the place of the review, which knows where the deck is."""
    deck: dict[str, Any] = {"data-deck": _from(self.builder.current_docname, DECK)}
    self.body.append(self.starttag(node, "div", CLASS="review", **deck))


def depart_box(self: HTML5Translator, node: nodes.Element) -> None:  # noqa: ARG001 - docutils' signature
    """Close a box."""
    self.body.append("</div>\n")


def _plain(self: nodes.NodeVisitor, node: nodes.Element) -> None:
    """Show the content alone, where the builder writes no HTML."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension.

    Parameters
    ----------
    app : Sphinx
        The application.

    Returns
    -------
    dict
        Metadata for Sphinx.
    """
    plain = (_plain, _plain)
    for node, visitors in (
        (card, (visit_card, depart_box)),
        (card_front, (visit_front, depart_box)),
        (card_back, (visit_back, depart_box)),
        (card_source, (visit_source, depart_source)),
        (review, (visit_review, depart_box)),
    ):
        app.add_node(node, html=visitors, latex=plain, text=plain, man=plain, texinfo=plain)
    app.add_directive("recall-card", CardDirective)
    app.add_directive("review", ReviewDirective)
    app.add_role("anki", AnkiRole())
    app.add_post_transform(NamePageOfSource)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    add_assets(app, 'class="recall-card"', "practice/cards.css", "practice/cards.js")
    add_assets(app, 'class="review"', "practice/cards.css", "practice/review.js")
    app.connect("build-finished", write_decks)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
