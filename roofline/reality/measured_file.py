"""Read ``measured.toml`` and refuse whatever its grammar does not allow.

The grammar is stated once, in the head of ``measured.toml``, which stands beside the devices and models that it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from roofline.catalog import DatasheetValue, device, model
from roofline.catalog.rows import Row, read_rows
from roofline.errors import CatalogError, RooflineError
from roofline.formats import BYTES, format_name
from roofline.quantity import parse_shown
from roofline.source import Source
from roofline.types import FormatName

from .causes import CAUSES
from .measurement import Measurement
from .works import (
    ACCESSES,
    AttentionRun,
    DecodeRun,
    MatmulRun,
    PrefillRun,
    ServingRun,
    StoredFormat,
    StreamRun,
    TrainingRun,
    Work,
)

FILE: Final = "measured.toml"
DOCUMENTS: Final = ("repository", "pull request", "paper", "vendor page", "third party")

#: A measurement outside is no measurement but a slip: the range is a factor of 1000 wide, so a wrong prefix is found.
_LEAST_SHARE: Final = 0.01
_MOST_SHARE: Final = 10.0
_DATE: Final = re.compile(r"\d{4}(-\d\d){0,2}|\d{4} to \d{4}")
_COMMON: Final = {
    "id": str,
    "kind": str,
    "device": str,
    "value": str,
    "code": str,
    "source": str,
    "where": str,
    "date": str,
}
_OPTIONAL: Final = {"devices": int, "per": int, "part": float, "assumed": list, "above": str}


def load_measurements(text: str | None = None, file: str = FILE) -> tuple[Measurement, ...]:
    """Read a catalog of measurements.

    Parameters
    ----------
    text : str, optional
        The TOML text. The catalog of this package where left out.
    file : str
        What errors call the text.

    Returns
    -------
    tuple of Measurement
        In the order of the text.

    Raises
    ------
    CatalogError
        Where the text breaks the grammar; the sentence names the file, the measurement and the key.

    Examples
    --------
    >>> load_measurements()[0].id
    'bandwidth-047'
    >>> load_measurements('[[measurement]]', "mine.toml")
    Traceback (most recent call last):
    roofline.errors.CatalogError: mine.toml:1, measurement 1: the key 'kind' is missing
    """
    return read_rows(text, file, "measurement", DOCUMENTS, _measurement, name="id")


def _measurement(table: Mapping[str, Any], place: str, sources: Mapping[str, Source]) -> Measurement:
    kind = table.get("kind") if isinstance(table, Mapping) else None
    if kind is None:
        raise CatalogError(f"{place}: the key 'kind' is missing")
    if kind not in _KINDS:
        raise CatalogError(f"{place}: kind is {kind!r}; it must be one of {', '.join(map(repr, _KINDS))}")
    required, optional, unit, read = _KINDS[kind]
    row = Row(table, place, {**_COMMON, **required}, {**_OPTIONAL, **optional})
    if not re.fullmatch(rf"{kind}-\d+", row["id"]):
        raise row.error(f"id is {row['id']!r}; it must be the kind and a number, such as '{kind}-001'")
    if not _DATE.fullmatch(row["date"]):
        raise row.error(
            f"date is {row['date']!r}; it must be such as '2024', '2024-09', '2024-09-11' or '2020 to 2024'"
        )
    devices, part = row.get("devices", 1), row.get("part", 1.0)
    per = row.get("per", devices)
    if not 1 <= per <= devices:
        raise row.error(f"per is {per} and devices is {devices}; the value must count for 1 to {devices} of them")
    if not 0 < part <= 1:
        raise row.error(f"part is {part:g}; it must be a share of one device, above 0 and at most 1")
    try:
        gpu, work = device(row["device"]), read(row)
        arithmetic = format_name(row["arithmetic"], "arithmetic")
        point = Measurement(
            id=row["id"],
            device=gpu,
            devices=devices,
            per=per,
            part=part,
            value=_value(row, unit, gpu.name, row.source(sources)),
            arithmetic=arithmetic,
            work=work,
            code=row["code"],
            where=row["where"],
            date=row["date"],
            assumed=row.texts("assumed"),
            above=row.choice("above", CAUSES) if "above" in table else None,
        )
        share = point.share
    except CatalogError:
        raise
    except RooflineError as error:
        raise row.error(str(error)) from error
    if not _LEAST_SHARE <= share < _MOST_SHARE:
        raise row.error(
            f"{row['value']} is {share:.3g} times its bound; it must be from {_LEAST_SHARE:g} to {_MOST_SHARE:g}, so"
            " check the prefix and the shapes"
        )
    return point


def _value(row: Row, units: tuple[str, ...], name: str, source: Source) -> DatasheetValue:
    value, unit = row.quantity("value"), parse_shown(row["value"]).unit
    if unit not in units:
        raise row.error(f"value is {row['value']!r}; a {row['kind']} is measured in {' or '.join(units)}")
    return DatasheetValue(
        value,
        name=f"{row['id']} on {name}",
        unit=unit,
        shown=row["value"],
        basis=f"measured with {row['code']}",
        source=source,
    )


def _stored(row: Row, key: str) -> FormatName:
    return format_name(row[key], key, BYTES)


def _weights(row: Row) -> StoredFormat:
    """Return the format of the weights, or their bytes per weight where they are quantised in groups."""
    if ("weights" in row.table) == ("bytes_per_weight" in row.table):
        raise row.error("it must have one of 'weights' (a format) and 'bytes_per_weight' (a number)")
    if "weights" in row.table:
        return _stored(row, "weights")
    return float(row["bytes_per_weight"])


def _matmul(row: Row) -> Work:
    inputs = _stored(row, "inputs")
    return MatmulRun(
        row["B"], row["D"], row["F"], inputs, _stored(row, "outputs") if "outputs" in row.table else inputs
    )


def _stream(row: Row) -> Work:
    return StreamRun(row.choice("access", tuple(ACCESSES)))


def _attention(row: Row) -> Work:
    shape = {key: row.get(key) for key in ("T", "d_h", "heads")}
    if len({value is None for value in shape.values()}) > 1:
        raise row.error("it must have all of 'T', 'd_h' and 'heads', or none where the shape is not published")
    return AttentionRun(row.choice("phase", ("prefill", "decode")), row["causal"], _stored(row, "inputs"), **shape)


def _decode(row: Row) -> Work:
    return DecodeRun(model(row["model"]), row["batch"], row["context"], _weights(row), _stored(row, "cache"))


def _prefill(row: Row) -> Work:
    cached = row.get("cached", 0.0)
    if not 0 <= cached < 1:
        raise row.error(f"cached is {cached:g}; it must be a share of the prompt, 0 or more and below 1")
    return PrefillRun(model(row["model"]), row["batch"], row["prompt"], _weights(row), cached)


def _serving(row: Row) -> Work:
    sizes = (row.get("batch"), row["prompt"], row["output"])
    return ServingRun(model(row["model"]), *sizes, _weights(row), _stored(row, "cache"))


def _training(row: Row) -> Work:
    return TrainingRun(row["what"])


_WEIGHTS: Final = {"weights": str, "bytes_per_weight": float}
_FORMATS: Final = {"arithmetic": str}
#: Of each kind: the keys that it must and may have beside the common ones, its units, and who reads it.
_KINDS: Final[dict[str, tuple[dict[str, type], dict[str, type], tuple[str, ...], Callable[[Row], Work]]]] = {
    "bandwidth": ({"access": str, **_FORMATS}, {}, ("B/s",), _stream),
    "matmul": ({"B": int, "D": int, "F": int, "inputs": str, **_FORMATS}, {"outputs": str}, ("FLOP/s", "s"), _matmul),
    "attention": (
        {"phase": str, "causal": bool, "inputs": str, **_FORMATS},
        {"T": int, "d_h": int, "heads": int},
        ("FLOP/s", "s"),
        _attention,
    ),
    "prefill": (
        {"model": str, "batch": int, "prompt": int, **_FORMATS},
        {"cached": float, **_WEIGHTS},
        ("tokens/s", "s"),
        _prefill,
    ),
    "decode": (
        {"model": str, "batch": int, "context": int, "cache": str, **_FORMATS},
        _WEIGHTS,
        ("tokens/s", "s"),
        _decode,
    ),
    "serving": (
        {"model": str, "prompt": int, "output": int, "cache": str, **_FORMATS},
        {"batch": int, **_WEIGHTS},
        ("tokens/s",),
        _serving,
    ),
    "training": ({"what": str, **_FORMATS}, {}, ("FLOP/s",), _training),
}
