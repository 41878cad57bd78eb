"""Sphinx extension: what a reader answers on a page.

``{quick-check}`` asks a question with options, ``{predict}`` asks for a guess before the answer is known, and
``{predicted}`` compares that guess with the answer.  All of it is written into the page as plain HTML, with the
answers under a fold; ``static/quiz.js`` only brings it to life.  What a reader does stays in their browser.

This is our own instead of a quiz package, because an option's number is checked like every other number of the page,
each wrong option names its slip, and without a script the page still says all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets
from conf.element import add_elements, element, fold, make, phrase
from conf.numbers.roles import checked
from conf.practice.asked import practice

_MARK = re.compile(r"^\[(?P<mark>[ xX])\]\s+")
_NUMBER = re.compile(r"^≈?\s*(?P<number>\d[\d,]*(?:\.\d+)?)")
_LETTERS = "abcdefgh"


class choices(element):  # noqa: N801 - docutils names nodes in lower case
    """A question and what can be chosen."""


class question(phrase):  # noqa: N801
    """The question itself, which names the group of the options."""


class answer(phrase):  # noqa: N801
    """One thing to choose."""


class _Question(SphinxDirective):
    """A directive with an id as its argument, and a question as its content."""

    required_arguments = 1
    has_content = True
    prefix: ClassVar[str]

    def blocks(self) -> list[nodes.Node]:
        """Return the content, after checking the id."""
        label = self.arguments[0]
        if not re.fullmatch(rf"{self.prefix}-[a-z0-9-]+", label):
            raise self.error(f"{self.name} {label}: an id is {self.prefix}- and lower-case words, and it never changes")
        content = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, content)
        return list(content.children)

    def asked(self, blocks: list[nodes.Node]) -> tuple[list[nodes.Node], question]:
        """Return what comes before the question, and the question: it is the last paragraph."""
        if not blocks or not isinstance(blocks[-1], nodes.paragraph):
            raise self.error(f"{self.name} {self.arguments[0]} has no question; write it above the list")
        *before, last = blocks
        return before, make(question, "legend", *last.children)

    def box(self, name: str, title: str, *content: nodes.Node) -> nodes.Node:
        """Return what a reader sees as one box, with its id, so that others can link to it."""
        heading = make(element, "p", before=title, classes=["practice-title"])
        node = make(element, "div", heading, *content, classes=[name])
        self.set_source_info(node)
        self.options["name"] = self.arguments[0]
        self.add_name(node)
        return node


class QuickCheck(_Question):
    """``{quick-check} check-id``: a question, then a list of options, with ``[x]`` before the right one, else ``[ ]``.

    Below each option stands its explanation; that of a wrong one begins with the name of the slip, in bold.
    """

    prefix = "check"

    def run(self) -> list[nodes.Node]:
        """Return the check."""
        label = self.arguments[0]
        blocks = self.blocks()
        if not blocks or not isinstance(blocks[-1], nodes.bullet_list):
            raise self.error(f"{self.name} {label} ends with no list of options, such as - [x] Memory-bound")
        items = blocks.pop().children
        before, asked = self.asked(blocks)
        options: list[element] = []
        right: list[element] = []
        wrong: list[element] = []
        for letter, item in zip(_LETTERS, items, strict=False):
            chosen, is_right, reason = self.one(letter, item)
            options.append(chosen)
            (right if is_right else wrong).append(reason)
        if len(right) != 1:
            raise self.error(f"{self.name} {label} has {len(right)} right options; it needs exactly one [x]")
        if not 2 <= len(items) <= len(_LETTERS):
            raise self.error(f"{self.name} {label} has {len(items)} options; it needs 2 to {len(_LETTERS)}")
        answers = fold("Answer and explanations", *right, *wrong, classes=["practice-answers"])
        practice(self.env).note(label, self.get_location())
        group = _group(asked, options, "Check", wait=False)
        return [self.box("quick-check", "Quick check", *before, *group, answers)]

    def one(self, letter: str, item: nodes.Node) -> tuple[element, bool, element]:
        """Return an option of the list, whether it is right, and its explanation."""
        label = self.arguments[0]
        first, *why = item.children or [nodes.paragraph()]
        mark = _MARK.match(first.astext())
        if not isinstance(first, nodes.paragraph) or not mark or not isinstance(first[0], nodes.Text):
            raise self.error(f"{self.name} {label}: begin each option with [x] if it is right, else with [ ]")
        first[0] = nodes.Text(_MARK.sub("", first[0]))
        right = mark["mark"] != " "
        start = why[0].astext() if why else ""
        # The parser may leave an empty text before what is bold.
        named = bool(why) and next((isinstance(c, nodes.strong) for c in why[0].children if c.astext()), False)
        if not start or not (right or named):
            raise self.error(
                f"{self.name} {label}: say below {first.astext()!r} why it is "
                + ("right" if right else "wrong, and begin with the name of the slip in bold")
            )
        words = list(_without_working(first, self.error))
        verdict = nodes.paragraph("", "", nodes.strong("", "Right: " if right else "Wrong: "), *words)
        verdict["classes"] = ["practice-verdict"]
        told = {"data-option": letter, "data-right": "" if right else None}
        reason = make(element, "div", verdict, *why, html=told, classes=["practice-explanation"])
        return _option(label, letter, *(word.deepcopy() for word in words)), right, reason


class Predict(_Question):
    """``{predict} predict-id``: a question, and either a ``:unit:`` for a number or a list of numbers to choose."""

    prefix = "predict"
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {"unit": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the question."""
        label = self.arguments[0]
        blocks = self.blocks()
        offered = None
        options: list[element] = []
        if blocks and isinstance(blocks[-1], nodes.bullet_list):
            offered = [item.astext() for item in blocks.pop().children]
            for text in offered:
                value = _number(text)
                if value is None:
                    raise self.error(f"{self.name} {label}: {text!r} is no number to choose")
                options.append(_option(label, value, nodes.Text(text)))
            offered = [str(_number(text)) for text in offered]
        if (offered is None) == ("unit" not in self.options):
            raise self.error(f"{self.name} {label} needs either a :unit: or a list of numbers to choose from")
        before, asked = self.asked(blocks)
        practice(self.env).note(label, self.get_location(), offered)
        guess = options or [_number_box(self.options["unit"])]
        return [self.box("prediction", "Predict first", *before, *_group(asked, guess, "Commit", wait=bool(options)))]


class Predicted(_Question):
    """``{predicted} predict-id``: a list of remarks, each beginning with the number that it is about, or Less, or More.

    The first is about the right answer.  A guess gets the remark with the nearest number if that is near enough, and
    otherwise the one that begins with Less or More.
    """

    prefix = "predict"

    def run(self) -> list[nodes.Node]:
        """Return the place for the guess, and the remarks folded."""
        label = self.arguments[0]
        blocks = self.blocks()
        if len(blocks) != 1 or not isinstance(blocks[0], nodes.bullet_list):
            raise self.error(f"{self.name} {label} holds one list of remarks and nothing else")
        remarks: list[element] = []
        said: list[str] = []
        for item in blocks[0].children:
            text = item.astext()
            about = next((word for word in ("less", "more") if text.lower().startswith(word)), None) or _number(text)
            if about is None:
                raise self.error(f"{self.name} {label}: {text[:30]!r} begins with no number, nor with Less or More")
            said.append(about)
            remarks.append(
                make(element, "div", *item.children, html={"data-about": about}, classes=["practice-remark"])
            )
        if not said or said[0] in ("less", "more"):
            raise self.error(f"{self.name} {label}: the first remark is about the right answer, a number")
        practice(self.env).data["compared"].setdefault(self.env.docname, []).append((label, said, self.lineno))
        guess = make(element, "div", html={"hidden": True}, classes=["comparison-guess"])
        answers = fold("What a guess says", *remarks, classes=["practice-remarks"])
        node = make(element, "div", guess, answers, html={"data-of": label}, classes=["comparison"])
        self.set_source_info(node)
        return [node]


def _group(asked: question, options: list[element], press: str, *, wait: bool) -> list[nodes.Node]:
    """Return a question with its options, the button to press and room for what is said then.

    What only a script can use is hidden until the script runs.  With ``wait`` the options are hidden too, because
    without a script the question alone is enough.
    """
    offered: list[nodes.Node] = [*options]
    if wait:
        offered = [make(element, "div", *options, html={"hidden": True}, classes=["practice-options"])]
    button = make(element, "button", html={"type": "button", "hidden": True}, before=press, classes=["practice-button"])
    return [
        make(choices, "fieldset", asked, *offered),
        make(element, "p", button, classes=["practice-press"]),
        make(element, "div", html={"role": "status"}, classes=["practice-feedback"]),
    ]


def _option(group: str, value: str, *words: nodes.Node) -> element:
    """Return a radio button with its words, one of a group."""
    radio = {"type": "radio", "name": group, "value": value, "autocomplete": "off"}
    return make(
        element,
        "label",
        make(element, "input", html=radio),
        make(answer, "span", *words),
        classes=["practice-option"],
    )


def _number_box(unit: str) -> element:
    """Return the box for a guess in this unit."""
    box = {"type": "text", "inputmode": "decimal", "autocomplete": "off", "size": "6", "maxlength": "12"}
    return make(
        element,
        "label",
        make(element, "input", html=box),
        html={"hidden": True},
        before="Your guess: ",
        after=f" {unit}",
        classes=["practice-number"],
    )


def _number(text: str) -> str | None:
    """Return the number that a text begins with, as a script reads it."""
    match = _NUMBER.match(text)
    return f"{float(match['number'].replace(',', '')):g}" if match else None


def _without_working(paragraph: nodes.paragraph, error: Callable[[str], Exception]) -> Iterator[nodes.Node]:
    """Yield the words of an option: where its number comes from would say whether it is right."""
    for math in paragraph.findall(nodes.math):
        if r"\calc" in math.astext():
            raise error(f"the option {paragraph.astext()!r} has a checked number in maths; write it outside")
    for number in list(paragraph.findall(checked)):
        number.parent.replace(number, nodes.inline("", number.astext()))
    yield from paragraph.children


class PlainChoices(SphinxPostTransform):
    """Builders other than HTML get the question as a paragraph and the options as a list."""

    default_priority = 200

    def run(self, **_: Any) -> None:
        """Write the choices with what every builder knows."""
        if self.app.builder.format == "html":
            return
        for node in list(self.document.findall(choices)):
            (asked,) = node.findall(question)
            items = [nodes.list_item("", nodes.paragraph("", "", *one.children)) for one in node.findall(answer)]
            list_of_all = [nodes.bullet_list("", *items, bullet="*")] if items else []
            node.replace_self([nodes.paragraph("", "", *asked.children), *list_of_all])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives; Sphinx calls this once."""
    app.setup_extension("conf.practice.asked")
    add_elements(app, choices, question, answer)
    app.add_directive("quick-check", QuickCheck)
    app.add_directive("predict", Predict)
    app.add_directive("predicted", Predicted)
    app.add_post_transform(PlainChoices)
    for name in ("quick-check", "prediction", "comparison"):
        add_assets(app, f'class="{name}"', "practice/quiz.css", "practice/quiz.js")
    return METADATA
