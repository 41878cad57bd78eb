"""What axe finds on a page: one of its runs, whole or in part."""

import os
from typing import Any

#: What a theme can break: it changes colours alone.
COLOURS = ("color-contrast", "link-in-text-block")

# Contrast takes nine tenths of a run: axe looks up what lies below each text. All that looks alike passes or fails
# alike: the same ink, size and weight over the same ground. So of each look axe sees two texts, and not thousands.
_MARK_TWO_OF_EACH_LOOK = """([within, all]) => {
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
  const looks = new Map();
  document.querySelectorAll("[data-look]").forEach((element) => element.removeAttribute("data-look"));
  const parts = within ? within.flatMap((part) => [part, `${part} *`]) : ["body *"];
  for (const element of document.querySelectorAll(parts.join(","))) {
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data);
    const length = text.join("").trim().length || (element.matches("input, select, textarea") ? 2 : 0);
    if (!length || !element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, webkitTextFillColor, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const ink = [element.localName, color, webkitTextFillColor, fontSize, fontWeight, textShadow].join(" ");
    const look = `${ink} on ${ground(element)}, ${length > 1}`;  // of a single letter axe gives no verdict either
    if (!looks.has(look)) looks.set(look, []);
    looks.get(look).push(element);
  }
  for (const alike of looks.values()) {
    // Two: where one is cut off or lies under something else, axe gives no verdict on it.
    for (const one of all ? alike : [alike[0], alike.at(-1)]) one.setAttribute("data-look", "");
  }
}"""
_RUN = """([within, options]) => {
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }] });
  return axe.run(within ?? document, options).then((result) => result.violations);
}"""


def violations(
    page: Any, *, within: list[str] | None = None, only: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> list[str]:
    """What axe finds on a page, or within some of its elements, by all of its rules or by some.

    A fault of contrast is found on two of all texts that look alike; on each of them once a week.
    """
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(_MARK_TWO_OF_EACH_LOOK, [within, bool(os.environ.get("WEEKLY"))])
    # Without the thousands of nodes that pass, which would all be sent here.
    options: dict[str, Any] = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in without}}
    if only:
        options["runOnly"] = list(only)
    found = page.evaluate(_RUN, [within, options])
    return [f"{rule['id']}: {node['target']} {node['html'][:120]}" for rule in found for node in rule["nodes"]]
