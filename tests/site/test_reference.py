"""The reference of the package: all of it is there, and an old address still leads to it."""

import inspect

import pytest

import roofline
from roofline import tables
from tests.site import built

pytestmark = pytest.mark.site

SUMMARY = "reference/api.html"


@pytest.fixture(scope="module")
def described(site):
    """What the pages of the reference describe, by its full name."""
    pages = [page for page in built.written(site) if page.name.startswith("reference/api/")]
    return {name for page in pages for name in page.ids if name.startswith("roofline.")}


@pytest.fixture(scope="module")
def summary(site):
    (page,) = [page for page in built.written(site) if page.name == SUMMARY]
    return page


def public_names():
    """Every public name, and of a class each member that it defines."""
    for room, names in (("roofline", roofline.__all__), ("roofline.tables", tables.__all__)):
        for name in names:
            value = getattr(roofline if room == "roofline" else tables, name)
            if inspect.ismodule(value):
                continue
            home = "roofline.errors" if inspect.isclass(value) and issubclass(value, Exception) else room
            yield f"{home}.{name}"
            if inspect.isclass(value):
                members = [member for member, what in vars(value).items() if isinstance(what, property | classmethod)]
                members += [member for member, what in vars(value).items() if inspect.isfunction(what)]
                yield from (f"{home}.{name}.{member}" for member in members if not member.startswith("_"))


def test_the_whole_public_interface_is_described(described):
    assert set(public_names()) - described == set()


def test_an_address_from_when_the_reference_was_one_page_leads_to_the_summary(described, summary):
    assert described - set(summary.ids) == set()


@pytest.mark.parametrize("name", ["roofline.Figure", "roofline.Shape.kv_bytes_per_token", "roofline.read",
                                  "roofline.quantity.read_shown", "roofline.atlas.devices_needed",
                                  "roofline.atlas.which_device"])  # fmt: skip
def test_a_former_name_leads_to_the_summary_too(summary, name):
    assert name in summary.ids


def test_each_name_of_the_summary_links_to_its_own_description(summary):
    links = summary.article.xpath(".//table//a/@href")
    assert links
    for row in summary.article.xpath(".//table/tbody/tr"):
        (link,) = row.xpath("td[1]//a/@href")
        assert link.partition("#")[2] in row.xpath("td[1]//span/@id")
        assert row.xpath("string(td[2])").strip()
