"""What the lesson and the atlas print: tables whose cells carry the expressions of their numbers."""

from .lesson import (
    WORKED,
    catalog_ridges,
    device_figures,
    matmul_batches,
    ridge_points,
    thresholds,
    transformer_kernels,
)
from .table import Cell, Table

__all__ = [
    "WORKED",
    "Cell",
    "Table",
    "catalog_ridges",
    "device_figures",
    "matmul_batches",
    "ridge_points",
    "thresholds",
    "transformer_kernels",
]
