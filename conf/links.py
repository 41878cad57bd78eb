"""Addresses within the site, from a page and from its root."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urlsplit

_LINK = re.compile(r'(?<= href=")([^"]*)')


def from_page(docname: str, address: str) -> str:
    """Return, relative to a page, an address that begins at the root of the site.

    >>> from_page("practice/cards", "downloads/deck.apkg")
    '../downloads/deck.apkg'
    """
    return "../" * docname.count("/") + address


def from_root(address: str, page: str) -> str:
    """Return, relative to the root of the site, an address on a page; addresses on other hosts stay as they are.

    >>> from_root("../lesson/method.html#sec-limits", "practice/cards.html")
    'lesson/method.html#sec-limits'
    >>> from_root("#sec-one", "practice/cards.html")
    'practice/cards.html#sec-one'
    """
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return address
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), parts.path)) if parts.path else page
    return parts._replace(path=path).geturl()


def links_from_root(html: str, page: str) -> str:
    """Make the links of a piece of HTML relative to the root of the site, so that any page can use it.

    >>> links_from_root('<a class="x" href="../lesson/method.html#sec-limits">', "practice/cards.html")
    '<a class="x" href="lesson/method.html#sec-limits">'
    """
    return _LINK.sub(lambda match: from_root(match[1], page), html)
