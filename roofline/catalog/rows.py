"""What the files of the catalog have in common: sources, and rows whose keys and types are checked."""

from __future__ import annotations

import datetime as dt
import re
import reprlib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from typing import Any, Final, TypeVar

from roofline.errors import CatalogError, QuantityError, near
from roofline.quantity import parse_quantity
from roofline.source import Source

Entry = TypeVar("Entry")


def read_rows(
    text: str | None,
    file: str,
    kind: str,
    documents: tuple[str, ...],
    read: Callable[[Mapping[str, Any], str, Mapping[str, Source]], Entry],
    name: str = "name",
) -> tuple[Entry, ...]:
    """Read a file of the catalog: its sources, and its rows with a function for one row.

    Parameters
    ----------
    text : str or None
        The TOML text; the file of this package where None.
    file : str
        Its name; begins every error.
    kind : str
        What a row is: ``"device"``, ``"model"`` or ``"measurement"``.
    documents : tuple of str
        The kinds of documents that it may name as sources.
    read : callable
        Takes a row, where it stands, and the sources by their keys; returns the entry.
    name : str
        The key, and the attribute of an entry, that names it.

    Returns
    -------
    tuple
        What the rows say, in the order of the file.

    Raises
    ------
    CatalogError
        Where the text is not TOML or has no rows, a source breaks the grammar, or a name is taken.

    Examples
    --------
    >>> read_rows("", "mine.toml", "model", ("paper",), lambda row, place, sources: row)
    Traceback (most recent call last):
    roofline.errors.CatalogError: mine.toml: the key 'model' is missing
    """
    if text is None:
        text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"{file}: this is not TOML: {error}") from error
    top = Row(document, file, {kind: list}, {"sources": dict})
    sources = {}
    for key, table in top.get("sources", {}).items():
        with _lines(text, file, f"source {key}", rf"\[sources\.{re.escape(key)}\]") as place:
            sources[key] = _source(table, place, documents)
    entries: dict[str, Entry] = {}
    for number, table in enumerate(top[kind], 1):
        named = table.get(name) if isinstance(table, dict) else None
        called = named if isinstance(named, str) and named else f"{kind} {number}"
        with _lines(text, file, called, rf"\[\[{kind}\]\]", number) as place:
            entry = read(table, place, sources)
            key = folded(getattr(entry, name))
            if key in entries:
                taken = getattr(entries[key], name)
                raise CatalogError(f"{place}: the {name} is taken by {taken}; each is written once")
        entries[key] = entry
    return tuple(entries.values())


@contextmanager
def _lines(text: str, file: str, called: str, head: str, number: int = 1) -> Iterator[str]:
    """Give what errors about a block begin with; add the line of the key that they name, or else of the block's head.

    Which line a value stood on is lost once TOML is read, so it is looked for in the text.
    """
    place = f"{file}, {called}"
    try:
        yield place
    except CatalogError as error:
        heads = list(re.finditer(rf"^{head}", text, re.MULTILINE))
        if len(heads) < number:  # written in another way than our files are
            raise
        at = heads[number - 1].start()
        after = re.compile(r"^\[(\[|sources)", re.MULTILINE).search(text, heads[number - 1].end())
        block = text[at : after.start() if after else None]
        sentence = str(error).removeprefix(place)
        named = re.match(r"(?:, |: (?:the key ')?)([\w.]+)", sentence)
        # A peak stands as `peaks.bf16`, or below `[device.peaks]` as `bf16`.
        spelled = f"(?:{re.escape(named[1])}|{re.escape(named[1].rpartition('.')[2])})" if named else ""
        key = spelled and re.search(rf"^{spelled}\b", block, re.MULTILINE)
        line = text.count("\n", 0, at + (key.start() if key else 0)) + 1
        raise CatalogError(f"{file}:{line}, {called}{sentence}") from error


def folded(name: str) -> str:
    """Return a name as names are compared: in one case, without spaces, hyphens and underscores.

    Parameters
    ----------
    name : str
        A name as someone writes it.

    Returns
    -------
    str
        Equal for all spellings of a name.

    Examples
    --------
    >>> folded("A100 SXM 80GB") == folded("a100-sxm_80gb")
    True
    """
    return re.sub(r"[\s_-]+", "", name.casefold())


class Row:
    """A table of the file whose keys are known, present and of the right type.

    Parameters
    ----------
    table : object
        What TOML gives; it must be a table.
    place : str
        Where it stands; begins every error.
    required, optional : mapping of str to type
        The keys that it must and may have.

    Raises
    ------
    CatalogError
        Where it is not a table, a key is unknown or missing, or a value has another type or is empty.

    Examples
    --------
    >>> Row({"year": 2022}, "mine.toml, toy", {"year": int})["year"]
    2022
    """

    def __init__(
        self,
        table: object,
        place: str,
        required: Mapping[str, type],
        optional: Mapping[str, type] | None = None,
    ) -> None:
        if not isinstance(table, dict):
            raise CatalogError(f"{place}: {reprlib.repr(table)} must be a table")
        self.table: dict[str, Any] = table
        self.place = place
        allowed = {**required, **(optional or {})}
        for key, value in table.items():
            if key not in allowed:
                hint = near(key, allowed) or list(allowed)
                raise self.error(f"the key {key!r} is unknown; use {' or '.join(repr(name) for name in hint)}")
            kind = allowed[key]
            # bool is a subclass of int, and datetime of date, so only the exact type will do.
            if type(value) is not kind or value in ("", [], {}):
                raise self.error(f"{key} is {reprlib.repr(value)}; it must be {_WORDS[kind]}")
        for key in required:
            if key not in table:
                raise self.error(f"the key {key!r} is missing")

    def __getitem__(self, key: str) -> Any:
        return self.table[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of an optional key."""
        return self.table.get(key, default)

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """Return a value that must be one of these."""
        value: str = self.table[key]
        if value not in choices:
            raise self.error(f"{key} is {value!r}; it must be one of {', '.join(repr(choice) for choice in choices)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return an optional list of remarks."""
        texts = self.get(key, [])
        if not all(isinstance(text, str) and text for text in texts):
            raise self.error(f"{key} must be a list of texts")
        return tuple(texts)

    def quantity(self, key: str, unit: str | None = None) -> float:
        """Return a number in SI units from a text such as ``"3.35 TB/s"``, in this unit if one is given."""
        try:
            value: float = parse_quantity(self.table[key], unit=unit)
        except QuantityError as error:
            raise self.error(f"{key}: {error}") from error
        # 2.039 times 1e12 is 2039000000000.0002 in binary. Fifteen digits give back the number that is written.
        return float(f"{value:.15g}")

    def source(self, sources: Mapping[str, Source]) -> Source:
        """Return the document that the row names."""
        key = self.table["source"]
        if key not in sources:
            hint = near(key, sources)
            listed = f"; near it: {', '.join(hint)}" if hint else ""
            raise self.error(f"source {key!r} is not among the [sources]{listed}; add a block [sources.{key}]")
        return sources[key]

    def error(self, sentence: str) -> CatalogError:
        """Return an error that names the place."""
        return CatalogError(f"{self.place}: {sentence}")


_WORDS: Final = {
    str: "a text that is not empty",
    int: "a whole number",
    bool: "true or false, without quotes",
    float: "a number with a decimal point",
    dict: "a table that is not empty",
    list: "a list that is not empty",
    dt.date: "a date such as 2024-09-11, without quotes",
}


def _source(table: object, place: str, kinds: tuple[str, ...]) -> Source:
    required = {"title": str, "ref": str, "kind": str}
    row = Row(table, place, required, {"via": str, "date": dt.date, "accessed": dt.date})
    date, accessed = row.get("date"), row.get("accessed")
    if (date is None) == (accessed is None):
        raise row.error("it must have one of 'date' (of the document) and 'accessed' (when its text was read)")
    when = f"{date}" if date else f"accessed {accessed}"
    return Source(row["title"], row["ref"], row.choice("kind", kinds), when, row.get("via", ""))
