"""Sphinx extension: the book theme without what a reader need not download.

The theme loads Font Awesome, Bootstrap's scripts and the search index on every page.  This extension, the templates in
``templates/`` and the icons in ``static/icons.css`` do without them, so that a page weighs a tenth.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

#: Copied by the theme, used by no page: icon fonts and scripts, source maps.
UNUSED = ("scripts/fontawesome.js*", "scripts/bootstrap.js*", "vendor/fontawesome", "scripts/*.map", "styles/*.map")

#: Stylesheets of which a page uses a small part; Sphinx copies them anew whenever it writes a page.
TRIMMED = ("styles/pydata-sphinx-theme.css", "sphinx-design.min.css")

#: The selectors of Font Awesome, whose icons ``icons.css`` draws instead.
ICON_FONT = re.compile(r"\.fa(?:[srb]|-[\w-]+)?(?![\w-])")


def trim(css: str, used: Iterable[str]) -> str:
    """Drop the icon font from a stylesheet, and every selector that needs an unused class.

    Parameters
    ----------
    css
        A stylesheet without nesting, other than in at-rules.
    used
        The class names that occur in the site's pages and scripts.

    Returns
    -------
    str
        The stylesheet that remains; the order of its rules is kept.
    """
    return "".join(_trim_rules(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL), frozenset(used)))


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield each top-level rule as its prelude and its block; a statement such as ``@charset`` has no block."""
    depth = start = open_at = 0
    for brace in re.finditer(r"[{};]", css):
        if brace[0] == "{":
            if depth == 0:
                open_at = brace.start()
            depth += 1
        elif brace[0] == "}":
            depth -= 1
            if depth == 0:
                yield css[start:open_at], css[open_at + 1 : brace.start()]
                start = brace.end()
        elif depth == 0:
            yield css[start : brace.end()], ""
            start = brace.end()


def _trim_rules(css: str, used: frozenset[str]) -> Iterator[str]:
    for prelude, block in _rules(css):
        if prelude.endswith(";"):
            yield prelude
        elif prelude.lstrip().startswith(("@media", "@supports")):
            inner = "".join(_trim_rules(block, used))
            if inner:
                yield f"{prelude}{{{inner}}}"
        elif prelude.lstrip().startswith("@"):
            if "@font-face" not in prelude and "fa-" not in prelude:
                yield f"{prelude}{{{block}}}"
        elif kept := ",".join(selector for selector in _selectors(prelude) if _is_used(selector, used)):
            yield f"{kept}{{{block}}}"


def _selectors(prelude: str) -> list[str]:
    """Split a selector list at its outer commas."""
    # The plain case first: looking ahead from each comma of the icon font's long lists would take most of the time.
    return re.split(r",(?![^(]*\))", prelude) if "(" in prelude else prelude.split(",")


def _is_used(selector: str, used: frozenset[str]) -> bool:
    # What :not() and :is() name is not required, so it cannot make a selector dead.
    required = re.sub(r":(?:not|is|where|has)\((?:[^()]|\([^()]*\))*\)", "", selector)
    if ICON_FONT.search(required):
        return False
    return all(name in used for name in re.findall(r"\.(-?[A-Za-z_][\w-]*)", re.sub(r"\[[^\]]*\]", "", required)))


def class_names(out: Path) -> set[str]:
    """Collect the class names in the pages of a site, and every word of its scripts, since those may add classes."""
    names: set[str] = set()
    for page in out.rglob("*.html"):
        for value in re.findall(r'\bclass="([^"]*)"', page.read_text(encoding="utf-8")):
            names.update(value.split())
    for script in (out / "_static").rglob("*.js"):
        names.update(re.findall(r"[A-Za-z_][\w-]*", script.read_text(encoding="utf-8")))
    return names


def drop_the_top_bar(_app: Sphinx, config: Config) -> None:
    """Keep the theme from adding a bar with a second search field, whose hidden buttons take the sidebars' events."""
    config.html_theme_options.setdefault("navbar_persistent", [])


def slim_down(app: Sphinx, exception: Exception | None) -> None:
    """Remove what no page uses from the finished site."""
    if exception or app.builder.format != "html" or not (static := Path(app.outdir) / "_static").is_dir():
        return
    for pattern in UNUSED:
        for path in static.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    used = class_names(Path(app.outdir))
    for stylesheet in (static / name for name in TRIMMED):
        if stylesheet.exists():
            stylesheet.write_text(trim(stylesheet.read_text(encoding="utf-8"), used), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    app.connect("config-inited", drop_the_top_bar)
    app.connect("build-finished", slim_down, priority=900)
    return METADATA
