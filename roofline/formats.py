"""The number formats: one table of what memory stores and what hardware multiplies.

Every other list of formats is a selection from `FORMATS`, in its order.  A name is accepted in any case and with spaces
around it, wherever one is given; `format_name` sees to that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from .arguments import amount, anywhere
from .errors import InvalidValue, UnknownFormat, near
from .types import FormatName


@dataclass(frozen=True)
class Peak:
    """What holds for the peak of every device in one format.

    Attributes
    ----------
    ridge : tuple of float
        Least and greatest plausible ridge point, FLOP/byte or operations/byte: outside, a prefix has slipped.
    accumulate : str
        The type of the running sum; empty where there is no choice.
    unit : str
        Unit of the peak: ``"FLOP/s"``, or ``"OP/s"`` for integers.
    times : tuple of float and str, optional
        A factor and another format: in hardware, this peak is that many times the peak of the other. A sparse peak
        beside a dense one breaks the rule.

    Examples
    --------
    >>> FORMATS["fp4"].peak.times
    (2.0, 'fp8')
    """

    ridge: tuple[float, float]
    accumulate: str = ""
    unit: Literal["FLOP/s", "OP/s"] = "FLOP/s"
    times: tuple[float, FormatName] | None = None


@dataclass(frozen=True)
class NumberFormat:
    """One number format.

    Attributes
    ----------
    name : str
        Such as ``"bf16"``; lower case.
    nbytes : float or None
        Bytes that one element takes in memory; None where the name is only a way to multiply.
    peak : Peak or None
        What holds for its peak; None where it is only stored, and another format multiplies it.
    in_atlas : bool
        Whether it has a column of its own wherever all devices are listed.
    in_lesson : bool
        Whether it has a column in the lesson's short table of ridge points.

    Examples
    --------
    >>> FORMATS["int4"].nbytes, FORMATS["int4"].peak
    (0.5, None)
    """

    name: FormatName
    nbytes: float | None
    peak: Peak | None = None
    in_atlas: bool = False
    in_lesson: bool = False


#: All formats by name, in the order in which they are listed everywhere: from many bits to few.
FORMATS: Final[dict[FormatName, NumberFormat]] = {
    row.name: row
    for row in (
        NumberFormat("fp64", 8, Peak((0.1, 100)), in_atlas=True),
        NumberFormat("fp64_tensor", None, Peak((0.1, 100))),
        NumberFormat("fp32", 4, Peak((1, 500)), in_atlas=True, in_lesson=True),
        # TF32 is a way to multiply: its values are stored in four bytes.
        NumberFormat("tf32", 4, Peak((10, 1000), times=(0.5, "bf16")), in_atlas=True),
        NumberFormat("bf16", 2, Peak((20, 1000), "fp32"), in_atlas=True, in_lesson=True),
        NumberFormat("fp16", 2, Peak((20, 1000), "fp32", times=(1.0, "bf16")), in_atlas=True, in_lesson=True),
        NumberFormat("fp16_acc16", None, Peak((20, 2000), "fp16")),
        NumberFormat("fp8", 1, Peak((50, 5000), "fp32", times=(2.0, "bf16")), in_atlas=True, in_lesson=True),
        NumberFormat("fp8_acc16", None, Peak((50, 5000), "fp16", times=(2.0, "fp16_acc16"))),
        NumberFormat("int8", 1, Peak((10, 5000), "int32", "OP/s", (2.0, "bf16")), in_atlas=True, in_lesson=True),
        NumberFormat("fp6", 0.75),
        NumberFormat("fp4", 0.5, Peak((100, 10000), "fp32", times=(2.0, "fp8")), in_atlas=True),
        NumberFormat("int4", 0.5),
    )
}
#: Bytes that one element takes, of each format that memory stores.
BYTES: Final[dict[FormatName, float]] = {row.name: row.nbytes for row in FORMATS.values() if row.nbytes is not None}


def format_name(text: object, name: str = "format", known: Iterable[FormatName] = FORMATS) -> FormatName:
    """Return the name of a format as `FORMATS` writes it.

    Parameters
    ----------
    text : str
        What was given: a name in any case, with or without spaces around it.
    name : str
        What the caller calls it; the error names it.
    known : iterable of str
        The names that may be given; all formats where left out.

    Returns
    -------
    str
        One of ``known``.

    Raises
    ------
    UnknownFormat
        Where it is none of them; the sentence lists the near ones.
    InvalidValue
        Where it is not a string.

    Examples
    --------
    >>> format_name(" BF16 ")
    'bf16'
    >>> format_name("int", "weights")
    Traceback (most recent call last):
    roofline.errors.UnknownFormat: weights is 'int', which is not a known number format; near it: int8, int4
    """
    if not isinstance(text, str):
        raise InvalidValue(f"a number format is named by a string such as 'bf16', not {text!r}")
    names = list(known)
    wanted = text.strip().casefold()
    for known_name in names:
        if known_name == wanted:
            return known_name
    hint = near(wanted, names)
    listed = f"near it: {', '.join(hint)}" if hint else f"known are {', '.join(names)}"
    raise UnknownFormat(f"{name} is {text!r}, which is not a known number format; {listed}")


def bytes_per_element(dtype: Any, name: str = "dtype") -> Any:
    """Return how many bytes one element takes.

    Parameters
    ----------
    dtype : str, float or sympy.Expr
        A format name of `BYTES`, or bytes (not bits) per element, above 0 and at most 8.
    name : str
        What the caller calls it; the error names it.

    Returns
    -------
    float or sympy.Expr
        Bytes per element.

    Raises
    ------
    UnknownFormat
        Where the name is unknown.
    InvalidValue
        Where the number is out of range, for instance bits for bytes.

    Examples
    --------
    >>> bytes_per_element("bf16"), bytes_per_element("int4")
    (2, 0.5)
    >>> bytes_per_element(16)
    Traceback (most recent call last):
    roofline.errors.InvalidValue: dtype is 16; it must be a format name or bytes per element, at most 8 (not bits)
    """
    if isinstance(dtype, str):
        return BYTES[format_name(dtype, name, BYTES)]
    rule = "a format name or bytes per element, at most 8 (not bits)"
    checked = amount(name, dtype, rule)
    if anywhere(checked > 8):
        raise InvalidValue(f"{name} is {dtype}; it must be {rule}")
    return checked


def matmul_bytes(dtype: Any, weights: Any, activations: Any, outputs: Any) -> tuple[Any, Any, Any]:
    """Return bytes per element of weights, activations and outputs.

    Parameters
    ----------
    dtype : str or float
        The format of whatever is not given.
    weights, activations, outputs : str, float or None
        Formats of W, X and Y; ``outputs`` follows ``activations``, which follows ``dtype``.

    Returns
    -------
    tuple
        Three numbers of bytes.

    Examples
    --------
    >>> matmul_bytes("bf16", "int4", None, None)
    (0.5, 2, 2)
    """
    # Each format keeps the name under which the caller gave it, for the error.
    w = (dtype, "dtype") if weights is None else (weights, "weights")
    a = (dtype, "dtype") if activations is None else (activations, "activations")
    o = a if outputs is None else (outputs, "outputs")
    return bytes_per_element(*w), bytes_per_element(*a), bytes_per_element(*o)
