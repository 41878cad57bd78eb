"""What every page of the built site keeps, wherever it is served from."""

import re
from collections import Counter

import pytest

from conf.numbers.grammar import Check, scan
from tests.site import built, labels

pytestmark = pytest.mark.site

LIMIT = 300_000  # bytes: the first load of a page with all it needs, as sent


def test_the_site_has_the_pages_of_the_lesson(site):
    written = {path.relative_to(built.DOCS).with_suffix(".html").as_posix() for path in built.DOCS.rglob("[!_]*.md")}
    assert written <= {page.name for page in built.pages(site)}


def test_a_page_has_one_title_and_a_language(page):
    assert page.tree.get("lang") == "en"
    assert len(page.tree.xpath("//h1")) == 1
    assert page.tree.findtext("head/title").strip()


def test_a_page_is_described_in_its_head(lesson):
    (description,) = lesson.tree.xpath("//meta[@name='description']/@content")
    assert 40 <= len(description) <= 200


def test_no_two_pages_have_one_title_or_description(site):
    for what in ("//title/text()", "//meta[@name='description']/@content"):
        said = Counter(text for page in built.written(site) for text in page.tree.xpath(what))
        assert [text for text, times in said.items() if times > 1] == []


def test_no_id_stands_twice(page):
    assert [name for name, times in Counter(page.ids).items() if times > 1] == []


def test_every_link_anchor_and_asset_resolves(page):
    assert built.broken(page, prefix_of(page)) == []


def prefix_of(page: built.Page) -> str:
    """The path that a page believes the site to be served from: only the one for a wrong address has any idea."""
    if page.name != "404.html":
        return ""
    (search,) = page.tree.xpath("//link[@rel='search']/@href")
    return search.removesuffix("search.html")


def test_every_address_in_a_stylesheet_or_script_resolves(site):
    for file in [*site.rglob("*.css"), *site.rglob("*.js")]:
        name, text = file.relative_to(site).as_posix(), file.read_text(encoding="utf-8")
        addresses = built.css_addresses(text) if file.suffix == ".css" else built.SCRIPT_ADDRESS.findall(text)
        assert [address for address in addresses if built.is_elsewhere(address)] == [], name
        assert [address for address in addresses if not (site / built.target(name, address)).is_file()] == [], name


def test_a_page_asks_no_other_host(page):
    assert [address for address in page.resources if built.is_elsewhere(address)] == []
    assert page.tree.xpath("//link[@rel='preconnect' or @rel='dns-prefetch']") == []


@pytest.mark.parametrize("name", ["mathjax", "fontawesome", "font-awesome", "bootstrap.js", "require.min.js"])
def test_the_site_does_without(site, name):
    assert [path.name for path in site.rglob("*") if name in path.name.lower()] == []
    scripts = "//script[not(@type='application/json')]"
    for page in built.pages(site):
        named = [*page.resources, *(script.text or "" for script in page.tree.xpath(scripts))]
        assert not [text for text in named if name in text.lower()], page.name


def test_a_page_shows_no_number_as_a_type(page):
    assert re.findall(r"np\.\w+\d+\(", page.tree.text_content()) == []


def test_every_checked_number_of_the_source_is_in_the_page_with_its_working(lesson):
    items = scan(lesson.source.read_text(encoding="utf-8"))
    promised = Counter(item.expr for item in items if isinstance(item, Check))
    # The options of a question are checked too, but a working would give the answer away.
    options = re.findall(r"^\s*- \[[ x]\] .*", lesson.source.read_text(encoding="utf-8"), re.MULTILINE)
    promised -= Counter(item.expr for line in options for item in scan(line.strip()) if isinstance(item, Check))
    shown = Counter(lesson.article.xpath(".//*[contains(concat(' ', @class, ' '), ' calc ')]/@data-expr"))
    assert promised - shown == Counter()
    # What code cells show, and the sections of the catalog, have workings of their own; nothing else has.
    made = ".//*[contains(concat(' ', @class, ' '), ' cell_output ')]"
    of_catalog = ".//section[starts-with(@id, 'sec-device-') or starts-with(@id, 'sec-model-')]"
    generated = Counter(
        expr
        for output in lesson.article.xpath(f"{made} | {of_catalog}")
        for expr in output.xpath(".//*[contains(concat(' ', @class, ' '), ' calc ')]/@data-expr")
    )
    assert shown - promised - generated == Counter()


def test_every_checked_number_has_its_value(page):
    assert page.tree.xpath("//*[@data-expr and not(@data-value)]") == []


def test_every_heading_has_an_explicit_label(lesson):
    sections = lesson.article.xpath(".//section[h1|h2|h3|h4|h5|h6]")
    assert sections
    assert [section.get("id") for section in sections if not built.LABEL.match(section.get("id", ""))] == []


CITABLE = {
    "table": ".//table[not(ancestor::details)]",
    "figure": ".//figure",
    "equation": ".//div[contains(@class, 'math')][.//*[contains(@class, 'eqno')]]",
    "theorem": ".//div[contains(@class, 'proof') and contains(@class, 'admonition')][not(@class='proof admonition')]",
    "exercise": ".//div[contains(@class, 'exercise') and contains(@class, 'admonition')]",
}


@pytest.mark.parametrize("path", CITABLE.values(), ids=CITABLE.keys())
def test_what_can_be_cited_has_an_explicit_label(lesson, path):
    found = [element.get("id", "none") for element in lesson.article.xpath(path)]
    assert [name for name in found if not built.LABEL.match(name)] == []


@pytest.mark.parametrize("kind", ["table", "figure", "equation", "theorem"])
def test_each_kind_of_what_can_be_cited_is_found(site, kind):
    assert any(page.article.xpath(CITABLE[kind]) for page in built.written(site))


def test_a_figure_has_words_with_numbers_and_a_table_of_its_data(lesson):
    for figure in lesson.article.xpath(".//figure"):
        pictures = figure.xpath(".//*[local-name()='svg'][@role='img']/@aria-label") + figure.xpath(".//img/@alt")
        assert pictures, figure.get("id")
        assert all(re.search(r"\d", words) for words in pictures), figure.get("id")
        data = figure.xpath("following::details[1]//table")
        assert data, figure.get("id")
        assert re.search(r"\d", data[0].text_content()), figure.get("id")


def test_every_picture_has_words(page):
    assert page.tree.xpath("//img[not(@alt)]") == []
    drawn = page.tree.xpath("//main//*[local-name()='svg'][not(@aria-hidden='true')][not(@aria-label)]")
    assert [svg.get("id") for svg in drawn] == []


def test_a_page_with_all_it_needs_is_light(page):
    parts = {name: built.packed(page.site / name) for name in [page.name, *built.assets(page)]}
    heaviest = sorted(parts.items(), key=lambda part: -part[1])[:5]
    assert sum(parts.values()) < LIMIT, heaviest


def test_pages_serves_every_file_and_has_a_page_for_a_wrong_address(site):
    assert (site / ".nojekyll").is_file()
    assert (site / "404.html").is_file()


def test_no_published_label_has_disappeared(site):
    old = labels.registered(labels.REGISTRY.read_text(encoding="utf-8"))
    gone = sorted(old - labels.published(site))
    assert gone == [], "others link to these; give them back"


def test_every_published_label_is_registered(site):
    old = labels.registered(labels.REGISTRY.read_text(encoding="utf-8"))
    new = sorted(labels.published(site) - old)
    assert new == [], "run: python -m tests.site.labels"


def test_a_label_is_published_once(site):
    said = Counter(label for page in built.written(site) for label in page.labels)
    assert [label for label, times in said.items() if times > 1] == []


def test_the_lesson_reads_from_its_first_page_to_its_last(site):
    read, name = [], "index.html"
    while name not in read:
        read.append(name)
        follows = built.Page(site, name).tree.xpath("//a[contains(@class, 'right-next')]/@href")
        name = built.target(name, follows[0]) if follows else name
    assert set(read) == {page.name for page in built.written(site)}
