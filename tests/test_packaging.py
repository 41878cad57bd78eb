"""The lock, the wheel and the citation agree with pyproject.toml."""

import re
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

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_holds_the_package_alone_with_its_catalog_and_its_types(wheel):
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "roofline").rglob("*") if path.is_file()}
    assert inside == {name for name in package if "__pycache__" not in name}
    assert {"roofline/py.typed", "roofline/catalog/devices.toml", "roofline/catalog/models.toml"} <= inside


@pytest.mark.slow
def test_the_wheel_works_without_the_repository_around_it(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    command = [sys.executable, "-m", "roofline", "matmul", "--B", "8", "--D", "64", "--F", "64", "--device", "H100 SXM"]
    printed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "memory-bound" in printed


@pytest.mark.slow
def test_the_wheel_says_what_the_package_says_of_itself(wheel):
    """Its version, its command and a description that can be shown apart from the repository."""
    with zipfile.ZipFile(wheel) as archive:
        told = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name}
    assert f"\nVersion: {roofline.__version__}\n" in told["METADATA"]
    assert "roofline = roofline.cli:main" in told["entry_points.txt"]
