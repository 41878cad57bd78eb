"""The share of the roof with which a reader plans: 100% is the bound, and what measurements reach is a suggestion."""

from __future__ import annotations

from typing import Any, Final

from roofline.reality import measured_shares, median_share

from .controls import Number, Press
from .template import filled

#: All of the roof: the bound.
BOUND: Final = 100
_LABEL: Final = "Share of the roof, %: 100 is the bound"
_SUGGESTION: Final = "Measured median of {count:typed} points: {share:typed}%"


def share_controls(kind: str) -> tuple[Number, Press]:
    """Return the control of the share, and a button that sets it to what measurements of a kind reach.

    Parameters
    ----------
    kind : str
        One of `roofline.reality.KINDS`.

    Returns
    -------
    tuple of (Number, Press)
        They are called ``share`` and ``measured``.

    Examples
    --------
    >>> share_controls("decode")[0].value
    100
    """
    said = filled(_SUGGESTION, count=len(measured_shares(kind)), share=measured_percent(kind))
    return Number("share", _LABEL, BOUND, 1, BOUND, log=False), Press("measured", said)


def measured_percent(kind: str) -> int:
    """Return the measured median of a kind in percent, as the control has it.

    Parameters
    ----------
    kind : str
        One of `roofline.reality.KINDS`.

    Returns
    -------
    int
        From 1 to 100.

    Examples
    --------
    >>> 1 <= measured_percent("matmul") <= 100
    True
    """
    return round(100 * median_share(kind))


def share_data(kind: str) -> dict[str, Any]:
    """Return what the script of a figure with these controls needs.

    Parameters
    ----------
    kind : str
        One of `roofline.reality.KINDS`.

    Returns
    -------
    dict
        ``bound`` and ``measured``, in percent.

    Examples
    --------
    >>> share_data("matmul")["bound"]
    100
    """
    return {"bound": BOUND, "measured": measured_percent(kind)}
