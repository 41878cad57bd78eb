"""What is published agrees with itself: lock, wheel, source distribution, citation, changelog and readme."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import roofline
from roofline.cli import main

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
#: The tests of the package that read more than its modules.
READING_FILES = ["test_packaging", "test_models", "test_bounds"]
DOCSTRINGS = "not test_"
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)", re.MULTILINE)


def direct_dependencies():
    """Return each dependency that pyproject.toml names, with where it names it."""
    metadata = PROJECT["project"]
    named = (
        {"dependencies": metadata["dependencies"]} | metadata["optional-dependencies"] | PROJECT["dependency-groups"]
    )
    return [
        pytest.param(Requirement(requirement), id=f"{group}: {requirement}")
        for group, requirements in named.items()
        for requirement in requirements
    ]


@pytest.mark.parametrize("requirement", direct_dependencies())
def test_the_lock_has_every_direct_dependency_in_a_version_that_is_allowed(requirement):
    pins = {canonicalize_name(pin["name"]): pin["version"] for pin in PIN.finditer(LOCK)}
    assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), "run `nox -s lock`"


@pytest.mark.parametrize("requirement", direct_dependencies())
def test_every_direct_dependency_has_a_lower_bound(requirement):
    assert any(bound.operator in {">=", "~="} for bound in requirement.specifier)


def test_the_lock_has_one_version_of_each_package_and_a_hash_for_each():
    names = [canonicalize_name(pin["name"]) for pin in PIN.finditer(LOCK)]
    assert len(names) == len(set(names))
    blocks = re.split(r"\n(?=[a-z])", LOCK)
    assert [block for block in blocks if "==" in block and "--hash=sha256:" not in block] == []


def test_the_lock_names_no_index_and_no_path():
    assert re.findall(r"https?:|file:|--(?:extra-)?index-url|--find-links|@ ", LOCK) == []


def test_the_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == roofline.__version__


PACKAGE_README = (ROOT / "roofline" / "README.md").read_text(encoding="utf-8")


def test_the_readme_of_the_package_can_be_shown_anywhere():
    links = re.findall(r"\]\((.*?)\)", PACKAGE_README)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_examples_in_the_readme_of_the_package_run():
    test = doctest.DocTestParser().get_doctest(PACKAGE_README, {}, "README.md", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_commands_in_the_readme_of_the_package_run():
    commands = re.findall(r"^\$ roofline (.*--device.*)$", PACKAGE_README, re.MULTILINE)
    assert commands
    assert [main(shlex.split(command)) for command in commands] == [0] * len(commands)


def test_the_changelog_has_the_version_or_what_is_not_yet_released():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.*?)\]", changelog, re.MULTILINE)[:2] in (
        ["Unreleased", roofline.__version__],
        [roofline.__version__],
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return build("wheel", folder, GITHUB_REPOSITORY="group/lesson", SITE_URL="https://group.example/lesson/")


def build(kind, folder, **environment):
    """Build a distribution as a forge would, without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder]
    usual = {name: value for name, value in os.environ.items() if name not in ("GITHUB_REPOSITORY", "SITE_URL")}
    subprocess.run(command, cwd=ROOT, env=usual | environment, check=True)
    (path,) = folder.iterdir()
    return path


@pytest.mark.slow
def test_the_wheel_holds_the_package_alone_with_its_catalog_and_its_types(wheel):
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "roofline").rglob("*") if path.is_file()}
    assert inside == {name for name in package if "__pycache__" not in name}
    assert {"roofline/py.typed", "roofline/catalog/devices.toml", "roofline/catalog/models.toml"} <= inside


@pytest.mark.slow
def test_the_wheel_works_without_the_repository_around_it(wheel, tmp_path):
    shutil.unpack_archive(wheel, tmp_path, "zip")
    command = [sys.executable, "-m", "roofline", "matmul", "--B", "8", "--D", "64", "--F", "64", "--device", "H100 SXM"]
    printed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "memory-bound" in printed


@pytest.mark.slow
def test_the_wheel_says_what_the_package_says_of_itself(wheel):
    with zipfile.ZipFile(wheel) as archive:
        told = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name}
    assert f"\nVersion: {roofline.__version__}\n" in told["METADATA"]
    assert f"\n\n{PACKAGE_README}" in told["METADATA"]
    assert "roofline = roofline.cli:main" in told["entry_points.txt"]
    addresses = dict(line.split(", ") for line in re.findall(r"^Project-URL: (.*)$", told["METADATA"], re.MULTILINE))
    assert addresses == {
        "Homepage": "https://group.example/lesson/",
        "Documentation": "https://group.example/lesson/reference/api.html",
        "Source": "https://github.com/group/lesson",
        "Issues": "https://github.com/group/lesson/issues",
        "Changelog": "https://github.com/group/lesson/blob/HEAD/CHANGELOG.md",
    }


@pytest.mark.slow
def test_the_source_distribution_passes_its_own_tests(tmp_path):
    """Every test file loads there; those that read files run, and the others hold for the same code here."""
    shutil.unpack_archive(build("sdist", tmp_path / "dist"), tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("roofline-*")
    assert "Project-URL" not in (unpacked / "PKG-INFO").read_text(encoding="utf-8"), "an address that nobody gave"
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    chosen = ["tests", "roofline", "-m", "not slow", "-k", " or ".join([*READING_FILES, DOCSTRINGS])]
    ran = subprocess.run(
        [*command, *chosen], cwd=unpacked, env=alone, stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stdout
