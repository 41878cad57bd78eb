"""Sphinx extension: what a reader answers on a page.

``{quick-check}`` asks a question with options, ``{predict}`` asks for a guess before the answer is known, and
``{predicted}`` holds that guess against the answer.  All of it is written into the page as plain HTML, with the
answers under a fold; ``static/practice/quiz.js`` only brings it to life.  What a reader does stays in their browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.domains import Domain
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from conf.assets import add_assets
from conf.figures.directives import fold
from conf.numbers.roles import checked

logger = logging.getLogger(__name__)

_MARK = re.compile(r"^\[(?P<mark>[ xX])\]\s+")
_NUMBER = re.compile(r"^≈?\s*(?P<number>\d[\d,]*(?:\.\d+)?)")
_LETTERS = "abcdefgh"


class quick_check(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """A question with options, and an explanation for each."""


class prediction(nodes.General, nodes.Element):  # noqa: N801
    """A question with a place for a guess; ``unit`` is what the guess counts, and empty where there are options."""


class comparison(nodes.General, nodes.Element):  # noqa: N801
    """The guess of a ``prediction``, to be shown beside the answer; ``of`` is its id."""


class choices(nodes.General, nodes.Element):  # noqa: N801
    """A question and what can be chosen."""


class question(nodes.General, nodes.TextElement):  # noqa: N801
    """The question itself, which names the group of the options."""


class answer(nodes.General, nodes.TextElement):  # noqa: N801
    """One thing to choose: ``group`` and ``letter`` tell it from the others, ``value`` is what it stands for."""


class explanation(nodes.General, nodes.Element):  # noqa: N801
    """Why an option is right or wrong; ``letter`` is the option's, ``right`` says which."""


class remark(nodes.General, nodes.Element):  # noqa: N801
    """What to say about a guess; ``about`` is a number, ``less`` or ``more``."""


class Practice(Domain):
    """What the pages ask: the ids are permanent, so each is used once in the whole site."""

    name = "practice"
    label = "Practice"
    initial_data: ClassVar[dict[str, Any]] = {"asked": {}, "choices": {}, "compared": {}}
    data_version = 1

    def note(self, label: str, location: Any, offered: list[str] | None = None) -> None:
        """Remember a question of the page that is being read, and what it offers to choose from."""
        asked = self.data["asked"]
        if label in asked:
            logger.error("the id %s is used already, in %s; each is used once", label, asked[label], location=location)
        asked[label] = self.env.docname
        if offered is not None:
            self.data["choices"][label] = offered

    def checks(self, docname: str) -> list[str]:
        """Return the ids of the quick checks of a page, in its order."""
        return [label for label, page in self.data["asked"].items() if page == docname and label.startswith("check-")]

    def clear_doc(self, docname: str) -> None:
        """Forget a page."""
        gone = {label for label, page in self.data["asked"].items() if page == docname}
        for kind in ("asked", "choices"):
            self.data[kind] = {key: value for key, value in self.data[kind].items() if key not in gone}
        self.data["compared"].pop(docname, None)

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        """Take in what another process has read."""
        pages = set(docnames)
        mine = self.data
        for label, page in otherdata["asked"].items():
            if page in pages:
                other = mine["asked"].get(label, page)
                if other != page:
                    logger.error("the id %s is used in %s and in %s; each is used once", label, other, page)
                mine["asked"][label] = page
                if label in otherdata["choices"]:
                    mine["choices"][label] = otherdata["choices"][label]
        mine["compared"] |= {page: said for page, said in otherdata["compared"].items() if page in pages}

    def resolve_any_xref(self, *_: Any, **__: Any) -> list[Any]:
        """Return nothing: questions are linked to by their id, like everything else."""
        return []

    def check_consistency(self) -> None:
        """Report what is compared without having been asked, and what may be chosen without a word about it."""
        for page, compared in self.data["compared"].items():
            for label, about, line in compared:
                location = (page, line)
                if label not in self.data["asked"]:
                    logger.error("there is no prediction %s to come back to", label, location=location)
                missing = [choice for choice in self.data["choices"].get(label, []) if choice not in about]
                if missing:
                    logger.error("nothing is said about the guess %s of %s", missing[0], label, location=location)


def practice(env: BuildEnvironment) -> Practice:
    """Return the domain that keeps the ids.

    Parameters
    ----------
    env : sphinx.environment.BuildEnvironment
        The environment.

    Returns
    -------
    Practice
        The domain.
    """
    return cast(Practice, env.get_domain("practice"))


class _Question(SphinxDirective):
    """A directive with an id as its argument, and a question as its content."""

    required_arguments = 1
    has_content = True
    prefix: ClassVar[str]

    def blocks(self) -> list[nodes.Node]:
        """Return the content, after a look at the id."""
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
        return before, question("", "", *last.children)

    def labelled(self, node: nodes.Element) -> nodes.Element:
        """Give a node its id, so that others can link to it."""
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
        options: list[answer] = []
        reasons: list[explanation] = []
        for letter, item in zip(_LETTERS, items, strict=False):
            chosen, reason = self.one(letter, item)
            options.append(chosen)
            reasons.append(reason)
        right = [reason for reason in reasons if reason["right"]]
        if len(right) != 1:
            raise self.error(f"{self.name} {label} has {len(right)} right options; it needs exactly one [x]")
        if not 2 <= len(items) <= len(_LETTERS):
            raise self.error(f"{self.name} {label} has {len(items)} options; it needs 2 to {len(_LETTERS)}")
        answers = fold("", *sorted(reasons, key=lambda reason: not reason["right"]), summary="Answer and explanations")
        answers["classes"] = ["practice-answers"]
        practice(self.env).note(label, self.get_location())
        return [self.labelled(quick_check("", *before, choices("", asked, *options), answers))]

    def one(self, letter: str, item: nodes.Node) -> tuple[answer, explanation]:
        """Return an option of the list, and its explanation."""
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
        shown = answer("", "", *(word.deepcopy() for word in words), group=label, letter=letter, value=letter)
        return shown, explanation("", verdict, *why, letter=letter, right=right)


class Predict(_Question):
    """``{predict} predict-id``: a question, and either a ``:unit:`` for a number or a list of numbers to choose."""

    prefix = "predict"
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {"unit": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the question."""
        label = self.arguments[0]
        blocks = self.blocks()
        offered = None
        options: list[answer] = []
        if blocks and isinstance(blocks[-1], nodes.bullet_list):
            offered = [item.astext() for item in blocks.pop().children]
            for letter, text in zip(_LETTERS, offered, strict=False):
                if _number(text) is None:
                    raise self.error(f"{self.name} {label}: {text!r} is no number to choose")
                options.append(answer("", text, group=label, letter=letter, value=_number(text)))
            offered = [str(_number(text)) for text in offered]
        if (offered is None) == ("unit" not in self.options):
            raise self.error(f"{self.name} {label} needs either a :unit: or a list of numbers to choose from")
        before, asked = self.asked(blocks)
        practice(self.env).note(label, self.get_location(), offered)
        node = prediction("", *before, choices("", asked, *options), unit=self.options.get("unit", ""))
        return [self.labelled(node)]


class Predicted(_Question):
    """``{predicted} predict-id``: a list of remarks, each beginning with the number that it is about, or Less, or More.

    The first is about the right answer.  A guess gets the remark with the nearest number, if that is near enough, and
    else the one that begins with Less or More.
    """

    prefix = "predict"

    def run(self) -> list[nodes.Node]:
        """Return the place for the guess, and the remarks folded."""
        label = self.arguments[0]
        blocks = self.blocks()
        if len(blocks) != 1 or not isinstance(blocks[0], nodes.bullet_list):
            raise self.error(f"{self.name} {label} holds one list of remarks and nothing else")
        remarks = []
        for item in blocks[0].children:
            text = item.astext()
            about = next((word for word in ("less", "more") if text.lower().startswith(word)), None) or _number(text)
            if about is None:
                raise self.error(f"{self.name} {label}: {text[:30]!r} begins with no number, nor with Less or More")
            remarks.append(remark("", *item.children, about=about))
        if not remarks or remarks[0]["about"] in ("less", "more"):
            raise self.error(f"{self.name} {label}: the first remark is about the right answer, a number")
        said = [node["about"] for node in remarks]
        practice(self.env).data["compared"].setdefault(self.env.docname, []).append((label, said, self.lineno))
        answers = fold("", *remarks, summary="What a guess says", classes=["practice-remarks"])
        node = comparison("", answers, of=label)
        self.set_source_info(node)
        return [node]


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
    """Other builders than HTML get the question as a paragraph and the options as a list."""

    default_priority = 200

    def run(self, **_: Any) -> None:
        """Write the choices with what every builder knows."""
        if self.app.builder.format == "html":
            return
        for node in list(self.document.findall(choices)):
            asked, *offered = cast(list[nodes.Element], node.children)
            items = [nodes.list_item("", nodes.paragraph("", "", *one.children)) for one in offered]
            list_of_all = [nodes.bullet_list("", *items, bullet="*")] if items else []
            node.replace_self([nodes.paragraph("", "", *asked.children), *list_of_all])


# -- What it looks like in HTML ----------------------------------------------------------------------------------------

Visitor = Callable[[HTML5Translator, Any], None]


def _visit_check(self: HTML5Translator, node: quick_check) -> None:
    self.body.append(self.starttag(node, "div", CLASS="quick-check"))
    self.body.append('<p class="practice-title">Quick check</p>\n')


def _depart_check(self: HTML5Translator, node: quick_check) -> None:  # noqa: ARG001 - docutils' signature
    self.body.append("</div>\n")


def _visit_prediction(self: HTML5Translator, node: prediction) -> None:
    self.body.append(self.starttag(node, "div", CLASS="prediction"))
    self.body.append('<p class="practice-title">Predict first</p>\n')


def _depart_prediction(self: HTML5Translator, node: prediction) -> None:  # noqa: ARG001
    self.body.append("</div>\n")


def _visit_comparison(self: HTML5Translator, node: comparison) -> None:
    self.body.append(f'<div class="comparison" data-of="{node["of"]}"><div class="comparison-guess" hidden></div>\n')


def _depart_comparison(self: HTML5Translator, node: comparison) -> None:  # noqa: ARG001
    self.body.append("</div>\n")


def _visit_choices(self: HTML5Translator, node: choices) -> None:  # noqa: ARG001
    self.body.append("<fieldset>\n")


def _depart_choices(self: HTML5Translator, node: choices) -> None:
    """Close the group; what only a script can use is hidden until it comes."""
    parent = node.parent
    press = "Check"
    if isinstance(parent, prediction):
        press = "Commit"
        if not parent["unit"]:
            self.body.append("</div>\n")
        else:
            unit = self.encode(parent["unit"])
            self.body.append(
                f'<label class="practice-number" hidden>Your guess: '
                f'<input type="text" inputmode="decimal" autocomplete="off" size="6" maxlength="12"> {unit}</label>\n'
            )
    button = f'<button type="button" class="practice-button" hidden>{press}</button>'
    self.body.append(f'</fieldset>\n<p class="practice-press">{button}</p>\n')
    self.body.append('<div class="practice-feedback" role="status"></div>\n')


def _visit_question(self: HTML5Translator, node: question) -> None:  # noqa: ARG001
    self.body.append("<legend>")


def _depart_question(self: HTML5Translator, node: question) -> None:
    self.body.append("</legend>\n")
    asked = node.parent.parent
    if isinstance(asked, prediction) and not asked["unit"]:
        self.body.append('<div class="practice-options" hidden>\n')  # without a script the question says it all


def _visit_answer(self: HTML5Translator, node: answer) -> None:
    data = f'name="{node["group"]}" value="{node["value"]}" autocomplete="off"'
    self.body.append(f'<label class="practice-option"><input type="radio" {data}> <span>')


def _depart_answer(self: HTML5Translator, node: answer) -> None:  # noqa: ARG001
    self.body.append("</span></label>\n")


def _visit_explanation(self: HTML5Translator, node: explanation) -> None:
    right = " data-right" if node["right"] else ""
    self.body.append(f'<div class="practice-explanation" data-option="{node["letter"]}"{right}>\n')


def _depart_explanation(self: HTML5Translator, node: explanation) -> None:  # noqa: ARG001
    self.body.append("</div>\n")


def _visit_remark(self: HTML5Translator, node: remark) -> None:
    self.body.append(f'<div class="practice-remark" data-about="{node["about"]}">\n')


def _depart_remark(self: HTML5Translator, node: remark) -> None:  # noqa: ARG001
    self.body.append("</div>\n")


def _plain(self: nodes.NodeVisitor, node: nodes.Element) -> None:
    """Show the content alone, where the builder has no HTML."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension.

    Parameters
    ----------
    app : Sphinx
        The application.

    Returns
    -------
    dict
        Metadata for Sphinx.
    """
    app.setup_extension("conf.figures.directives")
    plain = (_plain, _plain)
    visitors: dict[type[nodes.Element], tuple[Visitor, Visitor]] = {
        quick_check: (_visit_check, _depart_check),
        prediction: (_visit_prediction, _depart_prediction),
        comparison: (_visit_comparison, _depart_comparison),
        choices: (_visit_choices, _depart_choices),
        question: (_visit_question, _depart_question),
        answer: (_visit_answer, _depart_answer),
        explanation: (_visit_explanation, _depart_explanation),
        remark: (_visit_remark, _depart_remark),
    }
    for node, html in visitors.items():
        app.add_node(node, html=html, latex=plain, text=plain, man=plain, texinfo=plain)
    app.add_domain(Practice)
    app.add_directive("quick-check", QuickCheck)
    app.add_directive("predict", Predict)
    app.add_directive("predicted", Predicted)
    app.add_post_transform(PlainChoices)
    for name in ("quick-check", "prediction", "comparison"):
        add_assets(app, f'class="{name}"', "practice/quiz.css", "practice/quiz.js")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
