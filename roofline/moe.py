"""A mixture of experts (MoE): how many experts a batch reaches, and what their matmuls cost.

A router sends each of B tokens to k of N experts.  FLOPs grow with B k, but the weights that cross from HBM are those
of the experts that at least one token reaches, so a MoE needs N/k times the batch that a dense layer needs.

How many experts that is depends on the router.  `expected_experts` is the mean for an even one, and no bound: any batch
reaches k experts at least and `most_experts` at most.
"""

from __future__ import annotations

from typing import Any

from .arguments import COUNT, amount, anywhere, counts, smaller
from .errors import InvalidValue
from .formats import matmul_bytes
from .kernel import Kernel, trusted
from .types import Format, S, Size


def expected_experts(N: Size[S], k: Size[S], B: Size[S]) -> S:
    """Return how many of N experts at least one of B tokens is expected to reach.

    Parameters
    ----------
    N : float, numpy.ndarray or sympy.Expr
        Experts of the layer, above 0.
    k : float, numpy.ndarray or sympy.Expr
        Experts that each token goes to, above 0 and at most N.
    B : float, numpy.ndarray or sympy.Expr
        Tokens, above 0.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        ``N (1 - (1 - k/N)^B)``, from k for one token to N for many.

    Raises
    ------
    InvalidValue
        Where a count breaks its rule.

    Notes
    -----
    A token misses a given expert with probability 1 - k/N, and all B tokens miss it with that to the power B, if the
    router spreads them evenly and independently. This is a mean, not a bound: one batch may reach fewer or more, from k
    (all tokens choose the same) to `most_experts`. Real routers are less even, and reach fewer on average.

    Examples
    --------
    >>> expected_experts(8, 2, 1), round(expected_experts(8, 2, 3), 1)
    (2.0, 4.6)
    """
    N, k = _chosen_of(N, k)
    B = amount("B", B, COUNT)
    return N * (1 - (1 - k / N) ** B)


def most_experts(N: Size[S], k: Size[S], B: Size[S]) -> S:
    """Return how many of N experts B tokens can reach at most; they reach k at least.

    Parameters
    ----------
    N, k, B : float, numpy.ndarray or sympy.Expr
        Experts, experts of a token, and tokens, as in `expected_experts`.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        The smaller of ``B k``, where no two tokens share an expert, and N.

    Raises
    ------
    InvalidValue
        Where a count breaks its rule.

    Examples
    --------
    >>> most_experts(8, 2, 3), most_experts(8, 2, 64)
    (6, 8)
    """
    N, k = _chosen_of(N, k)
    most: S = smaller(N, amount("B", B, COUNT) * k)
    return most


def _chosen_of(N: Any, k: Any) -> tuple[Any, Any]:
    """Return both counts, checked: no token goes to more experts than there are."""
    N, k = counts(N=N, k=k)
    if anywhere(k > N):
        raise InvalidValue(f"k is {k} and N is {N}; a token can go to at most all N experts")
    return N, k


def tokens_per_expert(N: Size[S], k: Size[S], B: Size[S]) -> S:
    """Return how many tokens share one read of an expert's weights, on average over the experts that are read.

    Parameters
    ----------
    N, k, B : float, numpy.ndarray or sympy.Expr
        Experts, experts of a token, and tokens, as in `expected_experts`.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        ``B k`` over the experts expected: 1 for one token, ``B k / N`` for many.

    Raises
    ------
    InvalidValue
        Where a count breaks its rule.

    Examples
    --------
    >>> tokens_per_expert(8, 2, 1), tokens_per_expert(128, 8, 4096)
    (1.0, 256.0)
    """
    return amount("B", B, COUNT) * amount("k", k, COUNT) / expected_experts(N, k, B)


def moe_critical_batch(N: Size[S], k: Size[S], dense: Size[S]) -> S:
    """Return the batch at which the experts of a MoE become compute-bound.

    Parameters
    ----------
    N, k : float, numpy.ndarray or sympy.Expr
        Experts, and experts of a token.
    dense : float, numpy.ndarray or sympy.Expr
        The critical batch of one expert's matrix, as from `critical_batch`, tokens.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        ``dense N / k`` tokens: nearly all experts are read by then, and each has its share of the tokens. It takes for
        granted that each expert reads its rows for itself, as with ``rows=k`` in `expert_matmul`; where experts share
        the read of a token's row, somewhat fewer tokens do.

    Raises
    ------
    InvalidValue
        Where a number breaks its rule.

    Examples
    --------
    >>> moe_critical_batch(128, 8, 300)
    4800.0
    """
    N, k = _chosen_of(N, k)
    return amount("dense", dense) * N / k


def expert_matmul(
    B: Size[S],
    D: Size[S],
    F: Size[S],
    N: Size[S],
    k: Size[S],
    *,
    dtype: Format[S] = "bf16",
    weights: Format[S] | None = None,
    activations: Format[S] | None = None,
    outputs: Format[S] | None = None,
    rows: Size[S] = 1,
    name: str = "expert_matmul",
) -> Kernel[S]:
    """Return the cost of one weight matmul of all experts, each over the tokens that were sent to it.

    Parameters
    ----------
    B : float, numpy.ndarray or sympy.Expr
        Tokens of the batch, above 0.
    D, F : float, numpy.ndarray or sympy.Expr
        Rows and columns of the matrix of one expert, above 0.
    N, k : float, numpy.ndarray or sympy.Expr
        Experts, and experts of a token.
    dtype : str or float
        Format of all matrices, or its bytes per element.
    weights, activations, outputs : str or float, optional
        Formats of W, X and Y where they differ from ``dtype``; ``outputs`` follows ``activations``.
    rows : float
        Rows of X that are read for each token, above 0: 1 where its experts take the same row and share the read, k
        where each takes a row of its own, as in the second matmul of an MLP.
    name : str
        What to call the kernel.

    Returns
    -------
    Kernel
        ``2 B k D F`` FLOPs; the weights of the experts expected, ``B rows`` rows in and ``B k`` rows out. With the
        weights, the bytes are a mean and no bound; see `expected_experts`.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> round(expert_matmul(64, 2048, 768, 128, 8).intensity, 2)
    4.05
    """
    B, k, D, F, rows = counts(B=B, k=k, D=D, F=F, rows=rows)
    w, a, o = matmul_bytes(dtype, weights, activations, outputs)
    return trusted(name, 2 * B * k * D * F, w * D * F * expected_experts(N, k, B) + B * (rows * a * D + k * o * F))
