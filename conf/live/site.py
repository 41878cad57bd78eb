"""A site that one process builds again and again: first what its author waits for, then the rest."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.util.build_phase import BuildPhase
from sphinx.util.docutils import docutils_namespace, patch_docutils

from conf.cells import in_process
from conf.live.faults import Faults, Listener
from conf.live.numbering import Numbering

#: The packages whose code a page's text or its directives may depend on.
CODE: Final = ("roofline", "figures", "conf")
#: Where the loop keeps all that it makes, below the root.
OUTPUT: Final = Path("build", "live")


class _Application(Sphinx):
    """Sphinx, with a builder that knows what to do first."""

    def __init__(self, site: Site, **settings: Any) -> None:
        self.site = site
        super().__init__(**settings)

    def create_builder(self, name: str) -> Builder:  # noqa: ARG002  # always HTML
        return _Pages(self, self.env, self.site)


class _Pages(StandaloneHTMLBuilder):
    """The HTML builder in two steps: if `quick`, it only writes the wanted pages; search and assets come later."""

    def __init__(self, app: Sphinx, env: BuildEnvironment, site: Site) -> None:
        super().__init__(app, env)
        self.site = site

    def write_documents(self, docnames: AbstractSet[str]) -> None:
        todo = sorted(docnames, key=lambda page: (page not in self.site.wanted, page != self.site.at, page))
        self.site.unwritten |= set(todo)
        for page in todo:
            if page not in self.site.wanted and (self.site.quick or self.site.interrupted()):
                break
            self.site.faults.forget(page, "writing")
            self.site.listener.page, self.site.listener.phase = page, "writing"
            super().write_documents({page})
            self.site.wrote(page)
        self.site.listener.page = ""

    def copy_assets(self) -> None:
        if not self.site.quick or self.site.restarted:
            super().copy_assets()

    def load_indexer(self, docnames: AbstractSet[str]) -> None:
        if not self.site.quick:
            super().load_indexer(docnames)

    def index_page(self, pagename: str, doctree: nodes.document, title: str) -> None:
        if not self.site.quick:
            super().index_page(pagename, doctree, title)

    def finish(self) -> None:
        if self.site.quick:
            self.copy_image_files()
        elif not self.site.interrupted():
            super().finish()
            self.site.unindexed.clear()


class Site:
    """The site of one folder, kept in memory between builds.

    Parameters
    ----------
    root : Path
        The folder with ``docs`` and ``conf``; the site goes into ``build/live/html``.
    tell : callable
        Called as soon as the page that the author waits for is written, and again when others are.
    interrupted : callable
        Whether something has changed that is not yet built.
    """

    def __init__(self, root: Path, tell: Callable[[], None], interrupted: Callable[[], bool]) -> None:
        self.root, self.source, self.output = root, root / "docs", root / OUTPUT
        self.tell, self.interrupted = tell, interrupted
        self.at = "index"  # the page that the author edited or looked at last
        self.faults = Faults()
        self.listener: Listener
        self.quick = self.restarted = False
        self.wanted: set[str] = set()  # pages that the author waits for
        self.unread: set[str] = set()
        self.unwritten: set[str] = set()
        self.unindexed: set[str] = set()  # pages whose present text is not in the search index yet
        self._app: _Application | None = None
        self._scope = contextlib.ExitStack()
        self._numbering = Numbering()
        self._shown: Any = None
        self._written: list[str] = []
        self._reading: list[str] = []

    def look(self, page: str) -> None:
        """Note which page the author looks at: after an edit of code it comes first."""
        self.at = page

    @property
    def unfinished(self) -> bool:
        """Whether there is more to do even if nothing changes."""
        return bool(self._app and (self.unread or self.unwritten or self.unindexed))

    def start(self) -> list[str]:
        """Build all pages from nothing; return them."""
        return self._attempt(self._complete, fresh=True)

    def update(self, changed: Iterable[Path]) -> list[str]:
        """Build what the author waits for after files have changed.

        Parameters
        ----------
        changed : iterable of Path
            Files that were edited, added or removed.

        Returns
        -------
        list of str
            The pages that were written.
        """
        changed = set(changed)
        code = any(not path.is_relative_to(self.source) for path in changed)
        return self._attempt(lambda: self._hurry(changed), code=code)

    def settle(self) -> list[str]:
        """Build what is left, until something changes again; return the pages that were written."""
        return self._attempt(self._complete)

    def wrote(self, page: str) -> None:
        """Note that a page is written, and tell the browser once all that the author waits for are."""
        self.unwritten.discard(page)
        self.unindexed.add(page)
        self._written.append(page)
        if self.wanted:
            self.wanted.discard(page)
            if not self.wanted:
                self.tell()

    def _attempt(self, build: Callable[[], None], *, code: bool = False, fresh: bool = False) -> list[str]:
        """Build, and turn an exception that ends the build into a fault."""
        self._written.clear()
        self.faults.forget("", "ended")
        try:
            if code or self._app is None:
                self._restart(fresh=fresh)
            build()
        except Exception as error:  # noqa: BLE001  # an author's mistake may raise anything, and the loop must go on
            self._app = None
            self.faults.add("", "ended", f"{type(error).__name__}: {error}")
        self.quick = self.restarted = False
        return list(self._written)

    def _restart(self, *, fresh: bool) -> None:
        """Import our code afresh, and have Sphinx load its extensions and settings from it."""
        self._app = None
        self._scope.close()
        for name in [name for name in sys.modules if name.split(".")[0] in CODE and not _is_of_the_loop(name)]:
            del sys.modules[name]
        importlib.invalidate_caches()
        self.faults.forget("", "starting")
        said = io.StringIO()
        self._scope.enter_context(patch_docutils(self.root / "conf"))
        self._scope.enter_context(docutils_namespace())
        app = _Application(
            self,
            srcdir=self.source,
            confdir=self.root / "conf",
            outdir=self.output / "html",
            doctreedir=self.output / "doctrees",
            buildername="html",
            # A cache of its own keeps the outputs of this process apart from those of kernels.
            confoverrides={
                "nb_execution_cache_path": str(self.output / "jupyter-cache"),
                "cells_run_ahead": False,
            },
            status=None,
            warning=said,
            freshenv=fresh,
        )
        for line in said.getvalue().splitlines():
            self.faults.add("", "starting", line)
        self.listener = Listener(app, self.faults)
        self._numbering.replace(app)
        app.connect("env-get-outdated", lambda *_: self.unread & app.env.found_docs)
        app.connect("env-before-read-docs", self._choose, priority=999)
        app.connect("env-purge-doc", self._purge)
        app.connect("source-read", in_process.fill_cache, priority=1)
        app.connect("env-updated", lambda *_: setattr(self.listener, "phase", "checking"))
        self.unwritten |= app.env.found_docs
        self.restarted = True
        self._app = app

    def _hurry(self, changed: set[Path]) -> None:
        """Read and write the pages that were edited or, if code was, the one that the author was at last."""
        assert self._app is not None  # noqa: S101  # _restart has made it
        env = self._app.env
        env.find_files(self._app.config, self._app.builder)
        edited = {page for path in changed if (page := env.path2doc(path))} & env.found_docs
        needing = env.dependencies.items()
        included = {page for page, paths in needing if changed & {self.source / path for path in paths}}
        moved = env.found_docs ^ env.all_docs.keys()  # added or removed
        lists = {page for page, entries in env.toctree_includes.items() if moved & set(entries)}
        self.unread |= (edited | lists) & env.all_docs.keys() & env.found_docs
        if edited and self.at not in edited:
            self.at = min(edited)
        if self.at not in env.found_docs:
            self.at = self._app.config.root_doc
        self.wanted = edited or included or {self.at}
        self.quick = True
        self._build(self.wanted)

    def _complete(self) -> None:
        """Read and write everything that is left, and then make the rest of the site."""
        assert self._app is not None  # noqa: S101  # _restart has made it
        self.quick = False
        self.wanted = set()
        page = self.output / "html" / f"{self.at}.html"
        before = page.read_bytes() if page.exists() else b""
        self._build(self.unwritten | self.unindexed)
        if not self.unindexed:
            self._app.events.emit("build-finished", None)
        if page.exists() and page.read_bytes() != before:
            self.tell()

    def _build(self, pages: set[str]) -> None:
        assert self._app is not None  # noqa: S101  # _restart has made it
        env, builder = self._app.env, self._app.builder
        # The environment gives a page as it was when first asked for it, for an environment usually lives for only one
        # build. Sphinx has no other way to make it forget; a test tells when that changes, or the names do.
        env._pickled_doctree_cache.clear()  # noqa: SLF001
        env.__dict__.pop("master_doctree", None)
        self.faults.forget("", "reading")
        self.listener.phase, builder.phase = "reading", BuildPhase.READING
        builder.build(pages, method="update")
        shown = shown_elsewhere(env)
        if self._shown is not None and shown != self._shown:
            self.unwritten |= env.found_docs - set(self._written)
        self._shown = shown

    def _choose(self, _app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
        """Read now what the author waits for, and what is new to Sphinx; leave the rest for later."""
        if pages:
            self.faults.forget("", "checking")
        now = {page for page in pages if page in self.wanted or page not in env.all_docs}
        now = now if self.quick else set(pages)
        self.unread = set(pages) - now
        pages[:] = sorted(now, key=lambda page: (page in env.all_docs, page != self.at, page))
        self._reading = pages

    def _purge(self, _app: Sphinx, env: BuildEnvironment, page: str) -> None:
        """Forget a page that is about to be read again, or that was removed."""
        self.faults.forget(page, "reading")
        self._numbering.kept.pop(page, None)
        self.unread.discard(page)
        if page not in env.found_docs:
            self.faults.forget(page)
            self.unwritten.discard(page)
            self.unindexed.discard(page)
            (self.output / "html" / f"{page}.html").unlink(missing_ok=True)
        elif not self.quick and page in env.all_docs and self.interrupted() and page in self._reading:
            # Sphinx is iterating over this list, so what is removed is not read now.
            left = self._reading.index(page) + 1
            self.unread |= set(self._reading[left:])
            del self._reading[left:]


def _is_of_the_loop(name: str) -> bool:
    return name in {"conf", "conf.cells", "conf.cells.in_process"} or name.startswith("conf.live")


def shown_elsewhere(env: BuildEnvironment) -> Any:
    """Return everything that pages show of other pages: titles, menus, labels with their texts, and numbers."""
    titles = {page: title.astext() for page, title in env.titles.items()}
    objects = {domain.name: set(map(str, domain.get_objects())) for domain in env.domains.sorted()}
    equations = dict(env.domains.math_domain.equations)
    return titles, dict(env.toctree_includes), objects, equations, dict(env.toc_fignumbers)
