"""What each kernel costs: its FLOPs, and the fewest bytes it must move between HBM and the chip.

Every cost is plain arithmetic, so one definition takes floats (a number), NumPy arrays (a curve) and SymPy symbols
(the formula).  FLOPs are those of the schoolbook algorithm, which measured rates count; Strassen's has
fewer.  Bytes count each input read once and each output written once: the fewest possible where nothing is on the chip
beforehand, and a kernel that reads its data twice moves more.
"""

from __future__ import annotations

from typing import Any

from .arguments import COUNT, amount, anywhere, counts
from .errors import InvalidValue
from .formats import bytes_per_element, matmul_bytes
from .kernel import Kernel, trusted
from .types import Format, S, Size


def matmul(
    B: Size[S],
    D: Size[S],
    F: Size[S],
    dtype: Format[S] = "bf16",
    *,
    weights: Format[S] | None = None,
    activations: Format[S] | None = None,
    outputs: Format[S] | None = None,
    name: str = "matmul",
) -> Kernel[S]:
    """Return the cost of a weight matmul Y = X W, with each matrix moved once.

    Parameters
    ----------
    B : float, numpy.ndarray or sympy.Expr
        Tokens that share one read of W (rows of X), above 0; never the number of sequences.
    D, F : float, numpy.ndarray or sympy.Expr
        Rows and columns of W, above 0.
    dtype : str or float
        Format of all three matrices, or its bytes per element.
    weights, activations, outputs : str or float, optional
        Formats of W, X and Y where they differ from ``dtype``: ``weights="int4"`` is W4A16. ``outputs`` follows
        ``activations``.
    name : str
        What to call the kernel.

    Returns
    -------
    Kernel
        ``2 B D F`` FLOPs and ``w D F + B (a D + o F)`` bytes.

    Raises
    ------
    InvalidValue
        Where a size is zero, negative, NaN, infinite or not a number.
    UnknownFormat
        Where a format name is unknown.

    Notes
    -----
    Source: each of the B F outputs is a dot product of length D (D multiplies, D adds); each element crosses once.

    Examples
    --------
    >>> kernel = matmul(8, 4096, 4096)
    >>> kernel.flops, kernel.nbytes, round(kernel.intensity, 2)
    (268435456, 33685504, 7.97)
    """
    B, D, F = counts(B=B, D=D, F=F)
    w, a, o = matmul_bytes(dtype, weights, activations, outputs)
    # For arrays this order keeps the fewest temporaries alive: with the FLOPs first, or D * F shared, NumPy has to ask
    # the system for more memory, which costs more than the arithmetic.
    nbytes = B * (a * D + o * F) + w * D * F
    return trusted(name, 2 * B * D * F, nbytes)


def elementwise(
    n: Size[S],
    dtype: Format[S] = "bf16",
    *,
    reads: Size[S] = 1,
    writes: Size[S] = 1,
    flops_per_element: Size[S] = 1,
    name: str = "elementwise",
) -> Kernel[S]:
    """Return the cost of an elementwise op, such as ReLU, a scale or a residual add.

    Parameters
    ----------
    n : float, numpy.ndarray or sympy.Expr
        Elements of the result, above 0.
    dtype : str or float
        Format of every tensor, or its bytes per element.
    reads, writes : float, numpy.ndarray or sympy.Expr
        Tensors of n elements read and written; 2 and 1 for an add. At least one of the two is above 0.
    flops_per_element : float
        Operations per element, 0 or more; 1 for ReLU, 0 for a copy.
    name : str
        What to call the kernel.

    Returns
    -------
    Kernel
        ``flops_per_element n`` FLOPs and ``(reads + writes) e n`` bytes.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> relu = elementwise(10**8)
    >>> relu.nbytes, relu.intensity
    (400000000, 0.25)
    """
    n = amount("n", n, COUNT)
    reads = amount("reads", reads, "a number of tensors, 0 or more", zero=True)
    writes = amount("writes", writes, "a number of tensors, 0 or more", zero=True)
    per_element = amount("flops_per_element", flops_per_element, "a number of operations, 0 or more", zero=True)
    if anywhere(reads + writes == 0):
        raise InvalidValue(
            "reads and writes are both 0; a kernel that moves nothing has no intensity, give one of them"
        )
    return trusted(name, per_element * n, (reads + writes) * bytes_per_element(dtype) * n)


def rms_norm(
    tokens: Size[S], width: Size[S], dtype: Format[S] = "bf16", *, flops_per_element: Size[S] = 4
) -> Kernel[S]:
    """Return the cost of RMSNorm over the last axis, fused into one kernel.

    Parameters
    ----------
    tokens, width : float, numpy.ndarray or sympy.Expr
        Rows and features of x, above 0.
    dtype : str or float
        Format of x and y, or its bytes per element.
    flops_per_element : float
        About 4: square, add, multiply by the inverse root, multiply by the gain.

    Returns
    -------
    Kernel
        One read of x and one write of y. The gain vector, ``width`` elements for all tokens, is left out.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> norm = rms_norm(16384, 4096)
    >>> norm.nbytes, norm.intensity
    (268435456, 1.0)
    """
    return _row_op("rms_norm", tokens, width, dtype, flops_per_element)


def layer_norm(
    tokens: Size[S], width: Size[S], dtype: Format[S] = "bf16", *, flops_per_element: Size[S] = 7
) -> Kernel[S]:
    """Return the cost of layer norm over the last axis, fused into one kernel.

    Parameters
    ----------
    tokens, width : float, numpy.ndarray or sympy.Expr
        Rows and features of x, above 0.
    dtype : str or float
        Format of x and y, or its bytes per element.
    flops_per_element : float
        About 7: two for the mean and its subtraction, two for the variance, then scale, gain and bias.

    Returns
    -------
    Kernel
        One read of x and one write of y; gain and bias are left out.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> layer_norm(16384, 4096).intensity
    1.75
    """
    return _row_op("layer_norm", tokens, width, dtype, flops_per_element)


def softmax(tokens: Size[S], width: Size[S], dtype: Format[S] = "bf16", *, flops_per_element: Size[S] = 5) -> Kernel[S]:
    """Return the cost of softmax over the last axis, fused into one kernel.

    Parameters
    ----------
    tokens, width : float, numpy.ndarray or sympy.Expr
        Rows and columns of x, above 0.
    dtype : str or float
        Format of x and y, or its bytes per element.
    flops_per_element : float
        About 5: compare, subtract, exponential (counted as one), add, divide.

    Returns
    -------
    Kernel
        One read of x and one write of y.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> softmax(1024, 4096).intensity
    1.25
    """
    return _row_op("softmax", tokens, width, dtype, flops_per_element)


def _row_op(name: str, tokens: Any, width: Any, dtype: Any, flops_per_element: Any) -> Kernel[Any]:
    tokens, width = counts(tokens=tokens, width=width)
    return elementwise(tokens * width, dtype, flops_per_element=flops_per_element, name=name)
