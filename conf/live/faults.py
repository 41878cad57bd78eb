"""What is wrong with the site, kept until the page that it was found on is read or written again."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from sphinx.application import Sphinx
from sphinx.util import logging as sphinx_logging


class Faults:
    """Warnings and errors, by the page and the phase of the build that they came from.

    Examples
    --------
    >>> faults = Faults()
    >>> faults.add("lesson/method", "reading", "method.md:7: undefined label")
    >>> faults.forget("lesson/method", "writing")
    >>> list(faults)
    ['method.md:7: undefined label']
    >>> faults.forget("lesson/method")
    >>> list(faults)
    []
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[str]] = {}

    def __iter__(self) -> Iterator[str]:
        """Yield each text once, page by page."""
        return iter(dict.fromkeys(text for _, texts in sorted(self._found.items()) for text in texts))

    def add(self, page: str, phase: str, text: str) -> None:
        """Keep a fault; a page without a name is the site as a whole."""
        self._found.setdefault((page, phase), []).append(text)

    def forget(self, page: str, phase: str | None = None) -> None:
        """Drop what was found on a page, in one phase or in all."""
        for key in [key for key in self._found if key[0] == page and phase in {None, key[1]}]:
            del self._found[key]


class Listener(logging.Handler):
    """Receives each warning at once; Sphinx's own handler gets it at the end of a phase, when its page is not known."""

    def __init__(self, app: Sphinx, faults: Faults) -> None:
        super().__init__(logging.WARNING)
        self._app, self._faults = app, faults
        self.page = self.phase = ""
        self.addFilter(sphinx_logging.WarningSuppressor(app))
        self.addFilter(sphinx_logging.WarningLogRecordTranslator(app))
        logging.getLogger(sphinx_logging.NAMESPACE).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the warning under the page that is being read or written."""
        if getattr(record, "heard", False):
            return  # Sphinx passes it on once more, at the end of the phase
        record.heard = True
        page = self.page or self._app.env.current_document.docname
        self._faults.add(page, self.phase, record.getMessage())
