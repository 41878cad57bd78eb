"""The checker and the page agree on what is a checked number: as many as the grammar finds are in the doctree."""

import pickle

import pytest
from docutils import nodes

from conf.conf import myst_enable_extensions
from conf.numbers.grammar import Check, scan
from conf.numbers.roles import checked
from tests.conf.conftest import SmallSite, settings

SETTINGS = settings("conf.numbers", myst_enable_extensions=myst_enable_extensions)

#: A source, and how many checked numbers a reader finds in it.
SOURCES = {
    "prose": ("It is {calc}`8 <2 * 4>`.", 1),
    "over two lines": ("It is {calc}`8\n<2 * 4>`.", 1),
    "over two paragraphs": ("It is {calc}`8\n\n<2 * 4>`.", 0),
    "a heading": ("# Why {calc}`8 <2 * 4>`", 1),
    "an underlined heading": ("Why {calc}`8 <2 * 4>`\n=====", 1),
    "a list with a lazy line": ("- one\nand {calc}`8 <2 * 4>`", 1),
    "a definition list": ("term\n: So {calc}`8 <2 * 4>`.", 1),
    "a footnote": ("Text.[^a]\n\n[^a]: So {calc}`8 <2 * 4>`.", 1),
    "a cell with an escaped bar": ("| a |\n|---|\n| {calc}`3 <1 \\| 2>` |", 1),
    "a cell with a bare bar": ("| a | b |\n|---|---|\n| {calc}`3 <1 | 2>` |", 0),
    "the text of a link": ("[{calc}`8 <2 * 4>`](https://example.org)", 1),
    "the text of an image": ("![{calc}`8 <2 * 4>`](a.png)", 0),
    "an HTML comment": ("<!-- {calc}`8 <2 * 4>` -->", 0),
    "an HTML comment in a paragraph": ("It is <!-- {calc}`8 <2 * 4>` --> so.", 0),
    "an HTML block": ("<div>\n{calc}`8 <2 * 4>`\n</div>", 0),
    "a comment": ("% {calc}`8 <2 * 4>`", 0),
    "an indented comment": ("Text.\n\n  % {calc}`8 <2 * 4>`", 0),
    "a comment inside a paragraph": ("It is\n% {calc}`8 <2 * 4>`\nso.", 0),
    "a percent sign inside a line": ("It is % {calc}`8 <2 * 4>`.", 1),
    "a block break": ("+++ {calc}`8 <2 * 4>`", 0),
    "front matter": ("---\ntitle: '{calc}`8 <2 * 4>`'\n---\n\nText.", 0),
    "indented code": ("Text.\n\n    {calc}`8 <2 * 4>`", 0),
    "code": ("Write `` {calc}`8 <2 * 4>` ``.", 0),
    "code across a role": ("Write `a {calc}`8 <2 * 4>` b`.", 0),
    "an escaped brace": (r"It is \{calc}`8 <2 * 4>`.", 0),
    "no closing backtick": ("It is {calc}`8 <2 * 4>.", 0),
    "a fence": ("```\n{calc}`8 <2 * 4>`\n```", 0),
    "a fence that shows a fence": ("````md\n```{note}\n{calc}`8 <2 * 4>`\n```\n````", 0),
    "an indented fence": ("  ```\n  {calc}`8 <2 * 4>`\n  ```\n\n{calc}`8 <2 * 4>`", 1),
    "an unfinished fence": ("```text\n{calc}`8 <2 * 4>`", 0),
    "a fence that another mark does not end": ("```\n~~~\n{calc}`8 <2 * 4>`\n```", 0),
    "a directive": ("```{note}\n{calc}`8 <2 * 4>`\n```", 1),
    "the line of a directive": (":::{note} So {calc}`8 <2 * 4>`.\n:::", 1),
    "a title": (":::{admonition} Why {calc}`8 <2 * 4>`\nText.\n:::", 1),
    "a fence with a backtick in its line": ("```{note} So {calc}`8 <2 * 4>`.\n    {calc}`8 <2 * 4>`\n```", 2),
    "an option": ("```{note}\n:class: {calc}`8 <2 * 4>`\n\nText.\n```", 0),
    "options in YAML": ("```{note}\n---\nclass: '{calc}`8 <2 * 4>`'\n---\n{calc}`8 <2 * 4>`\n```", 1),
    "nested directives": ("````{note}\n{calc}`8 <2 * 4>`\n\n```{tip}\n{calc}`8 <2 * 4>`\n```\n````", 2),
    "a directive in a list": ("- one\n\n  ```{note}\n  {calc}`8 <2 * 4>`\n  ```", 1),
    "colons": (":::{note}\n{calc}`8 <2 * 4>`\n:::", 1),
    "colons in colons": ("::::{note}\n:::{tip}\n{calc}`8 <2 * 4>`\n:::\n::::", 1),
    "plain colons": (":::wide\n{calc}`8 <2 * 4>`\n:::", 1),
    "a list table": (":::{list-table} So {calc}`8 <2 * 4>`.\n* - a\n  - {calc}`8 <2 * 4>`\n:::", 2),
    "a code block": ("```{code-block} text\n{calc}`8 <2 * 4>`\n```", 0),
    "maths": (r"So $a = \calc{8}{2 * 4}$.", 1),
    "maths with a dollar": (r"So $\$ \calc{8}{2 * 4}$.", 1),
    "maths with spaces": (r"So $ \calc{8}{2 * 4} $.", 1),
    "an escaped dollar": (r"So \$ \calc{8}{2 * 4}$.", 0),
    "a role between dollars": ("From $5 to {calc}`8 <2 * 4>` $ in all.", 0),
    "dollars in code": (r"Write `$\calc{8}{2 * 4}$`.", 0),
    "display maths": ("$$\n\\calc{8}{2 * 4}\n$$ (eq-a)", 1),
    "display maths in a quotation": ("> $$\n> \\calc{8}{2 * 4}\n> $$", 1),
    "display maths in a line": (r"So $$\calc{8}{2 * 4}$$ it is.", 1),
    "display maths with an empty line": ("$$\na\n\n\\calc{8}{2 * 4}\n$$", 1),
    "a math role": (r"{math}`\calc{8}{2 * 4}`", 1),
    "a math directive": ("```{math}\n:label: eq-b\n\n\\calc{8}{2 * 4}\n```", 1),
    "an environment": ("\\begin{align}\n\\calc{8}{2 * 4}\n\\end{align}", 1),
    "an environment in a list": ("- \\begin{align}\n  \\calc{8}{2 * 4}\n  \\end{align}", 1),
}


@pytest.fixture(scope="module")
def doctrees(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("agreement"))
    site.write("conf/conf.py", SETTINGS)
    site.write("docs/index.md", "# Home")
    for number, (source, _) in enumerate(SOURCES.values()):
        site.write(f"docs/page-{number}.md", source)
    site.build("-b", "dummy")
    return site.root / "build" / "doctrees"


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_the_checker_finds_what_the_page_shows(doctrees, name):
    source, count = SOURCES[name]
    written = doctrees / f"page-{list(SOURCES).index(name)}.doctree"
    tree = pickle.loads(written.read_bytes())  # noqa: S301 - what Sphinx has just written
    in_maths = sum(len(node.get("calc", ())) for kind in (nodes.math, nodes.math_block) for node in tree.findall(kind))
    assert len(list(tree.findall(checked))) + in_maths == count
    assert sum(isinstance(item, Check) for item in scan(source)) == count
