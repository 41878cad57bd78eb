"""A page that asks for a sheet of paper gets its style, and no other page does."""

import pytest
from sphinx.errors import ExtensionError

from conf.theme.sheet import SHEETS, asks_for_a_sheet

pytestmark = pytest.mark.filterwarnings("error")


def asks(meta: dict[str, str] | None) -> bool:
    """Whether a page with this front matter gets the style."""
    return asks_for_a_sheet(None, "card", {"meta": meta}) is not None


def test_a_page_that_asks_for_a_sheet_gets_its_style():
    assert all(asks({"sheet": sheet}) for sheet in SHEETS)


@pytest.mark.parametrize("meta", [None, {}, {"html_meta": "x"}])
def test_no_other_page_does(meta):
    assert not asks(meta)


def test_a_sheet_that_there_is_not_is_refused():
    with pytest.raises(ExtensionError, match="card has sheet: a7 in its front matter; write one of a4"):
        asks({"sheet": "a7"})
