"""Where a page makes a promise, and on which line: the grammar that Sphinx and pytest share."""

import textwrap

import pytest

from conf.numbers.grammar import Check, Doctest, Names, Text, scan, split_calc


def page(text: str) -> str:
    """Take the indentation of the test off a page, so that line 1 is the first line below the quotes."""
    return textwrap.dedent(text).removeprefix("\n")


def checks(text: str) -> list[Check]:
    return [item for item in scan(page(text)) if isinstance(item, Check)]


def found(text: str) -> list[tuple[str, str, int]]:
    return [(check.shown, check.expr, check.line) for check in checks(text)]


FORMS = {
    "in prose": ("It is {calc}`8 <2 * 4>`.", [("8", "2 * 4", 1)]),
    "two in a line": ("{calc}`8 <f(8)>` and {calc}`9 <g(9)>`", [("8", "f(8)", 1), ("9", "g(9)", 1)]),
    "in a heading": ("# Why {calc}`8 <2 * 4>`", [("8", "2 * 4", 1)]),
    "in emphasis": ("**{calc}`8 <2 * 4>`**", [("8", "2 * 4", 1)]),
    "in a list": ("\n- one\n- {calc}`8 <2 * 4>`", [("8", "2 * 4", 2)]),
    "in a quotation": ("\n> one\n> {calc}`8 <2 * 4>`", [("8", "2 * 4", 2)]),
    "in a table": ("\n| a | b |\n|---|---|\n| 1 | {calc}`8 <2 * 4>` |", [("8", "2 * 4", 3)]),
    "in a footnote": ("\nText.[^a]\n\n[^a]: So {calc}`8 <2 * 4>`.", [("8", "2 * 4", 3)]),
    "over two lines": ("\nIt is {calc}`4.2 ms\n<14e9 / f>`.", [("4.2 ms", "14e9 / f", 1)]),
    "its expression over two lines": ("\nIt is {calc}`8 <f(1,\n  2)>`.", [("8", "f(1, 2)", 1)]),
    "with a comparison": ("{calc}`7 <sum(a < 3 for a in b)>`", [("7", "sum(a < 3 for a in b)", 1)]),
    "with an arrow": ("{calc}`7 <len(a) if a > 3 else 0>`", [("7", "len(a) if a > 3 else 0", 1)]),
    "with double backticks": ("{calc}``8 <f('`')>``", [("8", "f('`')", 1)]),
    "in a directive": ("\n```{note}\nIt is {calc}`8 <2 * 4>`.\n```", [("8", "2 * 4", 2)]),
    "in its title": (":::{admonition} Why {calc}`8 <2 * 4>`\nText.\n:::", [("8", "2 * 4", 1)]),
    "below its options": ("\n```{prf:theorem}\n:label: thm-t\n\n{calc}`8 <2 * 4>`\n```", [("8", "2 * 4", 4)]),
    "in a colon fence": ("\n:::{tip}\nIt is {calc}`8 <2 * 4>`.\n:::", [("8", "2 * 4", 2)]),
    "in a nested directive": (
        "\n````{note}\n```{tip}\n{calc}`8 <2 * 4>`\n```\n{calc}`9 <3 * 3>`\n````",
        [("8", "2 * 4", 3), ("9", "3 * 3", 5)],
    ),
    "in inline maths": (r"$B^* = \calc{344.9}{f(8)}$", [("344.9", "f(8)", 1)]),
    "in display maths": ("\n$$\n\\calc{1}{f(1)} +\n\\calc{2}{f(2)}\n$$ (eq-a)", [("1", "f(1)", 2), ("2", "f(2)", 3)]),
    "in a math block": ("\n```{math}\n:label: eq-a\n\na = \\calc{1}{f(1)}\n```", [("1", "f(1)", 4)]),
    "in a math role": (r"{math}`a = \calc{1}{f(1)}`", [("1", "f(1)", 1)]),
    "in an environment": ("\n\\begin{align}\na &= \\calc{1}{f(1)}\n\\end{align}", [("1", "f(1)", 2)]),
    "in maths in a table": ("\n| a |\n|---|\n| $\\calc{1}{f(1)}$ |", [("1", "f(1)", 3)]),
    "with braces in its expression": (r"$\calc{2}{len({1: 2, 3: 4})}$", [("2", "len({1: 2, 3: 4})", 1)]),
    "twice in one formula": (r"$\frac{\calc{1}{a}}{\calc{2}{b}}$", [("1", "a", 1), ("2", "b", 1)]),
    "in the caption of a cell": (
        '\n```{code-cell}\n:tags: [hide-input]\nshow(t, label="tab-t",\n     caption="So {calc}`8 <2 * 4>`.")\n```',
        [("8", "2 * 4", 4)],
    ),
    "in a long caption of a cell": (
        '\n```{code-cell}\nshow(\n  t,\n  caption=(\n    "Some words. "\n    "So {calc}`8 <2 * 4>`."\n  ),\n)\n```',
        [("8", "2 * 4", 5)],
    ),
    "after front matter": ("---\na: b\n---\n\nIt is {calc}`8 <2 * 4>`.", [("8", "2 * 4", 5)]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS.values(), ids=FORMS.keys())
def test_a_checked_number_is_found_on_its_line(text, expected):
    assert found(text) == expected


NOT_CHECKS = {
    "source of a role in double backticks": "Write ``{calc}`8 <2 * 4>` `` for it.",
    "a code fence": "\n```markdown\nIt is {calc}`8 <2 * 4>`.\n```",
    "a longer code fence": "\n````md\n```{note}\n{calc}`8 <2 * 4>`\n```\n````",
    "a fence without a language": "\n```\n{calc}`8 <2 * 4>`\n```",
    "tildes": "\n~~~text\n{calc}`8 <2 * 4>`\n~~~",
    "a code block": "\n```{code-block} markdown\n{calc}`8 <2 * 4>`\n```",
    "a code cell": "\n```{code-cell}\ntext = '{calc}`8 <2 * 4>`'\n```",
    "an unfinished cell": "\n```{code-cell}\nshow(caption='{calc}`8 <2 * 4>`'\n```",
    "TeX in a fence": "\n```latex\n$\\calc{1}{f(1)}$\n```",
    "TeX in inline code": r"Write `\calc{1}{f(1)}`.",
    "a longer macro": r"$\calculate{1}{f(1)}$",
    "a comment": "% {calc}`8 <2 * 4>`",
    "a given number": "{given}`80 GB`",
}


@pytest.mark.parametrize("text", NOT_CHECKS.values(), ids=NOT_CHECKS.keys())
def test_what_only_looks_like_a_check_is_none(text):
    assert found(text) == []


MALFORMED = {
    "no expression": "\nIt is {calc}`8`.",
    "nothing shown": "\nIt is {calc}`<2 * 4>`.",
    "an empty expression": "\nIt is {calc}`8 <>`.",
    "no closing bracket": "\nIt is {calc}`8 <2 * 4`.",
    "one argument in maths": "\nIt is $\\calc{8}$.",
    "an open brace in maths": "\nIt is $\\calc{8}{f(8)$.",
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_check_is_a_fault_with_advice(text):
    (check,) = checks(text)
    assert "is no checked number; write shown <expression>" in check.fault
    assert check.line == 1


def test_a_well_formed_check_has_no_fault():
    assert [check.fault for check in checks("{calc}`8 <2 * 4>` and $\\calc{8}{2 * 4}$")] == ["", ""]


@pytest.mark.parametrize(
    ("content", "pair"),
    [
        ("8 <2 * 4>", ("8", "2 * 4")),
        ("  4.2   ms  <a\n + b> ", ("4.2 ms", "a + b")),
        ("8<f(8)>", ("8", "f(8)")),
        ("8", None),
        ("<f(8)>", None),
        ("", None),
    ],
    ids=["plain", "white space", "no space", "no expression", "nothing shown", "empty"],
)
def test_split_calc(content, pair):
    assert split_calc(content) == pair


def test_names_have_the_line_of_their_first_assignment():
    text = page(
        """
        # Title

        ```{names}
        A = 1
        B = 2
        ```
        """
    )
    (names,) = (item for item in scan(text) if isinstance(item, Names))
    assert (names.source, names.line) == ("A = 1\nB = 2\n", 4)


@pytest.mark.parametrize("opening", ["```python", "```pycon", "```{doctest}", "~~~python", "````python"])
def test_examples_are_found_in_fences(opening):
    mark = opening.rstrip("{}abcdefghijklmnopqrstuvwxyz")
    (block,) = (item for item in scan(f"Text.\n\n{opening}\n>>> 1 + 1\n2\n{mark}\n") if isinstance(item, Doctest))
    assert (block.source, block.line) == (">>> 1 + 1\n2\n", 4)


def test_examples_are_found_in_directives():
    text = "````{note}\nSo:\n\n```python\n>>> 1 + 1\n2\n```\n````\n"
    assert [item.line for item in scan(text) if isinstance(item, Doctest)] == [5]


def test_code_without_a_prompt_is_no_example():
    assert not [item for item in scan("```python\nx = 1\n```\n") if isinstance(item, Doctest)]


def test_what_is_left_for_the_lint_has_no_code_no_roles_and_no_maths():
    (maths, prose) = (item for item in scan("It `4.2 ms` is {calc}`8 <2 * 4>` of $3.5$.") if isinstance(item, Text))
    assert "4.2" not in prose.text
    assert "8" not in prose.text
    assert "3.5" not in prose.text
    assert (maths.text, maths.kind) == ("3.5", "maths")


def test_items_come_in_the_order_of_the_page():
    items = scan("{calc}`1 <a>` $\\calc{2}{b}$\n\n```{names}\nA = 1\n```\n\n{calc}`3 <c>`")
    assert [(type(item), item.line) for item in items if not isinstance(item, Text)] == [
        (Check, 1), (Check, 1), (Names, 4), (Check, 7),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "\n", "```", "```{note}", "$", "{calc}`", "---", "---\na: b"])
def test_an_unfinished_page_is_no_crash(text):
    scan(text)


def test_windows_line_ends_do_not_shift_lines():
    assert [(c.shown, c.line) for c in scan("# T\r\n\r\n{calc}`8 <2 * 4>`\r\n") if isinstance(c, Check)] == [("8", 3)]
