"""The types of what goes in and comes out, for type checkers and for readers of signatures.

A function of sizes is written once for three kinds of them: numbers give a number, an array among them gives an array,
and symbols give a formula.  `S` is the type of the result; an argument has the type ``Size[S]``, which allows a plain
number, too.  Where only numbers are given, `S` is ``float``.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

#: The names of `roofline.formats.FORMATS`. Any case is accepted at run time; types know these spellings.
FormatName: TypeAlias = Literal[
    "fp64", "fp64_tensor", "fp32", "tf32", "bf16", "fp16", "fp16_acc16",
    "fp8", "fp8_acc16", "int8", "fp6", "fp4", "int4",
]  # fmt: skip
#: What a bound says.
Regime: TypeAlias = Literal["memory-bound", "compute-bound"]


class Expr(Protocol):
    """A SymPy expression. SymPy ships no types, so an attribute tells one."""

    @property
    def free_symbols(self) -> AbstractSet[object]:
        """The symbols that have no value yet."""


if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import TypeVar  # for its defaults; not imported when the package runs

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
    Number: TypeAlias = float | np.integer[Any] | np.floating[Any]
    S = TypeVar("S", float, Array, Expr, default=float)
    T = TypeVar("T", float, Array, Expr, default=float)  # for a method, beside the S of its class
else:
    from typing import TypeVar

    # NumPy is imported only when an array comes.
    Array, Number, S, T = Any, float, TypeVar("S"), TypeVar("T")

Size: TypeAlias = Number | S
Format: TypeAlias = FormatName | Number | S
