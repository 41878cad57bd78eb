"""Recall cards: what a page makes of them, the deck of the review page, and the deck for Anki."""

import io
import json
import sqlite3
import zipfile

import lxml.html
import pytest
from docutils import nodes

from conf.practice.anki import DECK_ID, MODEL_ID, package, plain_html
from tests.conf.conftest import SmallSite, settings

SETTINGS = settings(
    "conf.numbers.roles",
    "conf.theme.mathml",
    "conf.practice.decks",
    myst_enable_extensions=["dollarmath"],
    html_math_renderer="mathml",
)

INDEX = """
# Home

```{toctree}
lesson/roofs
practice/cards
practice/review
```
"""

LESSON = """
(sec-roofs)=
# Two roofs

(sec-ridge)=
## The ridge

Text.
"""

CARDS = r"""
# Cards

```{names}
H100 = device("H100 SXM").roof("bf16")
```

See {anki}`the deck`.

```{recall-card} card-ridge
:see: sec-ridge

Where is the ridge of an *H100*, if $I < R$?

---

At {calc}`295 FLOP/byte <H100.ridge>`, says [the page](#sec-roofs).

$$ R = \calc{295}{H100.ridge} \given{1.0} $$
```

```{recall-card} card-second
:see: sec-roofs

Which is second? [That one](#card-ridge), or [this](https://example.org/a?b=1&c=2).

---

`This & that`:

- one
- **two** <three>
```
"""

REVIEW = """
# Review

```{review}
Without JavaScript, see [the cards](#card-ridge).
```
"""


def write(site: SmallSite, cards: str = CARDS) -> SmallSite:
    site.write("conf/conf.py", SETTINGS)
    pages = {"index": INDEX, "lesson/roofs": LESSON, "practice/cards": cards, "practice/review": REVIEW}
    for name, text in pages.items():
        site.write(f"docs/{name}.md", text)
    return site


def deck(site: SmallSite) -> list[dict]:
    return json.loads((site.root / "build/html/practice/cards.json").read_text(encoding="utf-8"))["cards"]


def collection(content: bytes, folder) -> dict:
    """What Anki reads from a deck: its notes by id, its cards, its decks and its models."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert json.loads(archive.read("media")) == {}
        (folder / "collection.anki2").write_bytes(archive.read("collection.anki2"))
    connection = sqlite3.connect(folder / "collection.anki2")
    try:
        notes = connection.execute("SELECT guid, mid, mod, flds FROM notes").fetchall()
        cards = connection.execute("SELECT nid, did, type, queue, due FROM cards ORDER BY due").fetchall()
        ((decks, models),) = connection.execute("SELECT decks, models FROM col").fetchall()
    finally:
        connection.close()
    fields = {
        text.split("\x1f")[3]: (guid, model, changed, text.split("\x1f")[:3]) for guid, model, changed, text in notes
    }
    return {"notes": fields, "cards": cards, "decks": json.loads(decks), "models": json.loads(models)}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = write(SmallSite(tmp_path_factory.mktemp("cards")))
    built = site.build(gate=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return site


@pytest.fixture(scope="module")
def page(site):
    return lxml.html.document_fromstring(site.html("practice/cards"))


@pytest.mark.slow
def test_a_card_is_a_question_and_a_folded_answer(page):
    first, second = page.xpath("//div[@class='recall-card']")
    assert [first.get("id"), second.get("id")] == ["card-ridge", "card-second"]
    assert [card.get("aria-label") for card in (first, second)] == ["Card 1", "Card 2"]
    (answer,) = first.xpath("./details")
    assert "open" not in answer.attrib
    (summary,) = answer.xpath("./summary")
    (question,) = page.xpath(f"//*[@id='{summary.get('aria-describedby')}']")
    assert "Where is the ridge" in question.text_content()
    assert "295" in answer.text_content()
    assert "295" not in question.text_content()


@pytest.mark.slow
def test_a_card_says_where_its_answer_comes_from(page):
    sources = page.xpath("//p[@class='recall-source']")
    assert [source.text_content() for source in sources] == ["From Two roofs: The ridge.", "From Two roofs."]
    assert [source.xpath(".//a/@href") for source in sources] == [
        ["../lesson/roofs.html#sec-ridge"],
        ["../lesson/roofs.html#sec-roofs"],
    ]


@pytest.mark.slow
def test_the_deck_holds_what_the_page_shows(site, page):
    html = site.html("practice/cards")
    cards = {card["id"]: card for card in deck(site)}
    assert list(cards) == ["card-ridge", "card-second"]
    first = cards["card-ridge"]
    assert first["page"] == "practice/cards.html#card-ridge"
    assert first["source"] == {"href": "lesson/roofs.html#sec-ridge", "title": "Two roofs: The ridge"}
    for card, box in zip(cards.values(), page.xpath("//div[@class='recall-card']"), strict=True):
        shown = [box.xpath(f"string(.//div[@class='{name}'])").strip() for name in ("recall-front", "recall-back")]
        assert [
            lxml.html.fromstring(f"<div>{card[side]}</div>").text_content().strip() for side in ("front", "back")
        ] == shown
    assert first["front"] in html
    maths = first["back"][first["back"].index("<math") : first["back"].index("</math>")]
    assert 'data-expr="H100.ridge"' in maths
    assert maths in html


@pytest.mark.slow
def test_links_in_the_deck_begin_at_the_root_of_the_site(site):
    first, second = deck(site)
    assert 'href="lesson/roofs.html#sec-roofs"' in first["back"]
    assert 'href="practice/cards.html#card-ridge"' in second["front"]
    assert 'href="https://example.org/a?b=1&amp;c=2"' in second["front"]
    for card in (first, second):
        for address in [card["page"], card["source"]["href"]]:
            assert (site.root / "build/html" / address.partition("#")[0]).is_file()


@pytest.mark.slow
def test_pages_load_what_they_need_and_link_to_the_deck(site, page):
    scripts = [address.partition("?")[0] for address in page.xpath("//script[@type='module']/@src")]
    assert "../_static/practice/cards.js" in scripts
    assert page.xpath("//a[contains(@class, 'anki-deck')]/@href") == ["../downloads/roofline-lesson.apkg"]
    assert (site.root / "build/html/downloads/roofline-lesson.apkg").is_file()

    review = lxml.html.document_fromstring(site.html("practice/review"))
    (place,) = review.xpath("//div[@class='review']")
    assert place.get("data-deck") == "../practice/cards.json"
    assert "Without JavaScript" in place.text_content()
    assert any("practice/review.js" in address for address in review.xpath("//script[@type='module']/@src"))
    assert "practice/" not in "".join(lxml.html.document_fromstring(site.html()).xpath("//script/@src"))


@pytest.mark.slow
def test_the_anki_deck_holds_the_same_cards_with_tex(site, tmp_path):
    content = (site.root / "build/html/downloads/roofline-lesson.apkg").read_bytes()
    found = collection(content, tmp_path)
    assert list(found["notes"]) == [card["id"] for card in deck(site)]
    question, answer, source = found["notes"]["card-ridge"][3]
    assert question == r"<p>Where is the ridge of an <em>H100</em>, if \(I &lt; R\)?</p>"
    assert answer == "<p>At 295\u00a0FLOP/byte, says the page.</p>" + r"<p>\[R = 295 1.0\]</p>"
    assert source == "Two roofs: The ridge"
    question, answer, _ = found["notes"]["card-second"][3]
    assert question.endswith('or <a href="https://example.org/a?b=1&amp;c=2">this</a>.</p>')
    assert answer.startswith("<p><code>This &amp; that</code>:</p><ul><li><p>one</p></li>")
    assert "<strong>two</strong> &lt;three&gt;" in answer


@pytest.mark.slow
def test_a_published_deck_links_to_its_site_and_has_its_date(site, tmp_path):
    copy = site.copy(tmp_path / "published")
    build = copy.build("-D", "html_baseurl=https://example.org/x/", SOURCE_DATE_EPOCH="1790000000")
    assert build.returncode == 0, build.stdout + build.stderr
    found = collection((copy.root / "build/html/downloads/roofline-lesson.apkg").read_bytes(), tmp_path)
    _, _, changed, fields = found["notes"]["card-ridge"]
    assert fields[2] == '<a href="https://example.org/x/lesson/roofs.html#sec-ridge">Two roofs: The ridge</a>'
    assert changed == 1790000000


@pytest.mark.slow
def test_a_later_build_has_the_same_bytes_and_follows_the_page(site, tmp_path):
    copy = site.copy(tmp_path / "again")
    decks = ["build/html/practice/cards.json", "build/html/downloads/roofline-lesson.apkg"]
    before = [(copy.root / name).read_bytes() for name in decks]

    copy.write("docs/lesson/roofs.md", (copy.root / "docs/lesson/roofs.md").read_text() + "\nMore.\n")
    assert copy.build().returncode == 0  # without reading the page of the cards
    assert [(copy.root / name).read_bytes() for name in decks] == before

    write(copy, CARDS.replace("card-second", "card-third").replace('"bf16"', '"fp8"').replace("295", "591"))
    built = copy.build()
    assert built.returncode == 0, built.stdout + built.stderr
    first, third = deck(copy)
    assert third["id"] == "card-third"
    assert "591\u00a0FLOP/byte" in first["back"]
    assert "295" not in first["back"]
    assert "591" in collection((copy.root / decks[1]).read_bytes(), tmp_path)["notes"]["card-ridge"][3][1]


CARD = "```{{recall-card}} {label}\n{see}\n{content}\n```\n"


@pytest.mark.slow
def test_a_card_that_is_not_right_is_refused_in_a_sentence(tmp_path):
    right = {"label": "card-right", "see": ":see: sec-roofs\n", "content": "Question?\n\n---\n\nAnswer."}
    wrong = [
        ({"label": "Ridge"}, "'Ridge' is no label of a card"),
        ({"label": "card-silent", "see": ""}, "card-silent does not say where its answer comes from"),
        ({"label": "card-open", "content": "Question?\n\nAnswer."}, "card-open needs a question and an answer"),
        ({"label": "card-empty", "content": "Question?\n\n---\n"}, "card-empty needs a question and an answer"),
        ({}, "there are two cards card-right"),
    ]
    text = "# Cards\n\n" + "\n".join(CARD.format(**(right | change)) for change in [{}, *(w for w, _ in wrong)])
    site = write(SmallSite(tmp_path), text + "\n" + CARDS.partition("# Cards")[2])
    built = site.build(gate=True)
    assert built.returncode == 1
    assert [message for _, message in wrong if message not in built.stderr] == []


@pytest.mark.slow
def test_other_builders_show_question_and_answer(site, tmp_path):
    copy = site.copy(tmp_path / "text")
    built = copy.build("-b", "text")
    assert built.returncode == 0, built.stdout + built.stderr
    text = (copy.root / "build/html/practice/cards.txt").read_text(encoding="utf-8")
    assert "Where is the ridge" in text
    assert "295" in text


NOTES = [("card-a", "<p>A?</p>", "<p>A.</p>", "Here"), ("card-b", "<p>B?</p>", r"<p>\(b\)</p>", "There")]


def test_anki_knows_a_note_by_its_id_alone(tmp_path):
    first = collection(package(NOTES), tmp_path)
    second = collection(package([(label, "Other?", "Other.", "") for label, *_ in reversed(NOTES)]), tmp_path)
    guids = {label: note[0] for label, note in first["notes"].items()}
    assert guids == {label: note[0] for label, note in second["notes"].items()}
    assert guids == {"card-a": "eMj%ekM[B#", "card-b": "o(p>=t~GDj"}, "a reader of the deck would lose all history"
    assert (DECK_ID, MODEL_ID) == (1764374401, 1764374402), "a reader of the deck would get a second one"
    assert found_ids(first) == {(MODEL_ID, DECK_ID)}


def found_ids(found: dict) -> set[tuple[int, int]]:
    assert found["decks"][str(DECK_ID)]["name"] == "The roofline lesson"
    model = found["models"][str(MODEL_ID)]
    assert [field["name"] for field in model["flds"]] == ["Question", "Answer", "Source", "Id"]
    assert len(model["tmpls"]) == 1
    return {(note[1], card[1]) for note in found["notes"].values() for card in found["cards"]}


def test_a_deck_for_anki_begins_new_and_in_order(tmp_path):
    found = collection(package(NOTES), tmp_path)
    assert [card[2:] for card in found["cards"]] == [(0, 0, 0), (0, 0, 1)]


def test_the_same_notes_give_the_same_bytes(monkeypatch):
    import time

    once = package(NOTES, 1790000000)
    monkeypatch.setattr(time, "time", lambda: 2e9)
    assert package(NOTES, 1790000000) == once
    assert package(NOTES) == package(NOTES) != once
    with zipfile.ZipFile(io.BytesIO(once)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_no_mark_of_a_checked_number_reaches_anki():
    tex = nodes.math("", r"R = \calcmark{n0}{295} < \text{a & b}")
    assert plain_html(nodes.paragraph("", "", tex)) == r"<p>\(R = 295 &lt; \text{a &amp; b}\)</p>"
