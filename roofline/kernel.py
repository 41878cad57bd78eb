"""A kernel, as the roofline model sees it: a number of FLOPs and a number of bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Generic

from .arguments import amount, is_array, require_common_shape, same
from .errors import InvalidValue
from .types import S, Size

#: The most FLOPs or bytes of one kernel: more than any has, and far enough below the largest float to divide by a roof.
_MOST: Final = 1e300


@dataclass(frozen=True, init=False, eq=False)
class Kernel(Generic[S]):
    """One kernel: the work it does and the bytes it moves.

    Parameters
    ----------
    name : str
        What to call it in tables and figures.
    flops : float, numpy.ndarray or sympy.Expr
        Floating-point operations, 0 or more; a multiply-add counts as 2.
    nbytes : float, numpy.ndarray or sympy.Expr
        Bytes between HBM and the chip, reads plus writes, above 0. Where one amount is an array, the other is
        broadcast to its shape.

    Raises
    ------
    InvalidValue
        Where an amount is negative, NaN, infinite or not a number, or two arrays do not fit together.

    Notes
    -----
    Two kernels are equal where their names and amounts are; arrays are compared element by element.

    Examples
    --------
    >>> Kernel("relu", flops=1e8, nbytes=4e8).intensity
    0.25
    """

    name: str
    flops: S
    nbytes: S

    def __init__(self, name: str, flops: Size[S], nbytes: Size[S]) -> None:
        if not isinstance(name, str) or not name.strip():
            raise InvalidValue(f"name is {name!r}; it must be a text that tables can show, such as 'relu'")
        checked = (
            amount("flops", flops, "a number of operations, 0 or more", zero=True),
            amount("nbytes", nbytes, "a positive number of bytes"),
        )
        require_common_shape(flops=checked[0], nbytes=checked[1])
        _set(self, name, *checked)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return self.name == other.name and same(self.flops, other.flops) and same(self.nbytes, other.nbytes)

    def __hash__(self) -> int:
        # An array has no hash, and equal kernels need equal hashes: a kernel of arrays is hashed by its name alone.
        return hash((self.name,) if is_array(self.flops) else (self.name, self.flops, self.nbytes))

    @property
    def intensity(self) -> S:
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


def _set(kernel: Kernel[Any], name: str, flops: Any, nbytes: Any) -> None:
    if is_array(flops) != is_array(nbytes):
        import numpy as np

        flops, nbytes = np.broadcast_arrays(flops, nbytes)
    # The dataclass is frozen for its users; only here may a checked value be set.
    for field, value in (("name", name), ("flops", flops), ("nbytes", nbytes)):
        object.__setattr__(kernel, field, value)


def trusted(name: str, flops: Any, nbytes: Any) -> Kernel[Any]:
    """Return a kernel whose amounts are not checked again.

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
    kernel: Kernel[Any] = object.__new__(Kernel)
    _set(kernel, name, flops, nbytes)
    return kernel


def _beyond(value: Any) -> bool:
    return isinstance(value, int | float) and not value <= _MOST


def require_kernel(kernel: object) -> None:
    """Raise unless this is a kernel.

    Parameters
    ----------
    kernel : object
        What was given as a kernel.

    Raises
    ------
    InvalidValue
        Where it is anything else, such as a name.

    Examples
    --------
    >>> require_kernel("matmul")
    Traceback (most recent call last):
    roofline.errors.InvalidValue: 'matmul' is not a Kernel; make one with matmul(...) or Kernel(name, flops, nbytes)
    """
    if not isinstance(kernel, Kernel):
        raise InvalidValue(f"{kernel!r} is not a Kernel; make one with matmul(...) or Kernel(name, flops, nbytes)")
