"""Tell by one digest whether any of many files has changed; standard library only, since nox imports it too."""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

#: The suffixes of what Python makes of other files.
BYTECODE = (".pyc",)


def digest(root: Path, places: Iterable[str], leave_out: Collection[str] = BYTECODE) -> str:
    """Return a text that changes when a file in one of the places is edited, renamed, added or removed.

    Parameters
    ----------
    root : pathlib.Path
        The folder that holds all places.
    places : iterable of str
        Files and folders, from the root; their order means nothing.
    leave_out : collection of str
        Files with these suffixes do not count.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    total = hashlib.sha256()
    for path in _files(root, places):
        if path.suffix not in leave_out:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            total.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return total.hexdigest()


def _files(root: Path, places: Iterable[str]) -> Iterator[Path]:
    for place in sorted(places):
        path = root / place
        yield from (file for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file())
