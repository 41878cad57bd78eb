"""Sphinx extension: how to cite the lesson, in APA's form and in BibTeX's, made from CITATION.cff.

A citation that is typed by hand goes out of date; this one cannot. It handles the few fields that our file has.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

Record = dict[str, Any]


def read(path: Path) -> Record:
    """Return the fields of a CITATION.cff file."""
    record: Record = yaml.safe_load(path.read_text(encoding="utf-8"))
    return record


def apa(record: Record, url: str = "") -> tuple[str, str, str]:
    """Return an APA reference in three parts, of which the middle one, the title, is set in italics.

    Examples
    --------
    >>> from datetime import date
    >>> record = {"authors": [{"name": "A group"}], "date-released": date(2026, 1, 2), "title": "T", "version": "1.0"}
    >>> "".join(apa(record, "https://example.org"))
    'A group. (2026). T (Version 1.0) [Computer software]. https://example.org'
    """
    authors = " & ".join(author["name"] for author in record["authors"])
    year = record["date-released"].year
    rest = f" (Version {record['version']}) [Computer software]."
    return f"{authors}. ({year}). ", record["title"], f"{rest} {url}".rstrip()


def bibtex(record: Record, url: str = "") -> str:
    """Return a BibTeX entry; braces keep the group's name whole and the title's capitals as they are."""
    fields = {
        "title": f"{{{record['title']}}}",
        "author": f"{{{' and '.join(author['name'] for author in record['authors'])}}}",
        "year": record["date-released"].year,
        "version": record["version"],
    }
    if url:
        fields["url"] = url
    lines = [f"  {name:<7} = {{{value}}}," for name, value in fields.items()]
    return "\n".join(["@software{roofline_lesson,", *lines, "}"])


class CitationDirective(SphinxDirective):
    """Both forms of the reference: a paragraph, and a block to copy."""

    def run(self) -> list[nodes.Node]:
        """Return the two blocks."""
        source = Path(self.env.app.confdir).parent / "CITATION.cff"
        self.env.note_dependency(str(source))
        record, url = read(source), self.config.citation_url
        before, title, after = apa(record)
        paragraph = nodes.paragraph("", "", nodes.Text(before), nodes.emphasis(title, title), nodes.Text(after))
        if url:
            paragraph += [nodes.Text(" "), nodes.reference(url, url, refuri=url)]
        entry = bibtex(record, url)
        block = nodes.literal_block(entry, entry, language="bibtex")
        self.set_source_info(paragraph)
        self.set_source_info(block)
        return [paragraph, block]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; Sphinx calls this once."""
    app.add_config_value("citation_url", "", "env", frozenset({str}))
    app.add_directive("citation", CitationDirective)
    return METADATA
