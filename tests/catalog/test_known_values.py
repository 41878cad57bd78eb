"""Each value of the catalog is typed once more in known_values.toml: a slip in one of the two is found."""

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest

from roofline import devices, models
from roofline.catalog.model_file import FILE

KNOWN = tomllib.loads((Path(__file__).parent / "known_values.toml").read_text(encoding="utf-8"))
MODELS = tomllib.loads(resources.files("roofline.catalog").joinpath(FILE).read_text(encoding="utf-8"))["model"]


def known(kind, name, keys):
    """What is known of a device or model; the sentence is for whoever has just added one."""
    row = KNOWN[kind].get(name, {})
    missing = [key for key in keys if key not in row]
    assert not missing, (
        f'known_values.toml lacks {", ".join(missing)} of [{kind}."{name}"]; type them from the source, in SI units'
    )
    return row


@pytest.mark.parametrize("gpu", devices(), ids=lambda gpu: gpu.name)
def test_every_value_of_a_device_is_the_one_that_is_known(gpu):
    found = {value.name.removeprefix(f"{gpu.name} "): float(value) for value in gpu.datasheet}
    row = known("device", gpu.name, found)
    wrong = [
        f"devices.toml says {found.get(key)} for {key} of {gpu.name}, known_values.toml says {row.get(key)}"
        for key in found.keys() | row.keys() - {"exceptions"}
        if found.get(key) != row.get(key)
    ]
    assert not wrong, f"{'; '.join(wrong)}: look at the source"


@pytest.mark.parametrize("gpu", devices(), ids=lambda gpu: gpu.name)
def test_peaks_in_an_unusual_ratio_are_known_and_have_a_reason(gpu):
    usual = {("tf32", "bf16"): 0.5, ("fp8", "bf16"): 2, ("int8", "bf16"): 2, ("fp4", "fp8"): 2}
    unusual = {
        f"{fast}_over_{slow}": round(gpu.peaks[fast] / gpu.peaks[slow], 2)
        for (fast, slow), ratio in usual.items()
        if fast in gpu.formats and slow in gpu.formats and abs(gpu.peaks[fast] / gpu.peaks[slow] / ratio - 1) > 0.03
    }
    assert unusual == KNOWN["device"].get(gpu.name, {}).get("exceptions", {})
    assert unusual == {f"{e.numerator}_over_{e.denominator}": e.ratio for e in gpu.exceptions}
    assert all(len(e.reason) > 20 for e in gpu.exceptions)


@pytest.mark.parametrize("shape", models(), ids=lambda shape: shape.name)
def test_a_model_adds_up_to_what_is_known(shape):
    row = known("model", shape.name, ("parameters", "active", "kv_byte"))
    assert (shape.parameters, shape.active_parameters) == (row["parameters"], row["active"])
    assert shape.kv_bytes_per_token() == row["kv_byte"]
    assert shape.is_plain == row.get("plain", True)


@pytest.mark.parametrize("row", MODELS, ids=lambda row: row["name"])
def test_what_a_model_leaves_out_is_known_and_named(row):
    share = KNOWN["model"].get(row["name"], {}).get("uncounted", 0)
    assert row.get("uncounted", {}).get("share", 0) == share
    assert not share or re.match(r"(biases of|the first matri)", row["uncounted"]["what"])
    counted = next(shape.parameters for shape in models() if shape.name == row["name"])
    assert row["parameters"] * (1 - max(share, 0.0001)) <= counted <= row["parameters"]


def test_nothing_is_known_of_what_the_catalog_does_not_have():
    assert set(KNOWN["device"]) <= {gpu.name for gpu in devices()}
    assert set(KNOWN["model"]) <= {shape.name for shape in models()}
