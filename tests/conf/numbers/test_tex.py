"""TeX as the checks read it: a quantity as in prose, and a macro with its arguments."""

import pytest

from conf.numbers.tex import from_tex, tex_macro

TEX = {
    "plain": (r"344.9", "344.9"),
    "a space and a unit": (r"4.2\ \text{ms}", "4.2 ms"),
    "a thin space": (r"4.2\,\mathrm{ms}", "4.2 ms"),
    "the space in the unit": (r"4.2\text{ ms}", "4.2 ms"),
    "thousands": (r"1{,}979\,\text{TFLOP/s}", "1,979 TFLOP/s"),
    "plain thousands": (r"16,384\,\text{B}", "16,384 B"),
    "about": (r"\approx 300", "≈ 300"),
    "percent": (r"0.3\%", "0.3%"),
    "times": (r"1.6\times", "1.6×"),
    "a power": (r"10^8", "10⁸"),
    "a power in braces": (r"10^{-12}", "10⁻¹²"),
    "scientific": (r"4 \times 10^{8}\,\text{B}", "4 × 10⁸ B"),
    "micro": (r"119\,\mu\text{s}", "119 µs"),
    "micro as a letter": (r"119\,\text{µs}", "119 µs"),
    "infinity": (r"\infty", "∞"),
    "text": (r"\text{memory-bound}", "memory-bound"),
}


@pytest.mark.parametrize(("tex", "prose"), TEX.values(), ids=TEX.keys())
def test_a_quantity_in_tex_reads_as_in_prose(tex, prose):
    assert from_tex(tex) == prose


def test_tex_macro_gives_fewer_arguments_where_one_is_missing():
    assert [arguments for _, _, arguments in tex_macro(r"\calc{8} + \calc{9}{g}", "calc", 2)] == [["8"], ["9", "g"]]
