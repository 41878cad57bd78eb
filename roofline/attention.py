"""What attention costs where each KV head has keys and values of its own.

Prefill, decode, a chunk of a prompt, and decode with a shared prefix each have a function.  Fused attention keeps the
scores on the chip, so the bytes are those of queries, keys, values and outputs alone.  The FLOPs go with the pairs of a
token and one that it attends to: a causal mask, which every decoder has, leaves about half of the square.
"""

from __future__ import annotations

from .arguments import COUNT, amount, anywhere, counts, flag
from .errors import InvalidValue
from .formats import bytes_per_element
from .kernel import Kernel, trusted
from .types import Format, S, Size


def attention_prefill(
    T: Size[S],
    d_h: Size[S],
    *,
    causal: bool = True,
    dtype: Format[S] = "bf16",
    heads: Size[S] = 1,
    g: Size[S] = 1,
    sequences: Size[S] = 1,
) -> Kernel[S]:
    """Return the cost of fused attention over a whole prompt.

    Parameters
    ----------
    T : float, numpy.ndarray or sympy.Expr
        Tokens of a sequence, above 0.
    d_h : float, numpy.ndarray or sympy.Expr
        Width of one head, above 0.
    causal : bool
        Whether a token attends only to itself and to those before it, as in a decoder. False for an encoder or a
        denoiser, whose tokens attend to all, and for benchmarks that count the full square.
    dtype : str or float
        Format of Q, K, V and O, or its bytes per element.
    heads : float
        Query heads, above 0.
    g : float
        Query heads per KV head, above 0; 1 is MHA.
    sequences : float
        Prompts in the batch, above 0.

    Returns
    -------
    Kernel
        The two matmuls QK^T and PV, ``4 d_h`` FLOPs a head for each of ``T (T + 1) / 2`` pairs of tokens (``T^2``
        without a mask), and Q, K, V and O once. The softmax is not counted.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Notes
    -----
    Source: FlashAttention (Dao et al., 2022) keeps the T x T scores on the chip, so they never cross to HBM. This is
    the fewest bytes possible; a kernel whose K and V do not fit on the chip reads them more than once.

    The default is the mask that whatever has a prefill has. It is also the smaller count, so that its bound holds for a
    kernel that goes through the whole square, too; the other way round, a kernel that skips half would beat the bound.

    Examples
    --------
    >>> attention_prefill(256, 128, causal=False).intensity, attention_prefill(256, 128).intensity
    (128.0, 64.25)
    """
    T, d_h, heads, g, sequences = counts(T=T, d_h=d_h, heads=heads, g=g, sequences=sequences)
    head_count = heads * sequences
    e = bytes_per_element(dtype)
    # Twice the pairs, so that whole numbers stay whole; the mask is 1 or 0, so that symbols need no branch.
    twice = T * (2 * T - flag("causal", causal) * (T - 1))
    return trusted("attention_prefill", 2 * d_h * twice * head_count, e * T * d_h * head_count * (2 + 2 / g))


def attention_decode(
    T: Size[S],
    d_h: Size[S],
    *,
    g: Size[S] = 1,
    dtype: Format[S] = "bf16",
    kv_heads: Size[S] = 1,
    sequences: Size[S] = 1,
    new_tokens: Size[S] = 1,
) -> Kernel[S]:
    """Return the cost of attention for the next token of each sequence, over its own KV cache.

    Parameters
    ----------
    T : float, numpy.ndarray or sympy.Expr
        Tokens in the cache of a sequence, above 0.
    d_h : float, numpy.ndarray or sympy.Expr
        Width of one head, above 0.
    g : float
        Query heads that share one KV head, above 0; 1 is MHA.
    dtype : str or float
        Format of the cache, or its bytes per element.
    kv_heads : float
        KV heads, above 0.
    sequences : float
        Sequences in the batch, above 0; each brings its own cache.
    new_tokens : float
        Query tokens per sequence in this step, above 0; more than 1 where drafted tokens are verified.

    Returns
    -------
    Kernel
        ``4 g T d_h`` FLOPs and one read of K and V, ``2 e T d_h`` bytes, per sequence and KV head. The query and the
        output, together 1/T of those bytes for every query head, are left out.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Notes
    -----
    Source: Ainslie et al., GQA (2023), for the heads; the intensity is 2 g / e per new token.

    Examples
    --------
    >>> attention_decode(8192, 128).intensity, attention_decode(8192, 128, g=4, sequences=64).intensity
    (1.0, 4.0)
    """
    T, d_h, g, kv_heads, sequences, new_tokens = counts(
        T=T, d_h=d_h, g=g, kv_heads=kv_heads, sequences=sequences, new_tokens=new_tokens
    )
    caches = kv_heads * sequences
    e = bytes_per_element(dtype)
    return trusted("attention_decode", 4 * g * T * d_h * new_tokens * caches, 2 * e * T * d_h * caches)


def causal_share(T: Size[S], window: Size[S] | None = None) -> S:
    """Return the share of the scores of a prompt that a causal mask keeps, with or without a sliding window.

    Parameters
    ----------
    T : float, numpy.ndarray or sympy.Expr
        Tokens of the prompt, above 0.
    window : float, numpy.ndarray or sympy.Expr, optional
        Tokens that a token attends to, itself included, above 0 and at most T; all before it where left out.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        ``w (2 T - w + 1) / (2 T^2)`` for a window w, as the first w tokens see fewer. For w = T this is
        ``(T + 1) / (2 T)``, nearly a half.

    Raises
    ------
    InvalidValue
        Where a count breaks its rule.

    Examples
    --------
    >>> causal_share(2048), round(causal_share(8192, 2048), 4)
    (0.500244140625, 0.2188)
    """
    T = amount("T", T, COUNT)
    if window is None:
        return (T + 1) / (2 * T)
    T, w = counts(T=T, window=window)
    if anywhere(w > T):
        raise InvalidValue(f"window is {w} and T is {T}; a token attends to at most all T tokens")
    return w * (2 * T - w + 1) / (2 * T * T)


def attention_chunk(
    new_tokens: Size[S],
    before: Size[S],
    d_h: Size[S],
    *,
    g: Size[S] = 1,
    dtype: Format[S] = "bf16",
    kv_heads: Size[S] = 1,
    sequences: Size[S] = 1,
) -> Kernel[S]:
    """Return the cost of causal attention for a chunk of a prompt (chunked prefill), over the cache and itself.

    Parameters
    ----------
    new_tokens : float, numpy.ndarray or sympy.Expr
        Tokens of the chunk, above 0.
    before : float, numpy.ndarray or sympy.Expr
        Tokens in the cache of a sequence before it, 0 or more; with 0 it is `attention_prefill` of a whole prompt.
    d_h : float
        Width of one head, above 0.
    g : float
        Query heads that share one KV head, above 0.
    dtype : str or float
        Format of Q, K, V and O, or its bytes per element.
    kv_heads : float
        KV heads, above 0.
    sequences : float
        Sequences in the batch, above 0.

    Returns
    -------
    Kernel
        ``4 d_h`` FLOPs for each pair of a token and one that it sees; the keys and values, Q and O cross once.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> attention_chunk(512, 0, 128).flops, attention_chunk(1, 8191, 128).flops
    (67239936, 4194304)
    """
    C, d_h, g, kv_heads, sequences = counts(new_tokens=new_tokens, d_h=d_h, g=g, kv_heads=kv_heads, sequences=sequences)
    before = amount("before", before, "a count, 0 or more", zero=True)
    heads = kv_heads * sequences
    e = bytes_per_element(dtype)
    # Twice the pairs, so that whole numbers stay whole.
    twice = 2 * C * before + C * (C + 1)
    return trusted("attention_chunk", 2 * d_h * twice * g * heads, e * d_h * (2 * (before + C) + 2 * g * C) * heads)


def attention_shared_prefix(
    prefix: Size[S],
    own: Size[S],
    d_h: Size[S],
    *,
    g: Size[S] = 1,
    dtype: Format[S] = "bf16",
    kv_heads: Size[S] = 1,
    sequences: Size[S] = 1,
) -> Kernel[S]:
    """Return the cost of decode attention where all sequences begin with the same tokens, read once for all of them.

    Parameters
    ----------
    prefix, own : float, numpy.ndarray or sympy.Expr
        Tokens in the shared cache, and in the cache of each sequence beside it, above 0.
    d_h : float
        Width of one head, above 0.
    g : float
        Query heads that share one KV head, above 0.
    dtype : str or float
        Format of the cache, or its bytes per element.
    kv_heads : float
        KV heads, above 0.
    sequences : float
        Sequences in the batch, above 0.

    Returns
    -------
    Kernel
        The FLOPs of `attention_decode` over all tokens, but the bytes of the prefix only once: for the prefix, the
        batch multiplies the intensity as it does in a weight matmul.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.
    UnknownFormat
        Where a format name is unknown.

    Examples
    --------
    >>> attention_shared_prefix(8192, 1024, 128, g=4, sequences=32).intensity
    28.8
    """
    prefix, own, d_h, g, kv_heads, sequences = counts(
        prefix=prefix, own=own, d_h=d_h, g=g, kv_heads=kv_heads, sequences=sequences
    )
    e = bytes_per_element(dtype)
    flops = 4 * g * (prefix + own) * d_h * kv_heads * sequences
    return trusted("attention_shared_prefix", flops, 2 * e * (prefix + sequences * own) * d_h * kv_heads)
