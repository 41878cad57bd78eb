"""The roofline model: why a kernel is slow, in SI units.

Numbers, NumPy arrays and SymPy symbols go in; FLOP, byte, s, FLOP/s, byte/s and FLOP/byte come out.

Examples
--------
>>> roof = device("H100 SXM").roof("bf16")
>>> bound(matmul(8, 4096, 4096), roof).regime
'memory-bound'
"""

from .above import Cause, Explanation, causes_above
from .architecture import Experts, Latent, Model
from .attention import attention_chunk, attention_decode, attention_prefill, attention_shared_prefix, causal_share
from .bounds import Bound, bound, speedup
from .capacity import devices_needed, sequences_that_fit, sequences_until_cache_outweighs
from .catalog import LLAMA_3_1_8B, DatasheetValue, Device, device, devices, model, models
from .errors import (
    CatalogError,
    InvalidValue,
    QuantityError,
    RooflineError,
    UnknownDevice,
    UnknownFormat,
    UnknownModel,
)
from .fusion import fused_time, unavoidable_bytes
from .kernel import Kernel
from .kernels import elementwise, layer_norm, matmul, rms_norm, softmax
from .mla import head_matmul, mla_decode, mla_prefill
from .moe import expected_experts, expert_matmul, moe_critical_batch, most_experts, tokens_per_expert
from .quantity import format_quantity, parse_quantity
from .reality import Measurement, measured, measured_shares, measurements, median_share
from .roof import Roof
from .speculation import expected_tokens
from .steps import decode_layer, decode_step, prefill_layer, prefill_step, total_time
from .threshold import critical_batch
from .utilisation import mbu, mfu

#: The version of the package; pyproject.toml takes it from here, so that a checkout that is not installed has it too.
__version__ = "0.1.0"

__all__ = [
    "LLAMA_3_1_8B",
    "Bound",
    "CatalogError",
    "Cause",
    "DatasheetValue",
    "Device",
    "Experts",
    "Explanation",
    "InvalidValue",
    "Kernel",
    "Latent",
    "Measurement",
    "Model",
    "QuantityError",
    "Roof",
    "RooflineError",
    "UnknownDevice",
    "UnknownFormat",
    "UnknownModel",
    "attention_chunk",
    "attention_decode",
    "attention_prefill",
    "attention_shared_prefix",
    "bound",
    "causal_share",
    "causes_above",
    "critical_batch",
    "decode_layer",
    "decode_step",
    "device",
    "devices",
    "devices_needed",
    "elementwise",
    "expected_experts",
    "expected_tokens",
    "expert_matmul",
    "format_quantity",
    "fused_time",
    "head_matmul",
    "layer_norm",
    "matmul",
    "mbu",
    "measured",
    "measured_shares",
    "measurements",
    "median_share",
    "mfu",
    "mla_decode",
    "mla_prefill",
    "model",
    "models",
    "moe_critical_batch",
    "most_experts",
    "parse_quantity",
    "prefill_layer",
    "prefill_step",
    "rms_norm",
    "sequences_that_fit",
    "sequences_until_cache_outweighs",
    "softmax",
    "speedup",
    "tokens_per_expert",
    "total_time",
    "unavoidable_bytes",
]
