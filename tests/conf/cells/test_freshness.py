"""The outputs of a page are computed again when the code changes that they came from, and only then."""

import os

import pytest

from conf.cells.freshness import KEPT, prune


def test_old_caches_go_and_the_current_one_stays(tmp_path):
    for age, name in enumerate("abcdef"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (age, age))
    prune(tmp_path, keep=tmp_path / "a")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "e", "f"]
    assert KEPT == 3


PAGE = """\
# A page

```{code-cell} python
from lesson import answer
print("the answer is", answer())
```
"""


@pytest.mark.slow
def test_a_package_edit_shows_in_the_next_incremental_build(small_site):
    small_site.write("lesson.py", "def answer():\n    return 41\n")
    small_site.page("index", PAGE)
    assert small_site.build().returncode == 0
    assert "the answer is 41" in small_site.html()

    small_site.write("lesson.py", "def answer():\n    return 42\n")
    again = small_site.build()
    assert again.returncode == 0, again.stdout + again.stderr
    assert "the answer is 42" in small_site.html()


@pytest.mark.slow
def test_a_directive_edit_has_pages_read_again_but_not_executed(small_site):
    small_site.write(
        "conf/conf.py",
        (small_site.root / "conf/conf.py").read_text()
        + 'extensions.append("shout")\nfreshness_directives = ["shout.py"]\n',
    )
    extension = """
from docutils import nodes
def shout(name, rawtext, text, lineno, inliner, options={{}}, content=[]):
    return [nodes.Text(text + "{mark}")], []
def setup(app):
    app.add_role("shout", shout)
"""
    small_site.write("lesson.py", "def answer():\n    return 41\n")
    small_site.write("shout.py", extension.format(mark="!"))
    small_site.page("index", PAGE + "\n{shout}`Hey`\n")
    first = small_site.build()
    assert first.stdout.count("Executed notebook in") == 1, first.stderr
    assert "Hey!" in small_site.html()

    small_site.write("shout.py", extension.format(mark=", you!"))
    again = small_site.build()
    assert again.returncode == 0, again.stdout + again.stderr
    assert "Hey, you!" in small_site.html()
    assert "the answer is 41" in small_site.html()
    assert "Executed notebook in" not in again.stdout


@pytest.mark.slow
def test_a_fault_makes_each_build_red_again_strict_or_not(small_site):
    small_site.page("index", "# A page\n\n```{code-cell} python\n1 / 0\n```\n\nSee {ref}`sec-nowhere`.\n")
    for gate in (True, False, False, True):
        built = small_site.build(gate=gate)
        assert built.returncode != 0
        assert "index.md:10" in built.stderr
        assert "ZeroDivisionError: division by zero" in built.stderr
        assert "index.md:13" in built.stderr
        assert "undefined label: 'sec-nowhere'" in built.stderr


@pytest.mark.slow
def test_an_asked_for_parallel_build_works(small_site):
    theorem = (
        "# Page {}\n\n```{{prf:theorem}} T\n:label: thm-{}\nTrue.\n```\n\n```{{code-cell}} python\nprint(2 + 2)\n```\n"
    )
    names = [f"page{n}" for n in range(6)]
    for name in names:
        small_site.page(name, theorem.format(name, name))
    small_site.write("docs/index.md", "# Start\n\n```{toctree}\n" + "\n".join(names) + "\n```\n")
    built = small_site.build("-j", "2", gate=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "one after the other" in built.stdout
