"""A kernel, as the roofline model sees it: so many FLOPs, so many bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from .arguments import amount
from .errors import InvalidValue

#: The most FLOPs or bytes of one kernel: enough for anything, with room to divide by a roof.
_MOST: Final = 1e300


@dataclass(frozen=True)
class Kernel:
    """One kernel: the work it does and the bytes it moves.

    Parameters
    ----------
    name : str
        What to call it in tables and figures.
    flops : float, numpy.ndarray or sympy.Expr
        Floating-point operations, 0 or more; a multiply-add counts as 2.
    nbytes : float, numpy.ndarray or sympy.Expr
        Bytes between HBM and the chip, reads plus writes, above 0.

    Raises
    ------
    InvalidValue
        Where an amount is negative, NaN, infinite or not a number.

    Examples
    --------
    >>> Kernel("relu", flops=1e8, nbytes=4e8).intensity
    0.25
    """

    name: str
    flops: Any
    nbytes: Any

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidValue(f"name is {self.name!r}; it must be a text that tables can show, such as 'relu'")
        # The dataclass is frozen for its users; only here may a checked value replace a given one.
        object.__setattr__(self, "flops", amount("flops", self.flops, "a number of operations, 0 or more", zero=True))
        object.__setattr__(self, "nbytes", amount("nbytes", self.nbytes, "a positive number of bytes"))

    @property
    def intensity(self) -> Any:
        """Arithmetic intensity, FLOPs over bytes, in FLOP/byte.

        Returns
        -------
        float, numpy.ndarray or sympy.Expr
            A property of the kernel and its sizes, not of any GPU.

        Examples
        --------
        >>> Kernel("matmul", flops=2 * 4096**3, nbytes=6 * 4096**2).intensity
        1365.3333333333333
        """
        return self.flops / self.nbytes


def trusted(name: str, flops: Any, nbytes: Any) -> Kernel:
    """Return a kernel of amounts that need no second check.

    The cost functions check their sizes, and sums of products of positive sizes are positive. Checking a million
    results again would cost more than computing them.

    Parameters
    ----------
    name : str
        What to call the kernel.
    flops : float, numpy.ndarray or sympy.Expr
        Floating-point operations.
    nbytes : float, numpy.ndarray or sympy.Expr
        Bytes between HBM and the chip.

    Returns
    -------
    Kernel
        The kernel, as it stands.

    Raises
    ------
    InvalidValue
        Where a number, not an array, has left the range of a float.

    Examples
    --------
    >>> trusted("copy", 0, 8).intensity
    0.0
    """
    # A number costs nothing to check, and a product can leave the range of a float although each size is in it.
    if _beyond(flops) or _beyond(nbytes) or (isinstance(nbytes, int | float) and nbytes == 0):
        raise InvalidValue(
            f"{name} has sizes too large or too small to multiply; its FLOPs and bytes must be below 1e300"
        )
    kernel = object.__new__(Kernel)
    for field, value in (("name", name), ("flops", flops), ("nbytes", nbytes)):
        object.__setattr__(kernel, field, value)
    return kernel


def _beyond(value: Any) -> bool:
    return isinstance(value, int | float) and not value <= _MOST
