"""The notebooks that a site offers and a repository holds, and that they run with what they ask for alone."""

import json
import os
import re
import subprocess
import sysconfig
import venv
from importlib import metadata
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import nbformat
import pytest
from packaging.requirements import Requirement

from conf.notebooks import publish as notebooks
from conf.notebooks.lesson import Cell, parse_lesson
from tests.conf.conftest import SmallSite, settings
from tests.conf.notebooks import run_cells

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "practice" / "notebook.md"
LESSON = parse_lesson(PAGE.read_text(encoding="utf-8"))


def test_the_exercises_that_are_committed_are_those_of_the_page():
    copy = notebooks.committed(PAGE, LESSON.name)
    assert copy.read_text(encoding="utf-8") == notebooks.to_commit(LESSON), "run: nox -s notebook"


def test_a_notebook_has_nothing_of_myst_and_nothing_for_the_page():
    text = notebooks.to_commit(LESSON)
    nbformat.validate(nbformat.reads(text, 4))
    assert re.findall(r"\{[\w:-]+\}`|^\s*\"\([\w-]+\)=|:::|\]\(#|\"\+\+\+|\{names\}|figures", text) == []
    assert "A recorded run" not in text


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


def small(site, pages, base="", repository=""):
    """Write a site with these pages, and the notebooks that belong beside them."""
    options = {
        "exclude_patterns": ["**/*.ipynb"],
        "suppress_warnings": ["myst-nb.lexer"],  # only a page that runs knows its language
        "html_baseurl": base,
        "notebook_repository": repository,
    }
    site.write("conf/conf.py", settings("conf.cells.interpreter", "conf.notebooks.publish", **options))
    site.write("docs/index.md", "\n".join(["# Home\n", "```{toctree}", *(f"more/{name}" for name in pages), "```\n"]))
    for name, text in pages.items():
        site.write(f"docs/more/{name}.md", text)
    notebooks.main(str(site.root / "docs"))
    return site


@pytest.mark.slow
def test_a_build_publishes_both_notebooks_with_links_to_the_site_and_the_same_bytes_again(small_site):
    small(small_site, {"page": SMALL}, base="https://example.org/x/", repository="owner/name")
    downloads = small_site.root / "build" / "html" / "downloads"
    contents = []
    for _ in range(2):
        built = small_site.build(gate=True)
        assert built.returncode == 0, built.stderr
        contents.append({path.name: path.read_bytes() for path in downloads.iterdir()})
    assert contents[0] == contents[1]
    assert set(contents[0]) == {"small-exercises.ipynb", "small-solutions.ipynb"}
    for name in sorted(contents[0]):
        notebook = nbformat.reads(contents[0][name].decode(), 4)
        nbformat.validate(notebook)
        assert "See [above](https://example.org/x/more/page.html#sec-a)." in notebook.cells[0].source
    assert notebook.cells[-1].outputs[0].text == "right\n"  # of the last, the one with solutions

    html = small_site.html("more/page")
    assert 'href="../downloads/small-exercises.ipynb" download' in html
    assert (
        'href="https://colab.research.google.com/github/owner/name/blob/main/docs/more/small-exercises.ipynb"' in html
    )
    assert "https://mybinder.org/v2/gh/owner/name/main?urlpath=lab%2Ftree%2Fdocs%2Fmore%2Fsmall-exercises.ipynb" in html


#: What is changed in a page after its notebook was written, and what the build says then.
REFUSED = {
    "fails": ("a = 2", "a = 3", r"fails\.md:27: ERROR: .*AssertionError: Hint: 2"),
    "not-plain": ("See [above]", "See {numref}`tab-a`, [above]", r"not-plain\.md:10: ERROR: .*no plain form"),
    "stale": (
        "Hint: 2",
        "Hint: two",
        r"stale-exercises\.ipynb is not what this page gives; write it by: nox -s notebook",
    ),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """A site whose pages give no notebook, or not the one beside them, and what its build said."""
    site = SmallSite(tmp_path_factory.mktemp("refused"))
    pages = {name: SMALL.replace("small", name).replace("sec-a", f"sec-{name}") for name in REFUSED}
    small(site, pages)
    for name, (old, new, _) in REFUSED.items():
        site.write(f"docs/more/{name}.md", pages[name].replace(old, new))
    return site, site.build(gate=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_a_page_that_gives_no_notebook_or_another_one_fails_the_build_by_name(refused, name):
    _, build = refused
    assert build.returncode != 0
    assert re.search(REFUSED[name][2], build.stderr, re.DOTALL), build.stderr


@pytest.mark.slow
def test_without_a_repository_a_page_says_what_to_do_instead(refused):
    assert "belongs to no repository" in refused[0].html("more/stale")


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


def needed(wanted):
    """The installed distributions that these requirements need, and what those need."""
    found, asked = {}, [Requirement(line) for line in wanted]
    while asked:
        requirement = asked.pop()
        if (requirement.marker and not requirement.marker.evaluate({"extra": ""})) or requirement.name in found:
            continue
        found[requirement.name] = distribution = metadata.distribution(requirement.name)
        assert requirement.specifier.contains(distribution.version, prereleases=True), requirement
        asked += map(Requirement, distribution.requires or ())
    return found.values()


@pytest.fixture(scope="module")
def clean_python(tmp_path_factory):
    """The Python of an environment that holds what Binder installs, in the locked versions, and nothing else."""
    home = tmp_path_factory.mktemp("clean") / "venv"
    venv.create(home, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    wanted = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8").split()
    # Links to what is installed here, which is what the lock says: nothing is fetched.
    for distribution in needed(wanted):
        for name in {file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")}:
            (site / name).symlink_to(distribution.locate_file(name))
    return str(home / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def run(cells, python, **env):
    """Run code cells in another interpreter, isolated: a cell sees what is installed there, and not our modules."""
    done = subprocess.run(
        [python, "-I", run_cells.__file__],
        input=json.dumps([cell.source for cell in cells if cell.kind == "code"]),
        env=os.environ | {"MPLBACKEND": "agg"} | env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)


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
