"""What a roof allows a kernel: the roofline bound, and which of the two limits sets it.

The branches of the model live here (which of two times is larger), so that the cost functions can stay plain
arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, overload

from .arguments import is_array, is_symbolic, larger, smaller
from .errors import InvalidValue
from .kernel import Kernel, require_kernel
from .roof import Roof, require_roof
from .types import Array, Expr, Regime, S

MEMORY_BOUND: Final = "memory-bound"
COMPUTE_BOUND: Final = "compute-bound"


class _Regime(property):
    """A property that is text for a bound on numbers, and an array of texts for one on arrays."""

    if TYPE_CHECKING:

        @overload  # type: ignore[override]  # a property's type does not depend on its object's
        def __get__(self, limit: Bound[float], owner: type | None = None, /) -> Regime: ...
        @overload
        def __get__(self, limit: Bound[Array], owner: type | None = None, /) -> Array: ...
        def __get__(self, limit: Any, owner: type | None = None, /) -> Any: ...


class _Comparison(property):
    """A property that is true or false for a bound on numbers, and a comparison of arrays or of symbols for others."""

    if TYPE_CHECKING:

        @overload  # type: ignore[override]  # as above
        def __get__(self, limit: Bound[float], owner: type | None = None, /) -> bool: ...
        @overload
        def __get__(self, limit: Bound[Array], owner: type | None = None, /) -> Array: ...
        @overload
        def __get__(self, limit: Bound[Expr], owner: type | None = None, /) -> Expr: ...
        def __get__(self, limit: Any, owner: type | None = None, /) -> Any: ...


@dataclass(frozen=True, repr=False)
class Bound(Generic[S]):
    """What a roof allows a kernel; see `bound`.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    roof : Roof
        The roof.

    Raises
    ------
    InvalidValue
        Where an argument is not a kernel or not a roof.

    Examples
    --------
    >>> limit = Bound(Kernel("relu", 1e8, 4e8), Roof(67e12, 3.35e12))
    >>> limit.regime, f"{limit.time:.3g}"
    ('memory-bound', '0.000119')
    """

    kernel: Kernel[float] | Kernel[S]
    roof: Roof[float] | Roof[S]

    def __post_init__(self) -> None:
        require_kernel(self.kernel)
        require_roof(self.roof)

    def __repr__(self) -> str:
        limit: Bound[Any] = self
        # Symbols have no regime.
        regime = "" if is_symbolic(limit.at_or_above_ridge) else f", regime={limit.regime!r}"
        return f"Bound({self.kernel!r}, {self.roof!r}, time={self.time!r}{regime})"

    @property
    def compute_time(self) -> S:
        """Time of the arithmetic alone at peak, FLOPs / peak, in s.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            Seconds.

        Examples
        --------
        >>> Bound(Kernel("k", 6.7e13, 1.0), Roof(67e12, 3.35e12)).compute_time
        1.0
        """
        return self.kernel.flops / self.roof.peak

    @property
    def memory_time(self) -> S:
        """Time of the data movement alone at full bandwidth, bytes / bandwidth, in s.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            Seconds.

        Examples
        --------
        >>> Bound(Kernel("k", 1.0, 3.35e12), Roof(67e12, 3.35e12)).memory_time
        1.0
        """
        return self.kernel.nbytes / self.roof.bandwidth

    @property
    def time(self) -> S:
        """The roofline bound: under this roof the kernel takes at least the larger of the two times, in s.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            Seconds; a lower bound, not a prediction, and as good as the roof: a device that clocks higher than its peak
            says, or data that is in a cache beforehand, can go below it.

        Examples
        --------
        >>> Bound(Kernel("k", 6.7e13, 3.35e13), Roof(67e12, 3.35e12)).time
        10.0
        """
        return larger(self.compute_time, self.memory_time)

    @property
    def time_without_overlap(self) -> S:
        """The time where nothing is computed while data moves: both times one after the other, in s.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            Seconds; at most twice the bound.

        Examples
        --------
        >>> Bound(Kernel("k", 6.7e13, 3.35e13), Roof(67e12, 3.35e12)).time_without_overlap
        11.0
        """
        return self.compute_time + self.memory_time

    @_Regime
    def regime(self) -> Regime | Array:
        """Which limit holds: ``"memory-bound"`` below the ridge point, ``"compute-bound"`` from it on.

        Returns
        -------
        str or numpy.ndarray of str
            The regime.

        Raises
        ------
        InvalidValue
            For symbols, whose sizes are not known.

        Examples
        --------
        >>> Bound(Kernel("at the ridge", 20.0, 1.0), Roof(67e12, 3.35e12)).regime
        'compute-bound'
        """
        at_or_above = self.at_or_above_ridge
        if is_symbolic(at_or_above):
            raise InvalidValue(f"{self.kernel.name} has symbols for sizes; put numbers in to ask for its regime")
        if is_array(at_or_above):
            import numpy as np

            return np.where(at_or_above, COMPUTE_BOUND, MEMORY_BOUND)
        return COMPUTE_BOUND if at_or_above else MEMORY_BOUND

    @_Comparison
    def at_or_above_ridge(self) -> bool | Array | Expr:
        """Whether the kernel is compute-bound: its intensity is at least the ridge point.

        Returns
        -------
        bool, numpy.ndarray of bool or sympy.Rel
            The intensity against the ridge point, as the definition has it. Both sides are one division, so a kernel
            exactly at the ridge point is compute-bound, whatever its size.

        Examples
        --------
        >>> Bound(Kernel("below", 19.0, 1.0), Roof(67e12, 3.35e12)).at_or_above_ridge
        False
        """
        return self.kernel.intensity >= self.roof.ridge

    @property
    def attainable(self) -> S:
        """The most FLOP/s that this roof allows the kernel.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            ``min(peak, intensity * bandwidth)``, FLOP/s.

        Examples
        --------
        >>> Bound(Kernel("relu", 1e8, 4e8), Roof(67e12, 3.35e12)).attainable
        837500000000.0
        """
        return smaller(self.roof.peak, self.kernel.intensity * self.roof.bandwidth)

    @property
    def fraction_of_peak(self) -> S:
        """The largest share of the peak FLOP/s that this roof allows the kernel, ``min(1, I / R)``.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            Between 0 and 1.

        Examples
        --------
        >>> Bound(Kernel("relu", 1e8, 4e8), Roof(67e12, 3.35e12)).fraction_of_peak
        0.0125
        """
        return smaller(1.0, self.kernel.intensity / self.roof.ridge)


def bound(kernel: Kernel[float] | Kernel[S], roof: Roof[float] | Roof[S]) -> Bound[S]:
    """Return the roofline bound of a kernel under a roof.

    Parameters
    ----------
    kernel : Kernel
        The kernel; its amounts may be arrays or symbols.
    roof : Roof
        The roof, such as ``device("H100 SXM").roof("bf16")``.

    Returns
    -------
    Bound
        Both times, the bound, the regime, the attainable FLOP/s and the share of peak.

    Raises
    ------
    InvalidValue
        Where an argument is not a kernel or not a roof.

    Examples
    --------
    >>> from roofline import device, matmul
    >>> limit = bound(matmul(8, 4096, 4096), device("H100 SXM").roof("bf16"))
    >>> limit.regime, f"{limit.time * 1e6:.1f} µs"
    ('memory-bound', '10.1 µs')
    """
    return Bound(kernel, roof)


def speedup(kernel: Kernel[float] | Kernel[S], old_roof: Roof[float] | Roof[S], new_roof: Roof[float] | Roof[S]) -> S:
    """Return by what factor the bound on a kernel's time falls from one roof to another.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    old_roof, new_roof : Roof
        The roofs before and after.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        Bound on the old roof over bound on the new one; above 1 where the new roof allows a faster kernel. It is a
        ratio of two bounds, not of two measured times.

    Raises
    ------
    InvalidValue
        Where an argument is not a kernel or not a roof.

    Examples
    --------
    >>> from roofline import device, elementwise
    >>> old, new = (device(name).roof("bf16") for name in ("A100 SXM 80GB", "H100 SXM"))
    >>> round(speedup(elementwise(10**8), old, new), 2)
    1.64
    """
    return bound(kernel, old_roof).time / bound(kernel, new_roof).time
