"""The built site as a test reads it: its pages, what they refer to, and what that weighs."""

import gzip
import os
import posixpath
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import lxml.html
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: Where `nox -s tests` put the site. Empty where pytest runs alone.
FOLDER = os.environ.get("ROOFLINE_SITE", "")
MISSING = "NO SITE: build it by `nox -s docs` and set ROOFLINE_SITE to its folder, or run `nox -s tests`"
#: Explicit labels begin like this; ids that Sphinx makes from a title or a count do not.
_KINDS = "sec|def|thm|lem|cor|prop|rem|ex|sol|alg|eq|tab|fig|code|check|predict|card"
LABEL = re.compile(rf"^(?:equation-)?((?:{_KINDS})-[\w.-]+)$")

#: Attributes that make a browser fetch something at once, by element.
FETCHED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "input": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
#: Links that a browser, not the reader, follows.
FETCHED_LINKS = {"stylesheet", "preload", "modulepreload", "icon", "apple-touch-icon", "manifest", "prefetch"}
CSS_ADDRESS = re.compile(r"""url\(\s*['"]?([^'")]+)['"]?\s*\)|@import\s+['"]([^'"]+)['"]""")
SCRIPT_ADDRESS = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([./][^'"]*|https?:[^'"]*)['"]""")


@dataclass(frozen=True)
class Page:
    """One HTML file of a site that stands below a folder."""

    site: Path
    name: str

    @property
    def path(self) -> Path:
        return self.site / self.name

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> lxml.html.HtmlElement:
        return lxml.html.document_fromstring(self.text)

    @cached_property
    def article(self) -> lxml.html.HtmlElement:
        """What the page's author wrote; the rest is the theme's."""
        (article,) = self.tree.xpath("//article")
        return article

    @cached_property
    def ids(self) -> list[str]:
        return self.tree.xpath("//@id")

    @property
    def source(self) -> Path:
        return DOCS / Path(self.name).with_suffix(".md")

    @cached_property
    def resources(self) -> list[str]:
        """Addresses that a browser fetches when it opens the page."""
        found = []
        for element in self.tree.iter(*FETCHED):
            for attribute in FETCHED[element.tag]:
                value = element.get(attribute, "")
                found += [part.split()[0] for part in value.split(",")] if attribute == "srcset" and value else [value]
        for link in self.tree.iter("link"):
            if FETCHED_LINKS & set(link.get("rel", "").split()):
                found.append(link.get("href", ""))
        for style in [*self.tree.xpath("//style/text()"), *self.tree.xpath("//@style")]:
            found += css_addresses(style)
        for script in self.tree.xpath("//script[not(@src)]"):
            found += SCRIPT_ADDRESS.findall(script.text or "")
            if script.get("type") == "importmap":
                found += re.findall(r':\s*"([^"]+)"', script.text or "")
        return [address for address in found if address]

    @cached_property
    def links(self) -> list[str]:
        """Addresses that a reader may go to."""
        return [*self.tree.xpath("//a/@href"), *self.tree.xpath("//link[@rel='next' or @rel='prev']/@href")]

    @cached_property
    def labels(self) -> set[str]:
        """The labels of what can be cited: the parts of a figure, and its data, have ids for the page's own use."""
        citable = ".//*[self::section or self::figure or self::table or self::div]"
        found = self.article.xpath(f"{citable}[not(ancestor::figure) and not(ancestor::details)]/@id")
        return {match[1] for match in map(LABEL.match, found) if match}


def css_addresses(css: str) -> list[str]:
    addresses = [first or second for first, second in CSS_ADDRESS.findall(css)]
    return [address for address in addresses if not address.startswith(("data:", "#"))]


def required() -> Path:
    """The folder of the site. Where there is none, skip loudly; on a machine that checks every change, fail."""
    folder = Path(FOLDER)
    if not FOLDER or not (folder / "index.html").is_file():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    return folder


@cache
def pages(site: Path) -> tuple[Page, ...]:
    """Every page of a site, without what the theme leaves in _static."""
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return tuple(Page(site, name) for name in names if not name.startswith("_"))


def written(site: Path) -> list[Page]:
    """The pages that someone wrote: the others are the index, the search and the one for a wrong address."""
    return [page for page in pages(site) if page.source.is_file()]


def is_elsewhere(address: str) -> bool:
    """Whether an address is on another host."""
    return bool(urlsplit(address).netloc)


def is_here(address: str) -> bool:
    parts = urlsplit(address)
    return not parts.netloc and parts.scheme in ("", "http", "https")


def target(name: str, address: str, prefix: str = "") -> str:
    """The file below the site that an address on the page `name` means; it begins with .. where it leaves the site.

    An absolute address means a file only if it begins with `prefix`, the path under which the site is served.
    """
    path = unquote(urlsplit(urldefrag(address)[0]).path)
    if path.startswith("/"):
        if not prefix or not path.startswith(prefix):
            return f"..{path}"
        path = path.removeprefix(prefix)
    elif path:
        path = posixpath.join(posixpath.dirname(name), path)
    else:
        path = name
    path = posixpath.normpath(path) + ("/" if path.endswith("/") else "")
    return "index.html" if path in (".", "./", "") else f"{path}index.html" if path.endswith("/") else path


def broken(page: Page, prefix: str = "") -> list[str]:
    """The addresses on a page that lead to no file, or to no place in it."""
    here = {address for address in (*page.links, *page.resources) if is_here(address)}
    return sorted(address for address in here if not leads_somewhere(page, address, prefix))


def leads_somewhere(page: Page, address: str, prefix: str) -> bool:
    file, anchor = target(page.name, address, prefix), urldefrag(address)[1]
    if file.startswith("..") or not (page.site / file).is_file():
        return False
    return not anchor or not file.endswith(".html") or unquote(anchor) in ids(page.site, file)


@cache
def ids(site: Path, name: str) -> frozenset[str]:
    return frozenset(Page(site, name).ids)


def assets(page: Page) -> set[str]:
    """Every file that opening a page may fetch: what it names, and what its stylesheets and scripts name in turn."""
    found: set[str] = set()
    waiting = [target(page.name, address) for address in page.resources if is_here(address)]
    while waiting:
        name = waiting.pop()
        file = page.site / name
        if name in found or not file.is_file():
            continue
        found.add(name)
        if file.suffix == ".css":
            waiting += [target(name, address) for address in css_addresses(file.read_text(encoding="utf-8"))]
        elif file.suffix in (".js", ".mjs"):
            addresses = SCRIPT_ADDRESS.findall(file.read_text(encoding="utf-8"))
            waiting += [target(name, address) for address in addresses if is_here(address)]
    return found


@cache
def packed(file: Path) -> int:
    """How many bytes a server sends for a file: fonts and pictures are compressed already."""
    content = file.read_bytes()
    return min(len(content), len(gzip.compress(content, 6)))
