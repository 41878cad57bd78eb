"""What a checked number becomes: text with its working as data, in prose, in mathematics and in what cells show."""

import re

import lxml.html
import pytest

from tests.conf.conftest import ROOT, SmallSite, settings

SETTINGS = settings(
    "conf.cells.interpreter",
    "conf.cells.freshness",
    "conf.numbers.roles",
    "conf.theme.mathml",
    freshness_inputs=[],
    myst_enable_extensions=["dollarmath"],
    html_math_renderer="mathml",
    nb_execution_mode="cache",
    nb_render_markdown_format="myst",
    nb_mime_priority_overrides=[("*", "text/markdown", 0)],
)

PAGE = r"""
# {calc}`345 <ceil(critical_batch(4096, 4096, H100))>` tokens

```{names}
H100 = device("H100 SXM").roof("bf16")
```

A step takes {calc}`4.2 ms <14e9 / H100.bandwidth>`,
is {calc}`memory-bound <bound(matmul(8, 4096, 4096), H100).regime>`,
and {calc}`1 <sum(n < 2 and "&" > '"' for n in [1])>` is odd.
It holds {given}`80 GB`.

So $B^* = \calc{344.9}{critical_batch(4096, 4096, H100)} > \given{3.35}$.

| a | b |
|---|---|
| R | {calc}`295 <H100.ridge>` |

```{code-cell} ipython3
from IPython.display import Markdown
Markdown("| a | b |\n|---|---|\n| made | {calc}`0.25 <1 / 4>` |")
```
"""

WRONG = r"""
# A cell

```{code-cell} ipython3
from IPython.display import Markdown
Markdown("It is {calc}`0.26 <1 / 4>` and {calc}`8 <2 * four>`.")
```
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A site of one page that is right and one that is wrong, and what its build said."""
    site = SmallSite(tmp_path_factory.mktemp("numbers"))
    site.write("conf/conf.py", SETTINGS)
    site.page("index", PAGE + "\n```{toctree}\nwrong\n```\n")
    site.page("wrong", WRONG)
    return site, site.build(gate=True)


@pytest.fixture(scope="module")
def site(built):
    return built[0]


@pytest.fixture(scope="module")
def page(site):
    return lxml.html.document_fromstring(site.html())


def number(page, text: str):
    """The one element that shows a checked number."""
    calc = "contains(concat(' ', @class, ' '), ' calc ')"
    found = [e for e in page.xpath(f"//main//*[{calc}]|//div[@role='main']//*[{calc}]") if e.text_content() == text]
    assert len(found) == 1, [e.text_content() for e in page.xpath(f"//*[{calc}]")]
    return found[0]


def test_a_number_carries_its_working(page):
    found = number(page, "4.2\u00a0ms")
    assert found.get("data-expr") == "14e9 / H100.bandwidth"
    assert found.get("data-value") == "4.1791 ms"
    assert found.get("data-source").startswith("H100 SXM bandwidth: 3.35 TB/s")


def test_two_sources_stand_on_two_lines(page):
    sources = number(page, "295").get("data-source").split("\n")
    assert len(sources) == 2
    assert sources[0].startswith("H100 SXM")


def test_a_number_stays_with_its_unit_and_words_may_part(page):
    assert "4.2\u00a0ms" in page.text_content()
    assert number(page, "memory-bound").get("data-value") == "memory-bound"


def test_an_expression_is_escaped_not_markup(page):
    assert number(page, "1").get("data-expr") == """sum(n < 2 and "&" > '"' for n in [1])"""


@pytest.mark.parametrize("text", ["345", "295", "0.25"], ids=["in a heading", "in a table", "in what a cell shows"])
def test_a_number_is_checked_wherever_it_stands(page, text):
    assert number(page, text).get("data-value")


def test_a_number_without_figures_names_no_source(page):
    assert number(page, "0.25").get("data-source") is None


def test_a_number_in_maths_carries_its_working(page):
    found = number(page, "344.9")
    assert found.tag == "mrow"
    assert found.get("data-expr") == "critical_batch(4096, 4096, H100)"
    assert found.get("data-value") == "344.949"


def test_a_given_number_is_text(page):
    (given,) = page.xpath("//*[@class='given']")
    assert given.text_content() == "80\u00a0GB"
    assert "3.35" in page.xpath("string(//math)")
    assert "given" not in page.xpath("string(//math)")


def test_the_names_of_a_page_can_be_unfolded(page):
    (names,) = page.xpath("//details[@class='names']")
    assert 'device("H100 SXM").roof("bf16")' in names.text_content()
    assert "open" not in names.attrib


def test_the_title_in_the_head_is_plain(page):
    assert "345 tokens" in page.findtext("head/title")


def test_other_builders_show_the_number_alone(site):
    built = site.build("-b", "text")
    assert built.returncode == 0, built.stdout + built.stderr
    text = (site.root / "build" / "html" / "index.txt").read_text(encoding="utf-8")
    assert "345 tokens" in text
    assert "A step takes 4.2\u00a0ms, is memory-bound" in text.replace("\n", " ")
    assert "B^* = 344.9 > 3.35" in text
    assert "calc" not in text.replace("{calc}", "")


def test_a_wrong_number_that_a_cell_shows_stops_the_build_and_what_is_right_does_not(built):
    _, build = built
    assert build.returncode == 1
    first, second = build.stderr.strip().splitlines()
    assert re.search(r"wrong\.md.*: the page says 0.26, the code gives 0.25: 1 / 4", first)
    assert re.search(r"wrong\.md.*: there is no name 'four'", second)


def test_the_script_and_the_page_agree_on_the_data():
    script = (ROOT / "conf" / "numbers" / "static" / "calc.js").read_text(encoding="utf-8")
    assert "working({ expr, value, source })" in script
