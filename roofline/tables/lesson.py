"""The worked tables, as objects: computed from the model, rendered as Markdown, HTML or LaTeX.

A cell carries the expression that gives its number, so that a page can show the working and a test can evaluate it
again.  Mathematics in a cell is TeX between dollar signs; the formulas come from the cost functions through SymPy,
which is imported only when a table needs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from roofline.attention import attention_decode, attention_prefill
from roofline.bounds import Bound
from roofline.catalog import Device, device
from roofline.formats import FORMATS
from roofline.kernel import Kernel
from roofline.kernels import elementwise, matmul, rms_norm
from roofline.quantity import format_quantity, ridge_places, ridge_text
from roofline.types import FormatName

from .cell import NONE, Cell, as_printed, computed, number, value_of
from .table import Table

#: The rows of the lesson's ridge table: device, format, and what does the arithmetic.
RIDGE_ROWS: Final = (
    ("H100 SXM", "bf16", "tensor cores"),
    ("H100 SXM", "fp8", "tensor cores"),
    ("H100 SXM", "fp32", "CUDA cores"),
    ("A100 SXM 80GB", "bf16", "tensor cores"),
    ("A100 SXM 80GB", "fp32", "CUDA cores"),
)
#: The columns of the short table of ridge points.
LESSON_FORMATS: Final = tuple(fmt.name for fmt in FORMATS.values() if fmt.in_lesson)
#: The batches of the lesson's worked example; 345 is the first that is compute-bound.
BATCHES: Final = (1, 16, 64, 256, 345, 1024, 4096)


def ridge_points(rows: Sequence[tuple[str, FormatName, str]] = RIDGE_ROWS) -> Table:
    """Return the table of ridge points.

    Parameters
    ----------
    rows : sequence of (device, format, units)
        Which devices and formats, and a word for what does the arithmetic.

    Returns
    -------
    Table
        Peak, bandwidth and ridge point of each.

    Raises
    ------
    UnknownDevice, UnknownFormat
        Where the catalog has no such device or format.

    Examples
    --------
    >>> ridge_points().texts()[0]
    ['H100 SXM, bf16 tensor cores', '989 TFLOP/s', '3.35 TB/s', '≈ 295 FLOP/byte']
    """
    return Table(
        ("GPU and units", "Peak $P$ (dense)", "Bandwidth $\\mathrm{BW}$", "Ridge point $R = P/\\mathrm{BW}$"),
        tuple(_ridge_row(device(name), fmt, f"{name}, {fmt} {units}") for name, fmt, units in rows),
    )


def _ridge_row(gpu: Device, fmt: FormatName, label: str) -> tuple[Cell, ...]:
    get, ridge = f'device("{gpu.name}")', gpu.roof(fmt).ridge
    is_whole = math.isclose(ridge, round(ridge), rel_tol=1e-12)
    return (
        Cell(label),
        computed(f'{get}.roof("{fmt}").peak', as_printed),
        computed(f"{get}.bandwidth", as_printed),
        number(
            f'{get}.roof("{fmt}").ridge', "FLOP/B", places=0 if is_whole else ridge_places, approximate=not is_whole
        ),
    )


def catalog_ridges(devices: Sequence[Device], formats: Sequence[str] = LESSON_FORMATS) -> Table:
    """Return the ridge points of many devices, a column for each format.

    Parameters
    ----------
    devices : sequence of Device
        The rows.
    formats : sequence of str
        The columns; a device that lacks a format shows a dash.

    Returns
    -------
    Table
        Memory, with what it is sold as, bandwidth, and ridge points in FLOP/byte.

    Examples
    --------
    >>> catalog_ridges([device("V100 SXM2")], ["fp16", "fp8"]).texts()[0][-1]
    '–'
    """

    def cells(gpu: Device) -> tuple[Cell, ...]:
        get = f'device("{gpu.name}")'
        ridges = (computed(f'{get}.roof("{fmt}").ridge', ridge_text) if fmt in gpu.formats else NONE for fmt in formats)
        return (
            Cell(gpu.name),
            number(f"{get}.memory", "B", then=Cell(f"({gpu.memory.sold_as})")),
            computed(f"{get}.bandwidth", as_printed),
            *ridges,
        )

    return Table(("Device", "Memory", "Bandwidth", *formats), tuple(cells(gpu) for gpu in devices))


def matmul_batches(
    D: int = 4096,
    F: int = 4096,
    batches: Sequence[int] = BATCHES,
    *,
    name: str = "H100 SXM",
    dtype: FormatName = "bf16",
) -> Table:
    """Return the worked example: one matmul at growing batch.

    Parameters
    ----------
    D, F : int
        Rows and columns of the weight matrix.
    batches : sequence of int
        Tokens that share one weight read, a row each.
    name : str
        The device.
    dtype : str
        The format of all three matrices and of the arithmetic.

    Returns
    -------
    Table
        For each B the FLOPs, bytes, intensity, both times, regime and the largest share of peak.

    Raises
    ------
    UnknownDevice, UnknownFormat, InvalidValue
        Where an argument breaks its rule.

    Examples
    --------
    >>> matmul_batches().texts()[4][:6]
    ['345', '11.6 GFLOP', '39.2 MB', '295.3', '11.71 µs', '11.70 µs']
    """

    def cells(B: int) -> tuple[Cell, ...]:
        kernel = f'matmul({B}, {D}, {F}, "{dtype}")'
        limited = f'bound({kernel}, device("{name}").roof("{dtype}"))'
        limit: Bound = value_of(limited)
        return (
            Cell(f"{B}"),
            number(f"{kernel}.flops", "FLOP"),
            number(f"{kernel}.nbytes", "B", 4 if limit.kernel.nbytes >= 100e6 else 3),
            number(f"{kernel}.intensity", places=lambda intensity: 0 if intensity >= 1000 else 1),
            number(f"{limited}.compute_time", "s", places=_micro_places(limit), prefix="µ"),
            number(f"{limited}.memory_time", "s", places=_micro_places(limit), prefix="µ"),
            # The long word would make the widest column of the table.
            computed(f'{limited}.regime.removesuffix("-bound")'),
            number(f"{limited}.fraction_of_peak", "%", places=lambda share: 1 if share < 0.0995 else 0),
        )

    heads = (
        "Batch $B$",
        "FLOPs",
        "Bytes",
        "$I$ (FLOP/byte)",
        "FLOPs$/P$",
        "bytes$/\\mathrm{BW}$",
        "Regime",
        "At most, of peak",
    )
    return Table(heads, tuple(cells(B) for B in batches))


def _micro_places(limit: Bound) -> Callable[[float], int]:
    """Return how many digits a time in microseconds needs, enough to tell the two times of a row apart."""
    close = math.isclose(limit.compute_time, limit.memory_time, rel_tol=0.01)
    return lambda seconds: 2 if close or seconds < 1e-6 else 1 if seconds < 99.95e-6 else 0


def thresholds(
    cases: Sequence[tuple[str, FormatName, int, int]] = (
        ("H100 SXM", "bf16", 4096, 4096),
        ("H100 SXM", "bf16", 4096, 14336),
        ("H100 SXM", "fp8", 4096, 4096),
        ("A100 SXM 80GB", "bf16", 4096, 4096),
        ("A100 SXM 80GB", "bf16", 4096, 14336),
        ("H100 SXM", "bf16", 512, 512),
    ),
) -> Table:
    """Return exact thresholds B* beside the rule of thumb.

    Parameters
    ----------
    cases : sequence of (device, format, D, F)
        The rows. All three matrices and the arithmetic have the format.

    Returns
    -------
    Table
        Ridge point, rule of thumb (ridge point times bytes per element over 2), B* and the first whole batch.

    Raises
    ------
    UnknownDevice, UnknownFormat, InvalidValue
        Where a case names what does not exist.

    Examples
    --------
    >>> thresholds().texts()[0][-2:], thresholds().texts()[-1][-2:]
    (['344.9', '345'], ['∞', 'none'])
    """

    def cells(name: str, fmt: FormatName, D: int, F: int) -> tuple[Cell, ...]:
        get = f'device("{name}").roof("{fmt}")'
        exact = f'critical_batch({D}, {F}, {get}, "{fmt}")'
        return (
            Cell(f"{name}, {fmt}"),
            Cell(f"{D} × {F}"),
            number(f"{get}.ridge", places=1),
            # At B = 1 and boundless D and F each weight byte is used 2 / e times, so the rule of thumb is R e / 2.
            number(f'{get}.ridge / matmul(1, 10**12, 10**12, "{fmt}").intensity', places=0),
            number(exact, places=1),
            Cell("none") if math.isinf(value_of(exact)) else number(f"ceil({exact})", places=0),
        )

    heads = (
        "GPU and format",
        "Weight $D \\times F$",
        "$R$ (FLOP/byte)",
        "Rule of thumb",
        "Exact $B^*$",
        "First whole batch",
    )
    return Table(heads, tuple(cells(*case) for case in cases))


def transformer_kernels(name: str = "H100 SXM", dtype: FormatName = "bf16") -> Table:
    r"""Return the kernels of a transformer with their FLOPs, bytes, intensity and regime.

    Parameters
    ----------
    name : str
        The device whose regimes are shown.
    dtype : str
        The format of every tensor and of the arithmetic.

    Returns
    -------
    Table
        Eight rows. FLOPs, bytes and intensity are the package's own formulas, written as TeX by SymPy; a decode
        matmul also shows its limit for B far below D and F, by a series in B.

    Raises
    ------
    UnknownDevice, UnknownFormat
        Where the catalog has no such device or format.

    Examples
    --------
    >>> [row[3] for row in transformer_kernels().texts()]  # doctest: +NORMALIZE_WHITESPACE
    ['$\\frac{k}{6}$ to $\\frac{k}{4}$, below 5', '$1$', 'up to $\\frac{D F}{D + F}$', '$\\approx B$',
     '$\\frac{T}{2}$', '$\\frac{T + 1}{4}$', '$1$', '$g$']
    """
    import sympy

    roof = device(name).roof(dtype)
    get = f'device("{name}").roof("{dtype}")'
    n, k, B, D, F, T, d_h, g = sympy.symbols("n k B D F T d_h g", positive=True)
    op, add = (elementwise(n, dtype, reads=reads, flops_per_element=k) for reads in (1, 2))
    norm, weight = rms_norm(B, D, dtype), matmul(B, D, F, dtype)
    square, causal, mha, gqa = (
        attention_prefill(T, d_h, causal=False, dtype=dtype),
        attention_prefill(T, d_h, dtype=dtype),
        attention_decode(T, d_h, dtype=dtype),
        attention_decode(T, d_h, g=g, dtype=dtype),
    )
    few_tokens = Kernel("matmul, few tokens", weight.flops, sympy.series(weight.nbytes, B, 0, 1).removeO())

    def regime(kernel: str, then: Cell | None = None) -> Cell:
        return computed(f"bound({kernel}, {get}).regime", then=then)

    def row(
        label: str, kernel: Kernel, intensity: str, regime: Cell, *, flops: str = "", nbytes: str = ""
    ) -> tuple[Cell, ...]:
        return (
            Cell(label),
            Cell(flops or _tex(kernel.flops)),
            Cell(nbytes or _tex(kernel.nbytes)),
            Cell(intensity),
            regime,
        )

    about = format_quantity(roof.ridge, "", 1, places=0)
    rule = number(f"{get}.ridge", places=0, approximate=True)
    # With one token there is one pair, masked or not: the intensities are T and (T + 1) / 2 times this one.
    one_pair = f'attention_prefill(1, 128, dtype="{dtype}").intensity'
    from_square = number(f"{get}.ridge / {one_pair}", places=0, approximate=True)
    from_causal = number(f"2 * {get}.ridge / {one_pair} - 1", places=0, approximate=True)
    return Table(
        ("Kernel", "FLOPs", "Bytes", "Intensity (FLOP/byte)", f"Regime on {name}, $R \\approx {about}$"),
        (
            row(
                "elementwise op, $k$ FLOPs an element",
                op,
                f"{_tex(add.intensity)} to {_tex(op.intensity)}, below 5",
                regime(f'elementwise(10**8, "{dtype}")'),
                nbytes=f"{_tex(op.nbytes)} to {_tex(add.nbytes)}",
            ),
            row(
                "RMSNorm (same regime: other norms, softmax)",
                norm,
                _tex(norm.intensity),
                regime(f'rms_norm(16384, 4096, "{dtype}")'),
            ),
            row(
                "weight matmul, training or prefill ($B$: thousands of tokens)",
                weight,
                f"up to {_tex(sympy.limit(weight.intensity, B, sympy.oo))}",
                regime(
                    f'matmul(4096, 4096, 4096, "{dtype}")',
                    Cell("if $D$ and $F$ are large"),
                ),
            ),
            row(
                "weight matmul, decode ($B$: sequences)",
                few_tokens,
                _tex(few_tokens.intensity, lead="\\approx "),
                regime(
                    f'matmul(1, 4096, 4096, "{dtype}")',
                    Cell("while $B$ is below", then=rule),
                ),
                nbytes=_tex(few_tokens.nbytes, lead="\\approx "),
            ),
            row(
                "attention, prefill, fused, all pairs of tokens",
                square,
                _tex(square.intensity),
                regime(
                    f'attention_prefill(4096, 128, causal=False, dtype="{dtype}")',
                    Cell("from $T$", then=from_square),
                ),
            ),
            row(
                "attention, prefill, fused, causal mask",
                causal,
                _tex(causal.intensity),
                regime(
                    f'attention_prefill(4096, 128, dtype="{dtype}")',
                    Cell("from $T$", then=from_causal),
                ),
            ),
            row(
                "attention, decode, MHA",
                mha,
                _tex(mha.intensity),
                regime(
                    f'attention_decode(8192, 128, g=1, dtype="{dtype}", sequences=64)',
                    Cell("at any batch"),
                ),
            ),
            row(
                "attention, decode, GQA ($g$ query heads per KV head)",
                gqa,
                _tex(gqa.intensity),
                regime(
                    f'attention_decode(8192, 128, g=4, dtype="{dtype}", sequences=64)',
                    Cell("at any batch"),
                ),
            ),
        ),
        numeric=False,
    )


def _tex(expression: Any, lead: str = "") -> str:
    """Return a formula as inline TeX, each term with its common factor in front: 2DF + 2B(D + F), and (T + 1)/4."""
    import sympy

    exact = sympy.nsimplify(sympy.sympify(expression), rational=True)
    terms = [sympy.factor_terms(term) for term in sympy.Add.make_args(exact)]
    if len(terms) == 1 or not all(term.as_coeff_Mul()[0].is_integer for term in terms):
        terms = [sympy.factor(exact)]
    # Evaluation would multiply the factors out again.
    whole = terms[0] if len(terms) == 1 else sympy.Add(*terms, evaluate=False)
    # Growing brackets add space around them, which one line of symbols does not need.
    tex = sympy.latex(whole).replace(r"\left(", "(").replace(r"\right)", ")")
    return f"${lead}{tex}$"


def datasheet_values(name: str) -> Table:
    """Return every datasheet value of one device with its basis, source and date.

    Parameters
    ----------
    name : str
        The device.

    Returns
    -------
    Table
        A row for the bandwidth, the memory, the L2 cache and each peak.

    Raises
    ------
    UnknownDevice
        Where the catalog has no such device.

    Examples
    --------
    >>> datasheet_values("H100 SXM").texts()[0][:2]
    ['H100 SXM bandwidth', '3.35 TB/s']
    """
    rows = tuple(
        (
            Cell(value.name),
            Cell(value.shown),
            Cell(value.basis),
            Cell(value.source.title),
            Cell(value.date),
        )
        for value in device(name).datasheet
    )
    return Table(("Name", "Value", "Basis", "Source", "Date"), rows, numeric=False)


#: The tables that take no argument, by name.
WORKED: Final[dict[str, Callable[[], Table]]] = {
    "ridge-points": ridge_points,
    "matmul-batches": matmul_batches,
    "thresholds": thresholds,
    "transformer-kernels": transformer_kernels,
}
