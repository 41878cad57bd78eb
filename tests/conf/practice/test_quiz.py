"""What authors write to ask something, what it becomes, and what the build refuses."""

import re
from pathlib import Path

import pytest

from tests.conf.conftest import ROOT, SmallSite, settings

bs4 = pytest.importorskip("bs4")

pytestmark = pytest.mark.slow

LESSON = sorted((ROOT / "docs" / "lesson").glob("*.md"))

SETTINGS = settings(
    "conf.numbers.roles",
    "conf.theme.mathml",
    "conf.practice.progress",
    myst_enable_extensions=["dollarmath"],
    html_math_renderer="mathml",
    html_permalinks=False,
)

INDEX = """\
# Contents

```{progress} lesson
:review: lesson/three
```

Look at [a check](#check-norm).

```{toctree}
lesson/two
lesson/one
lesson/three
other
```
"""

ONE = """\
# What $B$ is

```{names}
A100 = device("A100 SXM 80GB").roof("bf16")
H100 = device("H100 SXM").roof("bf16")
```

```{predict} predict-speed
:unit: times as fast

The H100 has {calc}`3.2× <H100.peak / A100.peak>` the FLOP/s.

How many times faster is a ReLU?
```

```{predict} predict-batch
Is it nearer to 3 or 300?

- 3
- 300
```

```{quick-check} check-norm
An RMSNorm takes {given}`100 µs`, $x^2$.

How long with {calc}`1.64× <H100.bandwidth / A100.bandwidth>` the bandwidth?

- [ ] {calc}`32 µs <100e-6 * A100.peak / H100.peak>`

  **The FLOP/s ratio.** That is {calc}`3.2× <H100.peak / A100.peak>`.

  Another paragraph.
- [x] About {calc}`61 µs <100e-6 * A100.bandwidth / H100.bandwidth>`, $t$

  It is memory-bound.
```
"""

TWO = """\
# Two

```{predicted} predict-speed
- {calc}`1.64× <device("H100 SXM").bandwidth / device("A100 SXM 80GB").bandwidth>` is right.
- 1 is no gain.
- Less is too little.
- More is too much.
```

```{predicted} predict-batch
- {calc}`≈ 300 <device("H100 SXM").roof("bf16").ridge>` is right.
- 3 is far off.
```
"""


def write(site: SmallSite, **pages: str) -> None:
    site.write("conf/conf.py", SETTINGS)
    for name, text in pages.items():
        site.write(f"docs/{name.replace('__', '/')}.md", text)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("site"))
    write(site, index=INDEX, lesson__one=ONE, lesson__two=TWO, lesson__three="# Three\n", other="# Other\n")
    built = site.build(gate=True)
    assert built.returncode == 0, built.stderr
    return site


def tree(site: SmallSite, page: str) -> bs4.BeautifulSoup:
    return bs4.BeautifulSoup(site.html(page), "html.parser")


def words(element: bs4.Tag) -> str:
    return " ".join(element.get_text().split())


@pytest.fixture
def check(site):
    return tree(site, "lesson/one").select_one("#check-norm")


def test_a_check_is_a_group_of_radios_named_by_the_question(check):
    (group,) = check.select("fieldset")
    (legend,) = group.select("legend")
    assert words(legend) == "How long with 1.64× the bandwidth?"
    radios = group.select("label > input[type=radio]")
    assert [radio.get("name") for radio in radios] == ["check-norm"] * 2
    assert [words(radio.parent) for radio in radios] == ["32 µs", "About 61 µs, t"]
    assert [radio.get("value") for radio in radios] == ["a", "b"]


def test_an_option_does_not_tell_where_its_number_comes_from(check):
    assert check.select("legend .calc")
    assert not check.select("label .calc")
    assert check.select(".practice-explanation .calc")


def test_without_a_script_all_explanations_are_under_a_fold_the_right_one_first(check):
    (fold,) = check.select("details")
    assert fold.get("open") is None
    assert words(fold.select("summary")[0]) == "Answer and explanations"
    right, wrong = fold.select(".practice-explanation")
    assert (right.get("data-option"), right.get("data-right")) == ("b", "")
    assert (wrong.get("data-option"), wrong.get("data-right")) == ("a", None)
    assert words(right) == "Right: About 61 µs, t It is memory-bound."
    assert words(wrong) == "Wrong: 32 µs The FLOP/s ratio. That is 3.2×. Another paragraph."
    (button,) = check.select("button")
    assert button.get("hidden") is not None
    assert button.get("type") == "button"
    (said,) = check.select("[role=status]")
    assert words(said) == ""


def test_a_prediction_is_plain_text_until_its_script_comes(site):
    one = tree(site, "lesson/one")
    number, choice = (one.select_one(f"#predict-{name}") for name in ("speed", "batch"))
    (label,) = number.select("label[hidden]")
    assert words(label) == "Your guess: times as fast"
    assert label.select("input[inputmode=decimal]")
    assert [radio.get("value") for radio in choice.select("[hidden] input[type=radio]")] == ["3", "300"]
    assert words(choice.select("legend")[0]) == "Is it nearer to 3 or 300?"
    for prediction in (number, choice):
        assert all(button.get("hidden") is not None for button in prediction.select("button"))


def test_a_remark_knows_what_it_is_about(site):
    first, second = tree(site, "lesson/two").select(".comparison")
    assert first.get("data-of") == "predict-speed"
    assert [remark.get("data-about") for remark in first.select(".practice-remark")] == ["1.64", "1", "less", "more"]
    assert [remark.get("data-about") for remark in second.select(".practice-remark")] == ["300", "3"]


def test_the_list_has_the_pages_of_the_folder_in_order_with_their_checks(site):
    index = tree(site, "index")
    items = index.select("ol.progress-pages > li")
    assert [words(item) for item in items] == ["Two", "What B is", "Three"]
    assert [item.select("a")[0].get("href") for item in items][:2] == ["lesson/two.html", "lesson/one.html"]
    lines = [item.select(".progress-line")[0] for item in items]
    assert [line.get("data-checks") for line in lines] == ["", "check-norm", ""]
    assert lines[1].get("data-page") == "lesson/one"
    (controls,) = index.select(".progress-controls[hidden]")
    assert controls.get("data-review") == "lesson/three.html"


def test_a_check_can_be_linked_to(site):
    assert tree(site, "index").select("a[href='lesson/one.html#check-norm']")


def test_other_builders_have_it_as_paragraphs_and_lists(site):
    assert site.build("-b", "text").returncode == 0
    text = (site.root / "build" / "html" / "lesson" / "one.txt").read_text(encoding="utf-8").replace("\u00a0", " ")
    assert "How long with 1.64× the bandwidth?\n\n* 32 µs\n\n* About 61 µs, t\n" in text
    assert "**The FLOP/s ratio.**" in text


@pytest.mark.parametrize(
    ("page", "scripts"),
    [
        ("index", ["progress.js"]),
        ("lesson/one", ["quiz.js", "progress.js"]),
        ("lesson/two", ["quiz.js", "progress.js"]),
        ("lesson/three", ["progress.js"]),
        ("other", []),
    ],
)
def test_only_a_page_that_needs_a_script_loads_it(site, page, scripts):
    found = tree(site, page).select("script[src*='practice/']")
    assert [re.sub(r".*/|\?.*", "", script.get("src")) for script in found] == scripts
    noted = [script.get("data-page") for script in found if script.get("data-page")]
    assert noted == ([page] if page.startswith("lesson/") else [])


def test_the_list_changes_with_the_pages_that_it_shows(site, tmp_path):
    site = site.copy(tmp_path / "changed")
    site.write(
        "docs/lesson/three.md", "# New\n\n" + ONE.split("\n\n", 2)[2].split("```{predict}", maxsplit=1)[0] + CHECK
    )
    assert site.build().returncode == 0
    third = tree(site, "index").select("ol.progress-pages > li")[2]
    assert words(third) == "New"
    assert third.select(".progress-line")[0].get("data-checks") == "check-new"


CHECK = """\
```{quick-check} check-new
Which?

- [x] This

  Because.
- [ ] That

  **A slip.** No.
```
"""

#: What is wrong, how to write it, and what the build says.
FAULTS = {
    "none right": (CHECK.replace("[x]", "[ ]").replace("Because", "**S.** No"), "has 0 right options"),
    "two right": (CHECK.replace("[ ]", "[x]"), "has 2 right options"),
    "one option": (CHECK.split("- [ ]", maxsplit=1)[0] + "```\n", "has 1 options"),
    "no mark": (CHECK.replace("[x] ", ""), "begin each option with [x]"),
    "right without a reason": (CHECK.replace("  Because.\n", ""), "why it is right"),
    "wrong without a reason": (CHECK.replace("  **A slip.** No.\n", ""), "name of the slip in bold"),
    "wrong without a name": (CHECK.replace("**", ""), "name of the slip in bold"),
    "no question": (CHECK.replace("Which?\n\n", ""), "has no question"),
    "no list": ("```{quick-check} check-new\nWhich?\n```\n", "ends with no list"),
    "no check": (CHECK.replace("check-new", "new"), "an id is check-"),
    "capitals": (CHECK.replace("check-new", "check-New"), "an id is check-"),
    "wrong number": (CHECK.replace("This", "{calc}`5 µs <4e-6>`"), "the page says 5 µs"),
    "wrong number in a reason": (CHECK.replace("Because", "So {calc}`5 µs <4e-6>`"), "the page says 5 µs"),
    "unmarked number": (CHECK.replace("This", "5 µs"), "'5 µs' is not checked"),
    "working in an option": (CHECK.replace("This", r"$\calc{4}{2 * 2}$"), "checked number in maths"),
    "used twice": (CHECK + "\nAnd again:\n\n" + CHECK, "check-new is used already"),
    "used elsewhere": (CHECK.replace("check-new", "check-norm"), "check-norm is used already"),
    "no unit": ("```{predict} predict-x\nHow many?\n```\n", "needs either a :unit:"),
    "unit and choice": ("```{predict} predict-x\n:unit: B\n\nHow many?\n\n- 3\n- 4\n```\n", "needs either a :unit:"),
    "no number": ("```{predict} predict-x\nHow many?\n\n- few\n- 4\n```\n", "is no number to choose"),
    "remark on nothing": ("```{predicted} predict-speed\n- 3 is right.\n- So is this.\n```\n", "begins with no number"),
    "remarks without answer": ("```{predicted} predict-speed\n- Less is wrong.\n```\n", "first remark is about"),
    "no remarks": ("```{predicted} predict-speed\nText.\n```\n", "holds one list of remarks"),
    "never predicted": ("```{predicted} predict-y\n- 3 is right.\n```\n", "there is no prediction predict-y"),
    "choice without remark": (
        "```{predicted} predict-batch\n- 300 is right.\n```\n",
        "nothing is said about the guess 3",
    ),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What the build says about each fault, on a page of its own."""
    said = {}
    # One site for all, but ids that clash with each other's would hide which is meant.
    site = SmallSite(tmp_path_factory.mktemp("faults"))
    pages = {}
    for number, (name, (text, _)) in enumerate(FAULTS.items()):
        mine = re.sub(r"(check|predict)-(new|x)\b", rf"\1-\2-{number}", text)
        pages[f"zz{number:02}"] = f"# {name.capitalize()}\n\n{mine}"
    contents = "# All\n\n```{toctree}\none\n" + "\n".join(pages) + "\n```\n"
    write(site, index=contents, one=ONE, **pages)
    built = site.build(gate=True)
    assert built.returncode != 0
    for page, name in zip(pages, FAULTS, strict=True):
        lines = [line for line in built.stderr.splitlines() if f"/{page}.md" in line]
        said[name] = " ".join(lines)
    return said


@pytest.mark.parametrize("fault", FAULTS)
def test_the_build_refuses(refused, fault):
    expected = re.sub(r"\bcheck-new\b", "check-new-", FAULTS[fault][1])
    said = re.sub(r"(check-new-)\d+", r"\1", refused[fault])
    assert expected in said


def lessons_checks() -> list[tuple[str, str]]:
    found = []
    for page in LESSON:
        text = page.read_text(encoding="utf-8")
        found += [
            (page.name, match) for match in re.findall(r"^```\{quick-check\}.*?^```$", text, re.MULTILINE | re.DOTALL)
        ]
    return found


def test_every_page_of_the_lesson_asks_something():
    assert {name for name, _ in lessons_checks()} == {page.name for page in LESSON}


@pytest.mark.parametrize(
    "slip",
    [
        "sparse peak",
        "FLOP/s ratio for a memory-bound kernel",
        "Sequences counted for tokens",
        "Multiply-adds counted as one",
        "KV heads for query heads",
        "Bits for bytes",
        "GiB for GB",
        "inequality reversed",
    ],
)
def test_the_slips_that_people_make_are_offered(slip):
    names = [name for _, check in lessons_checks() for name in re.findall(r"^  \*\*(.+?)\*\*", check, re.MULTILINE)]
    assert any(slip in name for name in names)


def test_the_right_answer_is_not_always_in_the_same_place():
    places = [re.findall(r"^- \[(.)\]", check, re.MULTILINE).index("x") for _, check in lessons_checks()]
    assert all(places.count(place) <= len(places) / 2 for place in set(places))


def test_the_ids_that_browsers_remember_are_all_still_there():
    registry = (Path(__file__).parents[2] / "site" / "labels.txt").read_text(encoding="utf-8")
    published = set(re.findall(r"#((?:check|predict)-[\w-]+)$", registry, re.MULTILINE))
    source = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    asked = set(re.findall(r"^```\{(?:quick-check|predict)\} (\S+)", source, re.MULTILINE))
    assert published <= asked
    assert len(published) >= 19
