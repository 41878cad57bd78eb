"""A measured point that lies above its roof, and what each cause would make of its bound.

Each cause is a function of the point that returns a bound and the reason for it in words, or None where the cause
cannot apply.  `causes_above` keeps those whose bound the measured time does not beat, and ranks them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from roofline.arguments import amount, is_array, is_symbolic
from roofline.attention import causal_share
from roofline.catalog import DatasheetValue, Device, devices
from roofline.errors import InvalidValue
from roofline.formats import BYTES, format_name
from roofline.fusion import fused_time
from roofline.kernel import Kernel, require_kernel
from roofline.quantity import format_quantity, parse_shown
from roofline.roof import Roof
from roofline.steps import total_time
from roofline.types import FormatName

from .causes import CAUSES, GRADES, Cause

#: The most that an L2 cache was seen to deliver, as a multiple of the memory's bandwidth, rounded up: 5.3 TB/s on an
#: L40 with 864 GB/s, https://github.com/RRZE-HPC/gpu-benches, gpu-l2-cache/l40.txt, as of 2026-12-01.
L2_OVER_MEMORY: Final = 7.0
#: Where the highest clock is not known: the most that a matmul was seen to exceed a peak at its stated clock, rounded
#: up. 122 TFLOP/s of tf32 on an RTX 5090 with 104.8, https://github.com/zzc0721/torch-performance-test-data, as of
#: 2026-12-01.
CLOCK_OVER_STATED: Final = 1.2
#: Up to here a time may be that of a launch alone, s: an empty kernel takes a few microseconds from call to end.
LAUNCH: Final = 10e-6
#: A slip of a unit that leaves a smaller share of the bound explains more than there is: code that anyone measures
#: does better.
_LEAST_SHARE: Final = 0.05
#: How far a time may lie below a bound and still be equal to it, as floats round.
_ROUNDING: Final = 1e-9
#: Year from which the matrix units of a vendor skip zeros in a 2:4 pattern: NVIDIA since Ampere, AMD since CDNA 3.
_SPARSE_SINCE: Final = {"NVIDIA": 2020, "AMD": 2023}
_ON_CORES: Final = frozenset({"fp64", "fp64_tensor", "fp32"})
#: Factors by which two units are mistaken for each other, with their names.
_TIME_SLIPS: Final = ((1000.0, "milliseconds were read as microseconds, or the like"),)
_BYTE_SLIPS: Final = (
    (2**10 / 1e3, "bytes were counted with 1 KiB for 1 kB"),
    (2**20 / 1e6, "bytes were counted with 1 MiB for 1 MB"),
    (2**30 / 1e9, "bytes were counted with 1 GiB for 1 GB"),
    (8.0, "bits were counted as bytes"),
)


@dataclass(frozen=True)
class Explanation:
    """A cause that fits a measured time above the bound.

    Attributes
    ----------
    cause : Cause
        What happened, what it changes and how to try it.
    why : str
        The numbers that make it fit.
    bound : float or None
        What the bound would be, s; None where the time is what would change.
    allowed : float
        By what factor the cause lowers the bound; infinite where it fits any time.
    share : float or None
        Bound over measured time: what the point would reach of its new roof, at most 1.
    fit : float
        The factor that is needed over the factor that is allowed, on a logarithmic scale: 1 where the cause lowers the
        bound to the measured time and no further, near 0 where it would allow far more than was measured. Of causes
        that fit any number 0, or 1 where the time is as short as that of a launch, for a clock that stopped too early.

    Examples
    --------
    >>> from roofline import device, matmul
    >>> best, *_ = causes_above(matmul(8192, 8192, 8192), device("A100 SXM 80GB"), "fp32", 11e-3)
    >>> best.cause.name, round(best.allowed), round(best.share, 2)
    ('peak', 8, 0.64)
    """

    cause: Cause
    why: str
    bound: float | None
    allowed: float
    share: float | None
    fit: float


@dataclass(frozen=True)
class Point:
    """What was stated and measured.

    Attributes
    ----------
    kernels : tuple of Kernel
        What ran, one after another.
    device : Device
        Where.
    format : str
        In which format the arithmetic is, as `roofline.formats` writes it.
    seconds : float
        The measured time, s.
    square : float or None
        Tokens of a prompt whose full square of scores was counted.
    unavoidable : float or None
        Bytes that cross however the kernels are fused.
    """

    kernels: tuple[Kernel[float], ...]
    device: Device
    format: FormatName
    seconds: float
    square: float | None = None
    unavoidable: float | None = None

    @cached_property
    def roof(self) -> Roof[float]:
        """The roof of the device for the format."""
        return self.device.roof(self.format)

    @property
    def peak(self) -> DatasheetValue:
        """The peak of that roof, with its source and its digits."""
        return self.device.peaks[self.format]

    @property
    def flops(self) -> float:
        """FLOPs of all kernels."""
        return sum(kernel.flops for kernel in self.kernels)

    @property
    def nbytes(self) -> float:
        """Bytes of all kernels."""
        return sum(kernel.nbytes for kernel in self.kernels)

    @property
    def compute_time(self) -> float:
        """Time of the arithmetic alone, s."""
        return self.flops / self.roof.peak

    @cached_property
    def bound(self) -> float:
        """The sum of the bounds of the kernels, s."""
        return self.under(self.roof)

    @property
    def needed(self) -> float:
        """By what factor the bound is too high; above 1 where the point lies above the roof."""
        return self.bound / self.seconds

    def under(self, roof: Roof[float]) -> float:
        """Return the bound under another roof, s."""
        return total_time(self.kernels, roof)

    def with_peak(self, peak: float) -> float:
        """Return the bound with another peak, s."""
        return self.under(Roof(peak, self.roof.bandwidth))

    def scaled(self, flops: float = 1.0, nbytes: float = 1.0) -> float:
        """Return the bound with these shares of the FLOPs and of the bytes, s."""
        kernels = tuple(Kernel(k.name, k.flops * flops, k.nbytes * nbytes) for k in self.kernels)
        return replace(self, kernels=kernels).bound


#: A bound, and why it would hold.
Reason = tuple[float, str]


def causes_above(
    kernels: Kernel[float] | Iterable[Kernel[float]],
    device: Device,
    format: FormatName,  # noqa: A002 - the lesson's word for it
    seconds: float,
    *,
    square: float | None = None,
    unavoidable: float | None = None,
) -> tuple[Explanation, ...]:
    """Return the causes that fit a measured time below the bound, the best first.

    Parameters
    ----------
    kernels : Kernel or iterable of Kernel
        What was timed: one kernel, or those of a step, one after another.
    device : Device
        The device of the catalog that it is said to have run on.
    format : str
        Format of the arithmetic, such as ``"bf16"``; the device must have a peak for it.
    seconds : float
        The measured time, s, above 0.
    square : float, optional
        Tokens of a prompt, above 0, where the FLOPs of the attention count the full square of its scores.
    unavoidable : float, optional
        Bytes that cross however the kernels are fused, as from `unavoidable_bytes`; those of all kernels where left
        out.

    Returns
    -------
    tuple of Explanation
        Empty where the point is not above the roof. First the causes by which nothing that was stated is wrong, then
        those by which something is, by a factor that is known beforehand, at last those that fit any number; within
        each of the three by how well the needed factor fits, and where two fit equally, the common before the rare.

    Raises
    ------
    InvalidValue
        Where an argument breaks its rule, or the kernels have arrays or symbols for sizes.
    UnknownFormat
        Where the device has no peak for the format.

    Notes
    -----
    A cause is listed only if the point would not be above the roof that it leaves. Every cause is an assumption to
    try, not a finding.

    Examples
    --------
    >>> from roofline import device, matmul
    >>> gemv = matmul(1, 4096, 12288, "fp8", outputs="bf16")
    >>> best, *others = causes_above(gemv, device("L40S"), "fp8", 15.4e-6)
    >>> best.cause.title
    'The data comes from the L2 cache'
    >>> [other.cause.name for other in others]
    ['devices', 'units', 'work', 'timing']
    """
    point = _point(kernels, device, format, seconds, square, unavoidable)
    if point.needed <= 1 + _ROUNDING:
        return ()
    found = [_explanation(point, CAUSES[name], *reason) for name, of in _BOUNDS.items() if (reason := of(point))]
    found.append(_timing(point))
    fitting = [each for each in found if each.share is None or each.share <= 1 + _ROUNDING]
    order = list(CAUSES)

    def rank(each: Explanation) -> tuple[int, float, int]:
        return GRADES.index(each.cause.grade), -round(each.fit, 2), order.index(each.cause.name)

    return tuple(sorted(fitting, key=rank))


def _point(
    kernels: Kernel[float] | Iterable[Kernel[float]],
    device: Device,
    fmt: FormatName,
    seconds: float,
    square: float | None,
    unavoidable: float | None,
) -> Point:
    listed = tuple(kernels) if isinstance(kernels, Iterable) else (kernels,)
    if not listed:
        raise InvalidValue("kernels is empty; give one kernel, or those of a step")
    for kernel in listed:
        require_kernel(kernel)
        if any(is_array(size) or is_symbolic(size) for size in (kernel.flops, kernel.nbytes)):
            raise InvalidValue(f"{kernel.name} has arrays or symbols for sizes; a measured kernel has numbers")
    if not isinstance(device, Device):
        raise InvalidValue(f'{device!r} is not a Device; write device("H100 SXM")')
    point = Point(
        listed,
        device,
        format_name(fmt),
        _number("seconds", seconds, "a positive, finite number of seconds"),
        None if square is None else _number("square", square, "a positive, finite number of tokens"),
        None if unavoidable is None else _number("unavoidable", unavoidable, "a positive, finite number of bytes"),
    )
    if not math.isfinite(point.needed) or point.needed == 0:
        raise InvalidValue(f"seconds is {seconds}; it is too far from the bound to be compared with it")
    return point


def _number(name: str, value: object, rule: str) -> float:
    checked = amount(name, value, rule)
    if is_array(checked) or is_symbolic(checked):
        raise InvalidValue(f"{name} is {type(value).__name__} and not one number; it must be {rule}")
    return float(checked)


def _explanation(point: Point, cause: Cause, limit: float, why: str) -> Explanation:
    allowed = point.bound / limit
    known = allowed > 1 and cause.grade != "any number"
    fit = math.log(point.needed) / math.log(allowed) if known else 0.0
    return Explanation(cause, why, limit, allowed, limit / point.seconds, fit)


def _timing(point: Point) -> Explanation:
    why = f"the work takes {_s(point.bound)} at least, of which {_s(point.seconds)} were measured"
    launch = point.seconds <= LAUNCH
    if launch:
        why += ", no more than the launch of an empty kernel may take"
    return Explanation(CAUSES["timing"], why, None, math.inf, None, float(launch))


def _l2(point: Point) -> Reason | None:
    cache = point.device.l2
    if cache is None:
        return None
    nbytes, bandwidth = point.nbytes, point.roof.bandwidth
    outside = max(nbytes - cache, 0.0)
    memory_time = max(outside, nbytes / L2_OVER_MEMORY) / bandwidth
    saved = nbytes / bandwidth - memory_time
    limit = max(point.compute_time, point.bound - saved)
    rate = format_quantity(nbytes / point.seconds, "B/s")
    if outside:
        why = (
            f"{cache.shown} of the {_b(nbytes)} can stay in the L2 cache from one run to the next, so that"
            f" {_b(outside)} are left to read from memory"
        )
    else:
        why = (
            f"all {_b(nbytes)} fit in the L2 cache of {cache.shown}, and need not come from memory; {rate} are"
            f" {format_quantity(nbytes / point.seconds / bandwidth, '×', 2)} the memory's bandwidth, and no cache was"
            f" seen to deliver more than {L2_OVER_MEMORY:.0f}×"
        )
    return limit, why


def _causal(point: Point) -> Reason | None:
    if point.square is None:
        return None
    share = causal_share(point.square)
    masked = [kernel for kernel in point.kernels if "attention" in kernel.name] or list(point.kernels)
    kernels = tuple(
        Kernel(kernel.name, kernel.flops * share, kernel.nbytes) if kernel in masked else kernel
        for kernel in point.kernels
    )
    why = (
        f"with {format_quantity(point.square)} tokens the mask keeps {format_quantity(share, '%', 4)} of the scores,"
        " and the FLOPs count all of them"
    )
    return replace(point, kernels=kernels).bound, why


def _clock(point: Point) -> Reason | None:
    highest, known = point.device.build.highest, point.device.peak_limit(point.format)
    over = format_quantity(point.needed - 1, "%", 2)
    if highest is not None and known is not None:
        may = f"the driver allows up to {highest.shown}, which makes {format_quantity(known, point.peak.unit, 4)}"
    else:
        may = f"no matmul was measured more than {format_quantity(CLOCK_OVER_STATED - 1, '%', 2)} above its peak"
    limit = CLOCK_OVER_STATED * point.peak if known is None else max(known, point.peak)
    return point.with_peak(limit), f"a clock {over} above the stated one is enough, and {may}"


def _rounding(point: Point) -> Reason | None:
    build, peak, bandwidth = point.device.build, point.peak, point.device.bandwidth
    clock = build.clocks.get(point.format)
    of_peak = None if clock is None else build.peak(point.format, clock)
    highest = Roof(_unrounded(peak, of_peak), _unrounded(bandwidth, point.device.bandwidth_limit))
    why = (
        f"{peak.shown} and {bandwidth.shown} may stand for up to {format_quantity(highest.peak, peak.unit, 4)} and"
        f" {format_quantity(highest.bandwidth, 'B/s', 4)}"
    )
    return point.under(highest), why


def _unrounded(value: DatasheetValue, parts: float | None) -> float:
    """Return the most that a printed figure may stand for: what its parts give, or one more in its last digit."""
    if parts is not None:
        return max(value, parts)
    return value if value.nature == "rounded up" else value + parse_shown(value.shown).step


def _overlap(point: Point) -> Reason | None:
    if len(point.kernels) < 2:
        return None
    nbytes = point.nbytes if point.unavoidable is None else point.unavoidable
    why = (
        f"the {len(point.kernels)} kernels together have {format_quantity(point.flops, 'FLOP')}, and {_b(nbytes)} cross"
        " however they are joined; where they run at the same time only the larger of the two times is a bound"
    )
    return fused_time(point.kernels, point.roof, nbytes), why


def _peak(point: Point) -> Reason | None:
    # Nobody takes integers for floats unnoticed.
    peaks = {fmt: peak for fmt, peak in point.device.peaks.items() if peak.unit == point.peak.unit}
    higher = sorted({float(peak) for peak in peaks.values() if peak > point.roof.peak})
    enough = [peak for peak in higher if _beaten(point, point.with_peak(peak))]
    if not enough:
        return None
    of_peak = {peak: [fmt for fmt, value in peaks.items() if value == peak] for peak in enough}
    listed = "; ".join(f"{peaks[formats[0]].shown} in {' or '.join(formats)}" for formats in of_peak.values())
    rate = format_quantity(point.flops / point.seconds, point.peak.unit)
    return point.with_peak(enough[0]), f"{rate} are below other peaks of the device: {listed}"


def _sparsity(point: Point) -> Reason | None:
    since = _SPARSE_SINCE.get(point.device.vendor)
    if since is None or point.device.year < since or point.format in _ON_CORES:
        return None
    twice = 2 * point.roof.peak
    why = f"with half of the values zero the peak is {format_quantity(twice, point.peak.unit, 4)}, twice the dense one"
    return point.with_peak(twice), why


def _storage(point: Point) -> Reason | None:
    nbytes = BYTES.get(point.format)
    for parts in (2, 4, 8):
        if nbytes is not None and nbytes / parts >= min(BYTES.values()):
            limit = point.scaled(nbytes=1 / parts)
            if _beaten(point, limit):
                return limit, f"at {_bits(nbytes)} bits a value were counted, and {_bits(nbytes / parts)} bits would do"
    return None


def _variant(point: Point) -> Reason | None:
    bounds = {
        other.name: point.under(other.roof(point.format))
        for other in devices()
        if other != point.device
        and _model_number(other.name) == _model_number(point.device.name)
        and point.format in other.formats
    }
    fitting = {name: limit for name, limit in bounds.items() if _beaten(point, limit)}
    if not fitting:
        return None
    name, limit = max(fitting.items(), key=lambda item: item[1])
    return limit, f"the bound is {_s(limit)} on the {name}"


def _model_number(name: str) -> str:
    """Return the word of a name that variants share: the first with a digit, as in RTX 4090 and H100 PCIe."""
    return next((word for word in name.split() if any(letter.isdigit() for letter in word)), name)


def _devices(point: Point) -> Reason | None:
    for n in (2, 4, 8):
        if _beaten(point, point.bound / n):
            why = (
                f"{n} devices have {n} times the peak and the bandwidth that the roof counts, which is that of one"
                f" {point.device.scope}"
            )
            return point.bound / n, why
    return None


def _flops(point: Point) -> Reason | None:
    why = (
        f"half of the {format_quantity(point.flops, 'FLOP')} in the measured time are"
        f" {format_quantity(point.flops / 2 / point.seconds, point.peak.unit)}"
    )
    return point.scaled(flops=0.5), why


def _units(point: Point) -> Reason | None:
    limits = [(point.bound / factor, factor, slip) for factor, slip in _TIME_SLIPS]
    limits += [(point.scaled(nbytes=1 / factor), factor, slip) for factor, slip in _BYTE_SLIPS]
    fitting = [one for one in limits if one[0] / point.seconds >= _LEAST_SHARE and _beaten(point, one[0])]
    if not fitting:
        return None
    limit, factor, slip = max(fitting)
    return limit, f"the point is too high by {_times(point.needed)}, and {slip}, which makes {_times(factor)}"


def _work(point: Point) -> Reason | None:
    done = {
        "FLOPs": point.roof.peak * point.seconds / point.flops if point.flops else math.inf,
        "bytes": point.roof.bandwidth * point.seconds / point.nbytes,
    }
    parts = [f"{format_quantity(share, '%', 2)} of the {what}" for what, share in done.items() if share < 1]
    at_most = " and ".join(parts) or format_quantity(1 / point.needed, "%", 2) + " of the work"
    return point.seconds, f"in {_s(point.seconds)} the device does at most {at_most}"


def _beaten(point: Point, limit: float) -> bool:
    """Say whether a measured point keeps a bound."""
    return limit <= point.seconds * (1 + _ROUNDING)


def _s(seconds: float) -> str:
    return format_quantity(seconds, "s")


def _b(nbytes: float) -> str:
    return format_quantity(nbytes, "B")


def _times(factor: float) -> str:
    return format_quantity(factor, "×", 4)


def _bits(nbytes: float) -> str:
    return f"{8 * nbytes:g}"


#: What each cause makes of the bound, by its name.
_BOUNDS: Final[dict[str, Callable[[Point], Reason | None]]] = {
    "l2": _l2,
    "causal": _causal,
    "clock": _clock,
    "rounding": _rounding,
    "overlap": _overlap,
    "peak": _peak,
    "sparsity": _sparsity,
    "storage": _storage,
    "variant": _variant,
    "devices": _devices,
    "flops": _flops,
    "units": _units,
    "work": _work,
}
