"""A number that nothing checks is a claim without proof; a name that holds a number is none."""

import pytest

from conf.numbers.grammar import scan
from conf.numbers.lint import unchecked
from roofline import devices
from roofline.catalog import models


def numbers(text: str) -> list[tuple[str, int]]:
    return [(found.text, found.line) for found in unchecked(scan(text))]


CLAIMS = {
    "a time": ("It takes 4.2 ms.", "4.2 ms"),
    "a whole time": ("It takes 119 µs.", "119 µs"),
    "the other micro": ("It takes 119 μs.", "119 μs"),
    "a time in seconds": ("It takes 3 s.", "3 s"),
    "a time in words": ("It takes 3 seconds.", "3 seconds"),
    "a rate": ("A peak of 989 TFLOP/s.", "989 TFLOP/s"),
    "a rate with a comma": ("A peak of 1,979 TFLOP/s.", "1,979 TFLOP/s"),
    "a rate in capitals": ("A peak of 989 TFLOPS.", "989 TFLOPS"),
    "a bandwidth": ("With 3.35 TB/s.", "3.35 TB/s"),
    "bytes": ("It moves 16,384 B.", "16,384 B"),
    "bytes in words": ("It moves 4 bytes.", "4 bytes"),
    "gigabytes": ("It holds 80 GB.", "80 GB"),
    "gigabytes without a space": ("It holds 80GB.", "80GB"),
    "binary megabytes": ("It holds 50 MiB.", "50 MiB"),
    "an intensity": ("At 295 FLOP/byte.", "295 FLOP/byte"),
    "a rate of tokens": ("At 240 tokens/s.", "240 tokens/s"),
    "a hyphen before the unit": ("The 14-GB model.", "14-GB"),
    "a no-break space": ("It takes 4 ms.".replace("4 ms", "4\u00a0ms"), "4 ms"),
    "a decimal": ("The threshold is 344.9.", "344.9"),
    "a decimal at the end": ("The threshold is 344.9", "344.9"),
    "about": ("It is ≈ 9.6.", "9.6"),
    "a percentage": ("It is 3% slower.", "3%"),
    "a percentage with a space": ("It is 3 % slower.", "3 %"),
    "a range": ("Peaks of 70–80%.", "80%"),
    "a factor": ("It is 1.6× faster.", "1.6×"),
    "a whole factor": ("It is 2× faster.", "2×"),
    "scientific": ("It does 4 × 10⁸ of them.", "4 × 10⁸"),
    "a prefix alone": ("It has 33 M of them.", "33 M"),
    "in a heading": ("# Why 4.2 ms", "4.2 ms"),
    "in bold": ("It takes **4.2 ms**.", "4.2 ms"),
    "in brackets": ("It is slow (4.2 ms).", "4.2 ms"),
    "in quotes": ('It says "4.2 ms".', "4.2 ms"),
    "in a table": ("| a |\n|---|\n| 4.2 ms |", "4.2 ms"),
    "in the text of a link": ("See [the 4.2 ms](#sec-a).", "4.2 ms"),
    "in a title": ("```{admonition} Why 4.2 ms\nText.\n```", "4.2 ms"),
    "in a directive": ("```{note}\nIt takes 4.2 ms.\n```", "4.2 ms"),
    "in a description": ('---\nmyst: {html_meta: {description: "Why 4.2 ms"}}\n---\n', "4.2 ms"),
    "in a caption": ('```{code-cell}\nshow(t, caption="It takes 4.2 ms.")\n```', "4.2 ms"),
    "a decimal in maths": ("$B = 344.9$", "344.9"),
    "a decimal in display maths": ("$$\nB = 344.9\n$$", "344.9"),
    "a unit in maths": (r"$t = 4\,\text{ms}$", r"4\,\text{ms}"),
    "a unit in roman": (r"$t = 4\ \mathrm{TB/s}$", r"4\ \mathrm{TB/s}"),
    "a percentage in maths": (r"$3\%$", r"3\%"),
    "a factor in maths": (r"$2\times$", r"2\times"),
    "in a math role": ("{math}`B = 344.9`", "344.9"),
    "in a math block": ("```{math}\nB = 344.9\n```", "344.9"),
    "beside a check": ("{calc}`8 <2 * 4>` of 4.2 ms", "4.2 ms"),
}


@pytest.mark.parametrize(("text", "claim"), CLAIMS.values(), ids=CLAIMS.keys())
def test_a_claim_is_found(text, claim):
    assert [found for found, _ in numbers(text)] == [claim]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n\nIt takes 4.2 ms.", 3),
        ("One.\nTwo takes\n4.2 ms.", 3),
        ("---\ntitle: x\n---\n\nIt takes 4.2 ms.", 5),
        ("# T\n\n````{note}\n```{tip}\nIt takes 4.2 ms.\n```\n````", 5),
        ("# T\n\n$$\na = b \\\\\nB = 344.9\n$$", 5),
        ('---\nfile_format: mystnb\nmyst: {html_meta: {description: "4.2 ms"}}\n---\n', 3),
        ('# T\n\n```{code-cell}\n:tags: [a]\n\nshow(t,\n  caption="4.2 ms")\n```', 7),
    ],
    ids=["prose", "a paragraph", "front matter", "nested", "maths", "description", "caption"],
)
def test_a_claim_has_its_line(text, line):
    assert [found for _, found in numbers(text)] == [line]


def test_each_claim_of_a_line_is_found():
    assert [found for found, _ in numbers("From 4.2 ms to 6.9 ms, or 1.6×.")] == ["4.2 ms", "6.9 ms", "1.6×"]


def test_the_advice_can_be_pasted():
    (found,) = unchecked(scan("It takes 4.2 ms."))
    assert "{calc}`4.2 ms <expression>`" in str(found)
    assert "{given}`4.2 ms`" in str(found)


NO_CLAIMS = {
    "a whole number": "For D = 4096 and 8 heads.",
    "a number with a comma": "A batch of 1,024.",
    "a shape": "A 4096 × 4096 matrix.",
    "a shape of three": "It is 1 × 4096 × 14336.",
    "a tight shape": "A 4096×4096 matrix.",
    "a year": "In 2024.",
    "a section": "Steps 1 to 7.",
    "an ordered list": "1. One\n2. Two",
    "a checked number": "It takes {calc}`4.2 ms <14e9 / 3.35e12>`.",
    "a given number": "It holds {given}`80 GB`.",
    "a given number in maths": r"$t = \given{3.35}$",
    "a checked number in maths": r"$t = \calc{4.2\,\text{ms}}{14e9 / 3.35e12}$",
    "a whole number in maths": r"$2BDF / 8$",
    "a product in maths": r"$4096 \times 4096$",
    "inline code": "Write `4.2 ms`.",
    "a code block": "```python\nx = 4.2  # ms\n```",
    "a fence": "```text\n4.2 ms\n```",
    "a code cell": "```{code-cell}\nx = 4.2\n```",
    "the address of a link": "See [it](https://example.org/v1.2/4.2ms.html).",
    "a bare address": "See <https://example.org/v1.2/4.2>.",
    "a reference": "See {prf:ref}`thm-4.2`.",
    "a label": "(sec-4.2)=\n# Title",
    "an option": "```{figure} a-1.5.png\n:width: 4.5em\nText.\n```",
    "an option in percent": "```{image} a.png\n:width: 80%\n```",
    "HTML": '<img width="4.5%">',
    "a comment": "% 4.2 ms",
    "a model": "A step of Llama 3.1 8B.",
    "a part of a model's name": "A step of Llama-3.1-8B.",
    "a variant's size": "On an A100 SXM 80 GB.",
    "a format": "In bf16, fp8 and int4, or W4A16.",
    "a version of Python": "With Python 3.11.",
    "a licence": "Under CC BY 4.0.",
    "a word with a digit": "The L2, HBM3 and PCIe5.",
}


@pytest.mark.parametrize("text", NO_CLAIMS.values(), ids=NO_CLAIMS.keys())
def test_what_is_no_claim_passes(text):
    assert numbers(text) == []


@pytest.mark.parametrize("name", [entry.name for entry in (*devices(), *models())])
def test_a_name_of_the_catalog_is_no_claim(name):
    assert numbers(f"On an {name}, and on the **{name}**: yes.") == []
