"""What the command line answers about the catalog and about a whole step: as JSON in SI units, and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .architecture import WIDTHS, Model
from .catalog import DatasheetValue, Device, Source, devices, models
from .quantity import format_quantity
from .roof import Bound, bound
from .serving import mbu, mfu
from .steps import decode_step, prefill_step

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


class StepAnswer:
    """The bound of a whole step of a model on one device, and whether the model and its cache fit there.

    Parameters
    ----------
    shape : Model
        The model.
    gpu : Device
        The device.
    fmt : str
        Format of the arithmetic.
    batch, context : float
        Sequences, and tokens of each.
    weights, cache, activations : str
        Formats of what is stored and taken in.
    new_tokens : float
        Tokens that each sequence brings to a decode step.
    prefill : bool
        Whether the context is a prompt to be read in instead.

    Raises
    ------
    RooflineError
        Where an argument breaks its rule.

    Examples
    --------
    >>> from roofline import device, model
    >>> answer = StepAnswer(model("Llama 3.1 8B"), device("H200 SXM"), "bf16", 32, 8192)
    >>> answer.words().splitlines()[0]
    'Llama 3.1 8B on H200 SXM, bf16: a decode step of 32 sequences with 8,192 tokens each'
    """

    def __init__(
        self,
        shape: Model,
        gpu: Device,
        fmt: str,
        batch: Any,
        context: Any,
        *,
        weights: str = "bf16",
        cache: str = "bf16",
        activations: str = "bf16",
        new_tokens: Any = 1,
        prefill: bool = False,
    ) -> None:
        self.shape, self.gpu, self.fmt, self.batch, self.context = shape, gpu, fmt, batch, context
        self.formats = {"weights": weights, "cache": cache, "activations": activations}
        self.new_tokens, self.prefill = new_tokens, prefill
        self.roof = gpu.roof(fmt)
        kernels = (
            prefill_step(shape, batch, context, **self.formats)
            if prefill
            else decode_step(shape, batch, context, **self.formats, new_tokens=new_tokens)
        )
        self.bounds: list[Bound] = [bound(kernel, self.roof) for kernel in kernels]
        self.time = float(sum(limit.time for limit in self.bounds))
        self.flops = float(sum(kernel.flops for kernel in kernels))
        self.nbytes = float(sum(kernel.nbytes for kernel in kernels))
        self.weight_bytes = float(shape.weight_bytes(weights))
        self.cache_bytes = 0.0 if shape.conditioning else float(shape.cache_bytes(batch, context, cache))
        #: Devices whose memory together holds weights and cache.
        self.devices_needed = math.ceil((self.weight_bytes + self.cache_bytes) / gpu.memory)
        #: Tokens that the step takes in.
        self.tokens = batch * (context if prefill else new_tokens)

    def record(self) -> dict[str, Any]:
        """Return the answer for JSON, in SI units.

        Returns
        -------
        dict
            Sizes, times, and a list of kernels.
        """
        return {
            "model": self.shape.name,
            "device": self.gpu.name,
            "phase": "prefill" if self.prefill else "decode",
            "format": self.fmt,
            **self.formats,
            "batch": self.batch,
            "context": self.context,
            "new_tokens": self.context if self.prefill else self.new_tokens,
            "weight_bytes": self.weight_bytes,
            "cache_bytes": self.cache_bytes,
            "memory": float(self.gpu.memory),
            "devices_needed": self.devices_needed,
            "flops": self.flops,
            "bytes": self.nbytes,
            "time": self.time,
            "tokens_per_second": self.tokens / self.time,
            "mfu": mfu(self.flops, self.time, self.roof),
            # Sums of many kernels may differ in their last bit, and no share is above one.
            "mbu": min(mbu(self.nbytes, self.time, self.roof), 1.0),
            "kernels": [
                {
                    "kernel": limit.kernel.name,
                    "flops": limit.kernel.flops,
                    "bytes": limit.kernel.nbytes,
                    "intensity": limit.kernel.intensity,
                    "time": limit.time,
                    "regime": limit.regime,
                }
                for limit in self.bounds
            ],
        }

    def words(self) -> str:
        """Return the answer as lines of text.

        Returns
        -------
        str
            What was asked, the memory, the bound, and a row for each kernel.
        """
        what, of = ("a prefill", "prompt") if self.prefill else ("a decode step", "sequence")
        asked = f"{what} of {_counted(self.batch, of)} with {_counted(self.context, 'token')} each"
        needed = self.weight_bytes + self.cache_bytes
        fits = "fits" if self.devices_needed == 1 else f"needs at least {self.devices_needed:,} devices"
        rate = f"at most {format_quantity(self.tokens / self.time, 'tokens/s', prefix='')}"
        if not self.prefill and self.batch != 1:
            rate += (
                f", {format_quantity(self.tokens / self.time / self.batch, 'tokens/s', prefix='')} for each sequence"
            )
        shares = (
            format_quantity(share(total, self.time, self.roof), "%", 2)
            for share, total in ((mfu, self.flops), (mbu, self.nbytes))
        )
        lines = (
            ("weights", f"{format_quantity(self.weight_bytes, 'B', 4)} in {self.formats['weights']}"),
            (
                "cache",
                f"{format_quantity(self.cache_bytes, 'B', 4)} in {self.formats['cache']}"
                if self.cache_bytes
                else "none",
            ),
            ("memory", f"{format_quantity(needed, 'B', 4)} of {self.gpu.memory.shown}: {fits}"),
            ("bound", f"at least {format_quantity(self.time, 's', 4)}"),
            ("rate", rate),
            ("at the bound", "{} of the peak (MFU), {} of the bandwidth (MBU)".format(*shares)),
        )
        rows = [
            ["Kernel of all layers", "FLOPs", "Bytes", "FLOP/byte", "At least", "Regime"],
            *map(_bound_row, self.bounds),
        ]
        return "\n".join(
            [
                f"{self.shape.name} on {self.gpu.name}, {self.fmt}: {asked}",
                *(f"  {label:<13} {text}" for label, text in lines),
                "",
                aligned(rows),
            ]
        )


def _counted(number: Any, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _bound_row(limit: Bound) -> list[str]:
    kernel = limit.kernel
    return [
        kernel.name,
        format_quantity(kernel.flops, "FLOP"),
        format_quantity(kernel.nbytes, "B"),
        format_quantity(kernel.intensity, "", prefix=""),
        format_quantity(limit.time, "s"),
        limit.regime,
    ]


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Lay rows of text out for a terminal: columns of equal width, the first to the left, the others to the right.

    Parameters
    ----------
    rows : sequence of sequence of str
        As many texts in each.

    Returns
    -------
    str
        A line for each row.

    Examples
    --------
    >>> print(aligned([["Device", "B"], ["L4", "300"]]))
    Device    B
    L4      300
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )
