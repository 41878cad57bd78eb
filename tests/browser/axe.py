"""What axe finds on a page: one of its runs, whole or in part."""

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

#: What a theme can break: it changes colours alone.
COLOURS = ("color-contrast", "link-in-text-block")

# These two rules take most of a run: axe looks up what lies below each text. All that looks alike passes or fails
# alike: the same ink, size and weight over the same ground, and for a link the same text around it. So of each look axe
# sees two texts of a page, and none once it has passed such a text on another page, or has had nothing to say about the
# look on some pages: it does not judge single letters, pictures, and what lies out of the window.
_SILENT_PAGES = 5
_passed: set[str] = set()
_silent: Counter[str] = Counter()

_MARK = """([within, all, settled]) => {
  const PLAIN = "rgba(0, 0, 0, 0) none 1 static none none";
  const grounds = new Map([[null, ""]]);
  const ground = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity, position, filter, clipPath } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity, position, filter, clipPath].join(" ");
      const below = ground(element.parentElement);
      grounds.set(element, own === PLAIN ? below : `${below} > ${own}`);
    }
    return grounds.get(element);
  };
  const ink = (element) => {
    const { color, webkitTextFillColor, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    return [element.localName, color, webkitTextFillColor, fontSize, fontWeight, textShadow].join(" ");
  };
  const line = (element) => {
    const { textDecoration, borderBottom, fontStyle, fontFamily } = getComputedStyle(element);
    return [textDecoration, borderBottom, fontStyle, fontFamily].join(" ");
  };
  const block = (element) => {
    let one = element.parentElement;
    while (getComputedStyle(one).display === "inline") one = one.parentElement;
    return one;
  };
  const known = new Set(settled);
  const looks = { text: new Map(), link: new Map() };
  const add = (kind, look, element) => {
    if (known.has(look)) return;
    if (!looks[kind].has(look)) looks[kind].set(look, []);
    looks[kind].get(look).push(element);
  };
  for (const marked of document.querySelectorAll("[data-text], [data-link]")) {
    marked.removeAttribute("data-text");
    marked.removeAttribute("data-link");
  }
  const parts = within ? within.flatMap((part) => [part, `${part} *`]) : ["body *"];
  for (const element of document.querySelectorAll(parts.join(","))) {
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data);
    const length = text.join("").trim().length || (element.matches("input, select, textarea") ? 2 : 0);
    if (!(length || element.localName === "a") || !element.checkVisibility({ visibilityProperty: true })) continue;
    // Of a single letter axe gives no verdict.
    if (length) add("text", `${ink(element)} on ${ground(element)}, ${length > 1}`, element);
    if (element.localName !== "a") continue;
    const around = block(element);
    const look = `link ${ink(element)} ${line(element)} in ${ink(around)} ${line(around)} on ${ground(element)}`;
    if (around.textContent.trim() !== element.textContent.trim()) add("link", look, element);
  }
  const marked = [];
  for (const [kind, found] of Object.entries(looks)) {
    for (const [look, alike] of found) {
      // Two: where one is cut off or lies under something else, axe gives no verdict on it.
      for (const one of all ? alike : [alike[0], alike.at(-1)]) one.setAttribute(`data-${kind}`, marked.length);
      marked.push(look);
    }
  }
  return marked;
}"""
_RUN = """async ([within, options]) => {
  axe.configure({ rules: [
    { id: "color-contrast", selector: "[data-text]" },
    { id: "link-in-text-block", selector: "a[data-link]" },
  ] });
  const { violations, passes } = await axe.run(within ?? document, options);
  const name = { "color-contrast": "text", "link-in-text-block": "link" };
  const mark = (rule) => rule.nodes.map((node) => node.element?.dataset[name[rule.id]]);
  const tell = (rule) => rule.nodes.map(({ target, html }) => `${rule.id}: ${target} ${html.slice(0, 120)}`);
  return [violations.flatMap(tell), ...[passes ?? [], violations].map((rules) => rules.flatMap(mark))];
}"""


def violations(
    page: Any, *, within: list[str] | None = None, only: Sequence[str] = (), without: Sequence[str] = ()
) -> list[str]:
    """What axe finds on a page, or within some of its elements, by all of its rules or by some.

    A fault of a colour is found on two of all texts that look alike; on each of them once a week.
    """
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = []
    colours = [rule for rule in only or COLOURS if rule in COLOURS and rule not in without]
    if colours:
        found += _faults_of_colour(page, within, colours)
    if not only or set(only) - set(COLOURS):
        others = {"runOnly": [rule for rule in only if rule not in COLOURS]} if only else {}
        off = {rule: {"enabled": False} for rule in (*without, *COLOURS)}
        # Without the thousands of nodes that pass, of which axe would say where they are.
        found += page.evaluate(_RUN, [within, {**others, "rules": off, "resultTypes": ["violations"]}])[0]
    return found


def _faults_of_colour(page: Any, within: list[str] | None, rules: list[str]) -> list[str]:
    """What axe finds by these rules on texts of the looks that it has not passed yet."""
    every_text = bool(os.environ.get("WEEKLY"))
    settled = {*_passed, *(look for look, pages in _silent.items() if pages >= _SILENT_PAGES)}
    looks = page.evaluate(_MARK, [within, every_text, [] if every_text else sorted(settled)])
    if not looks:
        return []
    options = {"runOnly": rules, "resultTypes": ["violations", "passes"], "elementRef": True}
    found, passed, failed = page.evaluate(_RUN, [within, options])
    # A fault is found again when a test is tried once more.
    good, bad = ({looks[int(mark)] for mark in marks} for marks in (passed, failed))
    _passed.update(good - bad)
    _silent.update(set(looks) - good - bad)
    return list(found)
