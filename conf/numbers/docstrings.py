"""Sphinx extension: the ``>>>`` examples of the docstrings that a page shows must do what they say."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Iterable
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.numbers.examples import Fault, faults

logger = logging.getLogger(__name__)


def in_docstring(thing: Any, name: str) -> Iterable[tuple[str, Fault]]:
    """Run the examples in the docstring of one object.

    Parameters
    ----------
    thing : object
        A module, class, function or property.
    name : str
        Its full name.

    Yields
    ------
    tuple of (str, Fault)
        The file, and what is wrong there.
    """
    home = getattr(thing, "fget", None) or thing
    module = sys.modules.get(str(getattr(home, "__module__", "") or getattr(home, "__name__", "")))
    if module is None:
        return
    for test in doctest.DocTestFinder(recurse=False).find(home, name, module, globs={}):
        for fault in faults(test, dict(vars(module))):
            yield test.filename or name, fault


def _check_docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    for path, fault in in_docstring(thing, name):
        logger.error("an example fails: %s", fault.text, location=f"{path}:{fault.line}", type="calc")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Have the docstrings that the site shows checked; `conf.numbers.roles` checks the examples of its pages."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", _check_docstring)
    return METADATA
