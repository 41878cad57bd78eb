"""What fits into memory: the weights of a model, and the caches of a batch."""

from __future__ import annotations

import math
from typing import Any

from .architecture import Model, require_model
from .arguments import amount
from .errors import InvalidValue
from .types import Format, Number, S, Size


def sequences_that_fit(
    model: Model, memory: Size[S], tokens: Size[S], *, weights: Format[S] = "bf16", cache: Format[S] = "bf16"
) -> S:
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
        An upper bound, as activations and the runtime need memory, too. Not rounded; negative where the weights alone
        do not fit.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule, or the model has no cache.

    Examples
    --------
    >>> from roofline import device, model
    >>> int(sequences_that_fit(model("Llama 3.1 8B"), device("H100 SXM").memory, 8192))
    64
    """
    require_model(model)
    return (amount("memory", memory) - model.weight_bytes(weights)) / _cache_of_one(model, tokens, cache)


def sequences_until_cache_outweighs(
    model: Model, tokens: Size[S], *, weights: Format[S] = "bf16", cache: Format[S] = "bf16"
) -> S:
    """Return the batch at which a decode step reads as many bytes of cache as of weights.

    Parameters
    ----------
    model : Model
        The model; for a MoE, all experts count as read.
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


def devices_needed(
    model: Model, memory: Number, sequences: Number, tokens: Number, *, weights: Format = "bf16", cache: Format = "bf16"
) -> int:
    """Return how many devices it takes to hold the weights of a model and the caches of a batch.

    Parameters
    ----------
    model : Model
        The model.
    memory : float
        Capacity of one device, byte.
    sequences, tokens : float
        Sequences in the batch, and tokens in the cache of each.
    weights, cache : str or float
        Formats of the weights and of the KV cache.

    Returns
    -------
    int
        At least 1; a lower bound, as activations and the runtime need memory, too.

    Raises
    ------
    InvalidValue
        Where an argument breaks its rule.

    Examples
    --------
    >>> from roofline import device, model
    >>> devices_needed(model("Llama 3.1 70B"), device("H100 SXM").memory, 16, 8192)
    3
    >>> devices_needed(model("Llama 3.1 70B"), device("H200 SXM").memory, 1, 8192)
    1
    """
    require_model(model)
    held = model.weight_bytes(weights) + model.cache_bytes(sequences, tokens, cache)
    needed = held / amount("memory", memory)
    if not isinstance(needed, int | float):
        raise InvalidValue("devices can be counted for plain numbers only; give neither an array nor a symbol")
    return math.ceil(needed)
