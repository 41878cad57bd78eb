"""Number the figures of the whole site without unpickling the whole site.

To number figures, Sphinx loads and walks every page each time any page is read, which takes longer than the rest of an
edit of one page. It looks only for sections, toctrees and captioned nodes, so these alone are kept of each page until
the page is read again.
"""

from __future__ import annotations

from typing import Any, cast

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector


def outline(doctree: nodes.Element, env: BuildEnvironment) -> nodes.Element:
    """Return a copy of a page's tree with only the nodes that get a number and those that give their position."""
    kept = doctree.copy()
    for child in doctree.children:
        if not isinstance(child, nodes.Element):
            continue
        if isinstance(child, addnodes.toctree):
            kept += child.copy()
        elif _is_numbered(child, env):
            kept += child.deepcopy()
        elif (inner := outline(child, env)).children or isinstance(child, nodes.section):
            kept += inner
    return kept


def _is_numbered(node: nodes.Element, env: BuildEnvironment) -> bool:
    for domain in env.domains.sorted():
        if domain.get_enumerable_node_type(node) and (
            not isinstance(domain, StandardDomain) or domain.get_numfig_title(node)
        ):
            return True
    return False


class _Outlines:
    """An environment that hands out outlines instead of pages; all else is the real one's."""

    def __init__(self, env: BuildEnvironment, kept: dict[str, nodes.Element]) -> None:
        self.__dict__.update(env=env, kept=kept)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.env, name, value)

    def get_doctree(self, page: str) -> Any:
        if page not in self.kept:
            self.kept[page] = outline(self.env.get_doctree(page), self.env)
        return self.kept[page]


class Numbering(TocTreeCollector):
    """Sphinx's numbering, over outlines that outlive a build."""

    def __init__(self) -> None:
        self.kept: dict[str, nodes.Element] = {}

    def get_updated_docs(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """Return the pages on which a number has changed."""
        return super().get_updated_docs(app, cast("BuildEnvironment", _Outlines(env, self.kept)))

    def replace(self, app: Sphinx) -> None:
        """Replace an application's own collector, to which Sphinx gives no access."""
        for listener in app.events.listeners["env-get-updated"]:
            if isinstance(getattr(listener.handler, "__self__", None), TocTreeCollector):
                app.disconnect(listener.id)
                break
        app.connect("env-get-updated", self.get_updated_docs)
