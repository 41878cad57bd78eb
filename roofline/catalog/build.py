"""What a peak is made of: clock, units, and operations of each unit in a clock; and of what a bandwidth is made.

A datasheet multiplies these at one clock and rounds.  A card may clock higher, and a rounded figure may be too small,
so neither is a limit; what the parts give at the highest clock that the driver allows is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofline.source import Source

    from .entries import DatasheetValue


@dataclass(frozen=True)
class Memory:
    """The wires between a device and its main memory.

    Attributes
    ----------
    bus : int
        How many wires carry data.
    data_rate : DatasheetValue
        Bits that each of them carries in a second, as a frequency in Hz.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> memory = device("H100 PCIe").build.memory
    >>> memory.bus, memory.data_rate.shown, memory.bandwidth
    (5120, '3.186 GHz', 2039040000000.0)
    """

    bus: int
    data_rate: DatasheetValue

    @property
    def bandwidth(self) -> float:
        """The bytes that all wires carry in a second.

        Returns
        -------
        float
            Byte/s, not rounded.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> device("V100 SXM2").build.memory.bandwidth
        898048000000.0
        """
        return self.bus * self.data_rate / 8


@dataclass(frozen=True)
class Build:
    """Of how many parts a device is made, and how fast they run.

    Attributes
    ----------
    units : int or None
        Streaming multiprocessors, compute units or cores; None where they are not known.
    per_clock : mapping of str to int
        Operations of one unit in one clock, by format; read-only.
    clocks : mapping of str to DatasheetValue
        The clock that the datasheet multiplies by, Hz, by format; read-only.
    highest : DatasheetValue or None
        The highest clock that a driver was found to allow, Hz.
    memory : Memory or None
        The wires to the main memory.
    source : Source or None
        The document that the units come from.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> build = device("RTX 5090").build
    >>> build.units, build.per_clock["bf16"], build.clocks["bf16"].shown, build.highest.shown
    (170, 512, '2,407 MHz', '3,105 MHz')
    """

    units: int | None = None
    per_clock: Mapping[str, int] = field(default_factory=dict, hash=False)
    clocks: Mapping[str, DatasheetValue] = field(default_factory=dict, hash=False)
    highest: DatasheetValue | None = None
    memory: Memory | None = None
    source: Source | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "per_clock", MappingProxyType(dict(self.per_clock)))
        object.__setattr__(self, "clocks", MappingProxyType(dict(self.clocks)))

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only mapping cannot be pickled, a dict can.
        parts = (self.units, dict(self.per_clock), dict(self.clocks), self.highest, self.memory, self.source)
        return Build, parts

    def peak(self, format: str, clock: float) -> float | None:  # noqa: A002 - the lesson's word for it
        """Return what all units do in a second at a clock.

        Parameters
        ----------
        format : str
            A number format of the catalog, such as ``"bf16"``.
        clock : float
            Hz.

        Returns
        -------
        float or None
            FLOP/s, or operations/s for int8; None where the units or their rate in this format are not known.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> device("H100 SXM").build.peak("bf16", 1.83e9)
        989429760000000.0
        """
        if self.units is None or format not in self.per_clock:
            return None
        return self.units * self.per_clock[format] * float(clock)

    @property
    def parts(self) -> tuple[DatasheetValue, ...]:
        """Its clocks and data rates, each once.

        Returns
        -------
        tuple of DatasheetValue
            In the order of the attributes.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> [part.shown for part in device("H100 SXM").build.parts]
        ['1,980 MHz', '1,830 MHz', '1,980 MHz', '5.238 GHz']
        """
        ends = [self.highest, self.memory.data_rate if self.memory else None]
        clocks = {(part.shown, part.source): part for part in self.clocks.values()}
        return (*clocks.values(), *(part for part in ends if part is not None))
