"""The reference in the two forms that readers paste."""

from datetime import date

import pytest

from conf.citation import apa, bibtex

RECORD = {"authors": [{"name": "A group"}], "date-released": date(2026, 1, 2), "title": "A title", "version": "1.0"}


def test_apa_names_author_year_title_version_and_address():
    said = "".join(apa(RECORD, "https://example.org/lesson/"))
    assert said == "A group. (2026). A title (Version 1.0) [Computer software]. https://example.org/lesson/"


def test_without_an_address_nothing_stands_in_for_it():
    assert "".join(apa(RECORD)).endswith("[Computer software].")
    assert "url" not in bibtex(RECORD)


def test_bibtex_is_an_entry_that_bibtex_reads():
    pybtex = pytest.importorskip("pybtex.database")
    entry = pybtex.parse_string(bibtex(RECORD, "https://example.org"), "bibtex").entries["roofline_lesson"]
    assert dict(entry.fields) == {
        "title": "{A title}",
        "year": "2026",
        "version": "1.0",
        "url": "https://example.org",
    }
    assert [str(person) for person in entry.persons["author"]] == ["{A group}"]


@pytest.mark.slow
def test_the_directive_shows_both_forms_and_follows_the_file(small_site):
    record = "title: {}\nversion: 1\ndate-released: 2026-01-02\nauthors: [{{name: A group}}]\n"
    settings = ("-D", "extensions=myst_nb,conf.citation", "-D", "citation_url=https://a.example/")
    small_site.write("docs/index.md", "# Cite\n\n```{citation}\n```\n")
    for title in ("First", "Second"):
        small_site.write("CITATION.cff", record.format(title))
        assert small_site.build(*settings).returncode == 0
        assert f"<em>{title}</em>" in small_site.html()
        assert 'href="https://a.example/"' in small_site.html()
