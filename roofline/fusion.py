"""What no fusion can save: the bound on a step whose kernels may be joined, overlap, or keep their results on the chip.

The sum of the bounds of separate kernels takes for granted that each reads its input from HBM, writes its output there,
and waits for the one before it.  A program that fuses them need not, and can be faster than the sum.  It still does all
the FLOPs, and what lies in HBM beforehand, or must lie there afterwards, still crosses once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .architecture import Model, require_model
from .arguments import amount, anywhere, larger
from .errors import InvalidValue
from .kernel import Kernel, require_kernel
from .roof import Roof, require_roof
from .types import Format, S, Size

#: How far rounding may lift the bytes of a whole above the sum of its parts.
_ROUNDING = 1e-9


def fused_time(kernels: Iterable[Kernel[float] | Kernel[S]], roof: Roof[float] | Roof[S], nbytes: Size[S]) -> S:
    """Return the bound on the time of kernels however they are fused.

    Parameters
    ----------
    kernels : iterable of Kernel
        The kernels, as for `total_time`.
    roof : Roof
        The roof that all of them run under.
    nbytes : float
        Bytes that must cross in any case, such as `unavoidable_bytes`; at most those of all kernels together.

    Returns
    -------
    float
        The larger of all FLOPs over the peak and the bytes over the bandwidth, in s; never more than `total_time`, and
        the same for a single kernel with all of its bytes.

    Raises
    ------
    InvalidValue
        Where an item is not a kernel, or the kernels move fewer bytes than that.

    Examples
    --------
    >>> from roofline import LLAMA_3_1_8B, decode_step, device, total_time
    >>> step, roof = decode_step(LLAMA_3_1_8B, 32, 8192), device("H100 SXM").roof("bf16")
    >>> fused = fused_time(step, roof, unavoidable_bytes(LLAMA_3_1_8B, 32, 8192))
    >>> f"{fused * 1e3:.2f} ms of {total_time(step, roof) * 1e3:.2f} ms"
    '14.74 ms of 14.83 ms'
    """
    if not isinstance(kernels, Iterable):
        raise InvalidValue(f"{kernels!r} is not a list of kernels; give one such as decode_step(model, 1, 8192)")
    require_roof(roof)
    flops: Any = 0
    moved: Any = 0
    for kernel in kernels:
        require_kernel(kernel)
        flops, moved = flops + kernel.flops, moved + kernel.nbytes
    least = amount("nbytes", nbytes, "a positive number of bytes")
    if anywhere(least > moved * (1 + _ROUNDING)):
        raise InvalidValue(f"nbytes is {nbytes}; it must be at most what the kernels move together, {moved}")
    time: S = larger(flops / roof.peak, least / roof.bandwidth)
    return time


def unavoidable_bytes(
    model: Model, sequences: Size[S], tokens: Size[S], *, weights: Format[S] = "bf16", cache: Format[S] = "bf16"
) -> S:
    """Return the bytes that a step must move however its kernels are fused: its weights and its cache, once.

    Parameters
    ----------
    model : Model
        The model.
    sequences : float
        Sequences in the batch.
    tokens : float
        Tokens in the cache of each: read in a decode step, written by a prefill.
    weights, cache : str or float
        Formats of the weights and of the KV cache.

    Returns
    -------
    float
        Bytes. Of the experts of a MoE, only as many as one token goes to, since all tokens may go to the same. Left out
        are the rows of the input embedding, the gains of the norms, and what the step gives out.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.

    Notes
    -----
    It takes for granted what every cost here does: that nothing is on the chip when the step begins.

    Examples
    --------
    >>> from roofline import LLAMA_3_1_8B
    >>> unavoidable_bytes(LLAMA_3_1_8B, 32, 8192) / 1e9
    49.369055232
    """
    require_model(model)
    parts: list[Any] = [model.step_weight_bytes(weights, tokens=1), model.cache_bytes(sequences, tokens, cache)]
    total: S = sum(parts)
    return total
