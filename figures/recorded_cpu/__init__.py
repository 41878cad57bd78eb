"""What the measuring block of the lesson printed on one machine, kept as data so that builds stay identical.

The times are measurements and are never asserted. The rates are derived from them, so every rate is a checked number.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from roofline.tables import Cell, Table
from roofline.tables.cell import number


@cache
def record() -> dict[str, Any]:
    """Return the recorded runs and the machine that they ran on.

    Returns
    -------
    dict
        ``date``, ``machine``, ``note``, ``sizes`` and ``runs``; a time is a text such as ``"55.25 ms"``.

    Examples
    --------
    >>> record()["machine"]["cores"]
    2
    """
    text = files(__name__).joinpath("run.json").read_text(encoding="utf-8")
    recorded: dict[str, Any] = json.loads(text)
    return recorded


def table() -> Table:
    """Return the recorded runs, each as the two points that it measured.

    Returns
    -------
    Table
        Two rows a run: time, FLOP/s, byte/s and intensity. All but the time carry their working.

    Examples
    --------
    >>> table().texts()[0]
    ['run 1, x + x', '55.25 ms', '1.21 GFLOP/s', '9.72 GB/s', '0.125']
    """
    count, side = record()["sizes"]["count"], record()["sizes"]["side"]
    add, product = f'elementwise({count}, "fp32")', f'matmul({side}, {side}, {side}, "fp32")'
    rows = []
    for index, run in enumerate(record()["runs"], 1):
        rows.append(_row(f"run {index}, x + x", add, run["sum"]))
        rows.append(_row(f"run {index}, A @ B", product, run["product"]))
    return Table(("Run", "Time, measured", "FLOP/s", "byte/s", "Intensity (FLOP/byte)"), tuple(rows))


def _row(label: str, working: str, time: str) -> tuple[Cell, ...]:
    taken = f'parse_quantity("{time}")'
    return (
        Cell(label),
        Cell(time),
        number(f"{working}.flops / {taken}", "FLOP/s"),
        number(f"{working}.nbytes / {taken}", "B/s"),
        number(f"{working}.intensity"),
    )
