"""Sphinx extension: a ``video`` directive that asks no other host for anything until the reader presses play.

The page has a local poster, the title as a plain link, and a few words.  Where scripts run, ``practice/watch.js``
turns the poster into a button; only pressing it loads the player, from the host that sets no cookies.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri
from sphinx.writers.html5 import HTML5Translator

from conf.assets import add_assets

#: Below ``static`` of this room, and so below ``_static/practice`` in the site.
POSTERS: Final = "posters"
STATIC: Final = Path(__file__).parent / "static"
_ID: Final = re.compile(r"[\w-]{11}")


class poster(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes in lower case
    """The picture that stands in for a player: ``video`` is the id, ``words`` the title, ``file`` the picture."""


class Video(SphinxDirective):
    """``{video} ID``: a video on YouTube, and in its content what to watch for."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "title": directives.unchanged_required,
        "speakers": directives.unchanged_required,
        "series": directives.unchanged_required,
        "date": directives.unchanged_required,
        "length": directives.unchanged_required,
        "poster": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Return the poster, the title as a link, who speaks and for how long, and what to watch for."""
        video = self.arguments[0]
        if not _ID.fullmatch(video):
            raise self.error(f"{video!r} is no id of a video; it has eleven letters, digits, - or _")
        for needed in ("title", "speakers", "poster"):
            if needed not in self.options:
                raise self.error(f"the video {video} has no :{needed}:")
        if not self.content:
            raise self.error(f"the video {video} has no content; say in a sentence what to watch for")
        title, file = self.options["title"], f"{POSTERS}/{self.options['poster']}.svg"
        if not (STATIC / file).is_file():
            raise self.error(f"the video {video} has no poster {file} in conf/practice/static")
        address = f"https://www.youtube.com/watch?v={video}"
        link = nodes.reference(title, title, refuri=address, internal=False, classes=["external"])
        facts = [self.options[name] for name in ("speakers", "series", "date", "length") if name in self.options]
        box = nodes.container(
            "",
            poster(video=video, words=title, file=file, address=address),
            nodes.paragraph("", "", link, classes=["video-title"]),
            nodes.paragraph("", ". ".join(facts) + ".", classes=["video-facts"]),
            classes=["video"],
        )
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


def visit_poster(self: HTML5Translator, node: poster) -> None:
    """Write the picture as a link that a pointer may use; keyboard and screen reader have the title below."""
    page = self.builder.get_target_uri(self.builder.current_docname)
    picture = html.escape(relative_uri(page, f"_static/practice/{node['file']}"))
    data = f'data-video="{node["video"]}" data-title="{html.escape(node["words"])}"'
    self.body.append(
        f'<a class="video-poster" {data} href="{html.escape(node["address"])}" tabindex="-1" aria-hidden="true">'
        f'<img src="{picture}" alt="" width="640" height="360"></a>\n'
    )
    raise nodes.SkipNode


def _skip(self: nodes.NodeVisitor, node: poster) -> None:  # noqa: ARG001 - docutils' signature
    """Leave the picture out, where the builder writes no HTML."""
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension.

    Parameters
    ----------
    app : Sphinx
        The application.

    Returns
    -------
    dict
        Metadata for Sphinx.
    """
    skip = (_skip, None)
    app.add_node(poster, html=(visit_poster, None), latex=skip, text=skip, man=skip, texinfo=skip)
    app.add_directive("video", Video)
    add_assets(app, 'class="video-poster"', "practice/watch.css", "practice/watch.js")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
