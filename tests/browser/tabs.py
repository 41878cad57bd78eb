"""Windows that tests share: a new one costs three times what the page costs that it shows."""

import json
from typing import Any

from tests.browser.looks import DESKTOP

#: A file of the site without scripts of its own: what it forgets, no script writes again.
PLAIN = "_static/practice/quiz.css"
_FORGET = """() => {
  try { localStorage.clear(); sessionStorage.clear(); } catch { /* it kept nothing */ }
}"""


class Tabs:
    """One window for each kind that is asked for. Its tabs share what a reader keeps, until `clean` forgets it."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser, self.address = browser, address
        self.contexts: dict[str, Any] = {}
        self.options: dict[str, dict[str, Any]] = {}
        self.idle: dict[str, Any] = {}
        self.used: set[str] = set()
        #: Where scripts of the pages have thrown, and what the console has called an error.
        self.thrown: list[str] = []
        self.logged: list[str] = []

    def open(self, path: str, script: str = "", *, before: Any = None, **options: Any) -> Any:
        """Open a page in a window with these options, in which `script` runs before each page.

        `before` gets the tab while it is still empty.
        """
        options = {"viewport": DESKTOP, "color_scheme": "light"} | options
        name = json.dumps([script, options], sort_keys=True)
        if name not in self.contexts:
            self.options[name] = options
            self.contexts[name] = self.browser.new_context(**options)
            if script:
                self.contexts[name].add_init_script(script)
        self.used.add(name)
        page = self.idle.pop(name, None) or self._tab(name)
        if before:
            before(page)
        page.goto(self.address + path)
        return page

    def _tab(self, name: str) -> Any:
        page = self.contexts[name].new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: self.thrown.append(str(error.stack or error)))
        page.on("console", lambda message: self.logged.append(message.text) if message.type == "error" else None)
        return page

    def clean(self) -> None:
        """Leave one tab in each window that was used, as a new one is."""
        for name in self.used:
            context, options = self.contexts[name], self.options[name]
            context.unroute_all()
            page, *others = context.pages or [self._tab(name)]
            for other in others:
                other.close()
            motion = options.get("reduced_motion", "null")
            page.emulate_media(media="null", color_scheme=options["color_scheme"], reduced_motion=motion)
            page.set_viewport_size(options["viewport"])
            page.mouse.move(0, 0)
            page.goto(self.address + PLAIN)
            page.evaluate(_FORGET)
            self.idle[name] = page
        self.used.clear()
        self.thrown.clear()
        self.logged.clear()

    def close(self) -> None:
        for context in self.contexts.values():
            context.close()
