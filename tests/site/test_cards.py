"""The recall cards of the site: all that were ever published are there, and both decks hold what the page shows."""

import json
import re
import sqlite3
import zipfile

import lxml.html
import pytest

from conf.practice.cards import ANKI, DECK
from tests.site import built

pytestmark = pytest.mark.site

#: Every card that was ever published. What a reader did with a card hangs on its id, so none is renamed; a new one is
#: added here.
CARDS = (
    "card-batch-h100", "card-batched-attention", "card-decode-attention", "card-decode-step", "card-elementwise",
    "card-factor-two", "card-four-steps", "card-fp8-threshold", "card-gqa", "card-intensity", "card-intensity-about-b",
    "card-matmul-bytes", "card-matmul-flops", "card-matmul-intensity", "card-prefill-attention", "card-relu-speedup",
    "card-ridge-a100", "card-ridge-cuda", "card-ridge-h100", "card-ridge-point", "card-roofline-bound",
    "card-roofline-rate", "card-share-of-peak", "card-small-widths", "card-sparse-peak", "card-threshold-exact",
    "card-training-memory-bound", "card-twenty-percent", "card-two-phases", "card-what-b-counts", "card-what-helps",
)  # fmt: skip
#: Numbers as a sentence shows them, without the space that keeps one together with its unit.
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@pytest.fixture
def deck(site):
    return json.loads((site / DECK).read_text(encoding="utf-8"))["cards"]


@pytest.fixture
def boxes(site):
    """The cards on the pages, by id."""
    return {box.get("id"): box for page in built.written(site) for box in page.article.find_class("recall-card")}


def text(html: str) -> str:
    return " ".join(lxml.html.fromstring(f"<div>{html}</div>").text_content().split())


def test_no_card_is_lost_or_renamed(deck, boxes):
    ids = [card["id"] for card in deck]
    assert len(ids) == len(set(ids))
    assert sorted(ids) == sorted(CARDS)
    assert set(boxes) == set(ids)


def test_the_deck_is_what_the_pages_show(deck, boxes):
    for card in deck:
        for side, name in (("front", "recall-front"), ("back", "recall-back")):
            (shown,) = boxes[card["id"]].find_class(name)
            assert text(card[side]) == " ".join(shown.text_content().split()), card["id"]
            workings = lxml.html.fromstring(f"<div>{card[side]}</div>").xpath("//@data-expr")
            assert workings == shown.xpath(".//@data-expr"), card["id"]


def test_a_question_holds_no_answer_that_is_computed(boxes):
    for label, box in boxes.items():
        (front,) = box.find_class("recall-front")
        (back,) = box.find_class("recall-back")
        assert not set(front.xpath(".//@data-expr")) & set(back.xpath(".//@data-expr")), label


def test_every_address_in_the_deck_leads_somewhere(site, deck):
    for card in deck:
        links = lxml.html.fromstring(f"<div>{card['front']}{card['back']}</div>").xpath("//a/@href")
        for address in (card["page"], card["source"]["href"], *links):
            assert built.leads_somewhere(built.Page(site, "index.html"), address, ""), (card["id"], address)


def test_the_deck_for_anki_has_the_same_cards_and_numbers(site, deck, boxes, tmp_path):
    with zipfile.ZipFile(site / ANKI) as archive:
        (tmp_path / "deck").write_bytes(archive.read("collection.anki2"))
    connection = sqlite3.connect(tmp_path / "deck")
    try:
        notes = [fields.split("\x1f") for (fields,) in connection.execute("SELECT flds FROM notes ORDER BY id")]
        guids = [guid for (guid,) in connection.execute("SELECT guid FROM notes")]
    finally:
        connection.close()
    assert [label for *_, label in notes] == [card["id"] for card in deck]
    assert len(set(guids)) == len(deck)
    for front, back, source, label in notes:
        assert r"\calc" not in front + back
        assert front.count(r"\(") == front.count(r"\)")
        assert back.count(r"\(") == back.count(r"\)")
        assert text(source) == boxes[label].xpath("string(.//p[@class='recall-source']/a)")
        # Each checked number of the page stands in the deck as well.
        shown = [NUMBER.search(number.text_content()) for number in boxes[label].find_class("calc")]
        missing = [number[0] for number in shown if number and number[0] not in back.replace("{,}", ",")]
        assert missing == [], label
