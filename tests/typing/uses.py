"""Uses of the package that a type checker must understand, and mistakes that it must find.

mypy reads this file in the lint session; nobody runs it.  A mistake that mypy stopped finding would leave its comment
without an effect, which is an error too.
"""

from typing import Any, assert_type

import numpy as np

from roofline import (
    Bound,
    Kernel,
    Roof,
    attention_decode,
    attention_prefill,
    bound,
    causes_above,
    critical_batch,
    decode_step,
    device,
    devices_needed,
    elementwise,
    expected_experts,
    matmul,
    mbu,
    model,
    sequences_that_fit,
    total_time,
)
from roofline.types import Array, Expr, Regime

GPU = device("H100 SXM")
ROOF = GPU.roof("bf16")
BATCH: Array = np.arange(1, 65)
LLAMA = model("Llama 3.1 8B")


def numbers_give_numbers() -> None:
    kernel = matmul(8, 4096, 4096, "fp8", weights="int4")
    assert_type(kernel, Kernel[float])
    assert_type(kernel.intensity, float)
    limit = bound(kernel, ROOF)
    assert_type(limit, Bound[float])
    assert_type(limit.time, float)
    assert_type(limit.regime, Regime)
    assert_type(limit.at_or_above_ridge, bool)
    assert_type(ROOF.ridge, float)
    assert_type(critical_batch(4096, 4096, ROOF), float)
    assert_type(expected_experts(8, 2, np.int64(3)), float)
    assert_type(sequences_that_fit(LLAMA, GPU.memory, 8192, cache="fp8"), float)
    assert_type(devices_needed(LLAMA, GPU.memory, 16, 8192), int)
    assert_type(total_time(decode_step(LLAMA, 1, 8192), ROOF), float)
    assert_type(LLAMA.parameters, int)


def an_array_among_them_gives_an_array() -> None:
    kernel = matmul(BATCH, 4096, 4096)
    assert_type(kernel, Kernel[Array])
    assert_type(kernel.flops, Array)
    limit = bound(kernel, ROOF)
    assert_type(limit.time, Array)
    assert_type(limit.regime, Array)
    assert_type(attention_decode(8192, 128, sequences=BATCH).nbytes, Array)
    assert_type(mbu(kernel.nbytes, 1e-3, ROOF), Array)
    assert_type(ROOF.attainable(BATCH), Array)
    assert_type(Kernel("scan", 1e9, BATCH).intensity, Array)
    assert_type(total_time(decode_step(LLAMA, BATCH, 8192), ROOF), Array)
    assert_type(bound(matmul(8, 4096, 4096), Roof(989e12, BATCH)).time, Array)


def symbols_give_formulas(B: Expr) -> None:
    assert_type(matmul(B, 4096, 4096).intensity, Expr)
    assert_type(bound(matmul(B, 4096, 4096), ROOF).at_or_above_ridge, Expr)


def what_has_no_types_is_let_through(size: Any) -> None:
    assert_type(matmul(size, 4096, 4096), Kernel[Any])


def mistakes_are_found(B: Expr, text: str) -> None:
    matmul("eight", 4096, [1])  # type: ignore[type-var]
    matmul([1, 8], 4096, 4096)  # type: ignore[type-var]
    matmul(8, 4096, 4096, "bf61")  # type: ignore[type-var]
    matmul(8, 4096, 4096, weights=text)  # type: ignore[type-var]
    # Any case is accepted when the program runs, by each of them; a checker knows one spelling, for each of them.
    matmul(8, 4096, 4096, "BF16")  # type: ignore[type-var]
    GPU.roof("BF16")  # type: ignore[arg-type]
    GPU.roof("bf17")  # type: ignore[arg-type]
    GPU.peak_limit(text)  # type: ignore[arg-type]
    GPU.peaks["bf17"]  # type: ignore[index]
    causes_above(matmul(8, 4096, 4096), GPU, "BF16", 1e-6)  # type: ignore[arg-type]
    matmul(8, 4096)  # type: ignore[call-arg]
    matmul(B, BATCH, 4096)  # type: ignore[type-var]
    elementwise(10**8, reads="two")  # type: ignore[type-var]
    attention_prefill(2048, 128, "fp8")  # type: ignore[call-arg, arg-type]
    attention_decode(8192, 128, 4)  # type: ignore[call-arg]
    bound(ROOF, matmul(8, 4096, 4096))  # type: ignore[arg-type]
    bound(matmul(8, 4096, 4096), GPU)  # type: ignore[arg-type]
    decode_step("Llama 3.1 8B", 1, 8192)  # type: ignore[arg-type]
    matmul(8, 4096, 4096).flops = 0  # type: ignore[misc]
