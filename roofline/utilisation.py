"""What share of a device's peak and bandwidth a measured run used: MFU and MBU."""

from __future__ import annotations

from .arguments import amount
from .roof import Roof, require_roof
from .types import S, Size


def mfu(flops: Size[S], time: Size[S], roof: Roof[float] | Roof[S]) -> S:
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
        ``flops / (time peak)``. For a memory-bound kernel it stays small however good the code is.

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


def mbu(nbytes: Size[S], time: Size[S], roof: Roof[float] | Roof[S]) -> S:
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
        ``nbytes / (time bandwidth)``; the measure of a memory-bound kernel.

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
