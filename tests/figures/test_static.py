"""What holds for every static figure: same bytes, the page's colours, readable text, numbers of the package."""

import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import roofline
from figures import (
    batch_sweep,
    decode_cost,
    four_steps,
    how_close,
    intensity_vs_batch,
    one_gpu,
    one_layer,
    own_cpu,
    reuse,
)
from figures.one_gpu.static import POINTS
from figures.shared.canvas import Box, text_width
from roofline import (
    LLAMA_3_1_8B,
    bound,
    critical_batch,
    decode_layer,
    device,
    elementwise,
    format_quantity,
    matmul,
    speedup,
    total_time,
)
from roofline.quantity import parse_shown

ROOT = Path(__file__).parents[2]
H100 = device("H100 SXM").roof("bf16")

DRAWINGS = {
    "one GPU": one_gpu.draw,
    "one GPU, low ridge": lambda: one_gpu.draw("A100 SXM 80GB", "fp32"),
    "one GPU, little bandwidth": lambda: one_gpu.draw("L4"),
    "one GPU, high ridge": lambda: one_gpu.draw("B200", "fp4"),
    "one GPU, against another format": lambda: one_gpu.draw("L40S", "fp8", other="V100 SXM2"),
    "intensity": intensity_vs_batch.draw,
    "intensity, never": lambda: intensity_vs_batch.draw(512, 512),
    "intensity, low ridge": lambda: intensity_vs_batch.draw(dtype="fp32"),
    "decode": one_layer.draw,
    "prefill": lambda: one_layer.draw("prefill", 1, 2048),
    "prefill, stored apart": lambda: one_layer.draw("prefill", 4, 512, name="L4", weights="int4", cache="fp8"),
    "decode cost": decode_cost.draw,
    "decode cost, never": lambda: decode_cost.draw(512, 512),
    "decode cost, stored apart": lambda: decode_cost.draw(name="L4", dtype="fp8", weights="int4", activations="bf16"),
    "four steps": four_steps.draw,
    "own CPU": own_cpu.draw,
    "how close": how_close.draw,
    "sweep": batch_sweep.draw,
    "sweep, above the ridge": lambda: batch_sweep.draw(1024, name="B200", dtype="fp4"),
    "sweep, MHA": lambda: batch_sweep.draw(64, mha=True, name="L4", dtype="fp32"),
    "reuse": reuse.draw,
    "reuse, by year": lambda: reuse.draw("year", 300, dtype="fp16"),
    "reuse, best format": lambda: reuse.draw("best", 256),
    "reuse, wide weights": lambda: reuse.draw("one", 512, dtype="fp8", weights="bf16"),
    "four steps, ReLU": lambda: four_steps.draw(elementwise(10**8, name="ReLU"), dtype="fp32"),
    "four steps, attention": lambda: four_steps.draw("attention_decode", T=10**6, g=8, dtype="fp8"),
    "four steps, the other lacks the format": lambda: four_steps.draw(dtype="fp4", name="B200", other="L4"),
}


@cache
def drawn(name):
    return DRAWINGS[name]()


@pytest.fixture(scope="module", params=DRAWINGS)
def drawing(request):
    return drawn(request.param)


def texts(svg):
    """Each text with its size and, where it is level, the box that it covers (y points down)."""
    for element in ET.fromstring(svg).iter("text"):  # noqa: S314 - our own drawing
        size = float(re.search(r"font: [^;]*?([\d.]+)px|font-size: ([\d.]+)px", element.get("style")).expand(r"\1\2"))
        moved = element.get("transform", "")
        if moved.startswith("rotate"):
            yield element.text, size, None
            continue
        at = re.findall(r"[\d.]+", moved) or (element.get("x"), element.get("y"))
        x, y = map(float, at)
        anchor = re.search(r"text-anchor: (\w+)", element.get("style"))
        wide = text_width(element.text, size)
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor[1] if anchor else "start"]
        yield element.text, size, Box(left, y - 0.72 * size, left + wide, y + 0.1 * size)


#: One drawing of each figure, without the cases that differ in their arguments alone.
OPENING = [name for name in DRAWINGS if "," not in name]


@pytest.mark.parametrize("name", OPENING)
def test_drawing_again_gives_the_same_bytes(name):
    again = DRAWINGS[name]()
    assert again.svg.encode() == drawn(name).svg.encode()
    assert again == drawn(name)


def test_another_process_with_other_settings_gives_the_same_bytes(tmp_path):
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nlines.color: red\nsvg.hashsalt: other\n")
    command = [sys.executable, "-c", "from figures import one_layer; print(one_layer.draw().svg)"]
    other = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path)}
    ran = subprocess.run(command, env=other, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == drawn("decode").svg


def test_every_colour_is_a_variable_of_the_page_with_a_fallback(drawing):
    outside = re.sub(r"var\(--rl-[a-z]+, #[0-9a-f]{6}\)", "", drawing.svg)
    assert not re.search(
        r"#[0-9a-fA-F]{3,8}\b(?=[;\"])|rgb\(|\bblack\b|\bwhite\b", outside.replace('href="#', 'href="')
    )


def test_it_fills_its_column_and_has_no_ground_of_its_own(drawing):
    root = ET.fromstring(drawing.svg)  # noqa: S314
    assert root.tag == "svg"
    assert root.get("viewBox").startswith("0 0 480 ")
    assert not {"width", "height"} & set(root.attrib)
    for gone in ("metadata", "<style", "<?xml", "xlink", "xmlns", "\n", "font-family", "Date"):
        assert gone not in drawing.svg


def test_it_is_an_image_whose_name_is_the_alt_text(drawing):
    root = ET.fromstring(drawing.svg)  # noqa: S314
    assert (root.get("role"), root.get("aria-label")) == ("img", drawing.alt)
    assert drawing.alt.endswith(".")


def test_text_is_large_enough_on_a_phone_and_inside_the_picture(drawing):
    height = float(drawing.svg.split('viewBox="0 0 480 ')[1].split('"')[0])
    for words, size, box in texts(drawing.svg):
        # 328 px of a phone of 360 px are left for a figure.
        assert size * 328 / 480 >= 9.5, words
        if box is not None:
            assert box.left >= 0, words
            assert box.right <= 480, words
            assert 0 <= box.bottom < box.top <= height, words


def test_no_text_covers_another(drawing):
    boxes = [(words, box) for words, _, box in texts(drawing.svg) if box is not None]
    assert not [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.meets(other)]


def test_every_cell_of_the_data_is_what_its_working_gives(drawing):
    names = {**vars(roofline), "ceil": math.ceil}
    checked = 0
    for row in drawing.table.rows:
        for shown, working in (piece for cell in row for piece in cell.pieces()):
            if working:
                value = eval(working, names)  # noqa: S307 - the expression is our own
                assert shown == value if isinstance(value, str) else parse_shown(shown).holds(value), (shown, working)
                checked += 1
    assert checked >= len(drawing.table.rows)


def test_ids_of_all_figures_on_one_page_differ():
    ids = [re.findall(r' id="([^"]+)"', drawn(name).svg) for name in DRAWINGS]
    flat = [one for many in ids for one in many]
    assert len(set(flat)) == len(flat)
    assert all(
        re.match(
            r"(one-gpu|intensity-vs-batch|one-layer|decode-cost|four-steps|batch-sweep|reuse|own-cpu|how-close)-", one
        )
        for one in flat
    )


def test_every_reference_inside_a_drawing_resolves(drawing):
    ids = set(re.findall(r' id="([^"]+)"', drawing.svg))
    assert set(re.findall(r'(?:url\(|href=")#([^")]+)', drawing.svg)) == ids


# One figure at a time -----


def test_one_gpu_says_its_numbers():
    alt = drawn("one GPU").alt
    assert f"rises with {H100.bandwidth.shown}" in alt
    assert f"{H100.peak.shown} at the ridge point, {format_quantity(H100.ridge, 'FLOP/B', places=0)}" in alt
    memory, compute = alt.split("Memory-bound, on the slope: ")[1].split("Compute-bound")
    for point in POINTS:
        kernel = point.kernel("bf16")
        assert f"{point.label} at " in (memory if bound(kernel, H100).regime == "memory-bound" else compute)
    assert f"ReLU at {format_quantity(0.25, 'FLOP/B', 2, prefix='')}" in memory


def test_one_gpu_says_by_what_ratio_each_point_rose():
    rises = {row[0]: row[-1] for row in drawn("one GPU").table.texts()}
    a100 = device("A100 SXM 80GB").roof("bf16")
    assert rises["ReLU"] == rises["matmul B = 64"] == format_quantity(H100.bandwidth / a100.bandwidth, "×")
    assert rises["matmul B = 345"] == rises["matmul B = 4,096"] == format_quantity(H100.peak / a100.peak, "×")


def test_one_gpu_has_a_circle_for_each_memory_bound_point_and_a_square_for_each_other():
    svg = drawn("one GPU").svg
    regimes = [bound(point.kernel("bf16"), H100).regime for point in POINTS]
    shapes = dict.fromkeys(re.findall(r'href="#([^"]+)"[^>]*fill: var\(--rl-(?:memory|compute)', svg))
    colours = {shape: set(re.findall(rf'href="#{shape}"[^>]*fill: var\(--rl-(\w+)', svg)) for shape in shapes}
    assert sorted(map(sorted, colours.values())) == [["compute"], ["memory"]]
    used = {colours[shape].pop(): svg.count(f'"#{shape}"') for shape in shapes}
    assert used == {"memory": regimes.count("memory-bound") + 1, "compute": regimes.count("compute-bound") + 1}  # + key


def test_one_gpu_keeps_its_axes_when_the_device_changes():
    def ticks(svg):
        return [(words, box) for words, _, box in texts(svg) if re.fullmatch(r"[\d.,]+( [GTP])?", words)]

    assert ticks(drawn("one GPU").svg) == ticks(drawn("one GPU, little bandwidth").svg) != []


def test_intensity_says_ridge_ceiling_and_threshold():
    alt = drawn("intensity").alt
    exact = critical_batch(4096, 4096, H100)
    for number in (
        format_quantity(exact, "", places=1),
        f"{math.ceil(exact)}",
        format_quantity(H100.ridge, "", places=0),
        "2,048",
    ):
        assert number in alt
    assert f"B* = {format_quantity(exact, '', places=1)}" in [words for words, *_ in texts(drawn("intensity").svg)]


def test_intensity_says_that_no_batch_is_large_enough():
    never = drawn("intensity, never")
    assert "no batch is large enough" in never.alt
    assert {row[-2] for row in never.table.texts()} == {"memory-bound"}
    assert not [words for words, *_ in texts(never.svg) if "B*" in words]


def test_intensity_lists_the_first_compute_bound_batch():
    regimes = {row[0]: row[-2] for row in drawn("intensity").table.texts()}
    assert (regimes["256"], regimes["345"]) == ("memory-bound", "compute-bound")


def test_one_layer_shows_each_bound_and_the_sum():
    layer = decode_layer(LLAMA_3_1_8B, 16, 2048)
    drawing = drawn("decode")
    shown = [words for words, *_ in texts(drawing.svg)]
    for kernel in layer:
        assert kernel.name in shown
        assert format_quantity(bound(kernel, H100).time, "s") in shown
        assert f"{kernel.name} {format_quantity(bound(kernel, H100).time, 's')}" in drawing.alt
    assert format_quantity(total_time(layer, H100), "s") in shown
    times = {row[0]: row[4] for row in drawing.table.texts()}
    assert times["one layer, the sum"] == format_quantity(total_time(layer, H100), "s")


def test_one_layer_hatches_the_memory_bound_bars_and_only_them():
    decode, prefill = drawn("decode").svg, drawn("prefill").svg
    assert decode.count("<pattern") == prefill.count("<pattern") == 1
    for svg in (decode, prefill):
        assert "fill: var(--rl-memory" in svg.split("<pattern")[1].split("</pattern>")[0]
    # 10 kernels and the sum, and one in the key.
    assert decode.count("fill: url(") == 12
    assert prefill.count("fill: url(") == 5 + 1 + 1


def test_four_steps_says_both_times_and_names_the_longer():
    limit = bound(matmul(64, 4096, 4096), H100)
    drawing = drawn("four steps")
    shown = [words for words, *_ in texts(drawing.svg)]
    for time in (limit.compute_time, limit.memory_time):
        assert format_quantity(time, "s") in shown
        assert format_quantity(time, "s") in drawing.alt
    assert shown.count("the bound") == 1
    assert f"{limit.regime} and takes at least {format_quantity(limit.time, 's')}" in drawing.alt


def test_four_steps_says_what_each_change_would_give():
    kernel = matmul(8, 4096, 14336)
    drawing = four_steps.draw("matmul", B=8, F=14336)
    for words, factor in (
        ("on H200 SXM", speedup(kernel, H100, device("H200 SXM").roof("bf16"))),
        ("half the bytes", 2),
    ):
        assert re.search(rf"{words}: \S+ µs, {format_quantity(factor, '×')} as fast", drawing.alt)
    assert "twice the FLOP/s: 35.1 µs, no faster" in drawing.alt
    assert drawn("four steps, the other lacks the format").alt.count("on L4: no fp4 peak") == 1


def test_four_steps_takes_any_kernel():
    relu = drawn("four steps, ReLU")
    assert "1.49 µs" in relu.alt
    assert "119 µs" in relu.alt
    assert relu.table.rows[0][1].working.startswith("Kernel(name='ReLU'")
