"""The causes that put a measured point above its roof: what each one is, what it changes, and how to try it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

#: Why a cause may be believed: nothing that was stated is wrong; something is, by a factor that is known beforehand;
#: or a number is wrong by whatever factor it takes.
Grade: TypeAlias = Literal["as stated", "not as stated", "any number"]
GRADES: Final[tuple[Grade, ...]] = ("as stated", "not as stated", "any number")


@dataclass(frozen=True)
class Cause:
    """One cause of a point above the roof.

    Attributes
    ----------
    name : str
        A word for programs, such as ``"l2"``.
    grade : str
        Whether the kernel, the device and the time are ``"as stated"``, ``"not as stated"`` by a factor that is known
        beforehand, or wrong by ``"any number"``.
    title : str
        What happened, as the head of a paragraph.
    change : str
        What becomes of the bound.
    test : str
        One experiment, and what one sees in it where this is the cause; what is typed stands between backticks.

    Examples
    --------
    >>> CAUSES["clock"].title
    'The clock is above the one that the peak is stated for'
    """

    name: str
    grade: Grade
    title: str
    change: str
    test: str


#: All causes by name, in the order in which causes of one grade that fit equally well are listed: from the common to
#: the rare.
CAUSES: Final[dict[str, Cause]] = {
    cause.name: cause
    for cause in (
        Cause(
            "l2",
            "as stated",
            "The data comes from the L2 cache",
            "The memory's bandwidth limits only what does not fit in the cache.",
            "Work on several copies of the data in turn, together a few times the size of the cache, or clear the cache"
            " before each run, as Nsight Compute does with `--cache-control all`: the time rises to the bound or"
            " above.",
        ),
        Cause(
            "causal",
            "as stated",
            "The mask leaves out half of the scores, and all of them were counted",
            "The FLOPs of the scores fall to (T + 1) / 2T of the full square.",
            "Time the same kernel without its causal mask: it takes nearly twice as long.",
        ),
        Cause(
            "clock",
            "as stated",
            "The clock is above the one that the peak is stated for",
            "The peak grows with the clock, the bandwidth does not.",
            "Hold the clock at the stated one with `nvidia-smi --lock-gpu-clocks`: the rate falls below the peak. Or"
            " read the clock while the kernel runs, and scale the peak by it.",
        ),
        Cause(
            "rounding",
            "as stated",
            "The datasheet rounds its figure down",
            "Both limits are what clock, units and width give, or up to one more in their last printed digit.",
            "Work the bandwidth out from the memory's data rate and its width, and the peak from units and clock: the"
            " rate stays below that.",
        ),
        Cause(
            "overlap",
            "as stated",
            "Kernels that were counted one by one ran together, or were fused",
            "Their bounds no longer add up. What remains is all FLOPs divided by the peak, or what must cross in any"
            " case divided by the bandwidth.",
            "Look at a timeline, such as that of Nsight Systems: kernels overlap, or fewer are there than were counted."
            " Wait after each of them, and the time rises to the sum.",
        ),
        Cause(
            "peak",
            "not as stated",
            "The arithmetic ran in another format",
            "The peak is that of the other format.",
            "Forbid the faster format (in PyTorch, `allow_tf32 = False` for fp32): the rate"
            " falls below the stated peak. Or compare the result with one in fp64: its error is that of fewer bits.",
        ),
        Cause(
            "sparsity",
            "not as stated",
            "The units skip zeros (2:4 sparsity)",
            "The peak is twice the dense one.",
            "Fill the matrices with random numbers and call the dense kernel: the rate falls below the dense peak.",
        ),
        Cause(
            "storage",
            "not as stated",
            "The values take fewer bytes than were counted",
            "The bytes fall to a half, a quarter or an eighth.",
            "Add up the bytes of the tensors as they are stored (in PyTorch, `tensor.nbytes`), and hold the time"
            " against the bound of that sum.",
        ),
        Cause(
            "variant",
            "not as stated",
            "It ran on another variant of the device",
            "Peak and bandwidth are those of the variant.",
            "Ask the driver for the full name and the size of the memory (`nvidia-smi -q`), and take that roof.",
        ),
        Cause(
            "flops",
            "not as stated",
            "FLOPs were counted twice",
            "The FLOPs fall to a half.",
            "Count a small case by hand, with two FLOPs for a multiply-add: it comes to half of the formula's count.",
        ),
        Cause(
            "devices",
            "not as stated",
            "More than one device did the work",
            "Peak and bandwidth are multiplied by the number of devices, or of dies in one package.",
            "Let the program see one device only (`CUDA_VISIBLE_DEVICES=0`): the time rises by the number of devices,"
            " or the program stops for lack of memory.",
        ),
        Cause(
            "units",
            "not as stated",
            "A unit slipped",
            "The time or the bytes change by the ratio of two units.",
            "Compute the rate once more from the raw reading, with the unit written behind each number: another rate"
            " comes out.",
        ),
        Cause(
            "work",
            "any number",
            "Less was done than was counted",
            "FLOPs and bytes fall to what was done.",
            "Change the input before each run and check each result: a kernel that skips zeros, hands out a stored"
            " result, or was dropped because nobody reads the result gives itself away. Read the bytes that crossed"
            " from a profiler, and compare them with the count.",
        ),
        Cause(
            "timing",
            "any number",
            "The clock stopped before the work was done",
            "The bound stays; the time is longer than measured.",
            "Double the size: the time of a launch alone stays what it was. Wait for the device before each reading of"
            " the clock, and take the mean of many runs: the time rises to the bound or above.",
        ),
    )
}
