"""The catalog as records ready for JSON, in SI units, and as rows of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .architecture import WIDTHS, Model
from .catalog import DatasheetValue, Device, devices, models
from .quantity import format_quantity
from .source import Source

#: What stands in a table where there is nothing to give.
_NONE = "–"


def device_records() -> list[dict[str, Any]]:
    """Return all devices of the catalog, each figure with its basis, source and date.

    Returns
    -------
    list of dict
        Ready for JSON; SI units.

    Examples
    --------
    >>> record = device_records()[0]
    >>> record["name"], record["peaks"]["bf16"]["value"], round(record["ridge"]["bf16"], 1)
    ('H100 SXM', 989000000000000.0, 295.2)
    """
    return [
        {
            "name": gpu.name,
            "vendor": gpu.vendor,
            "year": gpu.year,
            "scope": gpu.scope,
            "bandwidth": _figure(gpu.bandwidth),
            "memory": _figure(gpu.memory),
            "l2": _figure(gpu.l2) if gpu.l2 is not None else None,
            "peaks": {fmt: _figure(peak) for fmt, peak in gpu.peaks.items()},
            "ridge": {fmt: gpu.roof(fmt).ridge for fmt in gpu.formats},
            "exceptions": [asdict(exception) for exception in gpu.exceptions],
            "notes": list(gpu.notes),
        }
        for gpu in devices()
    ]


def _figure(figure: DatasheetValue) -> dict[str, Any]:
    about = {"value": float(figure), "unit": figure.unit, "shown": figure.shown, "basis": figure.basis}
    summed = {"accumulate": figure.accumulate} if figure.accumulate else {}
    return {**about, **summed, "source": _source(figure.source)}


def _source(source: Source) -> dict[str, str]:
    return {name: text for name, text in asdict(source).items() if text}


def device_table() -> list[list[str]]:
    """Return all devices of the catalog as rows of text, the first with the names of the columns.

    Returns
    -------
    list of list of str
        Dense peaks in TFLOP/s (int8: TOP/s).

    Examples
    --------
    >>> device_table()[1][:6]
    ['H100 SXM', '2022', 'package', '80 GB', '3.35 TB/s', '50 MB']
    """
    formats = ("fp4", "fp8", "int8", "bf16", "fp16", "fp32", "fp64")
    head = ["Device", "Year", "Counts one", "Memory", "Bandwidth", "L2", *formats]
    return [head, *(_device_row(gpu, formats) for gpu in devices())]


def _device_row(gpu: Device, formats: Sequence[str]) -> list[str]:
    def peak(fmt: str) -> str:
        return f"{gpu.peaks[fmt] / 1e12:,.6g}" if fmt in gpu.peaks else _NONE

    stores = [gpu.memory.shown, gpu.bandwidth.shown, _NONE if gpu.l2 is None else gpu.l2.shown]
    return [gpu.name, str(gpu.year), gpu.scope, *stores, *map(peak, formats)]


def model_records() -> list[dict[str, Any]]:
    """Return all models of the catalog, with what their widths add up to.

    Returns
    -------
    list of dict
        Ready for JSON; counts, and bytes in bf16.

    Examples
    --------
    >>> record = model_records()[0]
    >>> record["name"], record["parameters"], record["kv_bytes_per_token"]
    ('Llama 3.1 8B', 8030261248, 131072)
    """
    return [
        {
            "name": shape.name,
            **{width: getattr(shape, width) for width in WIDTHS},
            **{trait: getattr(shape, trait) for trait in ("gated", "tied", "positions", "window", "full_every")},
            "conditioning": shape.conditioning,
            "experts": asdict(shape.experts) if shape.experts else None,
            "latent": asdict(shape.latent) if shape.latent else None,
            "parameters": shape.parameters,
            "active_parameters": shape.active_parameters,
            "kv_bytes_per_token": shape.kv_bytes_per_token(),
            "notes": list(shape.notes),
            "source": _source(shape.source) if shape.source else None,
        }
        for shape in models()
    ]


def model_table() -> list[list[str]]:
    """Return all models of the catalog as rows of text, the first with the names of the columns.

    Returns
    -------
    list of list of str
        Parameters in billions; the cache in bf16.

    Examples
    --------
    >>> model_table()[1]
    ['Llama 3.1 8B', '8.03', '8.03', '32', '4096', '32/8', '16.1 GB', '131 kB']
    """
    head = ["Model", "Parameters, 10⁹", "Active, 10⁹", "Layers", "Hidden", "Heads/KV", "Weights", "Cache a token"]
    return [head, *map(_model_row, models())]


def _model_row(shape: Model) -> list[str]:
    cached = shape.kv_bytes_per_token()
    return [
        shape.name,
        *(f"{count / 1e9:.3g}" for count in (shape.parameters, shape.active_parameters)),
        str(shape.layers),
        str(shape.hidden),
        f"{shape.q_heads}/{'MLA' if shape.latent else shape.kv_heads}",
        format_quantity(shape.weight_bytes(), "B"),
        format_quantity(cached, "B") if cached else _NONE,
    ]
