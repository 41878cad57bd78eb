"""Sphinx extension: the solutions of sphinx-exercise fold without a script, and print only where they are open.

sphinx-exercise leaves folding to a script of another extension.  Here a solution with the class ``dropdown`` becomes
the browser's own fold, which a keyboard, a screen reader and a page without JavaScript can open.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx_exercise.nodes import is_extension_node, solution_node

from conf import METADATA
from conf.assets import add_assets
from conf.element import element, fold

#: sphinx-exercise wraps the content of each box into a section, all of them with one of these two ids.
_WRAPPERS = ("exercise-content", "solution-content")


class FoldSolutions(SphinxPostTransform):
    """Unwrap the content of exercises and solutions, and fold the solutions that ask for it."""

    default_priority = 30  # after sphinx-exercise has written all titles

    def run(self, **_: Any) -> None:
        """Go through all boxes of the page."""
        for box in [*self.document.findall(is_extension_node)]:
            for section in [child for child in box.children if isinstance(child, nodes.section)]:
                if section["ids"] and section["ids"][0] in _WRAPPERS:
                    section["ids"] = []
                    section.replace_self(section.children)
            if isinstance(box, solution_node) and "dropdown" in box["classes"]:
                box.replace_self(_folded(box))


def _folded(solution: nodes.Element) -> element:
    """Return a solution as a fold; the title of the exercise, which stands right above it, is left out of its own."""
    title, *content = solution.children
    summary = title.astext().partition(" (")[0]
    return fold(summary, *content, classes=["solution", "dropdown"], ids=solution["ids"])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the transform; Sphinx calls this once."""
    app.setup_extension("sphinx_exercise")
    app.setup_extension("conf.element")
    app.add_post_transform(FoldSolutions)
    add_assets(app, 'class="solution dropdown"', "practice/exercises.css", "practice/exercises.js")
    return METADATA
