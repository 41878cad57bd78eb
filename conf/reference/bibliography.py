"""Sphinx extension: refuses an entry of the bibliography that a reader could not find the work by.

What an entry must have is stated in `faults`. Each fault is a warning, and the build takes warnings for errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

if TYPE_CHECKING:
    from pybtex.database import BibliographyData

#: An entry has one of these at least.
FOUND_BY: Final = ("doi", "eprint", "url")

_logger = logging.getLogger(__name__)


def faults(bibliography: BibliographyData) -> Iterator[str]:
    """Say of each entry what it lacks: authors, a four-digit year, or one of a DOI, an arXiv id and a URL."""
    for key, entry in bibliography.entries.items():
        # "others" alone names nobody.
        if not any(str(person) != "others" for person in entry.persons.get("author", ())):
            yield f"the entry {key!r} has no authors"
        year = entry.fields.get("year", "")
        if not (year.isdecimal() and len(year) == 4):
            yield f"the entry {key!r} has the year {year!r}; it must have four digits"
        if not any(entry.fields.get(field) for field in FOUND_BY):
            yield f"the entry {key!r} has no DOI, arXiv id or URL; give it doi, eprint or url"


def check(app: Sphinx) -> None:
    """Warn of every fault; Sphinx calls this when the bibliography has been read."""
    for fault in faults(app.env.get_domain("cite").bibdata.data):  # type: ignore[attr-defined]  # bibtex's own domain
        _logger.warning("%s", fault, location=app.config.bibtex_bibfiles[0], type="bibliography")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Check before pages are read; Sphinx calls this once."""
    app.connect("builder-inited", check)
    return METADATA
