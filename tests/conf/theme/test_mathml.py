import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conf.theme.mathml import MathError, render, take_tag, unmark
from tests.conf.conftest import SmallSite, settings

MARKS = {
    "k1": {"shown": "344.9", "expr": "critical_batch(4096, 4096, H100)", "value": "344.926", "source": "a\nb"},
    "k2": {"shown": "x", "expr": 'f("<a>") & 1', "value": "4.2"},
}


def parse(mathml: str) -> ET.Element:
    """Read MathML as XML: balanced tags, escaped attributes. (The one named entity is HTML's own.)"""
    return ET.fromstring("<all>" + mathml.replace("&ApplyFunction;", "").replace("<wbr>", "<wbr/>") + "</all>")  # noqa: S314


def text(mathml: str) -> str:
    return "".join(parse(mathml).itertext())


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{FLOPs} / \text{bytes}",
        r"989\ \mathrm{TFLOP/s}",
        r"a \le b \iff c \ge d",
        r"\boxed{B^* = \frac{RDF}{DF - R(D+F)}}",
        r"\lim_{B \to \infty} I(B) = \frac{DF}{D+F}",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\begin{align} a &= b \\ c &= d \end{align}",
        r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
        r"\left\lceil \frac{x}{y} \right\rceil \approx 10^{8}, \quad \max(a, b) \implies \square",
        r"a &= b \\ &= c",
        "a = b\n\nc = d",
    ],
)
def test_the_tex_that_the_lesson_uses_renders(tex):
    mathml = render(tex, True, {})
    assert parse(mathml)[0].tag == "math"
    assert 'display="block"' in mathml


def test_thousands_are_one_number():
    assert "<mn>1,979</mn>" in render(r"1{,}979\ \text{TFLOP/s}", False, {})
    assert "<mn>33,554,432</mn>" in render(r"33{,}554{,}432", False, {})
    assert "<mn>1,234,567,890</mn>" in render(r"1{,}234{,}567{,}890", False, {})


def test_a_list_of_numbers_stays_a_list():
    assert "<mn>1</mn>" in render("(1,200)", False, {})


@pytest.mark.parametrize(
    ("tex", "says"),
    [
        (r"a + \foo b", r"\foo"),
        (r"\frac{1", "reached end of input"),
        (r"a \tag{1}", "tag"),
        (r"\calcmark{nope}{3}", "'nope' is not known"),
    ],
)
def test_bad_tex_says_what_is_wrong(tex, says):
    with pytest.raises(MathError, match=re.escape(says)):
        render(tex, True, MARKS)


def test_the_message_shows_where():
    with pytest.raises(MathError, match=re.escape(r"near '\foo bcd'")):
        render(r"éé = \foo bcd", False, {})


@pytest.mark.parametrize("display", [True, False])
@pytest.mark.parametrize(
    "tex",
    [
        r"B^* = \calcmark{k1}{344.9}",
        r"\frac{\calcmark{k1}{344.9}}{x^{\calcmark{k1}{344.9}}}",
        r"\begin{aligned} B &= \calcmark{k1}{344.9} \\ C &= 1 \end{aligned}",
        r"\left( \calcmark{k1}{344.9} \right)",
    ],
)
def test_a_checked_number_carries_its_working(tex, display):
    marked = [row for row in parse(render(tex, display, MARKS)).iter("mrow") if row.get("class") == "calc"]
    assert len(marked) == tex.count("calcmark")
    for row in marked:
        assert "".join(row.itertext()) == "344.9"
        assert row.get("data-expr") == MARKS["k1"]["expr"]
        assert row.get("data-value") == "344.926"
        assert row.get("tabindex") == "0"


def test_attributes_are_escaped_and_a_missing_source_is_left_out():
    row = next(r for r in parse(render(r"\calcmark{k2}{4.2\ \text{ms}}", False, MARKS)).iter("mrow") if r.get("class"))
    assert row.get("data-expr") == 'f("<a>") & 1'
    assert "data-source" not in row.attrib
    assert "".join(row.itertext()).replace("\xa0", " ") == "4.2 ms"


def test_a_marked_formula_reads_like_the_plain_one():
    marked = r"x = \calcmark{k1}{-3{,}000} + \calcmark{k2}{\infty}"
    assert text(render(marked, True, MARKS)) == text(render(unmark(marked), True, {}))
    # A sign that starts a checked number stays a sign: no space after it.
    assert '<mo lspace="0" rspace="0">−</mo><mn>3,000' in render(marked, True, MARKS)


def test_a_long_inline_formula_may_break_and_loses_nothing():
    tex = r"T = \max(\text{FLOPs}/P, \text{bytes}/W) = 11.7\ \text{µs} + 3.0\ \text{µs} \le 20\ \text{µs}"
    broken = render(tex, False, {})
    assert "<wbr>" in broken
    assert text(broken) == text(render(tex, True, {}))
    assert "<wbr>" not in render("I = a / b", False, {})


@given(
    st.lists(
        st.sampled_from(["x", "+", "=", r"\frac{a}{b}", r"\text{ab cd}", "12", r"x_{ij}", ",", r"\calcmark{k1}{3}"])
    )
)
def test_breaking_keeps_every_formula_whole(parts):
    tex = " ".join(parts)
    assert text(render(tex, False, MARKS)) == text(render(tex, True, MARKS))


def test_tags():
    assert take_tag(r"a = b \tag{1}") == ("a = b ", "(1)")
    assert take_tag(r"a = b \tag*{$\ast$}") == ("a = b ", r"$\ast$")
    assert take_tag("a = b") == ("a = b", None)
    with pytest.raises(MathError, match="more than one"):
        take_tag(r"a \tag{1} \\ b \tag{2}")


def test_unmark_handles_braces_and_nesting():
    assert unmark(r"\frac{\calcmark{a}{1{,}979}}{2}") == r"\frac{1{,}979}{2}"
    with pytest.raises(MathError, match="never closed"):
        unmark(r"\calcmark{a}{1")


PAGES = {
    "index": """\
# Page

See {eq}`eq-bound`.

$$
a \\le b
$$ (eq-bound)

```{math}
:label: eq-x
c = \\text{d}
```

$$ e = f \\tag{*} $$

```{toctree}
bad
tagged
```
""",
    "bad": "# Page\n\nText.\n\nBad: $a \\foo b$.\n",
    "tagged": "# Page\n\n$$ a \\tag{1} $$ (eq-a)\n",
}

SETTINGS = settings(
    "conf.theme.mathml",
    myst_enable_extensions=["dollarmath"],
    myst_update_mathjax=False,
    html_math_renderer="mathml",
    numfig=True,
    numfig_secnum_depth=0,
    math_eqref_format="Equation {number}",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("maths"))
    site.write("conf/conf.py", SETTINGS)
    for name, page in PAGES.items():
        site.write(f"docs/{name}.md", page)
    return site


@pytest.fixture(scope="module")
def warnings(site):
    return site.build("-q").stderr


@pytest.mark.slow
def test_numbers_labels_and_links_as_sphinx_has_them(site, warnings):
    assert "index.md" not in warnings
    html = site.html()
    for number, label in ((1, "eq-bound"), (2, "eq-x")):
        box = re.search(
            rf'<div class="math[^>]*id="equation-{label}".*?</div>\s*<span class="eqno">.*?</span>', html, re.DOTALL
        )
        assert box
        assert f"({number})" in box[0]
        assert f'<a class="headerlink" href="#equation-{label}"' in box[0]
    assert re.search(r'<a class="reference internal" href="#equation-eq-bound">Equation 1</a>', html)
    assert '<span class="eqno">(*)</span>' in html
    assert "mathjax" not in html.lower()


@pytest.mark.slow
def test_a_bad_formula_is_a_warning_with_its_line(site, warnings):
    assert re.search(r"bad\.md:5: WARNING: cannot render maths: .*\\foo", warnings)
    assert 'class="math-error"' in site.html("bad")


@pytest.mark.slow
def test_a_label_and_a_tag_are_one_too_many(warnings):
    assert re.search(r"tagged\.md:3: .*remove its \\tag", warnings)
