"""What an element becomes in HTML, and what other builders and the search make of it."""

import lxml.html
import pytest

from tests.conf.conftest import SmallSite, settings

EXTENSION = """\
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from conf.element import add_elements, element, fold, make, phrase


class found(phrase):
    pass


class Box(SphinxDirective):
    has_content = True

    def run(self):
        told = {"data-two": 'a "b" <c>\\nd', "hidden": True, "lang": None, "inert": False}
        image = make(element, "img", html={"src": "x.svg", "alt": ""})
        words = make(found, "span", nodes.Text("shown <everywhere>"), before="[only] ", after=" [html]")
        text = nodes.paragraph("", "", words)
        box = make(element, "div", image, text, html=told, classes=["box"], ids=["one", "two"])
        opened = fold("Press & see", *self.parse_content_to_nodes(), html={"aria-label": "press"}, classes=["more"])
        return [box, opened]


def setup(app):
    add_elements(app, found)
    app.add_directive("box", Box)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("elements"))
    site.write("conf/conf.py", settings("boxes"))
    site.write("boxes.py", EXTENSION)
    site.write("docs/index.md", "# Page\n\n```{box}\nFolded *text*.\n```\n")
    built = site.build(gate=True)
    assert built.returncode == 0, built.stderr
    return site


@pytest.fixture(scope="module")
def page(site):
    return lxml.html.document_fromstring(site.html())


def test_attributes_are_escaped_keep_line_ends_and_may_be_bare_or_absent(page):
    (box,) = page.find_class("box")
    assert dict(box.attrib) == {"class": "box", "id": "one", "data-two": 'a "b" <c>\nd', "hidden": ""}
    assert page.get_element_by_id("two").getparent() is box  # what links to a second id arrives too


def test_an_element_without_content_has_no_end_tag(site, page):
    assert "</img>" not in site.html()
    assert dict(page.xpath("//div[@class='box']/img")[0].attrib) == {"src": "x.svg", "alt": ""}


def test_a_fold_has_a_summary_and_parsed_content(page):
    (fold,) = page.xpath("//details[@class='more']")
    assert "open" not in fold.attrib
    assert (fold.find("summary").text, fold.find("summary").get("aria-label")) == ("Press & see", "press")
    assert fold.xpath("string(p)") == "Folded text."


def test_what_is_for_html_alone_is_seen_nowhere_else(site, page):
    assert page.xpath("string(//div[@class='box']/p)") == "[only] shown <everywhere> [html]"
    assert site.build("-b", "text").returncode == 0
    text = (site.root / "build" / "html" / "index.txt").read_text(encoding="utf-8")
    assert text.split() == ["Page", "****", "shown", "<everywhere>", "Folded", "*text*."]
    index = (site.root / "build" / "html" / "searchindex.js").read_text(encoding="utf-8")
    assert "everywher" in index
    assert '"press"' not in index
