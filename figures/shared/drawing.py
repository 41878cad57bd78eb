"""A drawing: one inline SVG, its alt text, and the table of what it shows.

`render` turns a matplotlib figure into an SVG that belongs to the page: its colours are the page's CSS variables, its
text is text in the page's font, and it is the same to the byte in every build.
"""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from .canvas import painted
from .colours import SURFACE, themed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofline.tables import Table

    from .controls import Interactive

_STYLE: Final = (
    "display: block; width: 100%; max-width: 36rem; height: auto; margin: 0 auto; "
    # matplotlib writes this as a style sheet, which would apply to the whole page.
    "stroke-linejoin: round; stroke-linecap: butt"
)
#: Text stays readable where it crosses a line.
_HALO: Final = f"paint-order: stroke; stroke: {SURFACE}; stroke-width: 4px; stroke-linejoin: round"
_LINK: Final = re.compile(r"^#([\w.-]+)$")
_URL: Final = re.compile(r"url\(#([\w.-]+)\)")
_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class Drawing:
    """A static figure, ready for a page.

    Parameters
    ----------
    svg : str
        One ``svg`` element on one line; its accessible name is ``alt``.
    alt : str
        What the picture shows, in sentences, with its numbers.
    table : Table
        The numbers that are drawn.
    live : Interactive, optional
        What a script needs to make it interactive; None for a picture that stays as it is.

    Examples
    --------
    >>> from roofline.tables import Cell, Table
    >>> Drawing("<svg/>", "Nothing.", Table(("a",), ((Cell("1"),),))).alt
    'Nothing.'
    """

    svg: str
    alt: str
    table: Table
    live: Interactive | None = None

    def _repr_html_(self) -> str:
        return self.svg


@painted
def render(figure: Any, name: str, alt: str) -> str:
    """Return a matplotlib figure as one inline SVG element.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure, at 72 dots per inch, drawn in the colours of `figures.shared.colours`.
    name : str
        The figure's name; each id begins with it, because all drawings of a page share one name space.
    alt : str
        The accessible name.

    Returns
    -------
    str
        The element, on one line, without width and height: it fills its column up to a readable width.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> svg = render(Figure(figsize=(5, 4), dpi=72), "empty", "An empty picture.")
    >>> svg[:72]
    '<svg viewBox="0 0 360 288" role="img" aria-label="An empty picture." sty'
    """
    import matplotlib as mpl  # noqa: PLC0415 - slow, and needed only where something is drawn

    written = io.StringIO()
    # Keep text as text, and let ids depend on nothing but the drawing.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    source = ET.fromstring(written.getvalue())  # noqa: S314 - written two lines above, by us
    root = _element(source)
    root.attrib = {"viewBox": source.attrib["viewBox"], "role": "img", "aria-label": alt, "style": _STYLE}
    digest = hashlib.sha256(f"{alt}{written.getvalue()}".encode()).hexdigest()[:6]
    _prefix_ids(root, f"{name}-{digest}-")
    return themed(ET.tostring(root, encoding="unicode", short_empty_elements=True))


def _element(source: ET.Element) -> ET.Element:
    """Copy an element without namespaces, line breaks and invisible parts."""
    element = ET.Element(_plain(source.tag))
    for key, value in source.attrib.items():
        element.set(_plain(key), _LONG_NUMBER.sub(_rounded, " ".join(value.split())))
    if "fill" in element.attrib:
        # Custom properties work in a style, but not in every presentation attribute.
        element.set("style", f"fill: {element.attrib.pop('fill')}")
    if element.tag == "text":
        style = [part for part in element.get("style", "").split("; ") if not part.startswith("font-family")]
        element.set("style", "; ".join([*style, _HALO]))
        element.text = source.text
        if element.get("transform", "").startswith("rotate(-0 "):
            del element.attrib["transform"]
    element.extend(_children(source))
    return element


def _children(source: ET.Element) -> Iterator[ET.Element]:
    for child in source:
        tag, style = _plain(child.tag), child.get("style", "")
        if tag in ("metadata", "style") or (tag == "path" and style == "fill: none"):
            continue
        if tag == "g" and set(child.attrib) <= {"id"}:
            yield from _children(child)
        elif tag != "defs" or len(inner := _element(child)):
            yield inner if tag == "defs" else _element(child)


def _prefix_ids(root: ET.Element, prefix: str) -> None:
    """Give the ids that something refers to the prefix, and remove all others."""
    used = set()
    for element in root.iter():
        for key in element.attrib.keys() & {"href", "clip-path", "style"}:
            value = element.attrib[key]
            target = (_LINK if key == "href" else _URL).search(value)
            if target is not None:
                used.add(target[1])
                element.set(key, value.replace(f"#{target[1]}", f"#{prefix}{target[1]}"))
    for element in root.iter():
        if (label := element.attrib.pop("id", None)) in used:
            element.set("id", f"{prefix}{label}")


def _plain(name: str) -> str:
    return name.rpartition("}")[2]


def _rounded(match: re.Match[str]) -> str:
    """Round to two decimals of a pixel, which is finer than any screen."""
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".") or "0"
