"""The pages of the atlas: every device and model is there, and the tables are those of the package."""

import pytest

from roofline import devices, models
from roofline.catalog.records import catalog_files
from roofline.tables import atlas
from tests.site import built

pytestmark = pytest.mark.site


def plain(text):
    """A text with straight quotes and single spaces, as the catalog has it."""
    return " ".join(text.split()).translate(str.maketrans("“”‘’", "\"\"''"))


def shown(table):
    return [
        [" ".join(cell.text_content().split()).replace("\xa0", " ") for cell in row] for row in table.xpath(".//tr")
    ]


@pytest.fixture(scope="module")
def pages(site):
    return [page for page in built.written(site) if page.name.startswith("atlas/")]


TABLES = {
    "tab-devices": ("atlas/devices.html", atlas.all_devices),
    "tab-device-ridges": ("atlas/devices.html", atlas.all_ridges),
    "tab-model-shapes": ("atlas/models.html", atlas.model_shapes),
    "tab-model-sizes": ("atlas/models.html", atlas.model_sizes),
    "tab-which-gpu": ("atlas/which-gpu.html", atlas.which_device),
    "tab-model-deepseek-v3": ("atlas/models.html", lambda: atlas.model_kernels("DeepSeek V3")),
}


@pytest.mark.parametrize("label", TABLES)
def test_a_table_equals_that_of_the_package(pages, label):
    where, table = TABLES[label]
    (page,) = [page for page in pages if page.name == where]
    (found,) = page.article.xpath(f".//table[@id='{label}']")
    heads, *rows = shown(found)
    assert heads == list(table().columns)
    assert rows == table().texts()


@pytest.mark.parametrize("gpu", devices(), ids=lambda gpu: gpu.name)
def test_a_device_has_a_section_with_a_roofline_its_figures_and_its_sources(pages, gpu):
    part = atlas.slug(gpu.name)
    (section,) = [s for page in pages for s in page.article.xpath(f".//section[@id='sec-device-{part}']")]
    (svg,) = section.xpath(f".//figure[@id='fig-device-{part}']//*[local-name()='svg']/@aria-label")
    assert gpu.bandwidth.shown in svg
    (table,) = section.xpath(f".//table[@id='tab-device-{part}']")
    assert shown(table)[1:] == atlas.one_device(gpu.name).texts()
    text = plain(section.text_content())
    for note in gpu.notes:
        assert plain(note) in text
    links = set(section.xpath(".//a/@href"))
    for source in gpu.sources:
        assert source.ref in links
        assert source.date in text


@pytest.mark.parametrize("shape", models(), ids=lambda shape: shape.name)
def test_a_model_has_a_section_with_its_kernels_and_its_source(pages, shape):
    part = atlas.slug(shape.name)
    (section,) = [s for page in pages for s in page.article.xpath(f".//section[@id='sec-model-{part}']")]
    (table,) = section.xpath(f".//table[@id='tab-model-{part}']")
    assert shown(table)[1:] == atlas.model_kernels(shape.name).texts()
    assert shape.source.ref in section.xpath(".//a/@href")


@pytest.mark.parametrize("name", FILES := catalog_files(devices(), models()))
def test_the_catalog_can_be_downloaded(site, name):
    assert (site / "downloads" / name).read_bytes().decode() == FILES[name]
    assert any(
        f"../downloads/{name}" in page.article.xpath(".//a[@download]/@href")
        for page in built.written(site)
        if page.name.startswith("atlas/")
    )
