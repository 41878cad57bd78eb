"""The same source gives the same bytes, and a site that is published under a path knows that path."""

import filecmp
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.site import built

pytestmark = [pytest.mark.site, pytest.mark.slow]

ADDRESS = "https://example.org/roofline-lesson/"


def build(folder: Path, out: str, **env: str) -> Path:
    """Do what `nox -s docs` does, but elsewhere; a second site from the same doctrees is only written, not read."""
    command = ["-m", "sphinx", "-c", "conf", "-W", "-n", "--keep-going", "-q", "-d", folder / "doctrees", "docs"]
    done = subprocess.run(
        [sys.executable, *command, folder / out],
        cwd=built.ROOT,
        env=os.environ | {"PYTHONPATH": str(built.ROOT)} | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / out


def files(site: Path) -> set[str]:
    # .buildinfo names the settings for the next incremental build, and no reader fetches it.
    return {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()} - {".buildinfo"}


@pytest.mark.usefixtures("site")
def test_two_builds_are_byte_identical_and_a_published_one_knows_its_address(site, tmp_path):
    again = build(tmp_path, "again")
    assert files(again) == files(site)
    _, different, unreadable = filecmp.cmpfiles(site, again, files(site), shallow=False)
    assert (different, unreadable) == ([], [])

    published = build(tmp_path, "published", SITE_URL=ADDRESS)
    prefix = urlsplit(ADDRESS).path
    lost = built.Page(published, "404.html")
    assert built.broken(lost, prefix) == []
    assert all(address.startswith(prefix) for address in lost.resources)
    for page in built.written(published):
        assert page.tree.xpath("//link[@rel='canonical']/@href") == [ADDRESS + page.name], page.name
