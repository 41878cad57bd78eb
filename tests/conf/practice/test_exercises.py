"""Solutions that fold by themselves, on a small site: titles, labels, ids, cells, and what stays unfolded."""

import pytest

from tests.conf.conftest import settings

lxml_html = pytest.importorskip("lxml.html")

pytestmark = pytest.mark.slow

SETTINGS = settings(
    "sphinx_exercise",
    "conf.practice.exercises",
    nb_execution_mode="force",
    myst_enable_extensions=["dollarmath"],
    numfig=True,
)

PAGE = """\
# Page

See {ref}`ex-one` and {ref}`its answer <sol-one>`.

```{exercise} How much (in $x$)?
:label: ex-one

1. First.
2. Second.
```

```{solution} ex-one
:label: sol-one
:class: dropdown

Folded, $x$.
```

```{exercise}
:label: ex-two

What does the cell print?
```

````{solution-start} ex-two
:label: sol-two
:class: dropdown
````

It prints

```{code-cell} ipython3
print(6 * 7)
```

````{solution-end}
````

```{exercise} Open
:label: ex-three

A question.
```

```{solution} ex-three
:label: sol-three

Not folded.
```
"""


@pytest.fixture
def page(small_site):
    small_site.write("conf/conf.py", SETTINGS)
    small_site.page("index", PAGE)
    done = small_site.build(gate=True)
    assert done.returncode == 0, done.stderr
    return lxml_html.document_fromstring(small_site.html())


def test_solutions_fold_without_a_script(page):
    one, two = page.xpath("//details")
    assert [fold.get("id") for fold in (one, two)] == ["sol-one", "sol-two"]
    assert all(fold.get("open") is None for fold in (one, two))
    assert [fold.findtext("summary") for fold in (one, two)] == ["Solution to Exercise 1", "Solution to Exercise 2"]
    assert "Folded" in one.text_content()
    assert "42" in two.text_content()  # what the cell printed is part of the answer
    (three,) = page.xpath("//*[@id='sol-three']")
    assert three.tag == "div"

    # Links go to both, and no id stands twice.
    assert {"#ex-one", "#sol-one"} <= set(page.xpath("//a/@href"))
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert page.xpath("//*[@id='ex-one']//ol")

    # The page has what folds to print, so it loads the script for that.
    assert any("practice/exercises.js" in address for address in page.xpath("//script/@src"))
