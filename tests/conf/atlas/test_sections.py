"""A page names a family, and shows a section for each of its devices, the oldest first."""

import pytest

from roofline import devices, models
from roofline.tables.atlas import slug
from tests.conf.conftest import SmallSite, settings

html = pytest.importorskip("lxml.html")

PAGE = """\
# Devices

See [one of them](#sec-device-mi300x).

(sec-family)=
## A family

```{device-sections} AMD Instinct
```

(sec-models)=
## Models

```{model-sections}
```
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("sections"))
    extensions = ("conf.numbers", "conf.figures", "conf.atlas")
    site.write("conf/conf.py", settings(*extensions, myst_enable_extensions=["dollarmath"], numfig=True))
    site.write("docs/index.md", PAGE)
    return site


@pytest.mark.slow
def test_each_row_of_the_catalog_has_a_section_that_can_be_linked(site):
    built = site.build("-W", "-n")
    assert built.returncode == 0, built.stderr
    page = html.parse(str(site.root / "build/html/index.html")).getroot()
    family = sorted((gpu for gpu in devices() if gpu.family == "AMD Instinct"), key=lambda gpu: gpu.year)
    below = {name: page.xpath(f"//section[@id='sec-{name}']/section") for name in ("family", "models")}
    assert [part.get("id") for part in below["family"]] == [f"sec-device-{slug(gpu.name)}" for gpu in family]
    assert [part.get("id") for part in below["models"]] == [f"sec-model-{slug(shape.name)}" for shape in models()]
    for part, gpu in zip(below["family"], family, strict=True):
        (head,) = part.xpath("./h3")
        assert head.text == gpu.name
        assert part.xpath(f"./span[@id='{slug(gpu.name)}']")
        assert len(part.xpath(".//table[contains(@class, 'worked-table')]")) == 1
    assert page.xpath("//a[@href='#sec-device-mi300x']")


@pytest.mark.slow
def test_an_unknown_family_is_refused_with_the_way_out(site):
    site.write("docs/wrong.md", "---\norphan: true\n---\n# Wrong\n\n```{device-sections} AMD\n```\n")
    built = site.build()
    assert "wrong.md:6: ERROR: no device is of the family 'AMD'; write one of NVIDIA data centre, " in built.stderr
