"""How much the package costs over NumPy by hand, on a million shapes in one call. Run by ``nox -s bench``.

A benchmark, not a test: pytest does not collect it, and nothing here asserts a time.
"""

import platform
import statistics
import sys
import time

import numpy as np

from roofline import matmul
from roofline.bounds import bound
from roofline.roof import Roof

SHAPES = 1_000_000
ROUNDS = 31
TARGET = 1.2


def by_hand_cost(B, D, F):
    """The expression as one would type it: 2 B D F and 2 (B D + D F + B F)."""
    return 2 * B * D * F, 2 * (B * D + D * F + B * F)


def by_package_cost(B, D, F):
    kernel = matmul(B, D, F)
    return kernel.flops, kernel.nbytes


def by_hand_intensity(B, D, F):
    flops, nbytes = by_hand_cost(B, D, F)
    return flops / nbytes


def by_package_intensity(B, D, F):
    return matmul(B, D, F).intensity


PEAK, BANDWIDTH = 989e12, 3.35e12
ROOF = Roof(PEAK, BANDWIDTH)


def by_hand_time(B, D, F):
    flops, nbytes = by_hand_cost(B, D, F)
    return np.maximum(flops / PEAK, nbytes / BANDWIDTH)


def by_package_time(B, D, F):
    return bound(matmul(B, D, F), ROOF).time


PAIRS = {
    "FLOPs and bytes": (by_package_cost, by_hand_cost),
    "intensity": (by_package_intensity, by_hand_intensity),
    "bound on the time": (by_package_time, by_hand_time),
}


def seconds(function, sizes):
    # CPU time of this thread: what else runs on the machine must not count, and NumPy's arithmetic has one thread.
    start = time.thread_time()
    result = function(*sizes)
    taken = time.thread_time() - start
    del result  # giving the memory back is no part of the expression
    return taken


def compare(package, by_hand, sizes, rounds=ROUNDS):
    """Return the median time of each and the median of their ratios.

    The two run in turn, now one first and now the other, so that a slow moment of the machine falls on both.
    """
    ours, theirs = [], []
    for number in range(rounds + 1):
        order = [(ours, package), (theirs, by_hand)]
        for times, function in order if number % 2 else reversed(order):
            times.append(seconds(function, sizes))
    # The first round warms up.
    ours, theirs = ours[1:], theirs[1:]
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    return statistics.median(ours), statistics.median(theirs), ratio


def main():
    rng = np.random.default_rng(0)
    sizes = [rng.integers(1, 16_384, SHAPES).astype(np.float64) for _ in "BDF"]
    for package, by_hand in PAIRS.values():
        for ours, theirs in zip(np.atleast_2d(package(*sizes)), np.atleast_2d(by_hand(*sizes)), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    lines = [
        f"{SHAPES:,} shapes in one call, CPU time, median of {ROUNDS} interleaved runs",
        f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}",
        "",
        f"{'matmul':<20}{'roofline':>12}{'by hand':>12}{'ratio':>8}",
    ]
    for name, (package, by_hand) in PAIRS.items():
        ours, theirs, ratio = compare(package, by_hand, sizes)
        lines.append(f"{name:<20}{ours * 1e3:>9.2f} ms{theirs * 1e3:>9.2f} ms{ratio:>8.2f}")
    lines += ["", f"target: a ratio of at most {TARGET}", ""]
    sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    main()
