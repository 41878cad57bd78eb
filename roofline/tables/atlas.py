"""The tables of the atlas: all devices, each device, all models, each model, and which device decodes how fast.

They are `Table` objects like those of the lesson: each number carries the expression that gives it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from roofline.bounds import MEMORY_BOUND
from roofline.catalog import Device, device, devices, model, models
from roofline.formats import FORMATS
from roofline.quantity import format_quantity, ridge_text
from roofline.types import FormatName

from .cell import NONE, Cell, as_printed, computed, number, value_of
from .table import Table

if TYPE_CHECKING:
    from roofline.architecture import Model
    from roofline.catalog import DatasheetValue

#: The formats that have a column of their own; the others stand with their device.
COLUMNS: Final = tuple(fmt.name for fmt in FORMATS.values() if fmt.in_atlas)
#: The batch, the cache and the prompt that the kernels of each model are shown for, in sequences and tokens.
SEQUENCES: Final = 64
CONTEXT: Final = 8192
PROMPT: Final = 2048
#: A latent image of 32 by 32 in patches of 2 by 2, for a model that has no text.
PATCHES: Final = 256


def slug(name: str) -> str:
    """Return the part of a label that stands for a device or a model.

    Parameters
    ----------
    name : str
        Its full name.

    Returns
    -------
    str
        Lower-case words and digits, joined by hyphens.

    Examples
    --------
    >>> slug("A100 SXM 80GB"), slug("Qwen2.5 7B"), slug("DiT XL/2")
    ('a100-sxm-80gb', 'qwen2-5-7b', 'dit-xl-2')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def all_devices(rows: Sequence[Device] | None = None) -> Table:
    """Return the memory and the dense peaks of all devices.

    Parameters
    ----------
    rows : sequence of Device, optional
        Which devices; the whole catalog where left out.

    Returns
    -------
    Table
        Units stand in the heads, so that a column can be sorted: GB is 10⁹ bytes, MiB is 2²⁰, and int8 counts
        operations.

    Examples
    --------
    >>> all_devices().texts()[0][:8]
    ['H100 SXM', 'NVIDIA', '2022', '85.52', '80', '3.35', '50', '34']
    """

    def cells(gpu: Device) -> tuple[Cell, ...]:
        get = f'device("{gpu.name}")'
        cache = NONE if gpu.l2 is None else computed(f"{get}.l2 / 2**20", _number)
        peaks = (computed(f'{get}.peaks["{fmt}"] / 1e12', _number) if fmt in gpu.formats else NONE for fmt in COLUMNS)
        *begin, bandwidth = _begin(gpu)
        return (*begin, Cell(gpu.memory.sold_as.split()[0]), bandwidth, cache, *peaks)

    *begin, bandwidth = _BEGIN
    heads = (*begin, "Sold as", bandwidth, "L2 (MiB)", *(f"{f} (T/s)" for f in COLUMNS))
    return Table(heads, tuple(map(cells, devices() if rows is None else rows)))


def all_ridges(rows: Sequence[Device] | None = None) -> Table:
    """Return the ridge points of all devices, format by format.

    Parameters
    ----------
    rows : sequence of Device, optional
        Which devices; the whole catalog where left out.

    Returns
    -------
    Table
        In FLOP/byte, for int8 in operations for each byte.

    Examples
    --------
    >>> all_ridges([device("H200 SXM")]).texts()[0][5:]
    ['7.1', '14.0', '103', '206', '206', '412', '412', '–']
    """

    def cells(gpu: Device) -> tuple[Cell, ...]:
        get = f'device("{gpu.name}")'
        ridges = (computed(f'{get}.roof("{fmt}").ridge', ridge_text) if fmt in gpu.formats else NONE for fmt in COLUMNS)
        return (*_begin(gpu), *ridges)

    return Table((*_BEGIN, *COLUMNS), tuple(map(cells, devices() if rows is None else rows)))


_BEGIN: Final = ("Device", "Vendor", "Year", "Memory (GB)", "Bandwidth (TB/s)")


def _begin(gpu: Device) -> tuple[Cell, ...]:
    get = f'device("{gpu.name}")'
    return (
        Cell(gpu.name),
        Cell(gpu.vendor),
        Cell(str(gpu.year)),
        computed(f"{get}.memory / 1e9", _number),
        computed(f"{get}.bandwidth / 1e12", _number),
    )


def _number(value: float) -> str:
    """Write a number with up to four digits, and no zeros at the end of a fraction."""
    text = format_quantity(value, "", 4, prefix="")
    return text.rstrip("0").rstrip(".") if "." in text else text


def one_device(name: str) -> Table:
    """Return all datasheet values of one device, each with what it is based on and where it stands.

    Parameters
    ----------
    name : str
        The device.

    Returns
    -------
    Table
        A row for the bandwidth, the memory, the cache and each peak. The limit is what no device of this name can
        beat: its parts at their highest clock. Sources have the numbers of ``Device.sources``, counted from 1.

    Raises
    ------
    UnknownDevice
        Where the catalog has no such device.

    Examples
    --------
    >>> one_device("V100 SXM2").texts()[-1]
    ['fp16 peak', '125 TFLOP/s', '125.3 TFLOP/s', '139 FLOP/byte', 'as printed; by clock; sums in fp32', '4']
    """
    gpu = device(name)
    get = f'device("{gpu.name}")'
    stores = [("Bandwidth", f"{get}.bandwidth"), ("Memory", f"{get}.memory")]
    if gpu.l2 is not None:
        stores.append(("L2 cache", f"{get}.l2"))
    limit = NONE if gpu.bandwidth_limit is None else number(f"{get}.bandwidth_limit", "B/s", 4)
    rows = [(label, working, limit if label == "Bandwidth" else NONE, NONE) for label, working in stores]
    rows += [
        (f"{fmt} peak", f'{get}.peaks["{fmt}"]', _limit_cell(gpu, fmt), _ridge_cell(gpu, fmt)) for fmt in gpu.formats
    ]

    def cells(label: str, working: str, limit: Cell, ridge: Cell) -> tuple[Cell, ...]:
        value: DatasheetValue = value_of(working)
        summed = f"; sums in {value.accumulate}" if value.accumulate else ""
        return (
            Cell(label),
            computed(working, as_printed),
            limit,
            ridge,
            Cell(f"{value.basis}{summed}"),
            Cell(str(gpu.sources.index(value.source) + 1)),
        )

    heads = ("Figure", "Value", "Limit", "Ridge point", "Basis", "Source")
    return Table(heads, tuple(cells(*row) for row in rows), numeric=False)


def _limit_cell(gpu: Device, fmt: FormatName) -> Cell:
    if gpu.peak_limit(fmt) is None:
        return NONE
    prefix = "T" if gpu.peaks[fmt] >= 1e12 else None  # as datasheets write peaks
    return number(f'device("{gpu.name}").peak_limit("{fmt}")', gpu.peaks[fmt].unit, 4, prefix=prefix)


def _ridge_cell(gpu: Device, fmt: FormatName) -> Cell:
    # int8 counts operations, and OP/byte is not a unit of checked numbers.
    unit, then = ("FLOP/B", None) if gpu.peaks[fmt].unit == "FLOP/s" else ("", Cell("OP/byte"))
    return computed(f'device("{gpu.name}").roof("{fmt}").ridge', lambda ridge: ridge_text(ridge, unit), then=then)


def model_shapes() -> Table:
    """Return the widths of all models.

    Returns
    -------
    Table
        One row for each model, whole numbers only.

    Examples
    --------
    >>> model_shapes().texts()[0]
    ['Llama 3.1 8B', '32', '4096', '32', '8', '128', 'GQA, g = 4', '14336', '–', '128256']
    """
    heads = (
        "Model", "Layers", "Hidden", "Query heads", "KV heads", "Head width", "Attention", "MLP width", "Experts",
        "Vocabulary",
    )  # fmt: skip
    return Table(heads, tuple(_widths(entry) for entry in models()), numeric=False)


def _widths(entry: Model) -> tuple[Cell, ...]:
    widths = (entry.layers, entry.hidden, entry.q_heads, entry.kv_heads, entry.head_dim)
    experts = NONE
    mlp = str(entry.intermediate)
    if entry.experts:
        shared = f" + {entry.experts.shared} shared" if entry.experts.shared else ""
        experts = Cell(f"{entry.experts.chosen} of {entry.experts.count}{shared}")
        mlp = str(entry.experts.width)
        if entry.experts.dense_layers:
            mlp += f"; {entry.intermediate} in the first {entry.experts.dense_layers} layers"
    return (
        Cell(entry.name),
        *(Cell(str(width)) for width in widths),
        Cell(attention_of(entry)),
        Cell(mlp),
        experts,
        Cell(str(entry.vocab)),
    )


def attention_of(entry: Model) -> str:
    """Return what kind of attention a model has, in a few words.

    Parameters
    ----------
    entry : Model
        The model.

    Returns
    -------
    str
        Such as ``"GQA, g = 4"``, with its window where it has one.

    Examples
    --------
    >>> attention_of(model("Gemma 2 9B")), attention_of(model("DeepSeek V3"))
    ('GQA, g = 2, window 4096 in every other layer', 'MLA, 576 cached')
    """
    if entry.latent:
        return f"MLA, {entry.latent.cached} cached"
    kind = "MHA" if entry.g == 1 else f"GQA, g = {entry.g}"
    if not entry.window:
        return kind
    every = {0: "", 2: " in every other layer"}.get(entry.full_every, f", full in every {entry.full_every}th layer")
    return f"{kind}, window {entry.window}{every}"


def model_sizes() -> Table:
    """Return the parameters and the bytes of all models, computed from their widths.

    Returns
    -------
    Table
        Parameters, those that a token goes through, the weights in bf16, and the KV cache.

    Examples
    --------
    >>> model_sizes().texts()[0]
    ['Llama 3.1 8B', '8.030', '8.030', '16.1 GB', '131 kB', '1.07 GB']
    """
    heads = (
        "Model",
        "Parameters (10⁹)",
        "Of these, active (10⁹)",
        "Weights in bf16",
        "KV cache, one token",
        f"KV cache, {CONTEXT:,} tokens",
    )
    return Table(heads, tuple(_sizes(entry) for entry in models()))


def _sizes(entry: Model) -> tuple[Cell, ...]:
    get = f'model("{entry.name}")'
    cached = (Cell("no cache"), Cell("no cache"))
    if not entry.conditioning:
        tokens = _context(entry)
        fewer = Cell(f"({tokens:,} tokens, its most)") if tokens != CONTEXT else None
        cached = (
            number(f"{get}.kv_bytes_per_token()", "B"),
            number(f"{get}.cache_bytes(1, {tokens})", "B", then=fewer),
        )
    return (
        Cell(entry.name),
        number(f"{get}.parameters / 1e9", "", 4),
        number(f"{get}.active_parameters / 1e9", "", 4),
        number(f"{get}.weight_bytes()", "B"),
        *cached,
    )


def _context(entry: Model) -> int:
    """Return how many tokens of cache are shown: fewer where the model has not as many positions."""
    return min(CONTEXT, int(entry.positions) or CONTEXT)


def model_kernels(name: str, gpu: str = "H100 SXM", fmt: FormatName = "bf16") -> Table:
    """Return the kernels of the last layer of a model, in decode and in prefill, with their regimes on a device.

    Parameters
    ----------
    name : str
        The model.
    gpu, fmt : str
        The device and the format of its arithmetic; weights, cache and activations are bf16.

    Returns
    -------
    Table
        FLOPs, bytes, intensity and regime of each kernel in both phases. A kernel that only one of them has shows
        dashes in the other.

    Raises
    ------
    UnknownModel, UnknownDevice, UnknownFormat
        Where the catalog has no such thing.

    Examples
    --------
    >>> model_kernels("Llama 3.1 8B").texts()[1]  # doctest: +NORMALIZE_WHITESPACE
    ['QKV projection', '3.22 GFLOP', '51.6 MB', '62.4', 'memory-bound',
     '103 GFLOP', '92.3 MB', '1,117', 'compute-bound']
    """
    entry = model(name)
    limited = f'device("{device(gpu).name}").roof("{fmt}")'
    get = f'model("{entry.name}")'
    prompt, sequences = (PATCHES, SEQUENCES) if entry.conditioning else (min(PROMPT, _context(entry)), 1)
    phases = [] if entry.conditioning else [f"decode_layer({get}, {SEQUENCES}, {_context(entry)})"]
    phases.append(f"prefill_layer({get}, {sequences}, {prompt})")

    def cells(kernel: str) -> tuple[Cell, ...]:
        return (
            number(f"{kernel}.flops", "FLOP"),
            number(f"{kernel}.nbytes", "B"),
            computed(f"{kernel}.intensity", _intensity),
            computed(f"bound({kernel}, {limited}).regime"),
        )

    found: list[dict[tuple[str, int], tuple[Cell, ...]]] = []
    for layer in phases:
        seen: list[str] = []
        rows = {}
        for index, kernel in enumerate(value_of(layer)):
            # A norm and a residual add come twice.
            rows[kernel.name, seen.count(kernel.name)] = cells(f"{layer}[{index}]")
            seen.append(kernel.name)
        found.append(rows)
    columns = ("FLOPs", "bytes", "FLOP/byte", "regime")
    words = ("Prefill",) if entry.conditioning else ("Decode", "Prefill")
    heads = ("Kernel", *(f"{word}: {column}" for word in words for column in columns))
    missing = (NONE,) * len(columns)
    return Table(
        heads,
        tuple((Cell(key[0]), *(cell for rows in found for cell in rows.get(key, missing))) for key in _merged(found)),
    )


def _intensity(value: float) -> str:
    return format_quantity(value, "", 2) if value < 1 else ridge_text(value)


def _merged(found: list[dict[tuple[str, int], Any]]) -> list[tuple[str, int]]:
    """Return the keys of both phases in one order; a kernel of the second alone stands where that phase runs it."""
    order = list(found[0])
    for rows in found[1:]:
        at = 0
        for key in rows:
            if key in order:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                at += 1
    return order


#: The heads of `which_device`, which the interactive figure of the same table shares.
WHICH_DEVICE_HEADS: Final = (
    "Device",
    "Needed, at least",
    "Time per token, kernel by kernel",
    "However fused",
    "Tokens/s, kernel by kernel",
    "Memory-bound share",
)


def which_device(
    name: str = "Llama 3.1 8B",
    sequences: int = 16,
    context: int = CONTEXT,
    *,
    fmt: FormatName = "bf16",
    weights: str = "bf16",
    cache: str = "bf16",
) -> Table:
    """Return the bound on the decode rate of a model on every device.

    Parameters
    ----------
    name : str
        The model.
    sequences, context : int
        Sequences in the batch, and tokens in the cache of each.
    fmt : str
        The format of the arithmetic; a device without a peak for it is named and has no bound.
    weights, cache : str
        Formats of the weights and of the KV cache.

    Returns
    -------
    Table
        Devices needed, and the bounds for that many together: the bound on one device divided by their number, as if
        they never waited for each other. For a MoE, the sum over the kernels takes the experts that are expected.

    Raises
    ------
    UnknownModel, UnknownFormat, InvalidValue
        Where an argument breaks its rule.

    Examples
    --------
    >>> which_device().texts()[0]
    ['H100 SXM', '1', '9.66 ms', '9.61 ms', '1,657 tokens/s', '100%']
    """
    entry = model(name)
    stored = f', weights="{weights}"' * (weights != "bf16") + f', cache="{cache}"' * (cache != "bf16")
    step = f'decode_step(model("{entry.name}"), {sequences}, {context}{stored})'
    get = f'model("{entry.name}")'

    def cells(gpu: Device) -> tuple[Cell, ...]:
        count = f'devices_needed({get}, device("{gpu.name}").memory, {sequences}, {context}{stored})'
        needed, begin = value_of(count), (Cell(gpu.name), number(count, places=0))
        if fmt not in gpu.formats:
            return (*begin, Cell(f"no {fmt} peak"), NONE, NONE, NONE)
        roof = f'device("{gpu.name}").roof("{fmt}")'
        time = f"total_time({step}, {roof})"
        fused = f"fused_time({step}, {roof}, unavoidable_bytes({get}, {sequences}, {context}{stored}))"
        over = f" / {needed}" if needed > 1 else ""
        times = f"{needed} * " if needed > 1 else ""
        slow = f'total_time([k for k in {step} if bound(k, {roof}).regime == "{MEMORY_BOUND}"], {roof})'
        return (
            *begin,
            number(f"{time}{over}", "s"),
            number(f"{fused}{over}", "s"),
            number(f"{times}{sequences} / {time}", "tokens/s", places=0, prefix=""),
            number(f"{slow} / {time}", "%", places=0),
        )

    return Table(WHICH_DEVICE_HEADS, tuple(map(cells, devices())))
