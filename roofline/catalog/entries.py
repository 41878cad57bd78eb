"""What the catalog is made of: a datasheet value that knows its source, and a device."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from roofline.errors import InvalidValue, UnknownFormat, near
from roofline.roof import Roof
from roofline.source import Source
from roofline.types import FormatName

from .build import Build

if TYPE_CHECKING:
    from collections.abc import Mapping


class DatasheetValue(float):
    """A number of a datasheet, in SI units, that remembers where it comes from.

    It is a float: arithmetic with it gives plain floats, and it compares, prints and hashes as its value.

    Parameters
    ----------
    value : float
        The value in SI units, above 0.
    name : str
        What it is, such as ``"H100 SXM bf16"`` or ``"H100 SXM bandwidth"``.
    unit : str
        ``"FLOP/s"``, ``"OP/s"``, ``"B/s"`` or ``"B"``.
    shown : str
        The value as the catalog writes it, such as ``"3.35 TB/s"``.
    basis : str
        What the number rests on, such as ``"as printed"`` or ``"reported by the driver"``, and how it was rounded.
    source : Source
        The document that it comes from.
    accumulate : str
        The type of the running sum, ``"fp32"``, ``"fp16"`` or ``"int32"``; empty where there is no choice.
    sold_as : str
        What the vendor calls a memory of this size, such as ``"80 GB"``; empty for all else.
    nature : str
        What a peak or a bandwidth is: ``"by clock"``, ``"nominal"`` where its parts are not known, or
        ``"rounded down"`` or ``"rounded up"`` from what its parts give; empty for a size.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> bandwidth = device("H100 SXM").bandwidth
    >>> bandwidth, bandwidth.shown, bandwidth * 1
    (3350000000000.0, '3.35 TB/s', 3350000000000.0)
    >>> device("H100 SXM").peaks["bf16"].basis
    'sparse/2 of the printed 1,979 TFLOP/s; by clock; 989.4 in the whitepaper, to a whole number'
    >>> memory = device("H100 SXM").memory
    >>> memory.sold_as, memory.shown, memory.basis, memory / 1e9
    ('80 GB', '81,559 MiB', 'reported by the driver; sold as 80 GB', 85.520809984)
    """

    __slots__ = ("accumulate", "basis", "name", "nature", "shown", "sold_as", "source", "unit")

    name: str
    unit: str
    shown: str
    basis: str
    source: Source
    accumulate: str
    sold_as: str
    nature: str

    def __new__(  # noqa: D102 - the class documents it
        cls,
        value: float,
        *,
        name: str,
        unit: str,
        shown: str,
        basis: str,
        source: Source,
        accumulate: str = "",
        sold_as: str = "",
        nature: str = "",
    ) -> Self:
        new = super().__new__(cls, value)
        texts = {"name": name, "unit": unit, "shown": shown, "basis": basis}
        texts |= {"accumulate": accumulate, "sold_as": sold_as, "nature": nature}
        for attribute, content in {**texts, "source": source}.items():
            object.__setattr__(new, attribute, content)
        return new

    @property
    def date(self) -> str:
        """The date of its source.

        Returns
        -------
        str
            Such as ``"2024-09-11"`` or ``"accessed 2026-11-29"``.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> device("H100 SXM").bandwidth.date
        'accessed 2026-11-29'
        """
        return self.source.date

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        raise AttributeError(f"{self.name}: a value of the catalog cannot be changed; compute a new number from it")

    def __delattr__(self, attribute: str) -> NoReturn:
        raise AttributeError(f"{self.name}: a value of the catalog cannot be changed; compute a new number from it")

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickling would set the slots one by one, which they refuse; build the value anew instead.
        return _datasheet_value, (float(self), {slot: getattr(self, slot) for slot in self.__slots__})


def _datasheet_value(value: float, attributes: dict[str, Any]) -> DatasheetValue:
    return DatasheetValue(value, **attributes)


@dataclass(frozen=True)
class Exemption:
    """Two peaks of a device whose ratio is not the one that other hardware has.

    Attributes
    ----------
    numerator, denominator : str
        The two formats.
    ratio : float
        Peak of the first over peak of the second, on this device.
    reason : str
        Why.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> [(e.numerator, e.denominator, e.ratio) for e in device("TPU v5p").exceptions]
    [('fp8', 'bf16', 1.0)]
    """

    numerator: str
    denominator: str
    ratio: float
    reason: str


@dataclass(frozen=True, repr=False)
class Device:
    """One device of the catalog.

    Attributes
    ----------
    name : str
        Such as ``"H100 SXM"``.
    vendor : str
        Who makes it.
    family : str
        The group in which the atlas shows it, such as ``"NVIDIA data centre"``.
    year : int
        Year of announcement.
    scope : str
        What all its values count: a ``"die"``, ``"package"``, ``"card"``, ``"chip"`` or ``"half a superchip"``.
    bandwidth : DatasheetValue
        Peak bandwidth of the main memory, byte/s.
    memory : DatasheetValue
        Capacity of the main memory, byte, as large as a driver reports it where that is known.
    l2 : DatasheetValue or None
        Last-level cache that all cores share, byte; None where the vendor prints none.
    peaks : mapping of str to DatasheetValue
        Dense peak by format, FLOP/s (int8: operations/s); read-only.
    notes : tuple of str
        What public tables often get wrong about it.
    exceptions : tuple of Exemption
        Pairs of peaks whose ratio breaks the rule, with the reason.
    build : Build
        Clock, units and wires, as far as they are known.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> h100 = device("H100 SXM")
    >>> h100.memory.sold_as, h100.l2.shown, h100.scope
    ('80 GB', '50 MiB', 'package')
    """

    name: str
    vendor: str
    family: str
    year: int
    scope: str
    bandwidth: DatasheetValue
    memory: DatasheetValue
    l2: DatasheetValue | None
    peaks: Mapping[FormatName, DatasheetValue] = field(hash=False)
    notes: tuple[str, ...] = ()
    exceptions: tuple[Exemption, ...] = ()
    build: Build = field(default_factory=Build)

    def __post_init__(self) -> None:
        object.__setattr__(self, "peaks", MappingProxyType(dict(self.peaks)))

    def __repr__(self) -> str:
        return f'device("{self.name}")'

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only mapping cannot be pickled, a dict can.
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        return _device, ({**state, "peaks": dict(self.peaks)},)

    @property
    def formats(self) -> tuple[FormatName, ...]:
        """The number formats that the device has a peak for.

        Returns
        -------
        tuple of str
            In the order of the catalog.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> device("V100 SXM2").formats
        ('fp64', 'fp32', 'fp16')
        """
        return tuple(self.peaks)

    @property
    def datasheet(self) -> tuple[DatasheetValue, ...]:
        """All its datasheet values: bandwidth, memory, cache, and the peaks.

        Returns
        -------
        tuple of DatasheetValue
            In the order of the catalog.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> [value.shown for value in device("TPU v5e").datasheet]
        ['819 GB/s', '16 GiB', '197 TFLOP/s', '393 TOP/s']
        """
        cache = () if self.l2 is None else (self.l2,)
        return (self.bandwidth, self.memory, *cache, *self.peaks.values())

    @property
    def sources(self) -> tuple[Source, ...]:
        """The documents that its values and the parts of its build come from, each once.

        Returns
        -------
        tuple of Source
            In the order in which the values name them.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> [source.kind for source in device("H200 SXM").sources]
        ['vendor page', 'driver report', 'driver report', 'third party', 'driver report']
        """
        of_units = () if self.build.source is None else (self.build.source,)
        values = (value.source for value in (*self.datasheet, *self.build.parts))
        return tuple(dict.fromkeys((*values, *of_units)))

    @property
    def bandwidth_limit(self) -> float | None:
        """What no device of this name can move in a second: all wires of its memory at their highest rate.

        Returns
        -------
        float or None
            Byte/s; None where the bus or the data rate is not known. It may be less than `bandwidth`, which vendors
            round.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> h100 = device("H100 PCIe")
        >>> h100.bandwidth, h100.bandwidth.nature, h100.bandwidth_limit
        (2000000000000.0, 'rounded down', 2039040000000.0)
        """
        return None if self.build.memory is None else self.build.memory.bandwidth

    def peak_limit(self, format: FormatName) -> float | None:  # noqa: A002 - the lesson's word for it
        """Return what no device of this name can compute in a second: all units at the highest clock.

        Parameters
        ----------
        format : str
            Such as ``"bf16"``; case is ignored.

        Returns
        -------
        float or None
            FLOP/s, or operations/s for int8; None where units or clock are not known. The peak is at the clock that the
            datasheet states, which cards exceed; this is at the highest that a driver was found to allow.

        Raises
        ------
        UnknownFormat
            Where the device has no peak for the format.
        InvalidValue
            Where the format is not a string.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> card = device("RTX 5090")
        >>> f"{card.peaks['bf16']:.4g}, {card.peak_limit('bf16'):.4g}"
        '2.095e+14, 2.703e+14'
        """
        self.roof(format)
        highest = self.build.highest
        return None if highest is None else self.build.peak(format.strip().casefold(), highest)

    def roof(self, format: FormatName) -> Roof:  # noqa: A002 - the lesson's word for it
        """Return the roof of the device for one number format.

        Parameters
        ----------
        format : str
            Such as ``"bf16"``; case is ignored.

        Returns
        -------
        Roof
            Its peak (FLOP/s) and bandwidth (byte/s) are those of the catalog.

        Raises
        ------
        UnknownFormat
            Where the device has no peak for the format; none is guessed from another format.
        InvalidValue
            Where the format is not a string.

        Examples
        --------
        >>> from roofline.catalog import device
        >>> roof = device("H100 SXM").roof("bf16")
        >>> roof.label, round(roof.ridge, 1)
        ('H100 SXM bf16', 295.2)
        """
        if not isinstance(format, str):
            raise InvalidValue(f"a number format is named by a string such as 'bf16', not {format!r}")
        wanted = format.strip().casefold()
        peak = next((peak for name, peak in self.peaks.items() if name == wanted), None)
        if peak is None:
            close = near(format, self.formats)
            hint = f" (near it: {', '.join(close)})" if close else ""
            raise UnknownFormat(f"{self.name} has no peak for {format!r}; it has {', '.join(self.formats)}{hint}")
        return Roof(peak, self.bandwidth, f"{self.name} {wanted}")


def _device(state: dict[str, Any]) -> Device:
    return Device(**state)
