"""Why a measurement beats its bound: a closed list of causes, and which of them its numbers allow.

A cause that is named must be able to explain the excess: a working set that fits the cache, another peak that is high
enough.  What no cause explains is impossible as stated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from roofline.attention import causal_share
from roofline.roof import Roof

from .measurement import Measurement, share_under
from .works import AttentionRun

#: Where the highest clock of a device is not known: no card of the catalog runs further above its boost clock.
MOST_ABOVE_CLOCK: Final = 1.25
#: 2:4 sparsity skips every other multiplication.
_SPARSE: Final = 2.0


def _clock(point: Measurement) -> bool:
    return share_under(point, point.roof) <= MOST_ABOVE_CLOCK


def _cached(point: Measurement) -> bool:
    limit, cache = point.limit, point.device.l2
    return limit is not None and cache is not None and limit.kernel.nbytes <= cache * point.devices


def _other_peak(point: Measurement) -> bool:
    def share(peak: float) -> float:
        return share_under(point, Roof(peak, point.device.bandwidth))

    return any(share(peak) <= 1 for fmt, peak in point.device.peaks.items() if fmt != point.arithmetic)


def _causal(point: Measurement) -> bool:
    work = point.work
    if not isinstance(work, AttentionRun) or not work.causal or point.value.unit != "FLOP/s":
        return False
    return point.share * (0.5 if work.T is None else causal_share(work.T)) <= 1


def _sparse(point: Measurement) -> bool:
    return share_under(point, Roof(point.roof.peak * _SPARSE, point.roof.bandwidth)) <= 1


#: Each cause with the question whether it can explain a point; the last one is for what no other explains.
_EXPLAINS: Final[dict[str, Callable[[Measurement], bool]]] = {
    "data in L2": _cached,
    "clock above nominal": _clock,
    "wrong peak": _other_peak,
    "causal counted as full": _causal,
    "sparse": _sparse,
}
IMPOSSIBLE: Final = "impossible as stated"
#: The closed list of causes.
CAUSES: Final = (*_EXPLAINS, IMPOSSIBLE)


def possible_causes(measurement: Measurement) -> tuple[str, ...]:
    """Return the causes that the numbers of a measurement allow.

    Parameters
    ----------
    measurement : Measurement
        The measurement.

    Returns
    -------
    tuple of str
        Those of `CAUSES` that bring it below its bound, in their order; ``"impossible as stated"`` alone where none
        does; nothing where it does not beat its bound.

    Examples
    --------
    >>> from roofline import measured
    >>> possible_causes(measured("matmul-044"))
    ('data in L2',)
    >>> possible_causes(measured("decode-074"))
    ()
    """
    if measurement.share <= 1:
        return ()
    return tuple(cause for cause, explains in _EXPLAINS.items() if explains(measurement)) or (IMPOSSIBLE,)


def fault(measurement: Measurement) -> str:
    """Return what is wrong with a measurement's standing to its bound.

    Parameters
    ----------
    measurement : Measurement
        The measurement.

    Returns
    -------
    str
        One sentence where it beats its bound and no cause is named, where a cause is named and it does not, or where
        the cause cannot explain it; empty where all is well.

    Examples
    --------
    >>> from roofline import measured
    >>> fault(measured("decode-074"))
    ''
    """
    possible, named, share = possible_causes(measurement), measurement.above, measurement.share
    if not possible:
        if named is None:
            return ""
        return f"{measurement.id} is at {share:.0%} of its bound; a cause ({named}) is named only where it is beaten"
    allowed = " or ".join(repr(cause) for cause in possible)
    if named is None:
        return f"{measurement.id} is at {share:.0%} of its bound; name the cause with above = {allowed}"
    if named not in possible:
        return f"{measurement.id} is at {share:.0%} of its bound, which {named!r} does not explain; {allowed} does"
    return ""
