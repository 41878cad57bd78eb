"""Read ``devices.toml`` and refuse whatever its grammar does not allow.

A wrong value would be wrong on every page, so each row is checked when it is loaded: its keys, its source, its
units, its size, and that peaks of one device stand in the ratios that the hardware gives them.  The grammar itself is
stated once, in the head of ``devices.toml``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from roofline.errors import CatalogError, near
from roofline.formats import FORMATS, Peak
from roofline.quantity import parse_quantity, parse_shown
from roofline.source import Source
from roofline.types import FormatName

from .build import Build, Memory
from .entries import DatasheetValue, Device, Exemption
from .rows import Row, read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE: Final = "devices.toml"

KINDS: Final = ("datasheet", "whitepaper", "vendor page", "third party", "driver report")
SCOPES: Final = ("die", "package", "card", "chip", "half a superchip")
BASES: Final = ("as printed", "sparse/2", "derived")
#: What a size in a binary unit may rest on, and what one in a decimal unit, since a vendor's GB is mostly a GiB.
BINARY_SIZES: Final = ("reported by the driver", "binary, as memory is built")
DECIMAL_SIZES: Final = ("decimal, as the source means it", "as printed, unit not settled")


class _Range(NamedTuple):
    """A half-open range, at most a factor of 1000 wide, so that a value whose prefix slips by one falls outside."""

    least: float
    most: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, float) and self.least <= value < self.most


#: Plausible range of each value that is not a peak.
_BANDWIDTH: Final = _Range(50e9, 50e12)
_SIZES: Final = {"memory": _Range(4e9, 1e12), "l2": _Range(1e6, 1e9)}
_CLOCK: Final = _Range(0.5e9, 10e9)
_DATA_RATE: Final = _Range(1e9, 40e9)
#: Wider than a factor of 1000: for a peak, it is the ridge point that shows a slipped prefix.
_PEAK: Final = _Range(0.1e12, 100e15)

#: Every format that hardware multiplies in, with what holds for its peak.
_PEAKS: Final[dict[FormatName, Peak]] = {fmt.name: fmt.peak for fmt in FORMATS.values() if fmt.peak}
#: Peak of the first format over peak of the second. A sparse peak beside a dense one breaks it.
_RATIOS: Final = {(name, peak.times[1]): peak.times[0] for name, peak in _PEAKS.items() if peak.times}
#: A printed figure is by clock where its parts give it to its last digit and to this share: 8 TB/s for 7.67 is rounded.
_BY_CLOCK: Final = 0.005
#: A clock is rounded too: 4,266 MT/s are 4,266.67.
_CLOCK_SLACK: Final = 2e-4
#: Vendors do not round further than this: 8 TB/s for 7.67.
_ROUNDED_SLACK: Final = 0.05
NATURES: Final = ("by clock", "nominal", "rounded down", "rounded up")
#: Datasheets round: the L40S prints 733 over 362.05, which is 2.02.
_RATIO_SLACK: Final = 0.03
#: Vendors round half of 1,979 to 989.
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
    roofline.errors.CatalogError: mine.toml:1, device 1: the key 'name' is missing
    """
    devices = read_rows(text, file, "device", KINDS, _device)
    for device in devices:
        longer = next((other for other in devices if other.name.startswith(f"{device.name} ")), None)
        if longer:
            raise CatalogError(
                f"{file}, {device.name}: {longer.name} begins with this name; it must say which {device.name} it counts"
            )
    return devices


@dataclass(frozen=True)
class _Place:
    """Where a datasheet value stands: the device as errors and as readers name it, and the sources of the file."""

    device: str
    name: str
    sources: Mapping[str, Source]

    def of(self, key: str) -> str:
        return f"{self.device}, {key}"


def _device(table: Mapping[str, Any], where: str, sources: Mapping[str, Source]) -> Device:
    required = {
        "name": str,
        "vendor": str,
        "family": str,
        "year": int,
        "scope": str,
        "bandwidth": dict,
        "memory": dict,
        "peaks": dict,
    }
    row = Row(table, where, required, {"l2": dict, "notes": list, "exceptions": dict, "build": dict})
    place = _Place(where, row["name"], sources)
    if not 1990 <= row["year"] <= 2100:
        raise row.error(f"year is {row['year']}; it must be the year of announcement")
    build = _build(row.get("build", {}), row["peaks"], place)
    bandwidth = _bandwidth(row["bandwidth"], build, place)
    exceptions = tuple(_exception(key, rule, place) for key, rule in row.get("exceptions", {}).items())
    return Device(
        name=row["name"],
        vendor=row["vendor"],
        family=row["family"],
        year=row["year"],
        scope=row.choice("scope", SCOPES),
        bandwidth=bandwidth,
        memory=_size("memory", row["memory"], place),
        l2=_size("l2", row["l2"], place) if "l2" in table else None,
        peaks=_peaks(row["peaks"], bandwidth, exceptions, build, place),
        notes=row.texts("notes"),
        exceptions=exceptions,
        build=build,
    )


def _build(table: dict[str, Any], peaks: dict[str, Any], place: _Place) -> Build:
    """Read the parts; what a unit does in a clock stands with the peak of its format."""
    if not table:
        return Build()
    row = Row(
        table, place.of("build"), {}, {"units": int, "source": str, "clock": str, "highest": dict, "memory": dict}
    )
    if ("units" in table) != ("source" in table):
        raise row.error("'units' and 'source' must come together")
    entries = {key: entry for key, entry in peaks.items() if isinstance(entry, dict)}
    clocks = {}
    for key, entry in entries.items():
        stated = entry.get("clock", row.get("clock"))
        if "per_clock" in entry and stated is not None:
            own = Row(
                {"value": stated, "source": row["source"]}, place.of(f"peaks.{key}"), {"value": str, "source": str}
            )
            clocks[key] = _datasheet_value(own, f"{key} clock", place, unit="Hz", allowed=_CLOCK, basis="as stated")
    memory = None
    if "memory" in table:
        wires = Row(row["memory"], place.of("build.memory"), {"bus": int, "value": str, "source": str})
        rate = _datasheet_value(wires, "data rate", place, unit="Hz", allowed=_DATA_RATE, basis="of each wire")
        memory = Memory(wires["bus"], rate)
    highest = None
    if "highest" in table:
        allowed = Row(row["highest"], place.of("build.highest"), {"value": str, "source": str}, {"rounding": str})
        basis = "allowed by the driver"
        highest = _datasheet_value(allowed, "highest clock", place, unit="Hz", allowed=_CLOCK, basis=basis)
    return Build(
        units=row.get("units"),
        per_clock={key: entry["per_clock"] for key, entry in entries.items() if "per_clock" in entry},
        clocks=clocks,
        highest=highest,
        memory=memory,
        source=row.source(place.sources) if "source" in table else None,
    )


def _nature(row: Row, unit: str, parts: float | None) -> str:
    """Return what a printed figure is, which the row must say where it is not what its parts give."""
    value = row.quantity("value", unit)
    # What is rounded is what the vendor prints: half of a rounded sparse peak may have a digit more.
    step = max(parse_shown(row["value"]).step, parse_shown(row["printed"]).step / 2 if "printed" in row.table else 0)
    found: tuple[str, ...]
    if parts is None:
        found = ("nominal", "rounded down", "rounded up")
    elif abs(value - parts) <= min(step / 2 + _CLOCK_SLACK * parts, _BY_CLOCK * parts):
        found = ("by clock",)
    elif abs(value / parts - 1) <= _ROUNDED_SLACK:
        found = ("rounded down",) if value < parts else ("rounded up",)
    else:
        raise row.error(f"value is {row['value']!r}, but its clock, units and width give {parts:.4g}; one is wrong")
    said: str = row.get("nature", "nominal" if parts is None else "by clock")
    if said not in found:
        raise row.error(f"nature is {said!r}; it must be {' or '.join(repr(nature) for nature in found)}")
    return said


def _bandwidth(table: dict[str, Any], build: Build, place: _Place) -> DatasheetValue:
    row = Row(table, place.of("bandwidth"), {"value": str, "source": str}, {"rounding": str, "nature": str})
    parts = None if build.memory is None else build.memory.bandwidth
    nature = _nature(row, "B/s", parts)
    return _datasheet_value(row, "bandwidth", place, unit="B/s", allowed=_BANDWIDTH, basis="as printed", nature=nature)


def _size(key: str, table: dict[str, Any], place: _Place) -> DatasheetValue:
    """Read a capacity, whose unit must be the one that its basis names: a vendor's GB is mostly a GiB."""
    sold: dict[str, type] = {"sold_as": str} if key == "memory" else {}
    row = Row(table, place.of(key), {"value": str, "source": str, "basis": str, **sold}, {"rounding": str})
    basis = row.choice("basis", (*BINARY_SIZES, *DECIMAL_SIZES))
    value = _datasheet_value(row, key, place, unit="B", allowed=_SIZES[key], basis=basis)
    if (basis in BINARY_SIZES) != row["value"].endswith("iB"):
        raise row.error(
            f"value is {row['value']!r} and basis is {basis!r}; a size is in MiB or GiB where a driver reports it or"
            " memory is built so, and in GB only where the source means 10⁹ bytes or its unit is not settled"
        )
    if sold:
        least = row.quantity("sold_as", "B")
        most = parse_quantity(row["sold_as"].replace(" GB", " GiB"), unit="B")
        if not least <= value <= most:
            raise row.error(
                f"value is {row['value']!r}; it must be what {row['sold_as']!r} is in GB, in GiB or between"
            )
    return value


def _exception(key: str, table: object, place: _Place) -> Exemption:
    where = place.of(f"exceptions.{key}")
    rules = {"_over_".join(pair): pair for pair in _RATIOS}
    if key not in rules:
        raise CatalogError(f"{where}: there is no such rule; use {', '.join(near(key, rules) or list(rules))}")
    row = Row(table, where, {"ratio": float, "reason": str})
    if abs(row["ratio"] / _RATIOS[rules[key]] - 1) <= _RATIO_SLACK:
        raise row.error(f"ratio is {row['ratio']:g}; it must differ from the rule, which is {_RATIOS[rules[key]]:g}")
    return Exemption(*rules[key], row["ratio"], row["reason"])


def _peaks(
    tables: dict[str, Any], bandwidth: DatasheetValue, exceptions: tuple[Exemption, ...], build: Build, place: _Place
) -> dict[FormatName, DatasheetValue]:
    peaks: dict[FormatName, DatasheetValue] = {}
    for key, table in tables.items():
        if key not in _PEAKS:
            hint = near(key, _PEAKS) or list(_PEAKS)
            raise CatalogError(f"{place.of(f'peaks.{key}')}: this format is unknown; use {', '.join(hint)}")
        peaks[key] = _peak(key, table, bandwidth, build, place)
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


def _peak(key: FormatName, table: object, bandwidth: DatasheetValue, build: Build, place: _Place) -> DatasheetValue:
    where = place.of(f"peaks.{key}")
    kind = _PEAKS[key]
    accumulate: dict[str, type] = {"accumulate": str} if kind.accumulate else {}
    required = {"value": str, "source": str, "basis": str, **accumulate}
    parts: dict[str, type] = {"per_clock": int, "clock": str, "nature": str}
    row = Row(table, where, required, {"printed": str, "rounding": str, **parts})
    if "per_clock" in row.table and build.units is None:
        raise row.error("it has 'per_clock'; the device must say of how many 'units' in 'build'")
    basis = row.choice("basis", BASES)
    if (basis == "sparse/2") != ("printed" in row.table):
        raise row.error(f"basis is {basis!r}; a peak has 'printed' where its basis is 'sparse/2', and only there")
    if basis == "derived" and "rounding" not in row.table:
        raise row.error("basis is 'derived'; it must show its working in 'rounding'")
    if kind.accumulate:
        row.choice("accumulate", (kind.accumulate,))
    if basis == "sparse/2":
        sparse = row.quantity("printed", kind.unit)
        if not abs(2 * row.quantity("value", kind.unit) - sparse) <= _HALF_SLACK * sparse:
            raise row.error(f"value is {row['value']!r}; it must be half of the printed {row['printed']!r}")
        basis = f"sparse/2 of the printed {row['printed']}"
    made = build.peak(key, build.clocks[key]) if key in build.clocks else None
    nature = _nature(row, kind.unit, made)
    value = _datasheet_value(row, key, place, unit=kind.unit, allowed=_PEAK, basis=basis, nature=nature)
    ridge = value / bandwidth
    least, most = kind.ridge
    if not least <= ridge < most:
        raise row.error(
            f"{value.shown} over {bandwidth.shown} is a ridge point of {ridge:.3g}; it must be from"
            f" {least:g} to {most:g}, so check both prefixes"
        )
    return value


def _datasheet_value(
    row: Row, key: str, place: _Place, *, unit: str, allowed: _Range, basis: str, nature: str = ""
) -> DatasheetValue:
    value = row.quantity("value", unit)
    if value not in allowed:
        raise row.error(f"value is {row['value']!r}; it must be from {allowed.least:g} to {allowed.most:g} {unit}")
    sold = f"sold as {row['sold_as']}" if "sold_as" in row.table else ""
    return DatasheetValue(
        value,
        name=f"{place.name} {key}",
        unit=unit,
        shown=row["value"],
        basis="; ".join(filter(None, (basis, nature, sold, row.get("rounding")))),
        source=row.source(place.sources),
        accumulate=row.get("accumulate", ""),
        sold_as=row.get("sold_as", ""),
        nature=nature,
    )
