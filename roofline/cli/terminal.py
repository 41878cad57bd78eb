"""Printing an answer: as JSON or in words, in whatever characters the terminal has."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

#: What to write where an encoding lacks a character.
_PLAIN: Final = {
    "µ": "u",
    "×": "x",
    "≈": "~",
    "–": "-",
    "−": "-",
    "∞": "inf",
    "’": "'",
    "“": '"',
    "”": '"',
}
_POWER: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@dataclass(frozen=True)
class Answer:
    """What a command has to say.

    Attributes
    ----------
    record : object
        Ready for JSON, in SI units.
    title : str
        The first line of the answer in words.
    facts : tuple of (str, str)
        A label and what it stands for, a line each.
    table : sequence of sequence of str
        Rows of text, the first with the names of the columns.
    """

    record: Any
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    table: Sequence[Sequence[str]] = ()


class Unwritable(Exception):
    """Standard output cannot be written, for instance because the disk is full."""


def write(answer: Answer, *, as_json: bool) -> None:
    """Print an answer.

    Parameters
    ----------
    answer : Answer
        What to print.
    as_json : bool
        Whether to print its record as JSON, for a program to read.

    Examples
    --------
    >>> write(Answer({"ridge": 295.2}, "Ridge points", table=[["Device", "bf16"], ["H100", "295"]]), as_json=False)
    Ridge points
    <BLANKLINE>
    Device  bf16
    H100     295
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if as_json:
        import json

        print(json.dumps(answer.record, indent=2, ensure_ascii=not codecs.lookup(encoding).name.startswith("utf")))
        return
    lines = [answer.title, *(f"  {label:<13} {text}".rstrip() for label, text in answer.facts)]
    if answer.table:
        # Characters are replaced before the layout, as 10^9 is wider than 10⁹.
        lines += ["", aligned([[plain(text, encoding) for text in row] for row in answer.table])]
    print("\n".join(lines))


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Lay out rows of text for a terminal, the first column aligned to the left and the others to the right.

    Parameters
    ----------
    rows : sequence of sequence of str
        Rows of equal length.

    Returns
    -------
    str
        A line for each row.

    Examples
    --------
    >>> print(aligned([["Device", "B"], ["L4", "300"]]))
    Device    B
    L4      300
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )


def plain(text: str, encoding: str) -> str:
    """Return a text in characters that an encoding has.

    Parameters
    ----------
    text : str
        The text.
    encoding : str
        Such as ``"ascii"``.

    Returns
    -------
    str
        The text itself where the encoding has all of it.

    Examples
    --------
    >>> plain("≈ 4 × 10⁻⁶ s, 4 µs", "ascii"), plain("≈ 4 µs", "latin-1")
    ('~ 4 x 10^-6 s, 4 us', '~ 4 µs')
    """
    return text.encode(encoding, _HANDLER).decode(encoding)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Return what replaces characters that could not be encoded, and where to go on; see `codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    after_power = error.start > 0 and error.object[error.start - 1].translate(_POWER) != error.object[error.start - 1]
    out = ""
    for character in missing:
        digit = character.translate(_POWER)
        if digit != character:
            out += digit if after_power else f"^{digit}"
            after_power = True
        else:
            out += _PLAIN.get(character, "?")
            after_power = False
    return out, error.end


_HANDLER: Final = "roofline.plain"
codecs.register_error(_HANDLER, _replaced)


@contextlib.contextmanager
def printing() -> Iterator[None]:
    """Replace characters that the terminal lacks, and raise one error where nothing can be printed.

    Raises
    ------
    Unwritable
        Where standard output cannot be written. A reader that stopped reading, such as ``head``, is not an error.
    """
    streams = [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, io.TextIOWrapper)]
    before = [(stream, stream.errors) for stream in streams]
    for stream in streams:
        stream.reconfigure(errors=_HANDLER)
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _give_up_on_output()
    except OSError as error:
        _give_up_on_output()
        raise Unwritable(f"the answer cannot be written: {error.strerror}") from None
    finally:
        for stream, errors in before:
            stream.reconfigure(errors=errors)


def _give_up_on_output() -> None:
    """Discard what is left in the buffer: Python would try to write it again at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
