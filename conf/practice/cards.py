"""Sphinx extension: recall cards, and what a page shows of their decks.

A card stands on a page, where it is built and checked like everything else there::

    ```{recall-card} card-ridge-h100
    :see: sec-ridge-points-table

    The question.

    ---

    The answer.
    ```

`conf.practice.decks` collects the cards when the site is done.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets
from conf.element import add_elements, element, fold, make, phrase
from conf.links import from_page

#: Where the decks are, from the root of the site.
DECK: Final = "practice/cards.json"
ANKI: Final = "downloads/roofline-lesson.apkg"

_ID = re.compile(r"card-[a-z0-9]+(-[a-z0-9]+)*")
_RULE = re.compile(r"^\s*-{3,}\s*$")


class card(element):  # noqa: N801 - docutils names nodes in lower case
    """A card, which holds a ``card_front``, a ``card_back`` and a ``card_source``."""


class card_front(element):  # noqa: N801
    """The question."""


class card_back(element):  # noqa: N801
    """The answer."""


class card_source(phrase):  # noqa: N801
    """A link to the section that explains the answer, whose label is its ``target``."""


class CardDirective(SphinxDirective):
    """``{recall-card} LABEL``: a question and an answer with ``---`` between; ``:see:`` is the label of a section."""

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
        known = cards_of(self.env)
        here = known.setdefault(self.env.docname, [])
        if label in here or any(label in ids for page, ids in known.items() if page != self.env.docname):
            raise self.error(f"there are two cards {label}; a label belongs to one card")
        here.append(label)

        front = make(card_front, "div", classes=["recall-front"], ids=[f"front-{label}"])
        back = make(card_back, "div", classes=["recall-back"])
        self.state.nested_parse(self.content[:rule], self.content_offset, front)
        self.state.nested_parse(self.content[rule + 1 :], self.content_offset + rule + 1, back)
        describe = {"aria-describedby": f"front-{label}"}
        answer = fold("Show the answer", back, self._source(), html=describe, classes=["recall-answer"])
        group = {"role": "group", "aria-label": f"Card {len(here)}"}
        node = make(card, "div", front, answer, html=group, classes=["recall-card"])
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
        words = (nodes.Text("From "), link, nodes.Text("."))
        return make(card_source, "p", *words, target=target, classes=["recall-source"])


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
        """Return the place, which knows where the deck is."""
        node = make(element, "div", html={"data-deck": from_page(self.env.docname, DECK)}, classes=["review"])
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class AnkiRole(SphinxRole):
    """``{anki}`the words of the link` ``: the deck for Anki."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link."""
        return [
            nodes.reference(self.text, self.text, refuri=from_page(self.env.docname, ANKI), classes=["anki-deck"])
        ], []


def cards_of(env: BuildEnvironment) -> dict[str, list[str]]:
    """Return the labels of the cards of each page."""
    known: dict[str, list[str]] = vars(env).setdefault("lesson_cards", {})
    return known


def _purge(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    cards_of(env).pop(docname, None)


def _merge(_app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    cards_of(env).update({page: ids for page, ids in cards_of(other).items() if page in docnames})


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives and the role; Sphinx calls this once."""
    add_elements(app, card, card_front, card_back, card_source)
    app.add_directive("recall-card", CardDirective)
    app.add_directive("review", ReviewDirective)
    app.add_role("anki", AnkiRole())
    app.add_post_transform(NamePageOfSource)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    add_assets(app, 'class="recall-card"', "practice/cards.css", "practice/cards.js")
    add_assets(app, 'class="review"', "practice/cards.css", "practice/review.js")
    return {**METADATA, "env_version": 1}
