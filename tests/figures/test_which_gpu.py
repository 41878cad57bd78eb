"""The static picture of the devices: each has its bar and its count, or the words that it has no such peak."""

import pytest

from figures import which_gpu
from figures.device_roofline import draw
from roofline import devices, model
from tests.figures.test_static import texts


@pytest.mark.parametrize("state", [("Llama 3.1 8B", 16, 8192), ("Llama 3.1 405B", 64, 8192), ("Mixtral 8x7B", 1, 128)])
def test_every_device_is_in_the_picture_with_its_number(state):
    drawing = which_gpu.draw(*state)
    shown = {words for words, *_ in texts(drawing.svg)}
    for name, needed, _, _, rate, _ in drawing.table.texts():
        assert (f"{name} × {needed}" if needed != "1" else name) in shown
        assert rate == "–" or rate.removesuffix(" tokens/s") in shown
    assert "bounds and not measurements" in drawing.alt
    assert (drawing.live is not None) == model(state[0]).is_plain


def test_only_models_that_the_script_knows_can_be_chosen():
    (model, *_) = which_gpu.draw().live.controls
    assert "Llama 3.1 8B" in dict(model.options)
    assert "Mixtral 8x7B" not in dict(model.options)


@pytest.mark.parametrize("gpu", devices(), ids=lambda gpu: gpu.name)
def test_the_roofline_of_a_device_is_light_and_has_every_peak(gpu):
    drawing = draw(gpu.name)
    assert len(drawing.svg) < 9_000
    assert all(fmt in drawing.alt for fmt in gpu.formats)
    assert all(figure.shown in drawing.alt for figure in (gpu.bandwidth, *gpu.peaks.values()) if figure.unit != "OP/s")
    assert [row[0] for row in drawing.table.texts()] == list(gpu.formats)
