"""The lesson's figures, one folder each, and `show`, which puts a figure or a table on a page.

Nothing is imported before it is used: a page that only shows tables never loads matplotlib.

Examples
--------
>>> from figures import one_gpu, show
>>> shown = show(one_gpu.draw(), label="fig-one-gpu", caption="The roofline of an H100.")
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        batch_sweep,
        decode_cost,
        device_roofline,
        four_steps,
        how_close,
        intensity_vs_batch,
        one_gpu,
        one_layer,
        own_cpu,
        recorded_cpu,
        reuse,
        which_gpu,
    )
    from .shared.page import show

__all__ = [
    "batch_sweep",
    "decode_cost",
    "device_roofline",
    "four_steps",
    "how_close",
    "intensity_vs_batch",
    "one_gpu",
    "one_layer",
    "own_cpu",
    "recorded_cpu",
    "reuse",
    "show",
    "which_gpu",
]


def __getattr__(name: str) -> Any:
    if name == "show":
        return importlib.import_module(".shared.page", __name__).show
    if name in __all__:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
