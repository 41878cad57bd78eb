"""Sphinx extension: the deck of recall cards that the review page reads, and the same deck for Anki.

Both are made from the pages as they were built, so that a number that changes on a card changes in both decks too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.links import from_root, links_from_root
from conf.practice.anki import package, plain_html
from conf.practice.cards import ANKI, DECK, card, card_back, card_front, card_source, cards_of


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


def _found(app: Sphinx) -> Iterator[tuple[str, card]]:
    """Yield each card as its page shows it, with the name of the page."""
    for docname in sorted(cards_of(app.env)):
        doctree = app.env.get_and_resolve_doctree(docname, app.builder, tags=app.tags)
        for node in doctree.findall(card):
            yield docname, node


def _as_html(app: Sphinx, node: nodes.Element) -> str:
    builder = cast("StandaloneHTMLBuilder", app.builder)
    return "".join(builder.render_partial(child)["fragment"] for child in node.children).strip()


def _collect(app: Sphinx) -> Iterator[tuple[Card, nodes.Element, nodes.Element]]:
    """Yield each card, with the nodes of its question and its answer."""
    for docname, node in _found(app):
        vars(app.builder)["current_docname"] = docname  # links in the HTML are relative to this page
        page = app.builder.get_target_uri(docname)
        (front,), (back,), (source,) = (list(node.findall(part)) for part in (card_front, card_back, card_source))
        label = node["ids"][0]
        links = list(source.findall(nodes.reference))
        if not links:
            continue  # the label of :see: is unknown, which is reported already
        href = links[0].get("refuri") or f"#{links[0]['refid']}"
        yield (
            Card(
                id=label,
                front=links_from_root(_as_html(app, front), page),
                back=links_from_root(_as_html(app, back), page),
                page=f"{page}#{label}",
                source={"href": from_root(href, page), "title": links[0].astext()},
            ),
            front,
            back,
        )


def write_decks(app: Sphinx, exception: Exception | None) -> None:
    """Write both decks, once all pages are written."""
    if exception is not None or app.builder.name != "html" or not any(cards_of(app.env).values()):
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


def setup(app: Sphinx) -> ExtensionMetadata:
    """Have the decks written; Sphinx calls this once."""
    app.setup_extension("conf.practice.cards")
    app.connect("build-finished", write_decks)
    return METADATA
