"""The worked tables, cell by cell, as literals: a wrong formula must not make a wrong page in silence."""

import html.parser
import math
import re

import pytest

import roofline
from roofline import device, tables
from roofline.errors import InvalidValue, UnknownDevice, UnknownFormat
from roofline.quantity import parse_shown
from roofline.tables import Cell, Table

RIDGE_POINTS = [
    ["H100 SXM, bf16 tensor cores", "989 TFLOP/s", "3.35 TB/s", "≈ 295 FLOP/byte"],
    ["H100 SXM, fp8 tensor cores", "1,979 TFLOP/s", "3.35 TB/s", "≈ 591 FLOP/byte"],
    ["H100 SXM, fp32 CUDA cores", "67 TFLOP/s", "3.35 TB/s", "20 FLOP/byte"],
    ["A100 SXM 80GB, bf16 tensor cores", "312 TFLOP/s", "2.039 TB/s", "≈ 153 FLOP/byte"],
    ["A100 SXM 80GB, fp32 CUDA cores", "19.5 TFLOP/s", "2.039 TB/s", "≈ 9.6 FLOP/byte"],
]

# B, FLOPs, bytes, intensity, FLOPs/P, bytes/BW, regime, share of peak
WORKED_EXAMPLE = [
    ["1", "33.6 MFLOP", "33.6 MB", "1.0", "0.03 µs", "10.0 µs", "memory", "0.3%"],
    ["16", "537 MFLOP", "33.8 MB", "15.9", "0.54 µs", "10.1 µs", "memory", "5.4%"],
    ["64", "2.15 GFLOP", "34.6 MB", "62.1", "2.2 µs", "10.3 µs", "memory", "21%"],
    ["256", "8.59 GFLOP", "37.7 MB", "227.6", "8.7 µs", "11.3 µs", "memory", "77%"],
    # 11.705 µs: a table typed by hand once had 11.70 here.
    ["345", "11.6 GFLOP", "39.2 MB", "295.3", "11.71 µs", "11.70 µs", "compute", "100%"],
    ["1024", "34.4 GFLOP", "50.3 MB", "682.7", "34.7 µs", "15.0 µs", "compute", "100%"],
    ["4096", "137 GFLOP", "100.7 MB", "1,365", "139 µs", "30.0 µs", "compute", "100%"],
]

# GPU and format, D x F, R, rule of thumb, B*, first whole batch
THRESHOLDS = [
    ["H100 SXM, bf16", "4096 × 4096", "295.2", "295", "344.9", "345"],
    ["H100 SXM, bf16", "4096 × 14336", "295.2", "295", "325.4", "326"],
    ["H100 SXM, fp8", "4096 × 4096", "590.7", "295", "345.2", "346"],
    ["A100 SXM 80GB, bf16", "4096 × 4096", "153.0", "153", "165.4", "166"],
    ["A100 SXM 80GB, bf16", "4096 × 14336", "153.0", "153", "160.7", "161"],
    ["H100 SXM, bf16", "512 × 512", "295.2", "295", "∞", "none"],
]

# FLOPs, bytes, intensity, regime
TRANSFORMER_KERNELS = [
    ["$k n$", "$4 n$ to $6 n$", "$\\frac{k}{6}$ to $\\frac{k}{4}$, below 5", "memory-bound"],
    ["$4 B D$", "$4 B D$", "$1$", "memory-bound"],
    [
        "$2 B D F$",
        "$2 B (D + F) + 2 D F$",
        "up to $\\frac{D F}{D + F}$",
        "compute-bound if $D$ and $F$ are large",
    ],
    ["$2 B D F$", "$\\approx 2 D F$", "$\\approx B$", "memory-bound while $B$ is below ≈ 295"],
    ["$4 T^{2} d_{h}$", "$8 T d_{h}$", "$\\frac{T}{2}$", "compute-bound from $T$ ≈ 590"],
    ["$2 T d_{h} (T + 1)$", "$8 T d_{h}$", "$\\frac{T + 1}{4}$", "compute-bound from $T$ ≈ 1,180"],
    ["$4 T d_{h}$", "$4 T d_{h}$", "$1$", "memory-bound at any batch"],
    ["$4 T d_{h} g$", "$4 T d_{h}$", "$g$", "memory-bound at any batch"],
]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (tables.ridge_points, RIDGE_POINTS),
        (tables.matmul_batches, WORKED_EXAMPLE),
        (tables.thresholds, THRESHOLDS),
    ],
    ids=["ridge points", "worked example", "thresholds"],
)
def test_the_table_shows_these_cells(table, rows):
    assert table().texts() == rows


def test_the_transformer_table_shows_these_formulas():
    table = tables.transformer_kernels()
    assert [row[1:] for row in table.texts()] == TRANSFORMER_KERNELS
    assert [label.split(",")[0].split(" (")[0] for label, *_ in table.texts()] == [
        "elementwise op",
        "RMSNorm",
        "weight matmul",
        "weight matmul",
        "attention",
        "attention",
        "attention",
        "attention",
    ]
    assert table.columns[-1] == "Regime on H100 SXM, $R \\approx 295$"


NAMES = {name: getattr(roofline, name) for name in roofline.__all__} | {"ceil": math.ceil, "inf": math.inf}


@pytest.mark.parametrize("name", tables.WORKED)
def test_each_cell_shows_what_its_working_gives(name):
    pieces = [piece for row in tables.WORKED[name]().rows for cell in row for piece in cell.pieces()]
    for shown, working in pieces:
        if not working:
            continue
        # Python's own eval, and not the evaluator that wrote the cell.
        value = eval(working, {"__builtins__": {}}, dict(NAMES))  # noqa: S307  # the package's own expressions
        assert shown == value if isinstance(value, str) else parse_shown(shown).holds(float(value)), working


@pytest.mark.parametrize("name", ["ridge-points", "matmul-batches", "thresholds"])
def test_every_number_of_a_worked_table_carries_its_working(name):
    """Labels, sizes that are inputs, and the word for no batch at all are the only cells without."""
    inputs = {"matmul-batches": 1, "thresholds": 2}.get(name, 1)
    bare = [str(cell) for row in tables.WORKED[name]().rows for cell in row[inputs:] if not cell.working]
    assert bare == (["none"] if name == "thresholds" else [])


def test_other_arguments_make_other_tables():
    assert tables.ridge_points([("V100 SXM2", "fp16", "tensor cores")]).texts() == [
        ["V100 SXM2, fp16 tensor cores", "125 TFLOP/s", "900 GB/s", "≈ 139 FLOP/byte"]
    ]
    a100 = tables.matmul_batches(512, 512, (380, 381), name="A100 SXM 80GB")
    assert [row[6] for row in a100.texts()] == ["memory", "compute"]
    dit = tables.thresholds([("H100 SXM", "bf16", 1152, 1152)])
    assert dit.texts() == [["H100 SXM, bf16", "1152 × 1152", "295.2", "295", "605.6", "606"]]


def test_formulas_follow_the_format():
    fp8 = tables.transformer_kernels(dtype="fp8")
    assert fp8.texts()[2][2:4] == ["$B (D + F) + D F$", "up to $\\frac{2 D F}{D + F}$"]
    assert fp8.columns[-1] == "Regime on H100 SXM, $R \\approx 591$"


def test_a_device_that_lacks_a_format_shows_a_dash():
    table = tables.catalog_ridges([device("V100 SXM2"), device("H100 SXM")], ["fp16", "fp8", "fp32"])
    assert table.columns == ("Device", "Memory", "Bandwidth", "fp16", "fp8", "fp32")
    assert table.texts() == [
        ["V100 SXM2", "34.4 GB (32 GB)", "900 GB/s", "139", "–", "17.4"],
        ["H100 SXM", "85.5 GB (80 GB)", "3.35 TB/s", "295", "591", "20.0"],
    ]


def test_every_datasheet_value_of_a_device_is_listed_with_its_source():
    table = tables.datasheet_values("H100 SXM")
    rows = {name: rest for name, *rest in table.texts()}
    assert rows["H100 SXM bandwidth"][0] == "3.35 TB/s"
    assert any(row[0] == "989 TFLOP/s" for row in rows.values())
    for value, basis, source, date in rows.values():
        assert value
        assert basis
        assert source
        assert re.search(r"\b20\d\d\b", date)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tables.ridge_points([("H101", "bf16", "tensor cores")]), UnknownDevice),
        (lambda: tables.ridge_points([("V100 SXM2", "fp8", "tensor cores")]), UnknownFormat),
        (lambda: tables.matmul_batches(batches=(0,)), InvalidValue),
        (lambda: tables.matmul_batches(dtype="bf61"), UnknownFormat),
        (lambda: tables.thresholds([("H100 SXM", "bf16", -1, 4096)]), InvalidValue),
        (lambda: tables.transformer_kernels("H101"), UnknownDevice),
        (lambda: tables.datasheet_values("H101"), UnknownDevice),
    ],
    ids=["device", "format", "batch", "dtype", "size", "kernels", "datasheet values"],
)
def test_a_wrong_argument_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_a_row_must_have_a_cell_for_each_column():
    with pytest.raises(InvalidValue, match="row 2 has 1 cells; it must have 2, one for each column"):
        Table(("a", "b"), ((Cell("1"), Cell("2")), (Cell("3"),)))


AWKWARD = Table(
    ("GPU & co", "Share"),
    ((Cell("a|b <c>"), Cell("3%", "0.03", then=Cell("of $x_1$"))), (Cell("a_b #1"), Cell("≈ 1.6×"))),
)


def test_markdown_escapes_what_would_end_a_cell():
    assert AWKWARD.to_markdown().splitlines() == [
        "| GPU & co | Share |",
        "| :--- | ---: |",
        "| a\\|b <c> | 3% of $x_1$ |",
        "| a_b #1 | ≈ 1.6× |",
    ]


def test_html_escapes_what_would_be_markup_and_names_its_headers():
    class Reader(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.cells = []

        def handle_starttag(self, tag, attrs):
            if tag in ("td", "th"):
                self.cells.append((tag, dict(attrs).get("scope"), ""))

        def handle_data(self, data):
            tag, scope, text = self.cells.pop()
            self.cells.append((tag, scope, text + data))

    reader = Reader()
    reader.feed(AWKWARD.to_html())
    assert reader.cells == [
        ("th", "col", "GPU & co"),
        ("th", "col", "Share"),
        ("th", "row", "a|b <c>"),
        ("td", None, "3% of $x_1$"),
        ("th", "row", "a_b #1"),
        ("td", None, "≈ 1.6×"),
    ]


def test_latex_escapes_text_and_leaves_mathematics_alone():
    assert AWKWARD.to_latex().splitlines() == [
        r"\begin{tabular}{lr}",
        r"\hline",
        r"GPU \& co & Share \\",
        r"\hline",
        r"a|b <c> & 3\% of $x_1$ \\",
        r"a\_b \#1 & $\approx$ 1.6$\times$ \\",
        r"\hline",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize("name", tables.WORKED)
def test_a_worked_table_shows_itself_in_a_notebook_in_all_three_forms(name):
    table = tables.WORKED[name]()
    assert len(table._repr_markdown_().splitlines()) == len(table.rows) + 2
    assert table._repr_html_().count("<tr>") == len(table.rows) + 1
    assert table._repr_latex_().count(r"\\") == len(table.rows) + 1
