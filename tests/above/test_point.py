"""The causes of a point above the roof: each is found where it was planted, and published points get theirs."""

import math

import pytest

from roofline import (
    Kernel,
    attention_prefill,
    bound,
    causes_above,
    decode_step,
    device,
    elementwise,
    fused_time,
    matmul,
    model,
    prefill_step,
    unavoidable_bytes,
)
from roofline.above import CAUSES
from roofline.above.causes import GRADES
from roofline.errors import InvalidValue, UnknownFormat

CUBE = matmul(8192, 8192, 8192)
WEIGHTS = elementwise(8 * 10**9, writes=0, name="read weights")
FULL_SQUARE = attention_prefill(16384, 128, heads=16, causal=False)
RELU_AND_CUBE = [elementwise(10**9), CUBE]


def at(kernel, flops_per_second):
    return kernel.flops / flops_per_second


def beaten(kernels, name, fmt, factor):
    """The time of a point that many times above its roof."""
    listed = [kernels] if isinstance(kernels, Kernel) else kernels
    return sum(bound(kernel, device(name).roof(fmt)).time for kernel in listed) / factor


# the cause, what ran, the device, the format of the arithmetic, the time, and what else was said
PLANTED = [
    # All 50.4 MB stay in the L2 cache of the L40S.
    ("l2", matmul(1, 4096, 12288, "fp8", outputs="bf16"), "L40S", "fp8", 15.4e-6, {}),
    # 50 MB of the 100 MB that the H100 reads do.
    ("l2", elementwise(25 * 10**6), "H100 SXM", "bf16", beaten(elementwise(25 * 10**6), "H100 SXM", "bf16", 1.5), {}),
    # FlashAttention-3 computes half of the square.
    ("causal", FULL_SQUARE, "H100 SXM", "bf16", 1.785e-3, {"square": 16384}),
    ("clock", CUBE, "RTX 5090", "bf16", at(CUBE, 242e12), {}),
    ("clock", CUBE, "RTX 4090", "bf16", at(CUBE, 173e12), {}),
    ("rounding", Kernel("write", 0, 1e10), "H100 PCIe", "fp32", 1e10 / 2.018e12, {}),
    ("overlap", RELU_AND_CUBE, "H100 SXM", "bf16", beaten(RELU_AND_CUBE, "H100 SXM", "bf16", 1.6), {}),
    ("peak", matmul(8192, 8192, 8192, "fp32"), "A100 SXM 80GB", "fp32", at(CUBE, 120e12), {}),
    ("peak", CUBE, "RTX 4090", "fp16", at(CUBE, 300e12), {}),
    ("sparsity", CUBE, "A100 SXM 80GB", "bf16", at(CUBE, 500e12), {}),
    ("storage", WEIGHTS, "H100 SXM", "bf16", beaten(WEIGHTS, "H100 SXM", "bf16", 1.9), {}),
    ("variant", WEIGHTS, "H100 PCIe", "bf16", beaten(WEIGHTS, "H100 PCIe", "bf16", 1.6), {}),
    ("flops", CUBE, "V100 SXM2", "fp16", beaten(CUBE, "V100 SXM2", "fp16", 1.9), {}),
    ("devices", CUBE, "H100 SXM", "bf16", beaten(CUBE, "H100 SXM", "bf16", 3.9), {}),
    ("units", WEIGHTS, "L4", "bf16", beaten(WEIGHTS, "L4", "bf16", 1.06), {}),
    ("units", CUBE, "L4", "bf16", beaten(CUBE, "L4", "bf16", 700), {}),
    ("work", CUBE, "L4", "bf16", beaten(CUBE, "L4", "bf16", 20), {}),
    ("timing", matmul(8, 4096, 4096), "L4", "bf16", 5e-6, {}),
]


@pytest.mark.parametrize(
    ("planted", "kernels", "name", "fmt", "seconds", "more"),
    PLANTED,
    ids=[f"{row[0]}-{row[2].replace(' ', '-')}-{number}" for number, row in enumerate(PLANTED)],
)
def test_a_planted_cause_is_ranked_first(planted, kernels, name, fmt, seconds, more):
    best, *_ = causes_above(kernels, device(name), fmt, seconds, **more)
    assert best.cause is CAUSES[planted]


def test_each_cause_is_planted():
    assert {row[0] for row in PLANTED} == set(CAUSES)


def cause(found, name):
    (one,) = [each for each in found if each.cause.name == name]
    return one


def bounds(found):
    return {each.cause.name: each.bound for each in found}


def test_the_new_bounds_are_those_of_the_cause():
    """The arithmetic of each cause, done by hand on round numbers: an L4 with 121 TFLOP/s and 300 GB/s."""
    gpu, kernel = device("L4"), Kernel("k", 121e12, 300e9)
    # Both times are 1 s. Three times too fast.
    found = bounds(causes_above(kernel, gpu, "bf16", 1 / 3))
    assert found == {"devices": pytest.approx(1 / 4), "work": pytest.approx(1 / 3), "timing": None}
    # The peak of fp8 is twice that of bf16; with it, with sparsity or half of the FLOPs, half a second is left.
    found = bounds(causes_above(Kernel("k", 121e12, 150e9), gpu, "bf16", 0.6))
    assert found == {
        "peak": pytest.approx(0.5),
        "sparsity": pytest.approx(0.5),
        "flops": pytest.approx(0.5),
        "devices": pytest.approx(0.5),
        "work": 0.6,
        "timing": None,
    }
    # Of bytes: 150e9 at half of the width; 8 bits for a byte leave 37.5e9, less than the 1 TFLOP needs.
    found = bounds(causes_above(Kernel("k", 121e12 / 4, 300e9), gpu, "bf16", 0.55))
    assert found["storage"] == found["devices"] == pytest.approx(0.5)
    assert found["units"] == pytest.approx(0.25)
    assert "flops" not in found


def test_what_does_not_fit_in_the_cache_still_comes_from_memory():
    gpu = device("L40S")
    nbytes = 2 * gpu.l2
    found = causes_above(Kernel("read", 0, nbytes), gpu, "bf16", 0.6 * nbytes / gpu.bandwidth)
    assert cause(found, "l2").bound == pytest.approx((nbytes - gpu.l2) / gpu.bandwidth)
    assert "l2" not in bounds(causes_above(Kernel("read", 0, nbytes), gpu, "bf16", 0.4 * nbytes / gpu.bandwidth))


def test_a_cache_does_not_help_where_the_arithmetic_is_too_fast():
    kernel = matmul(1024, 1024, 1024)  # 6.3 MB
    found = causes_above(kernel, device("H100 SXM"), "bf16", at(kernel, 1100e12))
    assert "l2" not in bounds(found)
    assert "storage" not in bounds(found)


def test_another_peak_is_the_lowest_that_is_high_enough():
    gpu = device("A100 SXM 80GB")
    cube = matmul(8192, 8192, 8192, "fp32")
    (tf32, *_), (bf16, *_) = (causes_above(cube, gpu, "fp32", at(CUBE, rate)) for rate in (120e12, 200e12))
    assert (tf32.bound, bf16.bound) == (pytest.approx(at(CUBE, 156e12)), pytest.approx(at(CUBE, 312e12)))
    assert "156 TFLOP/s in tf32; 312 TFLOP/s in bf16 or fp16" in tf32.why
    assert "tf32" not in bf16.why


def test_the_cores_have_no_sparsity_and_neither_has_a_device_from_before_it():
    for name, fmt in (("H100 SXM", "fp32"), ("V100 SXM2", "fp16"), ("MI250X", "bf16"), ("TPU v5e", "bf16")):
        assert "sparsity" not in bounds(causes_above(CUBE, device(name), fmt, beaten(CUBE, name, fmt, 1.5))), name
    for name in ("A100 PCIe 80GB", "MI300X"):
        assert "sparsity" in bounds(causes_above(CUBE, device(name), "bf16", beaten(CUBE, name, "bf16", 1.5))), name


def test_a_clock_goes_as_high_as_the_driver_allows():
    fast = cause(causes_above(CUBE, device("RTX 5090"), "bf16", at(CUBE, 242e12)), "clock")
    # 170 multiprocessors, 512 multiply-adds in a clock, 3,105 MHz.
    assert fast.bound == pytest.approx(at(CUBE, 170 * 512 * 3.105e9))
    assert "3,105 MHz" in fast.why
    for name, most in (("RTX 5090", 1.28), ("H100 SXM", 1.08), ("A100 SXM 80GB", 1.0)):
        for factor in (1.03, most - 0.01, most + 0.02):
            found = causes_above(CUBE, device(name), "bf16", beaten(CUBE, name, "bf16", factor))
            assert ("clock" in bounds(found)) == (1 < factor < most), (name, factor)
    # Where no driver said anything, as far as any card was seen to go.
    assert "clock" in bounds(causes_above(CUBE, device("TPU v5e"), "bf16", beaten(CUBE, "TPU v5e", "bf16", 1.19)))
    assert "clock" not in bounds(causes_above(CUBE, device("TPU v5e"), "bf16", beaten(CUBE, "TPU v5e", "bf16", 1.21)))


def test_a_rounded_figure_stands_for_what_its_parts_give_or_for_its_last_digit():
    write = Kernel("write", 0, 1e10)
    # 5,120 wires at 3.186 GHz are 2.039 TB/s, printed as 2.
    found = causes_above(write, device("H100 PCIe"), "bf16", 1e10 / 2.018e12)
    assert cause(found, "rounding").bound == pytest.approx(1e10 / 2.03904e12)
    assert "rounding" not in bounds(causes_above(write, device("H100 PCIe"), "bf16", 1e10 / 2.05e12))
    # 4.8 TB/s, of which the parts are not known, are less than 4.9; 8 TB/s of a B200 are more than it has.
    assert cause(causes_above(write, device("H200 SXM"), "bf16", 1e10 / 4.85e12), "rounding").bound == 1e10 / 4.9e12
    assert "rounding" not in bounds(causes_above(write, device("B200"), "bf16", 1e10 / 8.01e12))


def test_only_a_count_of_the_full_square_can_have_counted_a_mask():
    assert "causal" not in bounds(causes_above(FULL_SQUARE, device("H100 SXM"), "bf16", 1.785e-3))
    # Of several kernels it is the attention, and nothing else, that has a mask.
    kernels = [FULL_SQUARE, CUBE]
    roof = device("H100 SXM").roof("bf16")
    alone = bound(FULL_SQUARE, roof).time
    found = causes_above(kernels, device("H100 SXM"), "bf16", alone * 0.7 + bound(CUBE, roof).time, square=16384)
    assert bounds(found)["causal"] == pytest.approx(alone * 16385 / 32768 + bound(CUBE, roof).time)


def test_variants_are_devices_that_share_the_number_of_their_model():
    (first, *_) = causes_above(WEIGHTS, device("A100 SXM 40GB"), "bf16", 16e9 / 1.9e12)
    assert (first.cause.name, first.bound) == ("variant", pytest.approx(16e9 / 1.935e12))
    assert "A100 PCIe 80GB" in first.why
    # An RTX 5090 is no variant of an RTX 4090, though both are an RTX.
    found = causes_above(WEIGHTS, device("RTX 4090"), "bf16", 16e9 / 1.7e12)
    assert "variant" not in bounds(found)


def test_a_step_is_above_its_roof_as_a_whole():
    step = decode_step(model("Llama 3.1 70B"), 1, 128)
    found = causes_above(step, device("H200 SXM"), "bf16", 1 / 155)
    # 141 GB at 4.8 TB/s allow 34 tokens/s: what claims 155 had four times the bandwidth, or read a quarter.
    assert [each.cause.name for each in found] == ["devices", "units", "work", "timing"]


def test_what_a_fused_step_need_not_move_lowers_its_bound():
    llama, gpu = model("Llama 3.1 8B"), device("H100 SXM")
    step = prefill_step(llama, 1, 2048)
    least = unavoidable_bytes(llama, 1, 2048)
    seconds = beaten(step, "H100 SXM", "bf16", 1.05)
    with_all, with_least = (
        bounds(causes_above(step, gpu, "bf16", seconds, unavoidable=nbytes))["overlap"] for nbytes in (None, least)
    )
    assert with_least == fused_time(step, gpu.roof("bf16"), least) <= with_all


def test_a_point_on_or_below_its_roof_needs_no_cause():
    gpu = device("H100 SXM")
    time = bound(CUBE, gpu.roof("bf16")).time
    assert causes_above(CUBE, gpu, "bf16", time) == ()
    assert causes_above(CUBE, gpu, "bf16", 2 * time) == ()
    assert causes_above(CUBE, gpu, "bf16", time * (1 - 1e-12)) == ()


def test_each_cause_says_what_it_is_what_it_changes_and_how_to_try_it():
    for name, cause in CAUSES.items():
        assert cause.name == name
        assert cause.grade in GRADES
        assert not cause.title.endswith(".")
        for text in (cause.change, cause.test):
            assert text[0].isupper(), name
            assert text.endswith("."), name


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("matmul", device("L4"), "bf16", 1e-3), r"^'m' is not a Kernel; make one with matmul"),
        ((3, device("L4"), "bf16", 1e-3), r"^3 is not a Kernel; make one with matmul"),
        (([], device("L4"), "bf16", 1e-3), r"^kernels is empty; give one kernel, or those of a step$"),
        ((CUBE, "L4", "bf16", 1e-3), r"^'L4' is not a Device; write device\(\"H100 SXM\"\)$"),
        ((CUBE, device("L4"), "bf16", 0), r"^seconds is 0; it must be a positive, finite number of seconds$"),
        ((CUBE, device("L4"), "bf16", math.nan), r"^seconds is nan; it must be a positive, finite number of seconds$"),
        ((CUBE, device("L4"), "bf16", 1e-320), r"^seconds is 1e-320; it is too far from the bound"),
    ],
)
def test_what_is_no_point_is_refused_in_a_sentence(arguments, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        causes_above(*arguments)


def test_sizes_must_be_numbers():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(InvalidValue, match=r"^matmul has arrays or symbols for sizes; a measured kernel has numbers$"):
        causes_above(matmul(numpy.array([1, 2]), 8, 8), device("L4"), "bf16", 1e-3)
    with pytest.raises(InvalidValue, match=r"^seconds is ndarray and not one number; it must be"):
        causes_above(CUBE, device("L4"), "bf16", numpy.array([1e-3, 1e-4]))


def test_a_format_without_a_peak_is_refused_and_spelling_does_not_matter():
    with pytest.raises(UnknownFormat, match="L4 has no peak for 'fp4'"):
        causes_above(CUBE, device("L4"), "fp4", 1e-3)
    assert causes_above(CUBE, device("L4"), " BF16 ", 1e-3) == causes_above([CUBE], device("L4"), "bf16", 1e-3) != ()
