"""What the lesson and the atlas print: tables whose cells carry the expressions of their numbers."""

from .above import causes, causes_of_point
from .cell import NONE, Cell, as_printed, computed, number, value_of
from .lesson import (
    WORKED,
    catalog_ridges,
    datasheet_values,
    matmul_batches,
    ridge_points,
    thresholds,
    transformer_kernels,
)
from .measured import shares_by_kind
from .table import Table

__all__ = [
    "NONE",
    "WORKED",
    "Cell",
    "Table",
    "as_printed",
    "catalog_ridges",
    "causes",
    "causes_of_point",
    "computed",
    "datasheet_values",
    "matmul_batches",
    "number",
    "ridge_points",
    "shares_by_kind",
    "thresholds",
    "transformer_kernels",
    "value_of",
]
