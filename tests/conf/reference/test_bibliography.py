"""What an entry of the bibliography must have."""

from pathlib import Path

import pytest
from pybtex.database import BibliographyData, parse_file, parse_string

from conf.reference.bibliography import faults

WHOLE = "@misc{key, author = {One, A.}, title = {T}, year = {2020}, eprint = {2001.00001}}"


def read(entry: str) -> BibliographyData:
    return parse_string(entry, "bibtex")


def test_a_whole_entry_has_no_fault():
    assert list(faults(read(WHOLE))) == []


@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        ("author = {One, A.}, ", "", "has no authors"),
        ("One, A.", "others", "has no authors"),
        ("year = {2020}, ", "", "has the year ''"),
        ("2020", "20", "has the year '20'"),
        ("2020", "in press", "has the year 'in press'"),
        (", eprint = {2001.00001}", "", "has no DOI, arXiv id or URL"),
        ("2001.00001", "", "has no DOI, arXiv id or URL"),
    ],
)
def test_each_fault_is_found_and_named(there, instead, said):
    (fault,) = faults(read(WHOLE.replace(there, instead)))
    assert said in fault
    assert "'key'" in fault


@pytest.mark.parametrize("field", ["doi", "url"])
def test_a_doi_or_an_address_does_in_place_of_an_arxiv_id(field):
    assert list(faults(read(WHOLE.replace("eprint", field)))) == []


def test_the_lesson_s_own_bibliography_has_none():
    path = Path(__file__).parents[3] / "docs" / "references.bib"
    assert list(faults(parse_file(path, "bibtex"))) == []
