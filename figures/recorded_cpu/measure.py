"""Measure two points of this machine's own roofline: one far below its ridge point, one far above."""
# ruff: noqa: T201  (printing is what a reader runs this for)

import timeit
from collections.abc import Callable

import numpy as np


def measure(name: str, flops: float, nbytes: float, job: Callable[[], object]) -> None:
    """Time a job and print the two rates; the best of twenty runs counts."""
    seconds = min(timeit.repeat(job, number=1, repeat=20))
    speed, traffic = flops / seconds / 1e9, nbytes / seconds / 1e9
    print(f"{name}: {seconds * 1e3:.2f} ms, {speed:.2f} GFLOP/s, {traffic:.2f} GB/s")


def main() -> None:
    """Measure an addition and a matrix product in fp32."""
    count = 64 * 1024**2  # 256 MiB an array
    values = np.random.default_rng(7).random(count, dtype=np.float32)
    sums = np.empty_like(values)
    measure("x + x", count, 8 * count, lambda: np.add(values, values, out=sums))

    side = 2048
    left = values[: side**2].reshape(side, side)
    right = values[-(side**2) :].reshape(side, side)
    product = np.empty((side, side), dtype=np.float32)

    def multiply() -> object:
        return np.matmul(left, right, out=product)

    measure("A @ B", 2 * side**3, 12 * side**2, multiply)


if __name__ == "__main__":
    main()
