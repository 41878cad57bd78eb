"""One digest for many files: every change of a file changes it, and nothing else does."""

import pytest

from conf.cells.freshness import NOT_AN_INPUT
from conf.digest import digest


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "a.py").write_text("x = 1\n")
    (tmp_path / "lock").write_text("numpy==2\n")
    return tmp_path


def test_the_same_files_give_the_same_digest(tree):
    assert digest(tree, ["package", "lock"]) == digest(tree, ["lock", "package"])


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "package" / "a.py").write_text("x = 2\n"),
        lambda root: (root / "package" / "a.py").rename(root / "package" / "b.py"),
        lambda root: (root / "package" / "data.toml").write_text(""),
        lambda root: (root / "lock").unlink(),
    ],
    ids=["edited", "renamed", "added", "removed"],
)
def test_every_change_to_a_file_changes_the_digest(tree, change):
    before = digest(tree, ["package", "lock"])
    change(tree)
    assert digest(tree, ["package", "lock"]) != before


def test_bytecode_does_not_count_and_other_suffixes_need_not(tree):
    before = digest(tree, ["package"])
    (tree / "package" / "__pycache__").mkdir()
    (tree / "package" / "__pycache__" / "a.pyc").write_bytes(b"\0")
    assert digest(tree, ["package"]) == before
    (tree / "package" / "figure.js").write_text("export {}")
    assert digest(tree, ["package"]) != before
    assert digest(tree, ["package"], NOT_AN_INPUT) == before  # a script changes no output of a cell
