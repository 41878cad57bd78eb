"""What the roofline of one GPU shows and says, and the kernels of the lesson on it."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Final

import roofline
from figures.shared.canvas import decades
from figures.shared.description import Axis, Column, Description
from roofline import Kernel

#: The same axes for every device and format, so that a change of device is seen: FLOP/byte and FLOP/s.
INTENSITIES: Final = (0.05, 1e4)
RATES: Final = (1e9, 1e17)
#: How far a point may be moved: times its own intensity.
FACTORS: Final = (1e-5, 1e5)


@dataclass(frozen=True)
class Point:
    """A kernel of the picture.

    Parameters
    ----------
    label : str
        What the picture calls it.
    cost : str
        Name of its cost function in `roofline`.
    sizes : tuple of int
        The sizes that the cost function takes first.

    Examples
    --------
    >>> Point("matmul B = 1", "matmul", (1, 4096, 4096)).working("bf16")
    'matmul(1, 4096, 4096, dtype="bf16")'
    """

    label: str
    cost: str
    sizes: tuple[int, ...]

    @property
    def value(self) -> str:
        """What the address of the page calls it.

        Returns
        -------
        str
            Its label in lower case, without spaces and signs.

        Examples
        --------
        >>> Point("matmul B = 1", "matmul", (1, 4096, 4096)).value
        'matmul-b-1'
        """
        return re.sub(r"[^a-z0-9]+", "-", self.label.lower()).strip("-")

    def kernel(self, dtype: str) -> Kernel:
        """Return its cost in a format.

        Parameters
        ----------
        dtype : str
            The format of every tensor.

        Returns
        -------
        Kernel
            FLOPs and bytes.
        """
        kernel: Kernel = getattr(roofline, self.cost)(**self.named(), dtype=dtype)
        return kernel

    def named(self) -> dict[str, int]:
        """Return its sizes by the names that the cost function has for them.

        Returns
        -------
        dict of str to int
            In the order of the function's parameters.

        Examples
        --------
        >>> Point("matmul B = 1", "matmul", (1, 4096, 4096)).named()
        {'B': 1, 'D': 4096, 'F': 4096}
        """
        return dict(zip(inspect.signature(getattr(roofline, self.cost)).parameters, self.sizes, strict=False))

    def working(self, dtype: str) -> str:
        """Return the expression that gives the same kernel.

        Parameters
        ----------
        dtype : str
            The format of every tensor.

        Returns
        -------
        str
            Over the public names of `roofline`.
        """
        parameters = inspect.signature(getattr(roofline, self.cost)).parameters
        by_name = {name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY}
        sizes = (f"{name}={size}" if name in by_name else str(size) for name, size in self.named().items())
        return f'{self.cost}({", ".join(sizes)}, dtype="{dtype}")'


#: The kernels of the lesson.
POINTS: Final = (
    Point("ReLU", "elementwise", (10**8,)),
    Point("RMSNorm", "rms_norm", (16384, 4096)),
    Point("matmul B = 1", "matmul", (1, 4096, 4096)),
    Point("decode attention (MHA)", "attention_decode", (8192, 128)),
    Point("decode attention (GQA)", "attention_decode", (8192, 128, 4)),
    Point("matmul B = 8", "matmul", (8, 4096, 4096)),
    Point("matmul B = 64", "matmul", (64, 4096, 4096)),
    Point("attention T = 512", "attention_prefill", (512, 128)),
    Point("matmul B = 345", "matmul", (345, 4096, 4096)),
    Point("attention T = 2,048", "attention_prefill", (2048, 128)),
    Point("matmul B = 4,096", "matmul", (4096, 4096, 4096)),
)
#: The one that is chosen when the figure opens.
CHOSEN: Final = POINTS[6]

DESCRIPTION: Final = Description(
    axes={
        "x": Axis("arithmetic intensity, FLOP/byte", INTENSITIES, tuple(decades(*INTENSITIES))),
        "y": Axis(
            "FLOP/s that a kernel can reach, {device}, {format}", RATES, tuple(decades(*RATES)), form="FLOP/s 1 bare"
        ),
    },
    columns=(
        Column("Kernel"),
        Column("FLOPs", "FLOP"),
        Column("Bytes", "B"),
        Column("Intensity (FLOP/byte)", "number"),
        Column("FLOPs/P", "s"),
        Column("bytes/BW", "s"),
        Column("At most", "FLOP/s"),
        Column("Of peak, at most", "% 2"),
        Column("Regime"),
        Column("Against {other}, {other_format}", "×"),
    ),
    says={
        "narrow title": "FLOP/s in reach",
        "ridge": "ridge {ridge:number ridge}",
        "memory roof": "memory roof, {bandwidth}",
        "compute roof": "compute roof, {peak}",
        "name": "{label}, {rise:×}",
        "invitation": "Choose a kernel, move it, or switch the device.",
        "readout": (
            "{label}: {flops:FLOP} and {nbytes:B}, so {intensity:FLOP/B}. FLOPs/P is {compute_time:s}, bytes/BW is "
            "{memory_time:s}: {regime}, at most {share:% 2} of peak. {moved}{rises}"
        ),
        "moved": "Moved to {factor:typed}× its own {own:FLOP/B}: the same FLOPs with {bytes:×} the bytes. ",
        "moved row": "{label}, moved to {factor:typed}×",
        "same": "Compare with another device or format to see how far each point rises.",
        "rises": (
            "Against {other}, {other_format}, it stands {rise:×} as high: points that are memory-bound on both follow "
            "the bandwidth {bandwidth}, compute-bound ones the peak alone, {peak:×}{changed}."
        ),
        "bandwidth": "alone, {rise:×}",
        "bandwidth and bytes": "and the bytes of an element, {rise:×} times {bytes:×}",
        "changed": "; in another regime now: {points}",
        "changed point": "{label} {rise:×}",
        "stays": "{label} stays on the chart: moved to {factor:typed}×.",
        "alt": (
            "The roofline of {article} {device} in {format}, both axes logarithmic. The memory roof rises with "
            "{bandwidth} until it meets the flat compute roof of {peak} at the ridge point, {ridge:FLOP/B ridge}. "
            "Memory-bound, on the slope: {memory}. Compute-bound, on the flat roof: {compute}. "
            "A dotted outline is the roofline of {other} in {other_format}."
        ),
        "point": "{label} at {intensity:FLOP/B 2}",
        "none": "none",
    },
    data={
        "points": [
            {"value": point.value, "label": point.label, "kernel": point.cost, "sizes": point.named()}
            for point in POINTS
        ],
    },
)
