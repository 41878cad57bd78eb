"""What is mended of the HTML, the scripts and the messages of others, and that they still need it."""

import logging

import lxml.html
import pytest

from conf.theme.repairs import Settings, defer_scripts
from tests.conf.conftest import SmallSite, settings

PAGE = """\
# Page

```{prf:theorem} Matmul intensity
:label: thm-one

Text.
```

```{prf:proof}
Text.
```

```{prf:definition} Peak
:label: def-two

Text.
```

```{code-cell} ipython3
:tags: [hide-input]
print(1)
```

```{eval-rst}
See [A]_ and [B]_.

.. [A] One.
.. [B] Two.
```
"""


def page(folder, *extensions):
    """The page, and what the build says, with these extensions beside those that are to be mended."""
    site = SmallSite(folder)
    site.write("conf/conf.py", settings("sphinx_proof", *extensions, html_permalinks_icon="#"))
    site.page("index", PAGE)
    built = site.build()
    assert built.returncode == 0, built.stderr
    return lxml.html.document_fromstring(site.html()), built.stdout


@pytest.fixture(scope="module")
def mended(tmp_path_factory):
    return page(tmp_path_factory.mktemp("mended"), "conf.theme.repairs")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The same page without the repairs: what is tested of it fails when a package has mended a fault itself."""
    loggers = [logging.getLogger(f"sphinx.{name}") for name in ("myst_parser.sphinx_ext.main", "myst_nb.sphinx_ext")]
    for logger in loggers:
        logger.filters = [one for one in logger.filters if not isinstance(one, Settings)]
    return page(tmp_path_factory.mktemp("bare"))


def repeated_ids(tree):
    ids = tree.xpath("//main//@id | //div[@class='body']//@id")
    return {name for name in ids if ids.count(name) > 1}


@pytest.mark.slow
def test_no_id_stands_twice(mended, bare):
    assert repeated_ids(mended[0]) == set()
    assert repeated_ids(bare[0]) == {"proof-content"}


@pytest.mark.slow
def test_a_theorem_links_to_itself_in_its_title_and_a_proof_has_no_label_to_link_to(mended, bare):
    titles = "//div[contains(@class, 'proof')]/p[@class='admonition-title']"
    links = mended[0].xpath(f"{titles}/a[@class='headerlink']")
    assert [(link.get("href"), link.get("title"), link.text) for link in links] == [
        ("#thm-one", "Link to this theorem", "#"),
        ("#def-two", "Link to this definition", "#"),
    ]
    assert all(link.getnext() is None and not link.tail for link in links)
    assert len(mended[0].xpath(titles)) == len(bare[0].xpath(titles)) == 2
    assert bare[0].xpath(f"{titles}/a") == []


@pytest.mark.slow
def test_a_fold_of_code_is_called_what_it_shows(mended, bare):
    (fold,) = mended[0].xpath("//details")
    (summary,) = fold.xpath("summary")
    assert summary.attrib == {}
    assert bare[0].xpath("//summary/@aria-label") == ["Toggle hidden content"]
    # Nothing else about it is ours.
    bare_fold = bare[0].xpath("//details")[0]
    del bare_fold.xpath("summary")[0].attrib["aria-label"]
    shape = [
        [(one.tag, one.get("class"), (one.text or "").strip()) for one in tree.iter()] for tree in (fold, bare_fold)
    ]
    assert shape[0] == shape[1]


@pytest.mark.slow
def test_a_bibliography_is_a_plain_list(mended, bare):
    entries = "//div[@class='citation-list']/div[@class='citation']"
    assert len(mended[0].xpath(entries)) == len(bare[0].xpath(entries)) == 2
    assert mended[0].xpath("//@role[. = 'doc-biblioentry' or . = 'list']") == []
    assert bare[0].xpath("//@role[. = 'doc-biblioentry' or . = 'list']") == [
        "list",
        "doc-biblioentry",
        "doc-biblioentry",
    ]


@pytest.mark.slow
def test_the_scripts_of_a_page_wait_for_it(mended, bare):
    at_once = "//head/script[@src][not(@defer or @async or @type)]/@src"
    assert [address.partition("?")[0] for address in mended[0].xpath(at_once)] == ["_static/documentation_options.js"]
    assert len(bare[0].xpath(at_once)) > 1


@pytest.mark.slow
def test_a_build_does_not_print_the_settings_of_myst(mended, bare):
    assert "MdParserConfig" not in mended[1]
    assert "MdParserConfig" in bare[1]


class Script:
    """What Sphinx knows of a script."""

    def __init__(self, filename, priority=500, **attributes):
        self.filename, self.priority, self.attributes = filename, priority, attributes


def test_scripts_wait_but_for_those_that_are_used_at_once():
    found = [
        Script("tabs.js", key="value"),
        Script("documentation_options.js?v=1"),
        Script("calc.js", type="module"),
        Script("lesson.js", defer="defer"),
    ]

    def attributes(page):
        context = {"script_files": found}
        defer_scripts(None, page, "", context, None)
        return [script.attributes for script in context["script_files"]]

    assert attributes("index") == [{"defer": "defer", "key": "value"}, {}, {"type": "module"}, {"defer": "defer"}]
    assert attributes("search") == [script.attributes for script in found]
    assert found[0].attributes == {"key": "value"}  # another page has the same


def test_only_the_line_with_all_settings_is_dropped():
    def passes(level, message, *args):
        return Settings().filter(logging.LogRecord("sphinx.myst", level, "", 0, message, args, None))

    assert not passes(logging.INFO, "myst v%s: %s", "5.2", "MdParserConfig(...)")
    assert passes(logging.WARNING, "myst v%s: %s", "5.2", "is too old")
    assert passes(logging.INFO, "reading sources... %s", "index")
    assert passes(logging.INFO, "done")
