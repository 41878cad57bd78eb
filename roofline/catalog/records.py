"""One record of a device and one of a model, ready for JSON, and everything that is written from them.

The command line, the files beside the site and the scripts of the figures all take these.  SI units: a datasheet value
has its unit beside it, a number that follows from several has it in its name (``ridge_per_byte``).  What does not exist
is None.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from roofline.architecture import WIDTHS, Model
from roofline.formats import FORMATS

from .entries import DatasheetValue, Device
from .model_file import TRAITS

if TYPE_CHECKING:
    from roofline.source import Source

Record = dict[str, Any]

#: How the units of datasheet values are written in the name of a column.
_UNIT_WORDS: Final = {"B": "byte", "B/s": "byte_per_s", "FLOP/s": "per_s", "OP/s": "per_s"}


def device_record(gpu: Device) -> Record:
    """Return all that the catalog knows of a device.

    Parameters
    ----------
    gpu : Device
        The device.

    Returns
    -------
    dict
        Each datasheet value with its unit, basis and source, and the limit at the highest clock where it is known.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> record = device_record(device("H100 SXM"))
    >>> record["name"], record["peaks"]["bf16"]["value"], round(record["ridge_per_byte"]["bf16"], 1)
    ('H100 SXM', 989000000000000, 295.2)
    """
    return {
        "name": gpu.name,
        "vendor": gpu.vendor,
        "year": gpu.year,
        "scope": gpu.scope,
        "family": gpu.family,
        "memory": _value(gpu.memory),
        "bandwidth": _value(gpu.bandwidth, gpu.bandwidth_limit),
        "l2": None if gpu.l2 is None else _value(gpu.l2),
        "peaks": {fmt: _value(peak, gpu.peak_limit(fmt)) for fmt, peak in gpu.peaks.items()},
        "ridge_per_byte": {fmt: _plain(gpu.roof(fmt).ridge) for fmt in gpu.formats},
        "exceptions": [asdict(exception) for exception in gpu.exceptions],
        "notes": list(gpu.notes),
    }


def model_record(model: Model) -> Record:
    """Return all that the catalog knows of a model, and what its widths add up to.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    dict
        Counts, and bytes in bf16.

    Examples
    --------
    >>> from roofline.catalog import model
    >>> record = model_record(model("Llama 3.1 8B"))
    >>> record["name"], record["parameters"], record["kv_byte_per_token_bf16"]
    ('Llama 3.1 8B', 8030261248, 131072)
    """
    return {
        "name": model.name,
        **{width: getattr(model, width) for width in (*WIDTHS, *TRAITS)},
        "experts": asdict(model.experts) if model.experts else None,
        "latent": asdict(model.latent) | {"cached": model.latent.cached} if model.latent else None,
        "parameters": model.parameters,
        "active_parameters": model.active_parameters,
        "weights_byte_bf16": _plain(model.weight_bytes()),
        "kv_byte_per_token_bf16": _plain(model.kv_bytes_per_token()),
        "notes": list(model.notes),
        "source": _source(model.source) if model.source else None,
    }


def _value(value: DatasheetValue, limit: float | None = None) -> Record:
    return {
        "value": _plain(value),
        "nature": value.nature or None,
        "limit": None if limit is None else _plain(limit),
        "unit": value.unit,
        "shown": value.shown,
        "basis": value.basis,
        "accumulate": value.accumulate or None,
        "sold_as": value.sold_as or None,
        "source": _source(value.source),
    }


def _source(source: Source) -> Record:
    return {name: text or None for name, text in asdict(source).items()}


def _plain(value: float) -> int | float:
    """Return a number as a file should have it: a whole one without a point, and no subclass of float."""
    return int(value) if float(value).is_integer() else float(value)


def plain_numbers(record: Record) -> Record:
    """Return the record of a device with the number alone in place of each datasheet value.

    Parameters
    ----------
    record : dict
        What `device_record` gives.

    Returns
    -------
    dict
        For a script that computes but cites nothing; without exceptions and notes.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> plain_numbers(device_record(device("L4")))["peaks"]["bf16"]
    121000000000000
    """

    def bare(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        return part["value"] if "value" in part else {key: bare(inner) for key, inner in part.items()}

    return {key: bare(part) for key, part in record.items() if key not in ("exceptions", "notes")}


def device_rows(devices: Iterable[Device]) -> list[Record]:
    """Return devices as flat rows of equal columns.

    Parameters
    ----------
    devices : iterable of Device
        The devices.

    Returns
    -------
    list of dict
        SI units; each name says its own. Formats in the order of `FORMATS`.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> (row,) = device_rows([device("H100 SXM")])
    >>> row["name"], row["bandwidth_byte_per_s"], row["fp8_per_s"], round(row["fp8_ridge_per_byte"])
    ('H100 SXM', 3350000000000, 1979000000000000, 591)
    """
    records = [device_record(gpu) for gpu in devices]
    formats = [fmt for fmt in FORMATS if any(fmt in record["peaks"] for record in records)]
    return [
        {
            **{name: record[name] for name in ("name", "vendor", "year", "scope", "family")},
            "memory_byte": record["memory"]["value"],
            "memory_sold_as": record["memory"]["sold_as"],
            "bandwidth_byte_per_s": record["bandwidth"]["value"],
            "l2_byte": record["l2"]["value"] if record["l2"] else None,
            **{f"{fmt}_per_s": record["peaks"].get(fmt, {}).get("value") for fmt in formats},
            **{f"{fmt}_ridge_per_byte": record["ridge_per_byte"].get(fmt) for fmt in formats},
        }
        for record in records
    ]


def model_rows(models: Iterable[Model]) -> list[Record]:
    """Return models as flat rows of equal columns.

    Parameters
    ----------
    models : iterable of Model
        The models.

    Returns
    -------
    list of dict
        The record without its notes; the widths of experts and of latent attention have a column each.

    Examples
    --------
    >>> from roofline.catalog import model
    >>> (row,) = model_rows([model("Mixtral 8x7B")])
    >>> row["kv_byte_per_token_bf16"], row["experts_count"], row["experts_chosen"]
    (131072, 8, 2)
    """
    records = [model_record(model) for model in models]
    parts = {
        part: list(dict.fromkeys(key for record in records for key in record[part] or ()))
        for part in ("experts", "latent", "source")
    }
    rows = []
    for record in records:
        row: Record = {}
        for name, content in record.items():
            if name in parts:
                row |= {f"{name}_{key}": (content or {}).get(key) for key in parts[name]}
            elif name != "notes":
                row[name] = content
        rows.append(row)
    return rows


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Return rows as comma-separated values (RFC 4180).

    Parameters
    ----------
    rows : sequence of mapping
        All with the same keys, one row at least.

    Returns
    -------
    str
        With a line of heads.

    Examples
    --------
    >>> to_csv([{"a": 1, "b": None}])
    'a,b\r\n1,\r\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def catalog_files(devices: Sequence[Device], models: Sequence[Model]) -> dict[str, str]:
    """Return the catalog as files to download.

    Parameters
    ----------
    devices : sequence of Device
        The devices.
    models : sequence of Model
        The models.

    Returns
    -------
    dict of str to str
        Name and content: CSV with a row each, and JSON with the source of each datasheet value.

    Examples
    --------
    >>> from roofline.catalog import devices, models
    >>> list(catalog_files(devices(), models()))
    ['devices.csv', 'devices.json', 'models.csv', 'models.json']
    """
    return {
        "devices.csv": to_csv(device_rows(devices)),
        "devices.json": to_json({"devices": [device_record(gpu) for gpu in devices]}),
        "models.csv": to_csv(model_rows(models)),
        "models.json": to_json({"models": [model_record(model) for model in models]}),
    }


def to_json(content: Any) -> str:
    r"""Return a record, or a list or table of them, as JSON.

    Parameters
    ----------
    content : object
        What `json` can write.

    Returns
    -------
    str
        Indented, with characters outside ASCII as they are.

    Examples
    --------
    >>> to_json({"name": "L4"})
    '{\n "name": "L4"\n}\n'
    """
    import json  # not needed to look up a device

    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
