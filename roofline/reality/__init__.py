"""What machines really do: published measurements, each beside the bound that the model gives it.

`measured` finds one measurement by its id, `measurements` gives them all, and `measured_shares` and `median_share` say
how near to the bound those of one kind come.  The data is ``measured.toml`` in the catalog; nobody of this project ran
any of them.
"""

from __future__ import annotations

import functools
import statistics

from roofline.errors import InvalidValue, UnknownName, near

from .causes import CAUSES, explanations, fault, possible_causes
from .measured_file import load_measurements
from .measurement import Measurement, bound_of
from .works import KINDS

__all__ = [
    "CAUSES",
    "KINDS",
    "Measurement",
    "bound_of",
    "explanations",
    "fault",
    "load_measurements",
    "measured",
    "measured_shares",
    "measurements",
    "median_share",
    "possible_causes",
]


@functools.cache
def _all() -> tuple[Measurement, ...]:
    return load_measurements()


def measurements(kind: str | None = None) -> tuple[Measurement, ...]:
    """Return the published measurements of the catalog.

    Parameters
    ----------
    kind : str, optional
        One of `roofline.reality.KINDS`, such as ``"decode"``; all kinds where left out.

    Returns
    -------
    tuple of Measurement
        In the order of the catalog. The file is read on the first call only.

    Raises
    ------
    UnknownName
        Where there is no such kind.
    CatalogError
        Where the catalog breaks its own grammar.

    Examples
    --------
    >>> len(measurements()), len(measurements("decode"))
    (167, 61)
    """
    if kind is None:
        return _all()
    if kind not in KINDS:
        hint = near(str(kind), KINDS) or KINDS
        raise UnknownName(f"there is no kind {kind!r} of measurement; write one of {', '.join(hint)}")
    return tuple(point for point in _all() if point.kind == kind)


def measured(id: str) -> Measurement:  # noqa: A002 - what the catalog calls it
    """Return the measurement of this id.

    Parameters
    ----------
    id : str
        Such as ``"decode-074"``.

    Returns
    -------
    Measurement
        Its value and what ran; `Measurement.share` is computed.

    Raises
    ------
    UnknownName
        Where no measurement has this id.
    InvalidValue
        Where the id is not a string.

    Examples
    --------
    >>> f"{measured('decode-074').share:.0%}"
    '51%'
    """
    if not isinstance(id, str):
        raise InvalidValue(f"a measurement is named by a string such as 'decode-074', not {id!r}")
    found = {point.id: point for point in _all()}
    if id not in found:
        raise UnknownName(f"there is no measurement {id!r}; near it: {', '.join(near(id, found)) or KINDS[0]}")
    return found[id]


def median_share(kind: str) -> float:
    """Return the median of what the measurements of one kind reach of their bound.

    Parameters
    ----------
    kind : str
        One of `roofline.reality.KINDS`.

    Returns
    -------
    float
        The median of `measured_shares`.

    Raises
    ------
    UnknownName
        Where there is no such kind.

    Examples
    --------
    >>> f"{median_share('decode'):.0%}"
    '53%'
    """
    return statistics.median(measured_shares(kind))


def measured_shares(kind: str) -> tuple[float, ...]:
    """Return achieved over bound of the measurements of one kind, the least first.

    Parameters
    ----------
    kind : str
        One of `roofline.reality.KINDS`.

    Returns
    -------
    tuple of float
        Above 0 and at most 1. Those that name a cause for standing above their bound are left out: what they are
        compared with is not their roof.

    Raises
    ------
    UnknownName
        Where there is no such kind.

    Examples
    --------
    >>> [f"{share:.0%}" for share in measured_shares("bandwidth")][:3]
    ['85%', '88%', '89%']
    """
    return tuple(sorted(point.share for point in measurements(kind) if point.above is None))
