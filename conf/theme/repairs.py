"""Sphinx extension: mend what other extensions write that HTML or ARIA do not allow, or that makes a reader wait.

sphinx-proof gives the content of every theorem the same id, and its title no link to itself.  docutils gives each
entry of a bibliography a role that ARIA 1.3 has dropped, inside a list that then has no items.  MyST-NB gives every
fold of code a name that is not the one it shows.  The theme's scripts stand in front of the text, though all of them
wait for the page.  And both MyST packages print all of their settings at the start of a build, where no one reads them.
"""

from __future__ import annotations

import logging
import re
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

#: Ids that are the same in every theorem, so that nothing can refer to them.
REPEATED = {"proof", "proof-content"}
#: A definition, theorem or remark with its label, up to the end of its title.
_TITLED: Final = re.compile(
    r'(?P<head><div class="proof (?P<kind>\w+) admonition" id="(?P<label>[^"]+)">\s*'
    r'<p class="admonition-title">.*?)</p>'
)


class DropRepeatedIds(SphinxPostTransform):
    """Take the ids away that sphinx-proof writes more than once on a page, once Sphinx has counted its sections."""

    default_priority = 800

    def run(self, **_: Any) -> None:
        """Go through the page."""
        for node in self.document.findall(nodes.Element):
            if REPEATED.intersection(node.get("ids", ())):
                node["ids"] = [name for name in node["ids"] if name not in REPEATED]


def drop_stale_roles(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Write a bibliography as the plain list that it is."""
    body = context.get("body", "")
    if 'role="doc-biblioentry"' in body:
        context["body"] = body.replace(' role="doc-biblioentry"', "").replace(' role="list"', "")


def link_titles(body: str, icon: str) -> str:
    """Return a page whose definitions, theorems and remarks each have a link to themselves, as headings have.

    Parameters
    ----------
    body : str
        The HTML of the page.
    icon : str
        What the link shows.

    Returns
    -------
    str
        The HTML with the links.
    """

    def link(found: re.Match[str]) -> str:
        title = f"Link to this {found['kind']}"
        return f'{found["head"]}<a class="headerlink" href="#{found["label"]}" title="{title}">{icon}</a></p>'

    return _TITLED.sub(link, body)


def add_links(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Link the titles of a page."""
    if app.config.html_permalinks and "body" in context:
        context["body"] = link_titles(context["body"], app.config.html_permalinks_icon)


def drop_hidden_names(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Let a fold of code be called what it shows, by those who hear it and those who speak to it."""
    if "body" in context:
        context["body"] = context["body"].replace('<summary aria-label="Toggle hidden content">', "<summary>")


def defer_scripts(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Let a browser draw the text before it fetches the scripts of the head; deferred, they keep their order."""
    if page == "search":  # its tools need the others before them
        return

    def deferred(script: Any) -> Any:
        # The theme's own lines use the options at once.
        if "documentation_options.js" in str(script.filename) or script.attributes.keys() & {"type", "async", "defer"}:
            return script
        return type(script)(script.filename, priority=script.priority, defer="defer", **script.attributes)

    context["script_files"] = [deferred(script) for script in context.get("script_files", ())]


class Settings(logging.Filter):
    """Drops the line on which a MyST package prints all of its settings."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let all other lines pass."""
        return not (record.levelno == logging.INFO and len(record.args or ()) > 1 and " v%s:" in str(record.msg))


def keep_settings_quiet() -> None:
    """Let a real message be seen."""
    for name in ("myst_parser.sphinx_ext.main", "myst_nb.sphinx_ext"):
        logger = logging.getLogger(f"sphinx.{name}")
        if not any(isinstance(one, Settings) for one in logger.filters):
            logger.addFilter(Settings())


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension; Sphinx calls this once."""
    app.add_post_transform(DropRepeatedIds)
    app.connect("html-page-context", drop_stale_roles)
    app.connect("html-page-context", add_links)
    app.connect("html-page-context", drop_hidden_names)
    app.connect("html-page-context", defer_scripts, priority=900)  # after those that add scripts to a page
    keep_settings_quiet()
    return METADATA
