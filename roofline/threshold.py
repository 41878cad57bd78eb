"""The critical batch: the number of tokens from which a weight matmul is compute-bound."""

from __future__ import annotations

import math
from typing import Any

from .arguments import amount, is_array, is_symbolic
from .formats import matmul_bytes
from .roof import Roof, require_roof
from .types import Format, S, Size


def critical_batch(
    D: Size[S],
    F: Size[S],
    roof: Roof[float] | Roof[S],
    dtype: Format[S] = "bf16",
    *,
    weights: Format[S] | None = None,
    activations: Format[S] | None = None,
    outputs: Format[S] | None = None,
) -> S:
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
    and o of W, X and Y, ``B* = R w D F / (2 D F - R (a D + o F))``. A test has SymPy derive it from `matmul`.

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
    if is_array(bottom):
        import numpy as np

        with np.errstate(divide="ignore"):
            return np.where(bottom > 0, top / bottom, math.inf)
    return top / bottom if bottom > 0 else math.inf


def threshold_terms(D: Any, F: Any, roof: Roof[Any], w: Any, a: Any, o: Any) -> tuple[Any, Any]:
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
        before the one division, so a whole threshold comes out whole.

    Examples
    --------
    >>> threshold_terms(512, 512, Roof(128, 1), 2, 2, 2)
    (67108864, 262144)
    """
    peak, bandwidth = roof.peak, roof.bandwidth
    return peak * w * D * F, 2 * D * F * bandwidth - peak * (a * D + o * F)
