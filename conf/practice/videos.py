"""Sphinx extension: a ``video`` directive that makes no request to another host until the reader presses play.

The page has a local poster, the title as a plain link, and a few words.  Where scripts run, ``practice/watch.js``
turns the poster into a button; only pressing it loads the player, from the host that sets no cookies.

The player is lite-youtube-embed, a vendored file.  The directive is our own, because the extensions that embed videos
load the player, or the picture, from the other host as soon as the page opens.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets
from conf.element import element, make
from conf.links import from_page

#: Below ``static`` of this room, and so below ``_static/practice`` in the site.
POSTERS: Final = "posters"
STATIC: Final = Path(__file__).parent / "static"
_ID: Final = re.compile(r"[\w-]{11}")


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
            self.picture(file, {"data-video": video, "data-title": title, "href": address}),
            nodes.paragraph("", "", link, classes=["video-title"]),
            nodes.paragraph("", ". ".join(facts) + ".", classes=["video-facts"]),
            classes=["video"],
        )
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]

    def picture(self, file: str, link: dict[str, str]) -> element:
        """Return the poster as a link that a pointer may use; keyboard and screen reader have the title below."""
        source = {"src": from_page(self.env.docname, f"_static/practice/{file}"), "alt": ""}
        image = make(element, "img", html=source | {"width": "640", "height": "360"})
        hidden = {"tabindex": "-1", "aria-hidden": "true"}
        return make(element, "a", image, html=link | hidden, classes=["video-poster"])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive; Sphinx calls this once."""
    app.setup_extension("conf.element")
    app.add_directive("video", Video)
    add_assets(app, 'class="video-poster"', "practice/watch.css", "practice/watch.js")
    return METADATA
