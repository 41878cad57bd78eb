"""Multi-head latent attention (MLA): one short vector per token in the cache, which all heads expand.

In decode the expansion is never done: it is folded into the query and into the output (DeepSeek-V2, section 2.1.2), so
that all heads read the same vector.  In prefill it is cheaper to expand the keys and values once and run plain
attention over them.
"""

from __future__ import annotations

from .arguments import counts, flag
from .formats import bytes_per_element
from .kernel import Kernel, trusted
from .types import Format, S, Size


def mla_decode(
    T: Size[S],
    heads: Size[S],
    kv_rank: Size[S],
    rope: Size[S],
    *,
    dtype: Format[S] = "bf16",
    sequences: Size[S] = 1,
    new_tokens: Size[S] = 1,
) -> Kernel[S]:
    """Return the cost of latent attention for the next token of each sequence, over its own cache.

    Parameters
    ----------
    T : float, numpy.ndarray or sympy.Expr
        Tokens in the cache of a sequence, above 0.
    heads : float
        Query heads, above 0.
    kv_rank, rope : float
        Widths of the latent vector and of the key with positions, above 0.
    dtype : str or float
        Format of the cache, or its bytes per element.
    sequences : float
        Sequences in the batch, above 0.
    new_tokens : float
        Query tokens per sequence in this step, above 0.

    Returns
    -------
    Kernel
        A score takes ``kv_rank + rope`` multiply-adds, its use ``kv_rank``: ``2 heads T (2 kv_rank + rope)`` FLOPs,
        over one read of the cache, ``e T (kv_rank + rope)`` bytes. Query and output are left out.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Notes
    -----
    The intensity is ``2 heads (2 kv_rank + rope) / (e (kv_rank + rope))``: nearly 4 heads / e, as all heads share one
    read, where GQA has 2 g / e.

    Examples
    --------
    >>> round(mla_decode(8192, 128, 512, 64).intensity, 1)
    241.8
    """
    T, heads, kv_rank, rope, sequences, new_tokens = counts(
        T=T, heads=heads, kv_rank=kv_rank, rope=rope, sequences=sequences, new_tokens=new_tokens
    )
    e = bytes_per_element(dtype)
    flops = 2 * heads * T * (2 * kv_rank + rope) * new_tokens * sequences
    return trusted("mla_decode", flops, e * T * (kv_rank + rope) * sequences)


def mla_prefill(
    T: Size[S],
    heads: Size[S],
    nope: Size[S],
    rope: Size[S],
    value: Size[S],
    *,
    causal: bool = True,
    dtype: Format[S] = "bf16",
    sequences: Size[S] = 1,
) -> Kernel[S]:
    """Return the cost of fused attention over a prompt whose keys and values are expanded.

    Parameters
    ----------
    T : float, numpy.ndarray or sympy.Expr
        Tokens of a sequence, above 0.
    heads : float
        Query heads, above 0.
    nope, rope, value : float
        Widths of a head's key without positions, of the shared key with positions, and of a head's value, above 0.
    causal : bool
        Whether a token attends only to itself and to those before it; see `attention_prefill`.
    dtype : str or float
        Format of Q, K, V and O, or its bytes per element.
    sequences : float
        Prompts in the batch, above 0.

    Returns
    -------
    Kernel
        ``2 heads (nope + rope + value)`` FLOPs for each of ``T (T + 1) / 2`` pairs of tokens (``T^2`` without a mask),
        and Q, K, V and O once.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> mla_prefill(2048, 128, 128, 64, 128).flops
    171882577920
    """
    T, heads, nope, rope, value, sequences = counts(
        T=T, heads=heads, nope=nope, rope=rope, value=value, sequences=sequences
    )
    e = bytes_per_element(dtype)
    # Q and K of every head, V and O of every head, and one key with positions for all.
    elements = heads * (2 * nope + rope + 2 * value) + rope
    # Twice the pairs, as in attention_prefill.
    twice = T * (2 * T - flag("causal", causal) * (T - 1))
    return trusted("mla_prefill", heads * twice * (nope + rope + value) * sequences, e * T * elements * sequences)


def head_matmul(
    B: Size[S],
    heads: Size[S],
    D: Size[S],
    F: Size[S],
    *,
    dtype: Format[S] = "bf16",
    weights: Format[S] | None = None,
    name: str = "head_matmul",
) -> Kernel[S]:
    """Return the cost of a matmul that each head does with a matrix of its own.

    Parameters
    ----------
    B : float, numpy.ndarray or sympy.Expr
        Tokens that share one read of the weights, above 0.
    heads : float
        Heads, above 0.
    D, F : float
        Rows and columns of the matrix of one head, above 0.
    dtype : str or float
        Format of all matrices, or its bytes per element.
    weights : str or float, optional
        Format of the weights where it differs.
    name : str
        What to call the kernel.

    Returns
    -------
    Kernel
        ``heads`` times a matmul of B rows.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> head_matmul(1, 128, 128, 512).flops
    16777216
    """
    B, heads, D, F = counts(B=B, heads=heads, D=D, F=F)
    a, w = bytes_per_element(dtype), bytes_per_element(dtype if weights is None else weights, "weights")
    return trusted(name, 2 * B * D * F * heads, (w * D * F + a * B * (D + F)) * heads)
