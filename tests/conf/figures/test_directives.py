"""The two directives, on a small site whose code cells run: numbers, captions, boxes, folds and references."""

import pytest

from tests.conf.conftest import SmallSite

bs4 = pytest.importorskip("bs4")

SETTINGS = """\
from docutils import nodes
project = "small"
extensions = ["myst_nb", "conf.figures.directives"]
myst_enable_extensions = ["dollarmath"]
numfig = True
html_theme = "basic"
nb_execution_mode = "force"
nb_execution_raise_on_error = True

def calc(name, rawtext, text, lineno, inliner, options=None, content=None):
    shown, _, working = text.partition(" <")
    return [nodes.inline(text=shown, classes=["calc"], working=working)], []

def setup(app):
    app.add_role("calc", calc)
"""

PAGE = """\
---
file_format: mystnb
kernelspec: {name: python3}
---
# Page

See {numref}`fig-pair`, {numref}`tab-ridges`, {ref}`tab-ridges` and [the pair](#fig-pair).

```{code-cell} ipython3
from figures import four_steps, one_gpu, show
from roofline import tables
show(tables.ridge_points(), label="tab-ridges", caption="Ridge points. Compare {numref}`fig-pair`, and $I/R$.")
```

```{code-cell} ipython3
show(four_steps.draw(), label="fig-pair", caption="A pair. At {calc}`10.3 µs <bound(...)>`, $t$.")
```

```{code-cell} ipython3
show(one_gpu.draw(), label="fig-gpu", caption="A GPU.")
```
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("show"))
    site.write("conf/conf.py", SETTINGS)
    site.write("docs/index.md", PAGE)
    site.write("docs/refused.md", "---\norphan: true\n---\n# Page\n\n```{worked-table} tab-x\nA caption.\n```\n")
    return site


@pytest.fixture(scope="module")
def said(site):
    return site.build(gate=True).stderr


@pytest.fixture(scope="module")
def page(site, said):
    assert "index.md" not in said
    return bs4.BeautifulSoup(site.html(), "html.parser")


pytestmark = pytest.mark.slow


def test_figures_and_tables_are_numbered(page):
    captions = [caption.get_text() for caption in page.select(".caption-number")]
    assert [caption.strip() for caption in captions] == ["Table 1", "Fig. 1", "Fig. 2"]


def test_labels_are_permanent_anchors_that_references_reach(page):
    assert page.select_one("table#tab-ridges")
    assert page.select_one("figure#fig-pair")
    links = {link.get_text(): link["href"] for link in page.select("section > p a.reference")}
    assert links["Fig. 1"] == links["the pair"] == "#fig-pair"
    assert links["Table 1"] == "#tab-ridges"
    assert len(links) == 4


def test_captions_are_myst(page):
    caption = page.select_one("#fig-pair figcaption")
    assert caption.select_one(".calc").get_text() == "10.3 µs"
    assert caption.select_one(".math").get_text() == r"\(t\)"
    assert page.select_one("#tab-ridges caption a.reference").get_text() == "Fig. 1"


def test_the_picture_is_inline_with_its_alt_text(page):
    picture = page.select_one("figure#fig-pair > .drawing-picture > svg")
    assert picture["role"] == "img"
    assert picture.parent["style"].startswith("--ratio: ")
    assert "takes at least 10.3 µs" in picture["aria-label"]
    assert not page.select("img")


def test_the_data_is_folded_below_the_figure_and_not_numbered(page):
    details = page.select_one("figure#fig-pair + .figure-panel").find_next_sibling()
    assert (details.name, details["class"]) == ("details", ["drawing-data"])
    assert details.summary.get_text() == "Show the data"
    assert details.select_one("table td .calc").get_text() == "2.15 GFLOP"
    assert not details.select("caption")
    assert not details.has_attr("open")


def test_each_table_is_in_a_named_box_that_the_keyboard_reaches(page):
    boxes = page.select(".table-scroll")
    assert len(boxes) == len(page.select("table")) == 3
    for box in boxes:
        assert (box["tabindex"], box["role"]) == ("0", "region")
    assert boxes[0]["aria-label"] == "Table: Ridge points"


def test_cells_carry_their_working_and_keep_their_formulas(page):
    table = page.select_one("#tab-ridges")
    assert len(table.select("tbody .calc")) == 15
    assert table.select_one("thead .math").get_text() == r"\(P\)"


def test_the_first_column_heads_its_rows_and_numbers_align_right(page):
    rows = page.select("#tab-ridges tbody tr")
    assert {row.find(recursive=False).name for row in rows} == {"th"}
    assert {cell["class"][0] for row in rows for cell in row.select("td")} == {"text-right"}


def test_a_directive_that_show_did_not_write_is_refused(said):
    assert "worked-table tab-x has 1 blocks, not 2; write it by show()" in said
