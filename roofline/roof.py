"""A roof, its ridge point, and what it allows a kernel: the roofline bound.

The branches of the model live here (which of two times is larger, whether any batch is large enough), so that the
cost functions can stay plain arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from .arguments import amount, is_symbolic
from .errors import InvalidValue
from .formats import matmul_bytes
from .kernel import Kernel

MEMORY_BOUND: Final = "memory-bound"
COMPUTE_BOUND: Final = "compute-bound"


@dataclass(frozen=True)
class Roof:
    """The two limits of one device for one number format.

    Parameters
    ----------
    peak : float
        Dense peak, FLOP/s, above 0.
    bandwidth : float
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

    peak: Any
    bandwidth: Any
    label: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        # What the check returns is kept, so that no NumPy integer overflows later in silence.
        object.__setattr__(self, "peak", amount("peak", self.peak, "a positive, finite number of FLOP/s"))
        object.__setattr__(
            self, "bandwidth", amount("bandwidth", self.bandwidth, "a positive, finite number of byte/s")
        )

    @property
    def ridge(self) -> Any:
        """Ridge point, peak over bandwidth, in FLOP/byte.

        Returns
        -------
        float
            The least intensity at which a kernel can be compute-bound.

        Examples
        --------
        >>> Roof(peak=67e12, bandwidth=3.35e12).ridge
        20.0
        """
        return self.peak / self.bandwidth

    def attainable(self, intensity: Any) -> Any:
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
        intensity = amount("intensity", intensity, "an arithmetic intensity in FLOP/byte, 0 or more", zero=True)
        return smaller(self.peak, intensity * self.bandwidth)

    def derated(self, compute: float = 1.0, bandwidth: float = 1.0) -> Roof:
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


@dataclass(frozen=True)
class Bound:
    """What a roof allows a kernel; see `bound`.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    roof : Roof
        The roof.

    Examples
    --------
    >>> limit = Bound(Kernel("relu", 1e8, 4e8), Roof(67e12, 3.35e12))
    >>> limit.regime, f"{limit.time:.3g}"
    ('memory-bound', '0.000119')
    """

    kernel: Kernel
    roof: Roof

    @property
    def compute_time(self) -> Any:
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
    def memory_time(self) -> Any:
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
    def time(self) -> Any:
        """The roofline bound: the kernel takes at least the larger of the two times, in s.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            Seconds; a lower bound, not a prediction.

        Examples
        --------
        >>> Bound(Kernel("k", 6.7e13, 3.35e13), Roof(67e12, 3.35e12)).time
        10.0
        """
        return _larger(self.compute_time, self.memory_time)

    @property
    def time_without_overlap(self) -> Any:
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

    @property
    def regime(self) -> Any:
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
        if isinstance(at_or_above, np.ndarray):
            return np.where(at_or_above, COMPUTE_BOUND, MEMORY_BOUND)
        return COMPUTE_BOUND if at_or_above else MEMORY_BOUND

    @property
    def at_or_above_ridge(self) -> Any:
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
    def attainable(self) -> Any:
        """The FLOP/s that the kernel cannot exceed.

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
    def fraction_of_peak(self) -> Any:
        """The largest share of the peak FLOP/s that the kernel can reach, ``min(1, I / R)``.

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


def bound(kernel: Kernel, roof: Roof) -> Bound:
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
    if not isinstance(kernel, Kernel):
        raise InvalidValue(f"{kernel!r} is not a Kernel; make one with matmul(...) or Kernel(name, flops, nbytes)")
    require_roof(roof)
    return Bound(kernel, roof)


def speedup(kernel: Kernel, old_roof: Roof, new_roof: Roof) -> Any:
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


def critical_batch(
    D: Any,
    F: Any,
    roof: Roof,
    dtype: Any = "bf16",
    *,
    weights: Any = None,
    activations: Any = None,
    outputs: Any = None,
) -> Any:
    """Return the batch from which a weight matmul is compute-bound, B*.

    Parameters
    ----------
    D, F : float, numpy.ndarray or sympy.Expr
        Rows and columns of the weight matrix, above 0.
    roof : Roof
        The roof of the format that the multiplication runs in.
    dtype : str or float
        Format of all three matrices, or its bytes per element.
    weights, activations, outputs : str or float, optional
        Formats of W, X and Y where they differ from ``dtype``; ``outputs`` follows ``activations``.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        B* in tokens that share one weight read, not rounded; ``math.inf`` where no batch is large enough.

    Raises
    ------
    InvalidValue
        Where a size or a number of bytes breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Notes
    -----
    Setting the intensity of `matmul` equal to the ridge point R and solving for B gives, with bytes per element w, a
    and o of W, X and Y, ``B* = R w D F / (2 D F - R (a D + o F))``. A test lets SymPy solve it from `matmul` itself.

    Examples
    --------
    >>> from roofline import device
    >>> h100 = device("H100 SXM").roof("bf16")
    >>> round(critical_batch(4096, 4096, h100), 1), critical_batch(512, 512, h100)
    (344.9, inf)
    """
    require_roof(roof)
    D, F = amount("D", D), amount("F", F)
    w, a, o = matmul_bytes(dtype, weights, activations, outputs)
    top, bottom = threshold_terms(D, F, roof, w, a, o)
    if is_symbolic(bottom) and bottom.free_symbols:
        return top / bottom
    if isinstance(bottom, np.ndarray):
        with np.errstate(divide="ignore"):
            return np.where(bottom > 0, top / bottom, math.inf)
    return top / bottom if bottom > 0 else math.inf


def threshold_terms(D: Any, F: Any, roof: Roof, w: Any, a: Any, o: Any) -> tuple[Any, Any]:
    """Return numerator and denominator of B*; no batch is large enough where the denominator is not positive.

    Parameters
    ----------
    D, F : float, numpy.ndarray or sympy.Expr
        Rows and columns of the weight matrix.
    roof : Roof
        The roof.
    w, a, o : float or sympy.Expr
        Bytes per element of weights, activations and outputs.

    Returns
    -------
    tuple
        ``R w D F`` and ``2 D F - R (a D + o F)``, each times the bandwidth: with whole numbers nothing is rounded
        before the one division, so a threshold that is a whole number comes out as one.

    Examples
    --------
    >>> threshold_terms(512, 512, Roof(128, 1), 2, 2, 2)
    (67108864, 262144)
    """
    peak, bandwidth = roof.peak, roof.bandwidth
    return peak * w * D * F, 2 * D * F * bandwidth - peak * (a * D + o * F)


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


def _larger(a: Any, b: Any) -> Any:
    return _extreme(a, b, "Max", np.maximum, max)


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, arrays or symbols.

    Parameters
    ----------
    a, b : float, numpy.ndarray or sympy.Expr
        What to compare.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        Number by number in arrays; ``Min`` for symbols.

    Examples
    --------
    >>> smaller(4096, 8192)
    4096
    """
    return _extreme(a, b, "Min", np.minimum, min)


def _extreme(a: Any, b: Any, symbolic: str, on_arrays: Any, on_numbers: Any) -> Any:
    if is_symbolic(a) or is_symbolic(b):
        import sympy

        return getattr(sympy, symbolic)(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return on_arrays(a, b)
    return on_numbers(a, b)
