"""Why a measurement beats its bound: a closed list of causes, and which of them its numbers allow.

A cause that is named must be one that `roofline.above` finds to fit: a working set that the cache holds, a clock that
the driver allows, another peak that is high enough.  What none of the list explains is impossible as stated.
"""

from __future__ import annotations

from typing import Final

from roofline.above import Explanation, causes_above
from roofline.kernel import Kernel

from .measurement import Measurement
from .works import AttentionRun

#: Each cause of the list with the one of `roofline.above.CAUSES` that it is.
_NAMED: Final = {
    "data in L2": "l2",
    "clock above nominal": "clock",
    "figure rounded down": "rounding",
    "wrong peak": "peak",
    "causal counted as full": "causal",
    "sparse": "sparsity",
}
IMPOSSIBLE: Final = "impossible as stated"
#: The closed list of causes.
CAUSES: Final = (*_NAMED, IMPOSSIBLE)
#: Tokens of a prompt whose number is not published: so many that the mask leaves half of the scores.
_MANY: Final = 1e9


def explanations(measurement: Measurement) -> tuple[Explanation, ...]:
    """Return the causes that fit a measurement above its bound, the best first.

    Parameters
    ----------
    measurement : Measurement
        The measurement.

    Returns
    -------
    tuple of Explanation
        As from `causes_above`, for the part of one device in the work; empty where it does not beat its bound.

    Examples
    --------
    >>> from roofline import measured
    >>> [each.cause.name for each in explanations(measured("matmul-036"))][:2]
    ['clock', 'peak']
    """
    limit, work = measurement.limit, measurement.work
    # Of what has no published shape only the peak is a bound: a second of arithmetic, and nothing to move.
    kernel = Kernel(work.described, measurement.roof.peak, 1.0) if limit is None else limit.kernel
    used = measurement.devices * measurement.part
    of_one = Kernel(kernel.name, kernel.flops / used, kernel.nbytes / used)
    time = max(of_one.flops / measurement.roof.peak, of_one.nbytes / measurement.roof.bandwidth)
    counted = isinstance(work, AttentionRun) and work.causal and measurement.value.unit == "FLOP/s"
    square = (work.T or _MANY) if counted and isinstance(work, AttentionRun) else None
    return causes_above(of_one, measurement.device, measurement.arithmetic, time / measurement.share, square=square)


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
    found = {each.cause.name for each in explanations(measurement)}
    if not found:
        return ()
    return tuple(cause for cause, name in _NAMED.items() if name in found) or (IMPOSSIBLE,)


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
