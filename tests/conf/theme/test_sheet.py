"""A page that asks for a sheet of paper gets its style, and no other page does."""

from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from conf.theme.sheet import SHEETS, add_style

pytestmark = pytest.mark.filterwarnings("error")


def styles(meta: dict[str, str] | None) -> list[str]:
    """What a page with this front matter loads."""
    loaded: list[str] = []
    app = SimpleNamespace(add_css_file=loaded.append)
    add_style(app, "card", "page.html", {"meta": meta}, None)
    return loaded


def test_a_page_that_asks_for_a_sheet_gets_its_style():
    assert [styles({"sheet": sheet}) for sheet in SHEETS] == [["theme/sheet.css"]] * len(SHEETS)


@pytest.mark.parametrize("meta", [None, {}, {"html_meta": "x"}])
def test_no_other_page_does(meta):
    assert styles(meta) == []


def test_a_sheet_that_there_is_not_is_refused():
    with pytest.raises(ExtensionError, match="card has sheet: a7 in its front matter; write one of a4"):
        styles({"sheet": "a7"})
