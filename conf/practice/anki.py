r"""A deck for Anki: notes with the same ids for ever, and the same bytes for the same notes.

Anki renders mathematics by a MathJax of its own, from TeX between ``\(`` and ``\)``.  A checked number has its value
there and no working: it was checked when the site was built.

The deck is genanki's.  The HTML of its notes is our own, because that of the pages holds classes, MathML and addresses
that mean nothing in Anki.
"""

from __future__ import annotations

import io
import itertools
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Final

from docutils import nodes

from conf.theme.mathml import unmark

#: Anki knows decks, kinds of notes and notes by these numbers: a new one would be a second deck beside the old one.
DECK_ID: Final = 1_764_374_401
MODEL_ID: Final = 1_764_374_402
#: When the notes last changed, where a build is not told: Anki updates a note only from a deck with a later time.
TIMESTAMP: Final = 1_764_374_400
#: The first date that a zip file can have.
ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)

FIELDS: Final = ("Question", "Answer", "Source", "Id")
_FRONT: Final = "{{Question}}"
_BACK: Final = '{{FrontSide}}<hr id="answer">{{Answer}}<p class="source">From {{Source}}</p>'
_STYLE: Final = """\
.card { max-width: 36em; margin: 0 auto; padding: 1em; font: 1.2em/1.55 system-ui, sans-serif; text-align: left; }
.source { font-size: 0.8em; opacity: 0.75; }
"""

_TAGS: Final[dict[type[nodes.Node], str]] = {
    nodes.paragraph: "p",
    nodes.strong: "strong",
    nodes.emphasis: "em",
    nodes.literal: "code",
    nodes.bullet_list: "ul",
    nodes.enumerated_list: "ol",
    nodes.list_item: "li",
}

Note = tuple[str, str, str, str]


def plain_html(node: nodes.Node) -> str:
    r"""Render a node as HTML for Anki, mathematics as TeX.

    Parameters
    ----------
    node : docutils.nodes.Node
        The question or the answer of a card.

    Returns
    -------
    str
        HTML without classes, ids or addresses within the site.

    Examples
    --------
    >>> plain_html(nodes.paragraph("", "If ", nodes.math("", "I < R")))
    '<p>If \\(I &lt; R\\)</p>'
    """
    if isinstance(node, nodes.Text):
        return escape(node.astext(), quote=False)
    if isinstance(node, nodes.math | nodes.math_block):
        tex = escape(" ".join(unmark(node.astext()).split()), quote=False)
        return rf"\({tex}\)" if isinstance(node, nodes.math) else rf"<p>\[{tex}\]</p>"
    if isinstance(node, nodes.system_message | nodes.target):
        return ""
    inside = "".join(map(plain_html, node.children))
    if isinstance(node, nodes.reference) and node.get("refuri", "").startswith(("https://", "http://")):
        return f'<a href="{escape(node["refuri"])}">{inside}</a>'
    tag = _TAGS.get(type(node))
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def package(notes: Iterable[Note], timestamp: int | None = None) -> bytes:
    """Pack notes into a file that Anki imports.

    Parameters
    ----------
    notes : iterable of tuple
        Id, question, answer and source of each, the last three as HTML. Anki recognises a note by its id, and keeps
        what its reader did with it.
    timestamp : int, optional
        When the notes last changed, in seconds since 1970. Anki changes a note that it has only if this is later.

    Returns
    -------
    bytes
        An ``.apkg`` file, the same for the same arguments.
    """
    import genanki  # noqa: PLC0415 - most builds of one page need no deck

    when = timestamp or TIMESTAMP
    model = genanki.Model(
        MODEL_ID,
        "Roofline lesson",
        fields=[{"name": name} for name in FIELDS],
        templates=[{"name": "Recall", "qfmt": _FRONT, "afmt": _BACK}],
        css=_STYLE,
    )
    deck = genanki.Deck(DECK_ID, "The roofline lesson", "Recall cards of the roofline lesson.")
    for number, (label, front, back, source) in enumerate(notes):
        guid = genanki.guid_for("roofline-lesson", label)
        deck.add_note(genanki.Note(model, fields=[front, back, source, label], guid=guid, due=number))

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "collection.anki2"
        connection = sqlite3.connect(file)
        try:
            # Not by write_to_file, whose zip has the date of today.
            genanki.Package(deck).write_to_db(connection.cursor(), when, itertools.count(when * 1000))
            connection.commit()
        finally:
            connection.close()
        collection = file.read_bytes()

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in (("collection.anki2", collection), ("media", b"{}")):
            entry = zipfile.ZipInfo(name, ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # as on Unix, wherever it is written
            archive.writestr(entry, content)
    return packed.getvalue()
