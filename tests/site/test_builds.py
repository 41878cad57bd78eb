"""The same source gives the same bytes, and a site that is published under a path knows that path."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.site import built

pytestmark = [pytest.mark.site, pytest.mark.slow]

ADDRESS = "https://someone.github.io/roofline-lesson/"  # any other host would get a CNAME file
#: What a published site says with its address: the page for a wrong one, notebooks and cards with links to the site.
KNOW_THEIR_ADDRESS = {"404.html", "downloads"}
#: One of each kind: with a notebook, figures, questions, cards, sections of the catalog, and all that a page can hold.
READ_EACH_DAY = (
    "practice/notebook", "lesson/one-layer", "lesson/ridge-points", "practice/cards", "atlas/amd",
    "reference/page-template",
)  # fmt: skip
CANONICAL = f'<link rel="canonical" href="{ADDRESS}'


def build(site: Path, folder: Path, **env: str) -> Path:
    """Do what `nox -s docs` does, but elsewhere, in a process with hash seeds of its own.

    It writes all pages; it reads all, and executes their cells, once a week. On other days it takes what was read for
    the site, if that is there, and reads a few pages itself, which leaves a third of the time.
    """
    strict = ("-W", "-n", "--keep-going", "-q")
    read = site.parent / "doctrees"
    if read.is_dir() and not os.environ.get("WEEKLY"):
        shutil.copytree(read, folder / "doctrees")
        for page in READ_EACH_DAY:
            (folder / "doctrees" / page).with_suffix(".doctree").unlink()
        strict += ("-D", f"nb_execution_cache_path={site.parent / 'jupyter-cache'}")
    # The page that cites the lesson would give its address to the search index too.
    command = ["-m", "sphinx", "-c", "conf", *strict, "-D", "citation_url=", "-d", folder / "doctrees", "docs"]
    done = subprocess.run(
        [sys.executable, *command, folder / "html"],
        cwd=built.ROOT,
        env=os.environ | {"PYTHONPATH": str(built.ROOT)} | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def files(site: Path) -> set[Path]:
    # .buildinfo names the settings for the next incremental build, and no reader fetches it.
    return {path.relative_to(site) for path in site.rglob("*") if path.is_file()} - {Path(".buildinfo")}


def content(path: Path) -> bytes:
    """The bytes of a file, without the line in which a published page says where it stands."""
    lines = path.read_bytes().splitlines(keepends=True)
    return (
        b"".join(line for line in lines if CANONICAL.encode() not in line)
        if path.suffix == ".html"
        else path.read_bytes()
    )


@pytest.mark.usefixtures("site")
def test_a_published_site_knows_its_address_and_is_else_the_same_to_the_byte(site, tmp_path):
    published = build(site, tmp_path, SITE_URL=ADDRESS)
    assert files(published) == files(site)
    same = sorted(name for name in files(site) if name.parts[0] not in KNOW_THEIR_ADDRESS)
    assert len(same) > 100
    assert [name for name in same if content(site / name) != content(published / name)] == []

    prefix = urlsplit(ADDRESS).path
    lost = built.Page(published, "404.html")
    assert built.broken(lost, prefix) == []
    assert all(address.startswith(prefix) for address in lost.resources)
    for page in built.written(published):
        assert page.tree.xpath("//link[@rel='canonical']/@href") == [ADDRESS + page.name], page.name
