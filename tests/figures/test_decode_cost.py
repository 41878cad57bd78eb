"""What the static picture of a decode step's cost says, and what its interactive panel starts with."""

import math

import pytest

from figures import decode_cost
from figures.shared.controls import SAME, Press
from roofline import InvalidValue, UnknownDevice, UnknownFormat, bound, critical_batch, device, format_quantity, matmul

H100 = device("H100 SXM").roof("bf16")


def start(drawing):
    return {control.name: control.value for control in drawing.live.controls if not isinstance(control, Press)}


def test_it_says_by_how_much_the_time_moves_from_1_to_64():
    few, more = (bound(matmul(B, 4096, 4096), H100).time for B in (1, 64))
    alt = decode_cost.draw().alt
    assert (
        f"{format_quantity(more / few - 1, '%', places=0)} longer, "
        f"{format_quantity(few, 's')} and {format_quantity(more, 's')}" in alt
    )
    assert "3% longer, 10.0 µs and 10.3 µs" in alt


def test_it_marks_the_ridge_batch_and_lists_the_first_compute_bound_one():
    exact = critical_batch(4096, 4096, H100)
    drawing = decode_cost.draw()
    assert f"ridge batch {format_quantity(exact, '', places=1)}" in drawing.svg
    regimes = {row[0]: row[-1] for row in drawing.table.texts()}
    assert (regimes["256"], regimes[f"{math.ceil(exact)}"]) == ("memory-bound", "compute-bound")


@pytest.mark.parametrize("width", [16, 512, 590])
def test_where_no_batch_is_large_enough_nothing_is_marked(width):
    drawing = decode_cost.draw(width, width)
    assert "No batch is large enough" in drawing.alt
    assert "ridge batch" not in drawing.svg
    assert {row[-1] for row in drawing.table.texts()} == {"memory-bound"}


def test_the_time_without_overlap_is_both_times_and_at_most_twice_the_bound():
    for B in (1, 64, 345, 4096):
        limit = bound(matmul(B, 4096, 4096), H100)
        assert limit.time_without_overlap == limit.compute_time + limit.memory_time
        assert limit.time < limit.time_without_overlap <= 2 * limit.time
    both = bound(matmul(critical_batch(4096, 4096, H100), 4096, 4096), H100)
    assert both.time_without_overlap == pytest.approx(2 * both.time)


def test_the_controls_start_where_the_picture_is():
    assert start(decode_cost.draw()) == {
        "B": 64, "sum": True, "share": 100, "D": 4096, "F": 4096, "device": "H100 SXM", "format": "bf16",
        "weights": SAME, "activations": SAME,
    }  # fmt: skip
    other = start(decode_cost.draw(512, 2048, batch=7, name="L4", dtype="fp8", weights="int4", activations="fp8"))
    assert (other["B"], other["D"], other["F"], other["device"]) == (7, 512, 2048, "L4")
    assert (other["format"], other["weights"], other["activations"]) == ("fp8", "int4", SAME)


def test_wrong_arguments_are_refused():
    with pytest.raises(InvalidValue, match="D is 0"):
        decode_cost.draw(0)
    with pytest.raises(UnknownDevice):
        decode_cost.draw(name="H100")
    with pytest.raises(UnknownFormat):
        decode_cost.draw(weights="int3")
    with pytest.raises(InvalidValue, match="B is 0"):
        decode_cost.draw(batch=0)
