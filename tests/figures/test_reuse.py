"""The static picture of the ridge points: every device, in the order and the colour that its view says."""

import functools
import os

import pytest

from figures import reuse
from figures.reuse.static import BOUNDLESS, best_format, ordered
from roofline import bound, critical_batch, device, devices, format_quantity, matmul
from roofline.formats import BYTES
from tests.figures.test_static import texts

draw = functools.cache(reuse.draw)
OF_EACH_WIDTH = {width: fmt for fmt, width in BYTES.items()}.values()


# A view is an order, whatever the format; its own words for a format stand in the one where most have none.
@pytest.mark.parametrize(
    ("view", "fmt"), [("one", "bf16"), ("one", "fp16"), ("one", "fp4"), ("year", "bf16"), ("best", "bf16")]
)
def test_every_device_is_there_with_its_ridge_point_or_with_the_words_that_it_has_none(view, fmt):
    drawing = draw(view, dtype=fmt)
    rows = {row[0]: row for row in drawing.table.texts()}
    shown = [words for words, *_ in texts(drawing.svg)]
    assert set(rows) == {gpu.name for gpu in devices()} <= set(shown)
    for gpu in devices():
        dtype = best_format(gpu) if view == "best" else fmt
        if dtype in gpu.formats:
            ridge = gpu.roof(dtype).ridge
            assert tuple(rows[gpu.name][2:4]) == (
                dtype,
                format_quantity(ridge, "", places=0 if ridge >= 100 else 1, prefix=""),
            )
        else:
            assert rows[gpu.name][2] == f"no {dtype} peak"
            assert f"no {dtype} peak" in shown
            assert gpu.name in drawing.alt.split(f"No {dtype} peak: ")[1]


# One of the formats of each width, and once a week all.
@pytest.mark.parametrize("stored", ["same", *(BYTES if os.environ.get("WEEKLY") else OF_EACH_WIDTH)])
def test_the_line_is_twice_the_batch_over_the_bytes_of_a_weight(stored):
    fmt = "bf16" if stored == "same" else stored
    kernel = matmul(48, BOUNDLESS, BOUNDLESS, weights=fmt)
    assert kernel.intensity == pytest.approx(2 * 48 / BYTES[fmt], rel=1e-15)
    assert (
        f"{format_quantity(kernel.intensity, '', 3, prefix='')}".rstrip("0").rstrip(".")
        in draw("one", 48, weights=stored).alt
    )


def test_a_bar_is_blue_from_the_batch_needed_on():
    roof = device("H200 SXM").roof("bf16")
    needed = critical_batch(BOUNDLESS, BOUNDLESS, roof)
    assert needed == pytest.approx(roof.ridge)
    for batch, regime in ((206, "memory-bound"), (207, "compute-bound")):
        assert bound(matmul(batch, BOUNDLESS, BOUNDLESS), roof).regime == regime
        assert {row[0]: row[-1] for row in draw("one", batch).table.texts()}["H200 SXM"] == regime


def test_views_are_in_their_order():
    def column(view, index, **options):
        return [row[index] for row in draw(view, **options).table.texts()]

    lacking = [gpu.name for gpu in devices() if "bf16" not in gpu.formats]
    ridges = {gpu.name: gpu.roof("bf16").ridge for gpu in devices() if "bf16" in gpu.formats}
    shown = [ridges[name] for name in column("one", 0)[: len(ridges)]]
    assert shown == sorted(shown)
    assert column("one", 0)[len(ridges) :] == lacking
    for view in ("year", "best"):
        assert column(view, 1) == sorted(column(view, 1))
    assert ordered("one", []) == []


def test_the_best_format_is_the_floating_point_format_with_the_highest_peak():
    found = {gpu.name: best_format(gpu) for gpu in devices()}
    assert {name: found[name] for name in ("V100 SXM2", "A100 SXM 80GB", "H100 SXM", "B200", "TPU v5e")} == {
        "V100 SXM2": "fp16", "A100 SXM 80GB": "bf16", "H100 SXM": "fp8", "B200": "fp4", "TPU v5e": "bf16",
    }  # fmt: skip


def test_the_picture_grows_with_the_number_of_devices():
    height = float(draw().svg.split('viewBox="0 0 480 ')[1].split('"')[0])
    assert height / len(devices()) >= 23


def test_memory_bound_bars_are_hatched_and_compute_bound_ones_are_not():
    regimes = [row[-1] for row in draw("one", 250).table.texts()]
    assert 0 < regimes.count("memory-bound") < len(regimes)
    assert draw("one", 250).svg.count("fill: url(") == regimes.count("memory-bound") + 1  # and one in the key
