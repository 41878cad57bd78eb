"""The description in the head of a page."""

from docutils import nodes

from conf.theme.descriptions import describe


def paragraph_page(*paragraphs: nodes.paragraph) -> nodes.document:
    document = nodes.document(None, None)
    document += nodes.section("", nodes.title("", "Title"), *paragraphs)
    return document


def test_the_description_is_the_first_paragraph_without_maths():
    maths = nodes.paragraph("", "", nodes.Text("A paragraph that has a formula in it: "), nodes.math("", "x^2"))
    plain = nodes.paragraph("", "A kernel is slow because of memory or because of compute; this page says which. " * 4)
    description = describe(paragraph_page(maths, nodes.paragraph("", "Too short."), plain))
    assert description.startswith("A kernel is slow")
    assert len(description) <= 160
    assert description.endswith(" …")
    assert describe(paragraph_page(maths)) == ""
    assert describe(None) == ""
