"""Measure two points of this machine's own roofline: one far below its ridge point, one far above."""
# ruff: noqa: T201  (printing is what a reader runs this for)

import timeit
from collections.abc import Callable

import numpy as np


def shortest(job: Callable[[], object]) -> float:
    """Seconds of the best of twenty runs: other work on the machine only makes a run longer."""
    return min(timeit.repeat(job, number=1, repeat=20))


def report(name: str, flops: float, nbytes: float, seconds: float) -> None:
    """Print the two rates that the counts and the time give."""
    print(f"{name}: {seconds * 1e3:.2f} ms, {flops / seconds / 1e9:.2f} GFLOP/s, {nbytes / seconds / 1e9:.2f} GB/s")


if __name__ == "__main__":
    count = 64 * 1024**2  # 256 MiB of fp32 an array
    values = np.random.default_rng(7).random(count, dtype=np.float32)
    sums = np.empty_like(values)
    report("x + x", count, 8 * count, shortest(lambda: np.add(values, values, out=sums)))

    side = 2048
    left = values[: side**2].reshape(side, side)
    right = values[-(side**2) :].reshape(side, side)
    product = np.empty((side, side), dtype=np.float32)
    report("A @ B", 2 * side**3, 12 * side**2, shortest(lambda: np.matmul(left, right, out=product)))
