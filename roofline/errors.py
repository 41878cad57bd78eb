"""The errors of this package: each is one sentence with the value, the rule and the way out.

Every class also derives from the built-in error that a caller would expect, so ``except ValueError`` and
``except KeyError`` work without importing anything from here.
"""

from __future__ import annotations

from collections.abc import Iterable


class RooflineError(Exception):
    """The root of all errors that this package raises on purpose."""


class InvalidValue(RooflineError, ValueError):
    """A number, a unit or an argument breaks a stated rule."""


class QuantityError(InvalidValue):
    """A text such as ``"4.2 ms"`` cannot be read as a quantity."""


class CatalogError(InvalidValue):
    """A row of the catalog breaks the grammar that the head of its file states."""


class ExpressionError(InvalidValue):
    """A text is not a Python expression, or cannot be evaluated."""


class UnknownName(RooflineError, KeyError):
    """A name is not in the table that it was looked up in."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put our sentence in quotes.
        return str(self.args[0]) if self.args else ""


class UnknownDevice(UnknownName):
    """No device of the catalog has this name."""


class UnknownModel(UnknownName):
    """No model of the catalog has this name."""


class UnknownFormat(UnknownName):
    """A number format is unknown, or the device has no peak for it."""


def near(name: str, known: Iterable[str], most: int = 4) -> list[str]:
    """Return the known names that look most like ``name``, best first.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        The names that exist.
    most : int
        How many names to return at most.

    Returns
    -------
    list of str
        Names that begin alike or differ by a few letters; empty where nothing is near.

    Examples
    --------
    >>> near("bf61", ["bf16", "fp8", "fp32"])
    ['bf16']
    """
    names = list(known)
    folded = {candidate: candidate.casefold() for candidate in names}
    wanted = name.casefold().strip()
    starts = [c for c in names if wanted and (folded[c].startswith(wanted) or wanted.startswith(folded[c]))]
    import difflib  # needed for errors only

    alike = difflib.get_close_matches(wanted, list(folded.values()), n=most, cutoff=0.5)
    close = [c for text in alike for c in names if folded[c] == text]
    return list(dict.fromkeys(starts + close))[:most]
