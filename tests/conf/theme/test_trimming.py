"""What is left of the theme's files, and what a page still loads."""

import re
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup

from conf.theme.trimming import class_names, trim
from tests.conf.conftest import ROOT, SmallSite, settings


def test_trim_keeps_what_is_used():
    css = "@charset 'utf-8';html{a:b}.used,.dead{c:d}.used .dead{e:f}p:not(.dead){g:h}a[href='x.y']{i:j}"
    assert trim(css, {"used"}) == "@charset 'utf-8';html{a:b}.used{c:d}p:not(.dead){g:h}a[href='x.y']{i:j}"


def test_trim_looks_into_media_queries():
    css = "@media (min-width:1px){.dead{a:b}.used{c:d}}@media print{.dead{a:b}}@keyframes spin{from{a:b}to{c:d}}"
    assert trim(css, {"used"}) == "@media (min-width:1px){.used{c:d}}@keyframes spin{from{a:b}to{c:d}}"


def test_trim_drops_the_icon_font_even_where_its_classes_are_used():
    font = '/* Font */.fa-sun{--fa:"x"}.fas,.fa-solid{a:b}@font-face{font-family:"FA"}@keyframes fa-spin{to{a:b}}'
    css = font + ".fade{c:d}"
    assert trim(css, {"fa-sun", "fas", "fa-solid", "fade"}) == ".fade{c:d}"


def test_classes_of_pages_and_words_of_scripts_count_as_used(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "index.html").write_text('<p class="one two">three</p>')
    (tmp_path / "_static" / "theme.js").write_text('box.classList.add("four-five")')
    assert {"one", "two", "four-five"} <= class_names(tmp_path)
    assert "three" not in class_names(tmp_path)


SETTINGS = settings(
    "conf.assets",
    "sphinx_copybutton",
    "sphinx_design",
    "conf.theme",
    language="en",
    myst_enable_extensions=["dollarmath"],
    myst_update_mathjax=False,
    html_math_renderer="mathml",
    html_theme="sphinx_book_theme",
    html_theme_options={"repository_url": "https://github.com/example/roofline", "use_repository_button": True},
    templates_path=[str(ROOT / "conf" / "theme" / "templates")],
)

PAGE = """\
# Page

This page is about nothing, but it says so in a sentence that is long enough to describe it.

Maths: $a = b$.

```{note}
A note.
```

```python
print("text")
```
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("light"))
    site.write("conf/conf.py", SETTINGS)
    site.write("docs/index.md", PAGE)
    result = site.build("-q")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return site


@pytest.mark.slow
def test_a_page_is_light_asks_no_other_host_and_has_no_dead_control(site):
    out = site.root / "build" / "html"
    page = BeautifulSoup(site.html(), "html.parser")
    loaded = [
        tag.get("src") or tag.get("href")
        for tag in page.select("script[src], link[rel=stylesheet], link[rel=preload], img")
    ]
    assert loaded
    for address in loaded:
        assert not urlsplit(address).netloc, address
        assert (out / urlsplit(address).path).is_file(), address
    assert sum((out / urlsplit(address).path).stat().st_size for address in set(loaded)) < 400_000

    everything = " ".join(loaded).lower()
    assert not re.search("fontawesome|bootstrap|mathjax|searchindex", everything)
    assert not list(out.rglob("*fontawesome*")) + list((out / "_static").rglob("*.map"))
    # Bootstrap's script is gone, so nothing may wait for it.
    assert not page.select("[data-bs-toggle=dropdown], [data-bs-toggle=collapse], [data-bs-toggle=modal]")
    # Every icon is drawn by our stylesheet.
    drawn = (out / "_static" / "theme" / "icons.css").read_text(encoding="utf-8")
    for icon in page.select("i[class*=fa-], span[class*=fa-]"):
        assert any(f".{name}" in drawn for name in icon["class"] if name.startswith("fa-") and name != "fa-solid"), icon


@pytest.mark.slow
def test_the_page_says_what_it_is(site):
    page = BeautifulSoup(site.html(), "html.parser")
    assert page.html["lang"] == "en"
    assert page.select_one("meta[name=viewport]")
    assert page.select_one("meta[name=description]")["content"].startswith("This page is about nothing")
    # The theme's script binds the first button of each kind; a second, hidden one would leave the visible one dead.
    assert len(page.select(".primary-toggle")) == 1
    for control in page.select("button, summary"):
        assert control.get_text(strip=True) or control.get("aria-label"), control


@pytest.mark.slow
def test_a_class_that_comes_with_the_next_build_finds_its_rules(site, tmp_path):
    site = site.copy(tmp_path / "next")
    css = site.root / "build" / "html" / "_static" / "styles" / "pydata-sphinx-theme.css"
    assert ".admonition.seealso" not in css.read_text(encoding="utf-8")
    site.write("docs/index.md", PAGE + "\n```{seealso}\nAnother page.\n```\n")
    assert site.build("-q").stderr == ""
    assert ".admonition.seealso" in css.read_text(encoding="utf-8")
