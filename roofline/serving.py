"""What serving adds to a step: how many sequences fit, drafts, chunks, shared prefixes, and which share to judge by.

Each of them changes B, the tokens that share one read of the weights, or the bytes that attention reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .architecture import Model, require_model
from .arguments import amount, is_symbolic
from .errors import InvalidValue
from .formats import bytes_per_element
from .kernel import Kernel, trusted
from .roof import Roof, require_roof

_COUNT = "a positive, finite count"


def sequences_that_fit(model: Model, memory: Any, tokens: Any, *, weights: Any = "bf16", cache: Any = "bf16") -> Any:
    """Return how many sequences fit in memory beside the weights.

    Parameters
    ----------
    model : Model
        The model.
    memory : float
        Capacity of the device, or of several together, byte.
    tokens : float
        Tokens in the cache of each sequence.
    weights, cache : str or float
        Formats of the weights and of the KV cache.

    Returns
    -------
    float
        A bound: activations and whatever else lives there come on top. Not rounded; negative where the weights alone
        do not fit.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule, or the model has no cache.

    Examples
    --------
    >>> from roofline import device, model
    >>> int(sequences_that_fit(model("Llama 3.1 8B"), device("H100 SXM").memory, 8192))
    59
    """
    require_model(model)
    return (amount("memory", memory) - model.weight_bytes(weights)) / _cache_of_one(model, tokens, cache)


def sequences_until_cache_outweighs(model: Model, tokens: Any, *, weights: Any = "bf16", cache: Any = "bf16") -> Any:
    """Return the batch at which a decode step reads as many bytes of cache as of weights.

    Parameters
    ----------
    model : Model
        The model; of a MoE, all experts are counted as read.
    tokens : float
        Tokens in the cache of each sequence.
    weights, cache : str or float
        Formats of the weights and of the KV cache.

    Returns
    -------
    float
        Sequences, not rounded.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule, or the model has no cache.

    Examples
    --------
    >>> from roofline import model
    >>> round(sequences_until_cache_outweighs(model("Llama 3.1 8B"), 8192), 1)
    14.0
    """
    require_model(model)
    return model.step_weight_bytes(weights) / _cache_of_one(model, tokens, cache)


def _cache_of_one(model: Model, tokens: Any, cache: Any) -> Any:
    if model.conditioning:
        raise InvalidValue(f"{model.name} has no KV cache; it must be a model that decodes")
    return model.cache_bytes(1, tokens, cache)


def expected_tokens(accepted: Any, drafted: Any) -> Any:
    """Return the tokens that one verification of a draft is expected to give (speculative decoding).

    Parameters
    ----------
    accepted : float, numpy.ndarray or sympy.Expr
        Chance that the model accepts a drafted token, from 0, below 1.
    drafted : float
        Drafted tokens, 0 or more; the step has this many and one more as ``new_tokens``.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        ``(1 - a^(n + 1)) / (1 - a)``, from 1 to n + 1: the accepted beginning of the draft, and one token of the model.

    Raises
    ------
    InvalidValue
        Where a number breaks its rule.

    Notes
    -----
    Source: Leviathan, Kalman and Matias (2023), equation 1, with chances that do not depend on each other.

    Examples
    --------
    >>> round(expected_tokens(0.8, 4), 2)
    3.36
    """
    rule = "a chance from 0, below 1"
    accepted = amount("accepted", accepted, rule, zero=True)
    drafted = amount("drafted", drafted, "a count, 0 or more", zero=True)
    if not is_symbolic(accepted) and np.any(np.asarray(accepted) >= 1):
        raise InvalidValue(f"accepted is {accepted}; it must be {rule}")
    return (1 - accepted ** (drafted + 1)) / (1 - accepted)


def causal_share(T: Any) -> Any:
    """Return the share of the scores of a prompt that a causal mask keeps.

    Parameters
    ----------
    T : float, numpy.ndarray or sympy.Expr
        Tokens of the prompt, above 0.

    Returns
    -------
    float, numpy.ndarray or sympy.Expr
        ``(T + 1) / (2 T)``, nearly a half: a token meets itself and those before it.

    Raises
    ------
    InvalidValue
        Where T breaks its rule.

    Examples
    --------
    >>> causal_share(2048)
    0.500244140625
    """
    T = amount("T", T, _COUNT)
    return (T + 1) / (2 * T)


def attention_chunk(
    new_tokens: Any, before: Any, d_h: Any, g: Any = 1, dtype: Any = "bf16", *, kv_heads: Any = 1, sequences: Any = 1
) -> Kernel:
    """Return the cost of causal attention for a chunk of a prompt (chunked prefill), over what came before and itself.

    Parameters
    ----------
    new_tokens : float, numpy.ndarray or sympy.Expr
        Tokens of the chunk, above 0.
    before : float, numpy.ndarray or sympy.Expr
        Tokens in the cache of a sequence before it, 0 or more; 0 is the causal prefill of a whole prompt.
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
        ``4 d_h`` FLOPs for each pair of a token and one that it sees, and one read of the cache, of Q and O.

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
    C, before = amount("new_tokens", new_tokens, _COUNT), amount("before", before, "a count, 0 or more", zero=True)
    d_h, g = amount("d_h", d_h, _COUNT), amount("g", g, _COUNT)
    heads = amount("kv_heads", kv_heads, _COUNT) * amount("sequences", sequences, _COUNT)
    e = bytes_per_element(dtype)
    # Twice the pairs, so that whole numbers stay whole.
    twice = 2 * C * before + C * (C + 1)
    return trusted("attention_chunk", 2 * d_h * twice * g * heads, e * d_h * (2 * (before + C) + 2 * g * C) * heads)


def attention_shared_prefix(
    prefix: Any, own: Any, d_h: Any, g: Any = 1, dtype: Any = "bf16", *, kv_heads: Any = 1, sequences: Any = 1
) -> Kernel:
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
    prefix, own = amount("prefix", prefix, _COUNT), amount("own", own, _COUNT)
    d_h, g = amount("d_h", d_h, _COUNT), amount("g", g, _COUNT)
    kv_heads, sequences = amount("kv_heads", kv_heads, _COUNT), amount("sequences", sequences, _COUNT)
    e = bytes_per_element(dtype)
    flops = 4 * g * (prefix + own) * d_h * kv_heads * sequences
    return trusted("attention_shared_prefix", flops, 2 * e * (prefix + sequences * own) * d_h * kv_heads)


def mfu(flops: Any, time: Any, roof: Roof) -> Any:
    """Return the share of the peak that was used (model FLOPs utilisation).

    Parameters
    ----------
    flops : float
        Operations that the model asks for, FLOP.
    time : float
        Measured time, s.
    roof : Roof
        The roof of the device.

    Returns
    -------
    float
        ``flops / (time peak)``. Of a memory-bound kernel it stays small however good the code is.

    Raises
    ------
    InvalidValue
        Where an argument breaks its rule.

    Examples
    --------
    >>> from roofline import device
    >>> roof = device("H100 SXM").roof("bf16")
    >>> round(mfu(16e9, 5e-3, roof), 4), round(mbu(16e9, 5e-3, roof), 2)
    (0.0032, 0.96)
    """
    require_roof(roof)
    return amount("flops", flops) / (amount("time", time) * roof.peak)


def mbu(nbytes: Any, time: Any, roof: Roof) -> Any:
    """Return the share of the bandwidth that was used (memory bandwidth utilisation).

    Parameters
    ----------
    nbytes : float
        Bytes that the model must move, byte.
    time : float
        Measured time, s.
    roof : Roof
        The roof of the device.

    Returns
    -------
    float
        ``nbytes / (time bandwidth)``; what to judge a memory-bound kernel by.

    Raises
    ------
    InvalidValue
        Where an argument breaks its rule.

    Examples
    --------
    >>> from roofline import device
    >>> round(mbu(16e9, 6e-3, device("H100 SXM").roof("bf16")), 2)
    0.8
    """
    require_roof(roof)
    return amount("nbytes", nbytes) / (amount("time", time) * roof.bandwidth)
