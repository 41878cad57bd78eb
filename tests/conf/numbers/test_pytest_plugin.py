"""Each promise of a page is one test, with a name, a line and a sentence."""

import pytest

from conf.numbers.grammar import Doctest
from conf.numbers.pytest_plugin import Broken, PageFile

RIGHT = """\
---
file_format: mystnb
---

# {calc}`8 <size>` things

```{names}
size = 2 * 4
```

Of {calc}`0.25 <size / 32>`, $\\calc{8}{size}$, {given}`80 GB`.

```python
>>> import math
>>> half = size / 2
>>> print(f"{half:.1f}", end="!")
4.0!
```

```python
>>> math.sqrt(half)
2.0
```

```{code-cell}
show(a, caption="All {calc}`8 <size>`, {calc}`8 <size>`.")
show(b, caption="And {calc}`8 <size>`.")
```
"""


@pytest.fixture
def collect(request, tmp_path):
    """Return the tests of a page."""

    def collect(text: str):
        path = tmp_path / "page.md"
        path.write_text(text, encoding="utf-8")
        return list(PageFile.from_parent(request.session, path=path).collect())

    return collect


@pytest.fixture
def promises(collect):
    """Return what a page promises: for each promise, its line, and what is wrong with it."""

    def promises(text: str) -> dict[int, str]:
        said = {}
        for item in collect(text):
            try:
                item.runtest()
            except Broken as broken:
                said[item.promise.line] = str(broken)
            else:
                said.setdefault(item.promise.line, "")
        return said

    return promises


def test_a_right_page_keeps_all_its_promises(promises):
    # The names come below the title that uses them; the second block of examples uses what the first defined.
    assert promises(RIGHT) == dict.fromkeys([5, 8, 11, 14, 21, 26, 27], "")


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("`8 <size>` things", "`9 <size>` things", 5, "page.md:5: the page says 9, the code gives 8: size"),
        ("2 * 4", "2 * 4 *", 8, "page.md:8: line 8: the names block is not Python"),
        ("0.25", "0.26", 11, "page.md:11: the page says 0.26, the code gives 0.25: size / 32"),
        ("calc{8}", "calc{9}", 11, "page.md:11: the page says 9, the code gives 8: size"),
        ("{given}`80 GB`", "80 GB", 11, "page.md:11: '80 GB' is not checked"),
        ("4.0!", "4.1!", 14, "page.md:16: print(f"),
        ("2.0\n", "2.1\n", 21, "page.md:21: math.sqrt(half)\nExpected:\n    2.1\nGot:\n    2.0"),
        ("math.sqrt", "math.sqr", 21, "page.md:21: math.sqr(half)\nAttributeError"),
        ("All {calc}`8", "All {calc}`9", 26, "page.md:26: the page says 9"),
        ("And {calc}`8", "And {calc}`9", 27, "page.md:27: the page says 9"),
    ],
    ids=[
        "heading", "names", "prose", "maths", "unchecked", "output", "second block", "exception", "caption",
        "second caption",
    ],
)  # fmt: skip
def test_a_broken_promise_is_named_by_file_line_and_cause(promises, old, new, line, sentence):
    assert old in RIGHT
    broken = {at: said for at, said in promises(RIGHT.replace(old, new, 1)).items() if said}
    assert sentence in broken[line]
    if "names" not in sentence:  # where the names are missing, everything is
        assert set(broken) == {line}


def test_examples_do_not_wait_for_the_blocks_above_to_be_tested_first(collect):
    *_, last = (item for item in collect(RIGHT) if isinstance(item.promise, Doctest))
    last.runtest()


def test_each_test_of_a_page_has_a_name_of_its_own(collect):
    names = [item.name for item in collect(RIGHT)]
    assert names == sorted(set(names), key=names.index)
    assert names[:3] == ["line 5", "line 8", "line 11"]


def test_examples_have_all_of_python_and_checked_numbers_do_not(promises):
    said = promises("```python\n>>> import os\n```\n\n{calc}`8 <__import__('os')>`\n")
    assert said[2] == ""
    assert "there is no name '__import__'" in said[5]
