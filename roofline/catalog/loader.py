"""Read ``devices.toml`` and refuse whatever its grammar does not allow.

A wrong figure would be wrong on every page, so each row is checked when it is loaded: its keys, its source, its
units, its size, and that peaks of one device stand in the ratios that the hardware gives them.  The grammar itself is
stated once, in the head of ``devices.toml``.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from roofline.errors import CatalogError, QuantityError, near
from roofline.quantity import parse_quantity
from roofline.source import Source

from .entries import DatasheetValue, Device, Exemption
from .rows import Row, folded, read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE: Final = "devices.toml"

KINDS: Final = ("datasheet", "whitepaper", "vendor page", "third party")
SCOPES: Final = ("die", "package", "card", "chip", "half a superchip")
BASES: Final = ("as printed", "sparse/2", "derived")


class _Range(NamedTuple):
    """A half-open range, at most a factor of 1000 wide: then no figure stays inside when a prefix slips by one."""

    least: float
    most: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, float) and self.least <= value < self.most


class _Format(NamedTuple):
    """What is known of a number format: the unit of its peak, the range of its ridge point, and its running sum."""

    unit: str
    ridge: _Range  # FLOP/byte, or operations/byte
    accumulate: str = ""


#: Unit and range of what is not a peak.
_STORES: Final = {
    "bandwidth": ("B/s", _Range(50e9, 50e12)),
    "memory": ("B", _Range(4e9, 1e12)),
    "l2": ("B", _Range(1e6, 1e9)),
}
#: Far wider than 1000: it is the ridge point that finds a slipped prefix.
_PEAK: Final = _Range(0.1e12, 100e15)

FORMATS: Final = {
    "fp64": _Format("FLOP/s", _Range(0.1, 100)),
    "fp64_tensor": _Format("FLOP/s", _Range(0.1, 100)),
    "fp32": _Format("FLOP/s", _Range(1, 500)),
    "tf32": _Format("FLOP/s", _Range(10, 1000)),
    "bf16": _Format("FLOP/s", _Range(50, 1000), "fp32"),
    "fp16": _Format("FLOP/s", _Range(20, 1000), "fp32"),
    "fp16_acc16": _Format("FLOP/s", _Range(20, 2000), "fp16"),
    "fp8": _Format("FLOP/s", _Range(50, 5000), "fp32"),
    "fp8_acc16": _Format("FLOP/s", _Range(50, 5000), "fp16"),
    "fp4": _Format("FLOP/s", _Range(100, 10000), "fp32"),
    "int8": _Format("OP/s", _Range(10, 5000), "int32"),
}

#: Peak of the first format over peak of the second. A sparse peak beside a dense one breaks it.
_RATIOS: Final = {
    ("fp16", "bf16"): 1.0,
    ("tf32", "bf16"): 0.5,
    ("fp8", "bf16"): 2.0,
    ("int8", "bf16"): 2.0,
    ("fp4", "fp8"): 2.0,
    ("fp8_acc16", "fp16_acc16"): 2.0,
}
#: Datasheets round: the L40S prints 733 over 362.05, which is 2.02.
_RATIO_SLACK: Final = 0.03
#: 989 against half of 1979.
_HALF_SLACK: Final = 0.002


def load(text: str | None = None, file: str = FILE) -> tuple[Device, ...]:
    """Read a catalog.

    Parameters
    ----------
    text : str, optional
        The TOML text. The catalog of this package where left out.
    file : str
        What errors call the text.

    Returns
    -------
    tuple of Device
        In the order of the text.

    Raises
    ------
    CatalogError
        Where the text breaks the grammar; the sentence names the file, the device and the key.

    Examples
    --------
    >>> [device.name for device in load()][:2]
    ['H100 SXM', 'H100 PCIe']
    >>> load('[[device]]', "mine.toml")
    Traceback (most recent call last):
    roofline.errors.CatalogError: mine.toml, device 1: the key 'name' is missing
    """
    rows, sources = read_file(text, file, "device", KINDS)
    devices: dict[str, Device] = {}
    for number, table in enumerate(rows, 1):
        device = _device(table, sources, file, number)
        key = folded(device.name)
        if key in devices:
            raise CatalogError(f"{file}, {device.name}: the name is taken by {devices[key].name}; each is written once")
        devices[key] = device
    for device in devices.values():
        longer = next((other for other in devices.values() if other.name.startswith(f"{device.name} ")), None)
        if longer:
            raise CatalogError(
                f"{file}, {device.name}: {longer.name} begins with this name; it must say which {device.name} it counts"
            )
    return tuple(devices.values())


@dataclass(frozen=True)
class _Place:
    """Where a figure stands: what errors name it by, and the sources that it may name."""

    file: str
    device: str
    sources: Mapping[str, Source]

    def of(self, key: str) -> str:
        return f"{self.file}, {self.device}, {key}"


def _device(table: object, sources: Mapping[str, Source], file: str, number: int) -> Device:
    if not isinstance(table, dict):
        raise CatalogError(f"{file}, device {number}: {reprlib.repr(table)} must be a table")
    name = table.get("name")
    place = _Place(file, name if isinstance(name, str) and name else f"device {number}", sources)
    required = {"name": str, "vendor": str, "year": int, "scope": str, "bandwidth": dict, "memory": dict, "peaks": dict}
    row = Row(table, f"{file}, {place.device}", required, {"l2": dict, "notes": list, "exceptions": dict})
    if not all(isinstance(note, str) and note for note in row.get("notes", [])):
        raise row.error("notes must be a list of texts")
    if not 1990 <= row["year"] <= 2100:
        raise row.error(f"year is {row['year']}; it must be the year of announcement")
    bandwidth = _store("bandwidth", row["bandwidth"], place)
    exceptions = tuple(_exception(key, rule, place) for key, rule in row.get("exceptions", {}).items())
    return Device(
        name=row["name"],
        vendor=row["vendor"],
        year=row["year"],
        scope=row.choice("scope", SCOPES),
        bandwidth=bandwidth,
        memory=_store("memory", row["memory"], place),
        l2=_store("l2", row["l2"], place) if "l2" in table else None,
        peaks=_peaks(row["peaks"], bandwidth, exceptions, place),
        notes=tuple(row.get("notes", [])),
        exceptions=exceptions,
    )


def _store(key: str, table: dict[str, Any], place: _Place) -> DatasheetValue:
    """Read a bandwidth or a capacity."""
    row = Row(table, place.of(key), {"value": str, "source": str}, {"rounding": str})
    unit, allowed = _STORES[key]
    return _figure(row, key, place, unit=unit, allowed=allowed, basis="as printed")


def _exception(key: str, table: object, place: _Place) -> Exemption:
    where = place.of(f"exceptions.{key}")
    rules = {"_over_".join(pair): pair for pair in _RATIOS}
    if key not in rules:
        raise CatalogError(f"{where}: there is no such rule; use {', '.join(near(key, rules) or list(rules))}")
    if not isinstance(table, dict):
        raise CatalogError(f"{where}: {reprlib.repr(table)} must be a table")
    row = Row(table, where, {"ratio": float, "reason": str})
    if abs(row["ratio"] / _RATIOS[rules[key]] - 1) <= _RATIO_SLACK:
        raise row.error(f"ratio is {row['ratio']:g}; it must differ from the rule, which is {_RATIOS[rules[key]]:g}")
    return Exemption(*rules[key], row["ratio"], row["reason"])


def _peaks(
    tables: dict[str, Any], bandwidth: DatasheetValue, exceptions: tuple[Exemption, ...], place: _Place
) -> dict[str, DatasheetValue]:
    peaks: dict[str, DatasheetValue] = {}
    for key, table in tables.items():
        if key not in FORMATS:
            hint = near(key, FORMATS) or list(FORMATS)
            raise CatalogError(f"{place.of(f'peaks.{key}')}: this format is unknown; use {', '.join(hint)}")
        peaks[key] = _peak(key, table, bandwidth, place)
    exempt = {(e.numerator, e.denominator): e.ratio for e in exceptions}
    for (numerator, denominator), rule in _RATIOS.items():
        ratio, both = exempt.get((numerator, denominator), rule), numerator in peaks and denominator in peaks
        if ratio != rule and not both:
            key = f"exceptions.{numerator}_over_{denominator}"
            raise CatalogError(f"{place.of(key)}: the device must have both peaks, or no exception")
        if both and abs((found := peaks[numerator] / peaks[denominator]) / ratio - 1) > _RATIO_SLACK:
            raise CatalogError(
                f"{place.of(f'peaks.{numerator}')}: it is {found:.2f} times the {denominator} peak and must be"
                f" {ratio:g}; is one of them sparse?"
            )
    return peaks


def _peak(key: str, table: object, bandwidth: DatasheetValue, place: _Place) -> DatasheetValue:
    where = place.of(f"peaks.{key}")
    if not isinstance(table, dict):
        raise CatalogError(f"{where}: {reprlib.repr(table)} must be a table")
    kind = FORMATS[key]
    accumulate: dict[str, type] = {"accumulate": str} if kind.accumulate else {}
    required = {"value": str, "source": str, "basis": str, **accumulate}
    row = Row(table, where, required, {"printed": str, "rounding": str})
    basis = row.choice("basis", BASES)
    if (basis == "sparse/2") != ("printed" in table):
        raise row.error(f"basis is {basis!r}; 'printed' goes with 'sparse/2', always and only")
    if basis == "derived" and "rounding" not in table:
        raise row.error("basis is 'derived'; it must show its working in 'rounding'")
    if kind.accumulate:
        row.choice("accumulate", (kind.accumulate,))
    if basis == "sparse/2":
        sparse = _read(row, "printed", kind.unit)
        if not abs(2 * _read(row, "value", kind.unit) - sparse) <= _HALF_SLACK * sparse:
            raise row.error(f"value is {row['value']!r}; it must be half of the printed {row['printed']!r}")
        basis = f"sparse/2 of the printed {row['printed']}"
    figure = _figure(row, key, place, unit=kind.unit, allowed=_PEAK, basis=basis)
    ridge = figure / bandwidth
    if ridge not in kind.ridge:
        raise row.error(
            f"{figure.shown} over {bandwidth.shown} is a ridge point of {ridge:.3g}; it must be from"
            f" {kind.ridge.least:g} to {kind.ridge.most:g}, so check both prefixes"
        )
    return figure


def _figure(row: Row, key: str, place: _Place, *, unit: str, allowed: _Range, basis: str) -> DatasheetValue:
    value = _read(row, "value", unit)
    if value not in allowed:
        raise row.error(f"value is {row['value']!r}; it must be from {allowed.least:g} to {allowed.most:g} {unit}")
    if row["source"] not in place.sources:
        hint = near(row["source"], place.sources)
        listed = f"; near it: {', '.join(hint)}" if hint else ""
        raise row.error(f"source {row['source']!r} is not among the [sources]{listed}")
    return DatasheetValue(
        value,
        name=f"{place.device} {key}",
        unit=unit,
        shown=row["value"],
        basis=f"{basis}; {row['rounding']}" if row.get("rounding") else basis,
        source=place.sources[row["source"]],
        accumulate=row.get("accumulate", ""),
    )


def _read(row: Row, key: str, unit: str) -> float:
    try:
        value: float = parse_quantity(row[key], unit=unit)
    except QuantityError as error:
        raise row.error(f"{key}: {error}") from error
    # 2.039 times 1e12 is 2039000000000.0002 in binary. Fifteen digits give back the number that is written.
    return float(f"{value:.15g}")
