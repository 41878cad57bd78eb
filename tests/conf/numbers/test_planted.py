"""One wrong example of every kind, planted in a small site: both gates refuse each, and name its file and line.

Beside each wrong page stands the same page with what is right; neither gate says a word about it.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tests.conf.conftest import HEAD, ROOT, SmallSite, settings

SETTINGS = settings(
    "conf.cells.interpreter",
    "conf.cells.freshness",
    "conf.numbers",
    "conf.theme.mathml",
    freshness_inputs=[],
    myst_enable_extensions=["amsmath", "dollarmath"],
    html_math_renderer="mathml",
    suppress_warnings=["myst-nb.lexer"],  # only a cell that ran has a language; captions are read from the source
)

PACKAGE = '''\
"""A package whose docstrings a page shows."""


def wrong(number):
    """Return twice a number.

    Examples
    --------
    >>> wrong(4)
    9
    """
    return 2 * number


def right(number):
    """Return twice a number.

    Examples
    --------
    >>> right(4)
    8
    """
    return 2 * number
'''

API = "(api)=\n# API\n\n```{eval-rst}\n.. autofunction:: small.wrong\n.. autofunction:: small.right\n```\n"

NAMES = """\
```{names}
H100 = device("H100 SXM").roof("bf16")
```

"""


@dataclass(frozen=True)
class Planted:
    """A page, in which RIGHT stands for what is right and NAME for a label, and what goes wrong there."""

    page: str
    right: str
    wrong: str
    sentence: str


KINDS = {
    "prose": Planted(
        "A step takes RIGHT.",
        "{calc}`4.2 ms <14e9 / H100.bandwidth>`",
        "{calc}`7.2 ms <14e9 / H100.bandwidth>`",
        "the page says 7.2 ms, the code gives 4.1791 ms: 14e9 / H100.bandwidth",
    ),
    "inline-maths": Planted(
        "So $B^* = RIGHT$.",
        r"\calc{344.9}{critical_batch(4096, 4096, H100)}",
        r"\calc{344.8}{critical_batch(4096, 4096, H100)}",
        "the page says 344.8, the code gives 344.949: critical_batch(4096, 4096, H100)",
    ),
    "display-maths": Planted(
        "$$\nR = \\frac{P}{BW} = RIGHT\n$$ (eq-NAME)",
        r"\calc{295\,\text{FLOP/byte}}{H100.ridge}",
        r"\calc{259\,\text{FLOP/byte}}{H100.ridge}",
        "the page says 259 FLOP/byte, the code gives 295.224 FLOP/byte: H100.ridge",
    ),
    "math-block": Planted(
        "```{math}\n:label: eq-NAME\n\nR = RIGHT\n```",
        r"\calc{295}{H100.ridge}",
        r"\calc{294}{H100.ridge}",
        "the page says 294, the code gives 295.224: H100.ridge",
    ),
    "caption-of-a-table": Planted(
        "```{table} The ridge is RIGHT.\n:name: tab-NAME\n\n| a |\n|---|\n| b |\n```",
        "{calc}`295 FLOP/byte <H100.ridge>`",
        "{calc}`285 FLOP/byte <H100.ridge>`",
        "the page says 285 FLOP/byte, the code gives 295.224 FLOP/byte",
    ),
    "caption-of-a-cell": Planted(
        '```{code-cell} ipython3\n:tags: [hide-input]\n\nshow(\n    table,\n    caption="The ridge is RIGHT.",\n)\n```',
        "{calc}`295 FLOP/byte <H100.ridge>`",
        "{calc}`275 FLOP/byte <H100.ridge>`",
        "the page says 275 FLOP/byte, the code gives 295.224 FLOP/byte",
    ),
    "table-cell": Planted(
        "| GPU | ridge |\n|---|---|\n| H100 | RIGHT |",
        "{calc}`295 <H100.ridge>`",
        "{calc}`265 <H100.ridge>`",
        "the page says 265, the code gives 295.224",
    ),
    "heading": Planted(
        "## Why RIGHT",
        "{calc}`345 <ceil(critical_batch(4096, 4096, H100))>`",
        "{calc}`346 <ceil(critical_batch(4096, 4096, H100))>`",
        "the page says 346, the code gives 345",
    ),
    "directive": Planted(
        "````{note}\n```{tip}\nIt is RIGHT.\n```\n````",
        "{calc}`0.25 <elementwise(10**8).intensity>`",
        "{calc}`0.52 <elementwise(10**8).intensity>`",
        "the page says 0.52, the code gives 0.25",
    ),
    "text": Planted(
        "A step is RIGHT.",
        "{calc}`memory-bound <bound(matmul(8, 4096, 4096), H100).regime>`",
        "{calc}`compute-bound <bound(matmul(8, 4096, 4096), H100).regime>`",
        "the page says 'compute-bound', the code gives 'memory-bound'",
    ),
    "prefix-off-by-1000": Planted(
        "ReLU takes RIGHT.",
        "{calc}`119 µs <4e8 / H100.bandwidth>`",
        "{calc}`119 ms <4e8 / H100.bandwidth>`",
        "the page says 119 ms, the code gives 119.403 µs",
    ),
    "last-digit": Planted(
        "It takes RIGHT.",
        "{calc}`11.705 µs <bound(matmul(345, 4096, 4096), H100).compute_time>`",
        "{calc}`11.706 µs <bound(matmul(345, 4096, 4096), H100).compute_time>`",
        "the page says 11.706 µs, the code gives 11.705",
    ),
    "right-number-wrong-expression": Planted(
        "A step takes RIGHT.",
        "{calc}`4.2 ms <14e9 / H100.bandwidth>`",
        "{calc}`4.2 ms <14e9 / H100.peak>`",
        "the page says 4.2 ms, the code gives 14.1557 µs: 14e9 / H100.peak",
    ),
    "misspelt-name": Planted(
        "A step takes RIGHT.",
        "{calc}`4.2 ms <14e9 / H100.bandwidth>`",
        "{calc}`4.2 ms <14e9 / H10.bandwidth>`",
        "there is no name 'H10'; near it: H100",
    ),
    "misspelt-name-in-a-names-block": Planted(
        '```{names}\nhere = 2\nA100 = RIGHT("A100 SXM 80GB").roof("bf16")\n```',
        "device",
        "devise",
        "there is no name 'devise'; near it: Device, device",
    ),
    "malformed": Planted("It is RIGHT.", "{calc}`8 <2 * 4>`", "{calc}`8 2 * 4`", "is no checked number"),
    "unchecked-number": Planted(
        "It takes RIGHT.", "{given}`4.2 ms`", "4.2 ms", "'4.2 ms' is not checked; write {calc}`4.2 ms <expression>`"
    ),
    "unchecked-number-in-maths": Planted("So $t = RIGHT$.", r"\given{344.9}", "344.9", "'344.9' is not checked"),
    "doctest-in-a-page": Planted(
        "```python\n>>> H100.ridge > 295\nTrue\n>>> 2 * 4\nRIGHT\n```", "8", "9", "2 * 4\nExpected:\n    9\nGot:\n    8"
    ),
}


def text(kind: str, *, right: bool) -> str:
    planted = KINDS[kind]
    head = HEAD.format(kernel="python3") if "{code-cell}" in planted.page else ""
    page = planted.page.replace("NAME", f"{kind}-{right}".lower())
    return f"{head}# A page\n\n{NAMES}{page}\n".replace("RIGHT", planted.right if right else planted.wrong)


def line(kind: str) -> int:
    if kind == "misspelt-name-in-a-names-block":
        return 8  # where the block begins; its sentence names the line inside
    page = text(kind, right=False)
    before = page[: page.rindex(KINDS[kind].wrong)].count("\n")
    # An example is named by the line of its prompt, which is the line above its output.
    return before + (0 if kind == "doctest-in-a-page" else 1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("planted"))
    site.write("conf/conf.py", SETTINGS)
    pages = [f"{folder}/{kind}" for kind in KINDS for folder in ("wrong", "right")]
    site.write("docs/index.md", "\n".join(["# Planted\n", "```{toctree}", "api", *pages, "```\n"]))
    site.write("docs/api.md", API)
    site.write("small/__init__.py", PACKAGE)
    for kind in KINDS:
        site.write(f"docs/wrong/{kind}.md", text(kind, right=False))
        site.write(f"docs/right/{kind}.md", text(kind, right=True))
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, site.root)
    return site


def doctest_gate(site: SmallSite) -> subprocess.CompletedProcess[str]:
    """Do what `nox -s doctest` does."""
    options = ["-p", "no:xdist", "-p", "no:hypothesispytest", "-p", "no:cacheprovider"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, "docs", "small"],
        cwd=site.root,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(site.root), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )


def docs_gate(site: SmallSite) -> subprocess.CompletedProcess[str]:
    """Do what `nox -s docs` does."""
    return site.build(gate=True)


@pytest.mark.slow
@pytest.mark.parametrize("gate", [doctest_gate, docs_gate], ids=["nox -s doctest", "nox -s docs"])
def test_each_kind_of_wrong_is_refused_with_file_line_and_cause_and_what_is_right_is_not(site, gate):
    ran = gate(site)
    output = ran.stdout + ran.stderr
    assert ran.returncode == 1, output
    missed = [
        kind
        for kind, planted in KINDS.items()
        if not re.search(rf"\bdocs/wrong/{kind}\.md:{line(kind)}: .*{re.escape(planted.sentence)}", output)
    ]
    assert not missed, output
    docstring = 1 + PACKAGE[: PACKAGE.index(">>> wrong")].count("\n")
    assert re.search(rf"\bsmall/__init__\.py:{docstring}: ", output), output
    assert re.search(r"Expected:\n +9\nGot:\n +8", output), output
    # Nothing else is said: no fault is reported twice or blamed on a neighbour, and none is found in what is right.
    assert re.search(rf"\b{len(KINDS) + 1} (failed|warnings)\b", output), output
    assert not re.search(r"docs/right/\S+\.md:\d", output), output
