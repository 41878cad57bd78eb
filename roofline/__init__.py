"""The roofline model: why a kernel is slow, in SI units.

Numbers, NumPy arrays and SymPy symbols go in; FLOP, byte, s, FLOP/s, byte/s and FLOP/byte come out.

Examples
--------
>>> roof = device("H100 SXM").roof("bf16")
>>> bound(matmul(8, 4096, 4096), roof).regime
'memory-bound'
"""

from .catalog import Device, Figure, device, devices, model, models
from .errors import (
    CatalogError,
    InvalidValue,
    QuantityError,
    RooflineError,
    UnknownDevice,
    UnknownFormat,
    UnknownModel,
)
from .kernel import Kernel
from .kernels import attention_decode, attention_prefill, elementwise, layer_norm, matmul, rms_norm, softmax
from .quantity import read, write
from .roof import Bound, Roof, bound, critical_batch, speedup
from .transformer import LLAMA_3_1_8B, Shape, decode_layer, decode_step, prefill_layer, prefill_step, total_time

__all__ = [
    "LLAMA_3_1_8B",
    "Bound",
    "CatalogError",
    "Device",
    "Figure",
    "InvalidValue",
    "Kernel",
    "QuantityError",
    "Roof",
    "RooflineError",
    "Shape",
    "UnknownDevice",
    "UnknownFormat",
    "UnknownModel",
    "attention_decode",
    "attention_prefill",
    "bound",
    "critical_batch",
    "decode_layer",
    "decode_step",
    "device",
    "devices",
    "elementwise",
    "layer_norm",
    "matmul",
    "model",
    "models",
    "prefill_layer",
    "prefill_step",
    "read",
    "rms_norm",
    "softmax",
    "speedup",
    "total_time",
    "write",
]
