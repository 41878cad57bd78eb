"""The notebooks that a page gives: stubs that stop with a hint, solutions that pass, wrong answers that do not."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import nbformat
import pytest

from conf.notebooks import publish as notebooks
from conf.notebooks import run_cells
from conf.notebooks.lesson import Cell, read, run, write
from conf.notebooks.markdown import NotPlain, plain

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "practice" / "notebook.md"
LESSON = read(PAGE.read_text(encoding="utf-8"))
WRONG = tomllib.loads(Path(__file__).with_name("wrong_answers.toml").read_text(encoding="utf-8"))["answer"]
CODE = [cell for cell in LESSON.cells if cell.kind == "code"]
CHECKS = [cell for cell in CODE if "check" in cell.tags and "measure" not in cell.tags]


def up_to_check(exercise, *answers):
    """Run all solutions above the check of an exercise, then some answers in place of its own, then the check."""
    check = CHECKS[exercise - 1]
    above = CODE[: CODE.index(check)]
    solved = [cell.source for cell in above if not cell.tags & {"stub", "check", "measure"}]
    return run_cells.run([*solved, *answers, check.source])[-1]


def test_there_are_five_exercises_each_with_stub_solution_and_check():
    kinds = [
        tag for cell in CODE for tag in ("stub", "solution", "check") if tag in cell.tags and "measure" not in cell.tags
    ]
    assert kinds == ["stub", "solution", "check"] * 5


@pytest.mark.parametrize("exercise", range(1, 6))
def test_a_check_passes_with_the_solution(exercise):
    result = up_to_check(exercise)
    assert result["error"] == ""
    assert f"Exercise {exercise}: right." in result["printed"]


@pytest.mark.parametrize("exercise", range(1, 6))
def test_a_check_stops_at_the_stub_with_a_hint(exercise):
    stub = [cell.source for cell in CODE if "stub" in cell.tags][exercise - 1]
    error = up_to_check(exercise, stub)["error"]
    assert error.startswith("AssertionError: ")
    assert "gives nothing yet. Hint: " in error


@pytest.mark.parametrize("exercise", range(1, 6))
def test_each_function_of_a_stub_is_asked_for_by_a_hint_of_its_own(exercise):
    """Whoever completes one function and not the next is told about the next."""
    stub = [cell.source for cell in CODE if "stub" in cell.tags][exercise - 1]
    for function in ast.parse(stub).body:
        error = up_to_check(exercise, ast.unparse(function))["error"]
        assert "Hint: " in error, function.name


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong['exercise']}: {wrong['name']}")
def test_a_wrong_answer_is_refused_with_its_reason(wrong):
    assert wrong["says"] in up_to_check(wrong["exercise"], wrong["code"])["error"]


def test_each_exercise_has_at_least_three_wrong_answers():
    counts = Counter(wrong["exercise"] for wrong in WRONG)
    assert sorted(counts) == [1, 2, 3, 4, 5]
    assert min(counts.values()) >= 3


def test_the_notebooks_import_numpy_and_matplotlib_and_what_python_has():
    imported = set()
    for cell in CODE:
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module.split(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"numpy", "matplotlib"}


def test_the_student_sees_each_solution_folded_behind_its_check():
    student = LESSON.plain(lambda _: "").student()
    folds = [n for n, cell in enumerate(student) if "Show the solution" in cell.source]
    assert len(folds) == 5
    assert all(student[n].kind == "markdown" and "check" in student[n - 1].tags for n in folds)
    assert not [cell for cell in student if cell.kind == "code" and "solution" in cell.tags]


def test_the_exercises_that_are_committed_are_those_of_the_page():
    copy = notebooks.committed(PAGE, LESSON.name)
    assert copy.read_text(encoding="utf-8") == notebooks.to_commit(LESSON), "run: nox -s notebook"


def test_a_notebook_has_nothing_of_myst_and_nothing_for_the_page():
    text = notebooks.to_commit(LESSON)
    nbformat.validate(nbformat.reads(text, 4))
    assert re.findall(r"\{[\w:-]+\}`|^\s*\"\([\w-]+\)=|:::|\]\(#|\"\+\+\+|\{names\}|figures", text) == []
    assert "A recorded run" not in text


def test_what_a_build_ran_is_in_the_solutions_and_what_it_measures_is_not():
    cells = [
        Cell("code", "print(1)", 1),
        Cell("code", "print(2)", 2, frozenset({"measure"})),
        Cell("code", "print(3)", 3, frozenset({"check"})),
    ]
    first, measuring, note, last = json.loads(write(cells, [{"printed": "1\n"}, {"printed": "3\n"}]))["cells"]
    assert first["outputs"][0]["text"] == ["1\n"]
    assert (measuring["outputs"], measuring["execution_count"]) == ([], None)
    assert note["source"][0].startswith("*Not run here")
    assert (last["outputs"][0]["text"], last["execution_count"]) == (["3\n"], 2)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("It is {given}`80 GB`.", "It is 80 GB."),
        ("`{calc}` stays, ``{given}`x` `` too.", "`{calc}` stays, ``{given}`x` `` too."),
        (r"$R = \calc{295}{H100.ridge}$", "$R = 295$"),
        ("$$ a = b $$ (eq-a)", "$$ a = b $$"),
        ("```{math}\n:label: eq-a\na = b\n```", "$$\na = b\n$$"),
        ("{ref}`there <sec-a>` and [here](#sec-b)", "there and here"),
        ("```{note}\nOne.\n\nTwo.\n```", "> **Note**\n>\n> One.\n>\n> Two."),
        (
            "````{admonition} Mind {given}`2 B`\n:class: tip\n```python\na\n```\n````",
            "> **Mind 2 B**\n>\n> ```python\n> a\n> ```",
        ),
        ("```{dropdown} Answer\nNo.\n```", "<details>\n<summary>Answer</summary>\n\nNo.\n\n</details>"),
        ("```python\n{calc}`2 <1 + 1>`\n(sec-a)=\n```", "```python\n{calc}`2 <1 + 1>`\n(sec-a)=\n```"),
        ("% a comment\n(sec-a)=\n# A", "# A"),
    ],
)
def test_myst_becomes_markdown(source, text):
    assert plain(source) == text


@pytest.mark.parametrize(
    ("source", "line", "why"),
    [
        ("One.\n\n```{figure} a.png\n```", 2, "the directive figure has no plain form"),
        ("One.\n\nSee {numref}`tab-a`.", 2, r"write \[words\]\(#label\)"),
        ("One.\nBy {cite}`someone`.", 1, "say it in words"),
        ("One.\n\n```{note}\nSee {eq}`eq-a`.\n```", 3, r"write \[words\]\(#label\)"),
        ("See [`code`](#sec-a).", 0, "words without code"),
    ],
)
def test_what_has_no_plain_form_is_refused_by_line(source, line, why):
    with pytest.raises(NotPlain, match=why) as refused:
        plain(source)
    assert refused.value.line == line


SETTINGS = """\
project = "small"
extensions = ["myst_nb", "conf.cells.interpreter", "conf.notebooks.publish"]
exclude_patterns = ["**/*.ipynb"]
nb_execution_mode = "off"
suppress_warnings = ["myst-nb.lexer"]  # only a page that runs knows its language
html_baseurl = BASE
notebook_repository = REPOSITORY
"""
SMALL = """\
---
file_format: mystnb
kernelspec: {name: python3}
notebooks: small
---

(sec-a)=
# A page

See [above](#sec-a).

```{notebook-links}
```

```{code-cell} ipython3
:tags: [stub]
a = ...
```

```{code-cell} ipython3
:tags: [solution]
a = 2
```

```{code-cell} ipython3
:tags: [check]
assert a == 2, "Hint: 2"
print("right")
```
"""


def small(site, page=SMALL, base="", repository=""):
    settings = SETTINGS.replace("BASE", repr(base)).replace("REPOSITORY", repr(repository))
    site.write("conf/conf.py", settings)
    site.write("docs/index.md", "# Home\n\n```{toctree}\nmore/page\n```\n")
    site.write("docs/more/page.md", page)
    notebooks.main(str(site.root / "docs"))
    return site


@pytest.mark.slow
def test_a_build_publishes_both_notebooks_with_links_to_the_site_and_the_same_bytes_again(small_site):
    downloads = small_site.root / "build" / "html" / "downloads"
    contents = []
    for _ in range(2):
        built = small(small_site, base="https://example.org/x/", repository="owner/name").build(gate=True)
        assert built.returncode == 0, built.stderr
        contents.append({path.name: path.read_bytes() for path in downloads.iterdir()})
    assert contents[0] == contents[1]
    assert set(contents[0]) == {"small-exercises.ipynb", "small-solutions.ipynb"}
    for content in contents[0].values():
        notebook = nbformat.reads(content.decode(), 4)
        nbformat.validate(notebook)
        assert "See [above](https://example.org/x/more/page.html#sec-a)." in notebook.cells[0].source
    assert notebook.cells[-1].outputs[0].text == "right\n"

    html = small_site.html("more/page")
    assert 'href="../downloads/small-exercises.ipynb" download' in html
    assert (
        'href="https://colab.research.google.com/github/owner/name/blob/main/docs/more/small-exercises.ipynb"' in html
    )
    assert "https://mybinder.org/v2/gh/owner/name/main?urlpath=lab%2Ftree%2Fdocs%2Fmore%2Fsmall-exercises.ipynb" in html


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("a = 2", "a = 3", 27, "AssertionError: Hint: 2"),
        ("See [above](#sec-a).", "See {numref}`tab-a`.", 10, "no plain form"),
    ],
    ids=["a solution that fails its check", "a role without plain form"],
)
def test_a_page_that_gives_no_notebook_fails_the_build_by_line(small_site, old, new, line, words):
    small(small_site)
    small_site.write("docs/more/page.md", SMALL.replace(old, new))
    built = small_site.build(gate=True)
    assert built.returncode != 0
    assert re.search(rf"page\.md:{line}: ERROR: .*{words}", built.stderr, re.DOTALL)


@pytest.mark.slow
def test_a_copy_that_was_not_written_afresh_fails_the_build(small_site):
    small(small_site)
    small_site.write("docs/more/page.md", SMALL.replace("Hint: 2", "Hint: two"))
    built = small_site.build(gate=True)
    assert built.returncode != 0
    assert "small-exercises.ipynb is not what this page gives; write it by: nox -s notebook" in built.stderr
    # Where no repository is known, the page says what to do instead.
    assert "belongs to no repository" in small_site.html("more/page")


@pytest.mark.site
def test_the_site_offers_both_notebooks_and_opens_only_files_that_the_repository_has():
    from tests.site import built

    site = built.required()
    for file in ("roofline-exercises.ipynb", "roofline-solutions.ipynb"):
        nbformat.validate(nbformat.read(site / notebooks.FOLDER / file, 4))
    links = {link for page in built.pages(site) for link in page.links}
    if not os.environ.get("GITHUB_REPOSITORY"):  # as published, too
        links |= {address for address, _ in notebooks.elsewhere("owner/name", "docs/practice/roofline-exercises.ipynb")}
    opened = [path for path in map(path_in_repository, links) if path]
    assert len(opened) >= 2
    for path in opened:
        assert (ROOT / path).is_file(), path
        if (ROOT / ".git").exists():  # a file that is not tracked is not published
            subprocess.run(["git", "ls-files", "--error-unmatch", path], cwd=ROOT, check=True, capture_output=True)


def path_in_repository(link):
    """The file that a link to Colab or Binder opens, or nothing for any other link."""
    parts = urlsplit(link)
    if parts.netloc == "colab.research.google.com":
        return unquote(parts.path).split(f"/blob/{notebooks.BRANCH}/")[1]
    if parts.netloc == "mybinder.org":
        return parse_qs(parts.query)["urlpath"][0].removeprefix("lab/tree/")
    return ""


@pytest.fixture(scope="module")
def clean_python(tmp_path_factory):
    """The Python of an environment that holds what Binder installs, in the locked versions, and nothing else."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home / "venv", with_pip=True)
    python = home / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+==\S+(?: ;.*?)?)(?: \\)?$", lock, re.MULTILINE)
    (home / "pins.txt").write_text("\n".join(pins), encoding="utf-8")
    wanted = ("-r", ROOT / ".binder" / "requirements.txt", "-c", home / "pins.txt")
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "1", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and re.search(r"[Cc]onnection|[Tt]imed? ?out|resolution|Could not find a version", done.stderr):
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"NO PACKAGE INDEX: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    return str(python)


@pytest.mark.slow
def test_all_cells_run_with_numpy_and_matplotlib_alone_and_the_measuring_one_in_under_20_seconds(
    clean_python, tmp_path
):
    for package in ("roofline", "IPython", "nbformat"):
        absent = subprocess.run([clean_python, "-I", "-c", f"import {package}"], capture_output=True, check=False)
        assert absent.returncode, package
    cells = LESSON.solutions()
    results = run(cells, clean_python, MPLCONFIGDIR=str(tmp_path))
    assert [result["traceback"] for result in results if result["error"]] == []
    assert len(results) == sum(cell.kind == "code" for cell in cells)
    (took,) = re.findall(r"this cell took ([\d.]+) s", "".join(result["printed"] for result in results))
    assert float(took) < 20


@pytest.mark.slow
def test_the_committed_exercises_stop_at_the_first_check_there(clean_python):
    notebook = nbformat.read(notebooks.committed(PAGE, LESSON.name), 4)
    cells = [Cell(cell.cell_type, cell.source, 0) for cell in notebook.cells]
    last = run(cells, clean_python)[-1]
    assert "roofline_time for a ReLU of 10^8 values gives nothing yet. Hint: " in last["error"]
