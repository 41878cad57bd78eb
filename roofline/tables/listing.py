"""The catalog as the command line lists it: one row for each device, and one for each model."""

from __future__ import annotations

from roofline.catalog import devices, models
from roofline.formats import FORMATS

from .cell import NONE, Cell, as_printed, computed, number
from .table import Table


def device_list() -> Table:
    """Return all devices of the catalog: what their values count, their memory and their peaks.

    Returns
    -------
    Table
        Dense peaks in TFLOP/s (int8: TOP/s), in the formats that the atlas has columns for. The memory is in bytes
        of 10⁹, and in brackets is what it is sold as.

    Examples
    --------
    >>> device_list().texts()[0][:6]
    ['H100 SXM', '2022', 'package', '85.5 GB (80 GB)', '3.35 TB/s', '50 MiB']
    """
    formats = [fmt.name for fmt in FORMATS.values() if fmt.in_atlas]
    rows = []
    for gpu in devices():
        get = f'device("{gpu.name}")'
        peaks = (
            computed(f'{get}.peaks["{fmt}"] / 1e12', lambda peak: f"{peak:,.6g}") if fmt in gpu.formats else NONE
            for fmt in formats
        )
        rows.append(
            (
                Cell(gpu.name),
                Cell(str(gpu.year)),
                Cell(gpu.scope),
                number(f"{get}.memory", "B", then=Cell(f"({gpu.memory.sold_as})")),
                computed(f"{get}.bandwidth", as_printed),
                NONE if gpu.l2 is None else computed(f"{get}.l2", as_printed),
                *peaks,
            )
        )
    return Table(("Device", "Year", "Counts one", "Memory", "Bandwidth", "L2", *formats), tuple(rows))


def model_list() -> Table:
    """Return all models of the catalog with their sizes.

    Returns
    -------
    Table
        Parameters in billions; weights and cache in bf16.

    Examples
    --------
    >>> model_list().texts()[0]
    ['Llama 3.1 8B', '8.03', '8.03', '32', '4096', '32/8', '16.1 GB', '131 kB']
    """
    rows = []
    for model in models():
        get = f'model("{model.name}")'
        rows.append(
            (
                Cell(model.name),
                computed(f"{get}.parameters / 1e9", lambda billions: f"{billions:.3g}"),
                computed(f"{get}.active_parameters / 1e9", lambda billions: f"{billions:.3g}"),
                Cell(str(model.layers)),
                Cell(str(model.hidden)),
                Cell(f"{model.q_heads}/{'MLA' if model.latent else model.kv_heads}"),
                number(f"{get}.weight_bytes()", "B"),
                NONE if model.conditioning else number(f"{get}.kv_bytes_per_token()", "B"),
            )
        )
    heads = ("Model", "Parameters, 10⁹", "Active, 10⁹", "Layers", "Hidden", "Heads/KV", "Weights", "Cache a token")
    return Table(heads, tuple(rows))
