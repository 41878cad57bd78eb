"""The video directive on a small site: what it writes, what it refuses, and that only a page with a video pays."""

import json
import re
from pathlib import Path

import pytest

from conf.practice.videos import POSTERS

lxml_html = pytest.importorskip("lxml.html")

pytestmark = pytest.mark.slow

VENDOR = Path(__file__).parents[3] / "figures" / "vendor"

SETTINGS = """\
project = "small"
extensions = ["myst_nb", "conf.practice.videos"]
html_theme = "basic"
html_static_path = ["static"]
"""

GOOD = """\
```{video} 8h3f3E-Oq5A
:title: Rooflines & "roofs"
:speakers: Ada and Bob
:length: 12 min
:poster: roof

Watch for *two* numbers.
```
"""

#: What is wrong, and what the author reads.
REFUSED = {
    ("8h3f3E-Oq5", ":title: T\n:speakers: S\n:poster: roof", "Watch."): "'8h3f3E-Oq5' is no id of a video",
    ("AAAAAAAAAA1", ":speakers: S\n:poster: roof", "Watch."): "the video AAAAAAAAAA1 has no :title:",
    ("AAAAAAAAAA2", ":title: T\n:poster: roof", "Watch."): "the video AAAAAAAAAA2 has no :speakers:",
    ("AAAAAAAAAA3", ":title: T\n:speakers: S", "Watch."): "the video AAAAAAAAAA3 has no :poster:",
    ("AAAAAAAAAA4", ":title: T\n:speakers: S\n:poster: roof", ""): "the video AAAAAAAAAA4 has no content",
    ("AAAAAAAAAA5", ":title: T\n:speakers: S\n:poster: sky", "Watch."): f"no poster {POSTERS}/sky.svg in conf/static",
}


@pytest.fixture
def site(small_site):
    small_site.write("conf/conf.py", SETTINGS)
    small_site.write(f"conf/static/{POSTERS}/roof.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    return small_site


def test_a_video_is_a_local_poster_a_plain_link_and_words(site):
    site.write("docs/index.md", "# Home\n\n```{toctree}\ndeep/page\n```\n")
    site.write("docs/deep/page.md", f"# Page\n\n{GOOD}")
    done = site.build(gate=True)
    assert done.returncode == 0, done.stderr

    page = lxml_html.document_fromstring(site.html("deep/page"))
    (video,) = page.xpath("//div[contains(@class, 'video')]")
    (picture,) = video.xpath(".//img")
    assert picture.get("src") == f"../_static/{POSTERS}/roof.svg"
    assert picture.get("alt") == ""  # it says nothing that the title does not
    assert (site.root / "build" / "html" / "_static" / POSTERS / "roof.svg").is_file()
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


def test_a_video_that_lacks_something_is_refused_in_one_sentence(site):
    videos = [f"```{{video}} {name}\n{options}\n\n{content}\n```\n" for name, options, content in REFUSED]
    site.write("docs/index.md", "# Home\n\n" + "\n".join(videos))
    said = site.build().stderr
    assert [sentence for sentence in REFUSED.values() if sentence not in said] == []


def test_other_builders_have_the_link_and_the_words(site):
    site.write("docs/index.md", f"# Home\n\n{GOOD}")
    assert site.build("-b", "text").returncode == 0
    text = (site.root / "build" / "html" / "index.txt").read_text(encoding="utf-8")
    assert "Rooflines" in text
    assert "Watch for *two* numbers." in text


def test_the_vendored_player_is_the_pinned_one_and_has_its_licence():
    version = json.loads((VENDOR / "package.json").read_text(encoding="utf-8"))["dependencies"]["lite-youtube-embed"]
    assert f"lite-youtube-embed {version}." in (VENDOR / "lite-youtube-embed.js").read_text(encoding="utf-8")
    assert "Apache License" in (VENDOR / "LICENSE-lite-youtube-embed.txt").read_text(encoding="utf-8")
