"""`show` refuses what a page could not link to, and writes what the directives read."""

import subprocess
import sys
from pathlib import Path

import pytest

from figures import four_steps, show
from roofline import InvalidValue, tables
from roofline.tables import Cell, Table

ROOT = Path(__file__).parents[2]
TABLE = Table(("n", "|x|"), ((Cell("from", then=Cell("6", "3 * 2")), Cell("1 | 2")),))


@pytest.mark.parametrize(
    "label",
    ["", "fig-sum", "sum", "tab-", "tab-Sum", "tab_sum", "tab-a b", "tab--a", "tab-a-", "tab-é", " tab-a", None, 3],
)
def test_a_malformed_label_is_refused_in_one_sentence(label):
    with pytest.raises(InvalidValue, match=r"^label is .*; a Table needs one such as 'tab-ridge-points'$"):
        show(TABLE, label, "A caption.")


def test_a_drawing_needs_a_label_for_drawings():
    with pytest.raises(InvalidValue, match="a Drawing needs one such as 'fig-one-gpu'"):
        show(four_steps.draw(), "tab-four-steps", "A caption.")


@pytest.mark.parametrize("caption", ["", "  \n", None])
def test_an_empty_caption_is_refused(caption):
    with pytest.raises(InvalidValue, match=r"^caption of tab-sum is .*; say in a sentence what to see in it$"):
        show(TABLE, "tab-sum", caption)


def test_something_else_is_refused():
    with pytest.raises(InvalidValue, match=r"^'<svg/>' is a str; show takes a Drawing or a Table$"):
        show("<svg/>", "fig-one", "A caption.")


def test_cells_carry_their_working_and_bars_are_escaped():
    assert show(TABLE, "tab-sum", "A caption.").to_myst().splitlines()[3:-1] == [
        r"| n | \|x\| |",
        "| :--- | ---: |",
        r"| from {calc}`6 <3 * 2>` | 1 \| 2 |",
    ]


def test_every_worked_table_has_one_line_for_each_row():
    for make in tables.WORKED.values():
        table = make()
        assert len(show(table, "tab-x", "A caption.").to_myst().splitlines()) == len(table.rows) + 6


def test_a_caption_is_one_paragraph_whatever_its_line_ends():
    assert show(TABLE, "tab-sum", "A\n\n  caption.").caption == "A caption."


def test_a_notebook_gets_html_with_the_caption_in_plain_words():
    bundle = show(four_steps.draw(), "fig-x", "At {calc}`2 <1 + 1>` & more.")._repr_mimebundle_()
    assert set(bundle) == {"text/markdown", "text/html", "text/plain"}
    assert "<figcaption>At 2 &amp; more.</figcaption>" in bundle["text/html"]
    assert "<summary>Show the data</summary><table>" in bundle["text/html"]
    assert "<svg" not in bundle["text/plain"]


def test_importing_figures_loads_nothing_and_showing_a_table_no_matplotlib():
    script = (
        "import sys, figures; assert not {'numpy', 'roofline', 'matplotlib'} & set(sys.modules)\n"
        "from figures import show, one_gpu, one_layer, intensity_vs_batch, four_steps\n"
        "from roofline.tables import ridge_points\n"
        "show(ridge_points(), 'tab-r', 'R.')._repr_mimebundle_(); assert 'matplotlib' not in sys.modules\n"
        "one_gpu.draw(); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
