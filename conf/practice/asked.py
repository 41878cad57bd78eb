"""Sphinx extension: the questions of all pages: each id is used once, and each guess that is compared is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, cast

from sphinx.application import Sphinx
from sphinx.domains import Domain
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA

logger = logging.getLogger(__name__)


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
        """Report comparisons with a prediction that no page asks for, and choices that no remark is about."""
        for page, compared in self.data["compared"].items():
            for label, about, line in compared:
                location = (page, line)
                if label not in self.data["asked"]:
                    logger.error("there is no prediction %s to come back to", label, location=location)
                missing = [choice for choice in self.data["choices"].get(label, []) if choice not in about]
                if missing:
                    logger.error("nothing is said about the guess %s of %s", missing[0], label, location=location)


def practice(env: BuildEnvironment) -> Practice:
    """Return the domain that keeps the ids."""
    return cast(Practice, env.get_domain("practice"))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the domain; Sphinx calls this once."""
    app.add_domain(Practice)
    return METADATA
