"""Every cost function by name, for the command line and for the scripts of the figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .attention import attention_chunk, attention_decode, attention_prefill, attention_shared_prefix
from .kernel import Kernel
from .kernels import elementwise, layer_norm, matmul, rms_norm, softmax
from .mla import head_matmul, mla_decode, mla_prefill
from .moe import expert_matmul

CostFunction = Callable[..., Kernel]


def _by_name(*functions: CostFunction) -> dict[str, CostFunction]:
    return {function.__name__: function for function in functions}


#: The kernels that dense layers are made of.
COMMON_COSTS: Final = _by_name(matmul, elementwise, rms_norm, layer_norm, softmax, attention_prefill, attention_decode)
#: The same and the kernels of serving, of experts and of latent attention.
COST_FUNCTIONS: Final = COMMON_COSTS | _by_name(
    attention_chunk, attention_shared_prefix, expert_matmul, head_matmul, mla_decode, mla_prefill
)
#: The parameters of cost functions that take a number format.
FORMAT_PARAMETERS: Final = frozenset({"dtype", "weights", "activations", "outputs"})
