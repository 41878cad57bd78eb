"""The video directive on a small site: what it writes, what it refuses, and that only a page with a video pays."""

import json
import re
from pathlib import Path

import pytest

from conf.practice.videos import POSTERS
from tests.conf.conftest import SmallSite, settings

lxml_html = pytest.importorskip("lxml.html")

pytestmark = pytest.mark.slow

VENDOR = Path(__file__).parents[3] / "figures" / "vendor"

SETTINGS = settings("conf.practice.videos")

GOOD = """\
```{video} 8h3f3E-Oq5A
:title: Rooflines & "roofs"
:speakers: Ada and Bob
:length: 12 min
:poster: roofline

Watch for *two* numbers.
```
"""

#: What is wrong, and what the author reads.
REFUSED = {
    ("8h3f3E-Oq5", ":title: T\n:speakers: S\n:poster: roofline", "Watch."): "'8h3f3E-Oq5' is no id of a video",
    ("AAAAAAAAAA1", ":speakers: S\n:poster: roofline", "Watch."): "the video AAAAAAAAAA1 has no :title:",
    ("AAAAAAAAAA2", ":title: T\n:poster: roofline", "Watch."): "the video AAAAAAAAAA2 has no :speakers:",
    ("AAAAAAAAAA3", ":title: T\n:speakers: S", "Watch."): "the video AAAAAAAAAA3 has no :poster:",
    ("AAAAAAAAAA4", ":title: T\n:speakers: S\n:poster: roofline", ""): "the video AAAAAAAAAA4 has no content",
    (
        "AAAAAAAAAA5",
        ":title: T\n:speakers: S\n:poster: sky",
        "Watch.",
    ): f"no poster {POSTERS}/sky.svg",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("videos"))
    site.write("conf/conf.py", SETTINGS)
    site.write("docs/index.md", "# Home\n\n```{toctree}\ndeep/page\nrefused\n```\n")
    site.write("docs/deep/page.md", f"# Page\n\n{GOOD}")
    videos = [f"```{{video}} {name}\n{options}\n\n{content}\n```\n" for name, options, content in REFUSED]
    site.write("docs/refused.md", "# Refused\n\n" + "\n".join(videos))
    return site


@pytest.fixture(scope="module")
def said(site):
    return site.build(gate=True).stderr


def test_a_video_is_a_local_poster_a_plain_link_and_words(site, said):
    assert "page.md" not in said

    page = lxml_html.document_fromstring(site.html("deep/page"))
    (video,) = page.xpath("//div[contains(@class, 'video')]")
    (picture,) = video.xpath(".//img")
    assert picture.get("src") == f"../_static/practice/{POSTERS}/roofline.svg"
    assert picture.get("alt") == ""  # it says nothing that the title does not
    assert (site.root / "build" / "html" / "_static" / "practice" / POSTERS / "roofline.svg").is_file()
    (poster,) = video.xpath(".//a[@class='video-poster']")
    assert (poster.get("tabindex"), poster.get("aria-hidden")) == ("-1", "true")
    assert poster.get("data-title") == 'Rooflines & "roofs"'
    (link,) = video.xpath(".//p[@class='video-title']/a")
    assert link.text_content() == "Rooflines & “roofs”"
    assert link.get("href") == poster.get("href") == "https://www.youtube.com/watch?v=8h3f3E-Oq5A"
    assert video.xpath("string(.//p[@class='video-facts'])") == "Ada and Bob. 12 min."
    assert video.xpath(".//em/text()") == ["two"]
    # Nothing of it makes a browser ask another host.
    assert page.xpath("//iframe | //lite-youtube") == []

    loads = re.compile(r"practice/watch\.(?:js|css)")
    assert len(loads.findall(site.html("deep/page"))) == 2
    assert loads.findall(site.html()) == []


def test_a_video_that_lacks_something_is_refused_in_one_sentence(said):
    assert [sentence for sentence in REFUSED.values() if sentence not in said] == []


def test_other_builders_have_the_link_and_the_words(site, said):  # noqa: ARG001 - the page is read already
    site.build("-b", "text")
    text = (site.root / "build" / "html" / "deep" / "page.txt").read_text(encoding="utf-8")
    assert "Rooflines" in text
    assert "Watch for *two* numbers." in text


def test_the_vendored_player_is_the_pinned_one_and_has_its_licence():
    version = json.loads((VENDOR / "package.json").read_text(encoding="utf-8"))["dependencies"]["lite-youtube-embed"]
    assert f"lite-youtube-embed {version}." in (VENDOR / "lite-youtube-embed.js").read_text(encoding="utf-8")
    assert "Apache License" in (VENDOR / "LICENSE-lite-youtube-embed.txt").read_text(encoding="utf-8")
