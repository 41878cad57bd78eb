"""``--share``: beside the bound, the time where a kernel or a step gets a share of its roof, as an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roofline.bounds import COMPUTE_BOUND
from roofline.errors import InvalidValue
from roofline.quantity import format_quantity

from .values import quantity

#: What asks for the median of the catalog's measurements.
MEASURED = "measured"


@dataclass(frozen=True)
class Plan:
    """The share of the roof that someone plans with.

    Parameters
    ----------
    share : float
        Above 0, and at most 1.
    source : str
        Where a measured share comes from; empty for one that was typed.
    """

    share: float
    source: str = ""

    def fact(self, bound: float, rate: float, unit: str) -> tuple[str, str]:
        """Return a line of the answer, from the bound on the time and on the rate."""
        prefix = "" if unit == "tokens/s" else None
        rate_then = format_quantity(rate * self.share, unit, 4, prefix=prefix)
        estimate = f"{format_quantity(bound / self.share, 's', 4)}, {rate_then}"
        said = f": {self.source}" if self.source else ""
        return f"at {format_quantity(self.share, '%', 2)}", f"{estimate}; an estimate and no bound{said}"

    @staticmethod
    def record(plan: Plan | None, bound: float) -> dict[str, Any]:
        """Return what JSON says of a plan; None where there is none."""
        if plan is None:
            return {"share": None, "share_source": None, "estimated_time": None}
        return {"share": plan.share, "share_source": plan.source or None, "estimated_time": bound / plan.share}


def planned(text: str | None, kind: str) -> Plan | None:
    """Return the plan that was asked for.

    Parameters
    ----------
    text : str or None
        A share, as ``60%`` or ``0.6``, or ``measured``; None for no plan.
    kind : str
        The kind of measurements that fit.

    Returns
    -------
    Plan or None
        The share, and where it comes from.

    Raises
    ------
    InvalidValue
        Where it is neither, or not above 0 and at most 1.

    Examples
    --------
    >>> planned("60%", "decode").fact(3e-3, 1000, "tokens/s")
    ('at 60%', '5.000 ms, 600.0 tokens/s; an estimate and no bound')
    """
    if text is None:
        return None
    if text.strip() == MEASURED:
        # Only here, as the catalog of measurements takes a moment to read.
        from roofline.reality import measured_shares, median_share

        found = measured_shares(kind)
        low, high = (format_quantity(share, "%", places=0) for share in (found[0], found[-1]))
        return Plan(median_share(kind), f"measured median of {len(found)} points ({kind}), {low} to {high}")
    try:
        share = quantity("share", text, "%")
    except InvalidValue:
        share = 0.0
    if not 0 < share <= 1:
        raise InvalidValue(f"share is {text!r}; it must be above 0% and at most 100%, such as 60%, or '{MEASURED}'")
    return Plan(share)


def kind_of_kernel(command: str, regime: str) -> str:
    """Return the kind of measurements that a kernel is like.

    Parameters
    ----------
    command : str
        The command of its cost function.
    regime : str
        The side of the ridge point; it decides for a kernel of one's own.

    Returns
    -------
    str
        One of `roofline.reality.KINDS`.

    Examples
    --------
    >>> kind_of_kernel("expert-matmul", "memory-bound"), kind_of_kernel("softmax", "memory-bound")
    ('matmul', 'bandwidth')
    """
    if command.endswith("matmul") or (command == "kernel" and regime == COMPUTE_BOUND):
        return "matmul"
    return "attention" if command.startswith(("attention", "mla")) else "bandwidth"
