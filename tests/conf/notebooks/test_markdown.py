"""The texts of a page in plain Markdown: what becomes of each construct, and which are refused."""

import pytest

from conf.notebooks.markdown import NotPlain, to_markdown


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
            "~~~~{admonition} Mind {given}`2 B`\n:class: tip\n```python\na\n```\n~~~~",
            "> **Mind 2 B**\n>\n> ```python\n> a\n> ```",
        ),
        ("```{dropdown} Answer\nNo.\n```", "<details>\n<summary>Answer</summary>\n\nNo.\n\n</details>"),
        ("```python\n{calc}`2 <1 + 1>`\n(sec-a)=\n```", "```python\n{calc}`2 <1 + 1>`\n(sec-a)=\n```"),
        ("% a comment\n(sec-a)=\n# A", "# A"),
        ("    {calc}`2 <1 + 1>`", "{calc}`2 <1 + 1>`"),  # indented code
        ("<!-- {calc}`2 <1 + 1>` -->", "<!-- {calc}`2 <1 + 1>` -->"),
        ("`` {given}`2` `` is {given}`2`.", "`` {given}`2` `` is 2."),
        ("- One is {calc}`2\n  <1 + 1>`.\n- Two.", "- One is 2.\n- Two."),
        ("> It is {calc}`2\n> <1 + 1>`\n> so.", "> It is 2\n> so."),
        ("| a | b |\n|---|---|\n| {calc}`3 <1 \\| 2>` | {given}`4` |", "| a | b |\n|---|---|\n| 3 | 4 |"),
        ("[{given}`2` of `it`](#sec-a) and [{given}`3`](https://a.org)", "2 of `it` and [3](https://a.org)"),
        ("\\begin{align}\na &= \\calc{1}{f(1)}\n\\end{align}\nSo.", "\\begin{align}\na &= 1\n\\end{align}\nSo."),
    ],
)
def test_myst_becomes_markdown(source, text):
    assert to_markdown(source) == text


@pytest.mark.parametrize(
    ("source", "line", "why"),
    [
        ("One.\n\n```{figure} a.png\n```", 2, "the directive figure has no plain form"),
        ("One.\n\nSee {numref}`tab-a`.", 2, r"write \[words\]\(#label\)"),
        ("One.\nBy {cite}`someone`.", 1, "say it in words"),
        ("One.\n\n```{note}\nSee {eq}`eq-a`.\n```", 3, r"write \[words\]\(#label\)"),
        ("One.\n\nSee [](#sec-a).", 2, r"write \[words\]\(#label\)"),
        ("See [it][a].\n\n[a]: #sec-a", 0, r"write \[words\]\(#label\)"),
        ("See [it](other.md).", 0, r"write \[words\]\(#label\)"),
        ("One.\n\n- two\n\n  ```{note}\n  Three.\n  ```", 4, "note is in a list or quotation"),
        ("One.\n\n:::wide\nTwo.\n:::", 2, "a block between colons has no plain form"),
        ("One.\n\nterm\n: what it is", 2, "a definition list has no plain form"),
        ("One.[^a]\n\n[^a]: Two.", 0, "a footnote has no plain form"),
        ("One.\n\n{#sec-a}\n# Two", 3, "an attribute has no plain form"),
        ("One\n[two]{.wide}.", 1, "a text with attributes has no plain form"),
        ("One\n[two](https://a.org){.wide}.", 1, "an attribute has no plain form"),
    ],
)
def test_what_has_no_plain_form_is_refused_by_line(source, line, why):
    with pytest.raises(NotPlain, match=why) as refused:
        to_markdown(source)
    assert refused.value.line == line
