"""A roof: the two limits of a device for one number format, and the ridge point where they meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from .arguments import amount, is_array, same, smaller
from .errors import InvalidValue
from .types import S, Size, T


@dataclass(frozen=True, eq=False)
class Roof(Generic[S]):
    """The two limits of one device for one number format, at the clock that its datasheet states.

    Parameters
    ----------
    peak : float, numpy.ndarray or sympy.Expr
        Dense peak, FLOP/s, above 0.
    bandwidth : float, numpy.ndarray or sympy.Expr
        Memory bandwidth of the same scope as the peak, byte/s, above 0.
    label : str
        What to call it, such as ``"H100 SXM bf16"``; not compared.

    Raises
    ------
    InvalidValue
        Where a limit is zero, negative, NaN, infinite or not a number.

    Notes
    -----
    The model is that of Williams, Waterman and Patterson, Communications of the ACM 52(4), 2009.

    Examples
    --------
    >>> roof = Roof(peak=989e12, bandwidth=3.35e12)
    >>> round(roof.ridge, 1)
    295.2
    """

    peak: float | S
    bandwidth: float | S
    label: str = ""

    def __post_init__(self) -> None:
        # What the check returns is kept, so that no NumPy integer overflows later in silence.
        object.__setattr__(self, "peak", amount("peak", self.peak, "a positive, finite number of FLOP/s"))
        object.__setattr__(
            self, "bandwidth", amount("bandwidth", self.bandwidth, "a positive, finite number of byte/s")
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Roof):
            return NotImplemented
        return same(self.peak, other.peak) and same(self.bandwidth, other.bandwidth)

    def __hash__(self) -> int:
        # An array has no hash; equal roofs have equal arrays in the same places.
        return hash(tuple(None if is_array(limit) else limit for limit in (self.peak, self.bandwidth)))

    @property
    def ridge(self) -> S:
        """Ridge point, peak over bandwidth, in FLOP/byte.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            The least intensity at which a kernel can be compute-bound.

        Examples
        --------
        >>> Roof(peak=67e12, bandwidth=3.35e12).ridge
        20.0
        """
        return self.peak / self.bandwidth

    def attainable(self: Roof[float] | Roof[T], intensity: Size[T]) -> T:
        """Return the FLOP/s that no kernel of this intensity can exceed.

        Parameters
        ----------
        intensity : float, numpy.ndarray or sympy.Expr
            Arithmetic intensity, FLOP/byte, 0 or more.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            ``min(peak, intensity * bandwidth)``, FLOP/s.

        Raises
        ------
        InvalidValue
            Where the intensity is negative, NaN, infinite or not a number.

        Examples
        --------
        >>> Roof(peak=989e12, bandwidth=3.35e12).attainable(0.25)
        837500000000.0
        """
        checked = amount("intensity", intensity, "an arithmetic intensity in FLOP/byte, 0 or more", zero=True)
        return smaller(self.peak, checked * self.bandwidth)

    def derated(self, compute: float = 1.0, bandwidth: float = 1.0) -> Roof[S]:
        """Return the roof at these fractions of its peaks, as a measured device reaches them.

        Parameters
        ----------
        compute : float
            Share of the peak FLOP/s, above 0 and at most 1.
        bandwidth : float
            Share of the bandwidth, above 0 and at most 1.

        Returns
        -------
        Roof
            The lower roof.

        Raises
        ------
        InvalidValue
            Where a share is not above 0 and at most 1.

        Examples
        --------
        >>> round(Roof(989e12, 3.35e12).derated(compute=0.8).ridge, 1)
        236.2
        """
        for name, share in (("compute", compute), ("bandwidth", bandwidth)):
            if amount(name, share, "a share above 0 and at most 1") > 1:
                raise InvalidValue(f"{name} is {share}; it must be a share above 0 and at most 1 (0.8 for 80%)")
        label = f"{self.label}, derated" if self.label else ""
        return Roof(self.peak * compute, self.bandwidth * bandwidth, label)


def require_roof(roof: object) -> None:
    """Raise unless this is a roof.

    Parameters
    ----------
    roof : object
        What was given as a roof.

    Raises
    ------
    InvalidValue
        Where it is anything else, such as a device.

    Examples
    --------
    >>> require_roof("bf16")
    Traceback (most recent call last):
    roofline.errors.InvalidValue: 'bf16' is not a Roof; write device("H100 SXM").roof("bf16") or Roof(peak, bandwidth)
    """
    if not isinstance(roof, Roof):
        raise InvalidValue(f'{roof!r} is not a Roof; write device("H100 SXM").roof("bf16") or Roof(peak, bandwidth)')
