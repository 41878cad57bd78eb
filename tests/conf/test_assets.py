"""Where static files come from, and which pages load them."""

import re

import pytest

from tests.conf.conftest import ROOT, SmallSite, settings

SETUP = """
from conf.assets import add_assets, add_folder


def named(app, page, context):
    return {"data-page": page} if page == "named" else None


def setup(app):
    add_folder(app, "made", lambda folder: (folder / "made.js").write_text("1;"))
    add_assets(app, 'class="marked ', "made/style.css", "made/made.js")
    add_assets(app, named, "made/made.js")
"""

PAGES = {
    "index": "# Home\n\n```{toctree}\nmarked\nnamed\n```\n",
    "marked": "# Marked\n\n```{container} marked\nText.\n```\n",
    "named": "# Named\n",
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = SmallSite(tmp_path_factory.mktemp("assets"))
    site.write("conf/conf.py", settings() + SETUP)
    for name, text in PAGES.items():
        site.write(f"docs/{name}.md", text)
    built = site.build(gate=True)
    assert built.returncode == 0, built.stderr
    return site


def test_a_page_loads_what_it_needs_and_no_other_page_does(site):
    loaded = {name: re.findall(r"<(?:script|link)[^>]*made/[^>]*>", site.html(name)) for name in PAGES}
    assert loaded["index"] == []
    assert [re.search(r"made/[\w.]+", tag)[0] for tag in loaded["marked"]] == ["made/style.css", "made/made.js"]
    assert all("data-page" not in tag for tag in loaded["marked"])
    (script,) = loaded["named"]
    assert 'data-page="named"' in script
    assert 'type="module"' in script


def test_every_rooms_files_and_those_that_are_made_are_in_the_site(site):
    static = site.root / "build" / "html" / "_static"
    assert (static / "made" / "made.js").read_text() == "1;"
    rooms = {path.parent.name for path in (ROOT / "conf").glob("*/static")}
    assert rooms >= {"practice", "theme", "numbers", "atlas"}
    for room in rooms:
        source = ROOT / "conf" / room / "static"
        files = [path.relative_to(source) for path in source.rglob("*") if path.is_file()]
        assert [file for file in files if not (static / room / file).is_file()] == []
