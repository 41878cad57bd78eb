"""As it opens, a live picture is the static one: the same texts, axes, marks, bars and table."""

import re
import unicodedata
from pathlib import Path

import lxml.html
import pytest

from tests.browser.figures.test_every_figure import figures
from tests.site import built

pytestmark = pytest.mark.browser
#: Each figure once.
FIGURES = list({module: (page, label, module) for page, label, module in figures()}.values())
#: How far a mark may be from where the static picture has it, px.
NEAR = 2
#: One figure asks for a guess before it shows the answer: opened with the answer, it is the static picture and a guess.
ANSWERED = {"fig-intensity-vs-batch": {"revealed": 1}}
GUESS = re.compile("your guess")

#: What a live picture shows, in its own pixels: texts, numbers of the axes, marks and bars.
SEEN = """label => {
  const svg = document.querySelector(`#${label} svg.figure-live`);
  const box = (one) => {
    const { x, y, width, height } = one.getBBox();
    const { e, f } = one.getCTM();
    return [x + e, y + f, x + width + e, y + height + f];
  };
  const middle = (one) => {
    const [left, top, right, bottom] = box(one);
    return [(left + right) / 2, (top + bottom) / 2];
  };
  const regime = (one) => (one.classList.contains("memory") ? "memory" : "compute");
  const ticks = (axis) => [...axis.querySelectorAll(".tick")].filter((one) => one.textContent)
    .map((one) => [one.textContent, one.getCTM().e, one.getCTM().f]);
  const axes = (name) => [...svg.querySelectorAll(`.axis-${name}`)].map(ticks).filter((one) => one.length);
  const rows = [...document.querySelectorAll(`#${label}-data tr`)];
  return {
    texts: [...svg.querySelectorAll("text")].map((one) => one.textContent).filter(Boolean),
    x: axes("x"),
    y: axes("y"),
    marks: [...svg.querySelectorAll(".mark:not(.key)")].map((one) => [regime(one), ...middle(one)]),
    bars: [...svg.querySelectorAll(".bar:not(.key)")].map((one) => [regime(one), ...box(one)]),
    table: rows.map((row) => [...row.cells].map((one) => one.textContent)),
  };
}"""


def plain(text):
    """A text without a page's typography, such as the letters of mathematics and curled apostrophes."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("\u2019", "'").split())


def number(element, name):
    return float(element.get(name, "0"))


class Still:
    """The static picture of the built page and its table."""

    def __init__(self, where, label):
        page = lxml.html.fromstring((Path(built.FOLDER) / where).read_bytes())
        (self.svg,) = page.xpath(f'//*[@id="{label}"]//svg[@role="img"]')
        self.texts = [(plain(one.text), *self.place(one)) for one in self.svg.iter("text")]
        #: Where the lines of the axes are, upright ones first.
        self.lines = ([], [])
        for one in self.svg.iter("path"):
            if "stroke: var(--rl-grid" in one.get("style", ""):
                left, bottom, right, _ = map(float, re.findall(r"-?[\d.]+", one.get("d")))
                self.lines[left != right].append(bottom if left != right else left)
        self.table = [
            [plain(cell.text_content()) for cell in row.xpath("./th|./td")]
            for row in page.xpath(f'//*[@id="{label}-data"]//tr')
        ]

    @staticmethod
    def place(text):
        moved = re.findall(r"-?[\d.]+", text.get("transform", ""))
        return tuple(map(float, moved[-2:])) if moved else (number(text, "x"), number(text, "y"))

    def column(self, names, index):
        """The numbers of an axis where they stand, in order: texts of these names at one height, or at one side."""
        rows = {}
        for text, *at in self.texts:
            if text in names:
                rows.setdefault(round(at[1 - index]), []).append((at[index], text))
        found = max(rows.values(), key=len)
        at_line = ((min(self.lines[index], key=lambda place: abs(place - at)), text) for at, text in found)
        return sorted(at_line)

    def shapes(self, tag):
        for one in self.svg.iter(tag):
            fill = re.search(r"fill: (var\(--rl-(memory|compute)|url\()", one.get("style", ""))
            if fill:
                yield one, fill[2] or "memory"

    def marks(self):
        """Regime and place of each mark of the chart; the key's stand beside its words."""
        key = next((at[1] for text, *at in self.texts if text == "memory-bound"), 0)
        marks = [(regime, number(one, "x"), number(one, "y")) for one, regime in self.shapes("use")]
        return [mark for mark in marks if abs(mark[2] - key) > 9]

    def bars(self):
        """Regime, left and right end of each bar of the chart; the key's are not clipped."""
        for one, regime in self.shapes("path"):
            if one.get("clip-path"):
                xs = [float(pair.split()[0]) for pair in re.findall(r"[ML] ?(-?[\d.]+ -?[\d.]+)", one.get("d"))]
                yield regime, min(xs), max(xs)


def line(places, others):
    """From pixels of the static picture to those of the live one, by the first and the last number of an axis."""
    scale = (others[-1] - others[0]) / (places[-1] - places[0])
    return lambda value: others[0] + (value - places[0]) * scale


def mappings(still, axes, index):
    """One mapping for each axis of a direction; every number stands where the scale of the first and last has it."""
    ticks = [sorted((at[index], plain(text)) for text, *at in axis) for axis in axes]
    rest = still.column({text for axis in ticks for _, text in axis}, index)
    found = []
    for axis in sorted(ticks):
        there, rest = rest[: len(axis)], rest[len(axis) :]
        assert [text for _, text in there] == [text for _, text in axis]
        found.append(line([at for at, _ in there], [at for at, _ in axis]))
        assert [found[-1](at) for at, _ in there] == pytest.approx([at for at, _ in axis], abs=NEAR)
    assert rest == []
    return found


def apart(points):
    """The points without those that lie on another one, such as the chosen point on one of the samples."""
    kept = []
    for point in points:
        if not any(same(point, other) for other in kept):
            kept.append(point)
    return kept


def same(one, other):
    return one[0] == other[0] and all(abs(a - b) <= NEAR for a, b in zip(one[1:], other[1:], strict=True))


@pytest.mark.parametrize(("where", "label", "module"), FIGURES, ids=[label for _, label, _ in FIGURES])
def test_the_live_picture_opens_as_the_static_one(where, label, module, live):
    seen = live(where, module, label, ANSWERED.get(label, {})).page.evaluate(SEEN, label)
    still = Still(where, label)

    assert [[plain(cell) for cell in row] for row in seen["table"]] == still.table
    texts = [plain(text) for text in seen["texts"] if not GUESS.match(text)]
    assert sorted(texts) == sorted(text for text, *_ in still.texts)

    (across,) = mappings(still, seen["x"], 0)
    upwards = mappings(still, seen["y"], 1) if seen["y"] else []
    bars = [(regime, across(left), across(right)) for regime, left, right in still.bars()]
    assert [(regime, left, right) for regime, left, _, right, _ in sorted(seen["bars"], key=lambda bar: bar[2])] == [
        (regime, pytest.approx(left, abs=NEAR), pytest.approx(right, abs=NEAR)) for regime, left, right in bars
    ]
    # In a picture of named rows, only where a mark is along its row can be compared.
    marks = apart(tuple(mark if upwards else mark[:2]) for mark in seen["marks"])
    drawn = [
        [(regime, across(x), upward(y)) for upward in upwards] or [(regime, across(x))]
        for regime, x, y in still.marks()
    ]
    missing = [
        places for places in drawn if places and not any(same(place, mark) for place in places for mark in marks)
    ]
    extra = [mark for mark in marks if not any(same(place, mark) for places in drawn for place in places)]
    assert (missing, extra) == ([], [])
    assert bars or marks
