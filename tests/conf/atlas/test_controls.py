"""The catalog as files, and the controls of the atlas."""

import csv
import io
import json

import pytest

from conf.atlas import controls as atlas
from roofline import devices, models


def test_the_csv_of_the_devices_equals_the_catalog():
    rows = list(csv.DictReader(io.StringIO(atlas.FILES["devices.csv"]())))
    assert [row["name"] for row in rows] == [gpu.name for gpu in devices()]
    for row, gpu in zip(rows, devices(), strict=True):
        assert row["vendor"] == gpu.vendor
        assert int(row["year"]) == gpu.year
        assert row["scope"] == gpu.scope
        assert float(row["memory_byte"]) == gpu.memory
        assert float(row["bandwidth_byte_per_s"]) == gpu.bandwidth
        assert row["l2_byte"] == ("" if gpu.l2 is None else str(int(gpu.l2)))
        peaks = {key.removesuffix("_per_s"): value for key, value in row.items() if key.endswith("_per_s")}
        peaks.pop("bandwidth_byte")
        assert {fmt: float(value) for fmt, value in peaks.items() if value} == dict(gpu.peaks)
        for fmt in gpu.formats:
            assert float(row[f"{fmt}_ridge_per_byte"]) == gpu.roof(fmt).ridge


def test_the_json_of_the_devices_has_each_figure_with_its_source_and_date():
    told = json.loads(atlas.FILES["devices.json"]())["devices"]
    assert [one["name"] for one in told] == [gpu.name for gpu in devices()]
    for one, gpu in zip(told, devices(), strict=True):
        figures = [one["bandwidth"], one["memory"], *([one["l2"]] if one["l2"] else []), *one["peaks"].values()]
        assert [figure["value"] for figure in figures] == [float(figure) for figure in gpu.datasheet]
        assert [figure["source"]["ref"] for figure in figures] == [figure.source.ref for figure in gpu.datasheet]
        assert all(figure["source"]["date"] and figure["basis"] for figure in figures)
        assert one["notes"] == list(gpu.notes)


def test_the_files_of_the_models_equal_the_catalog():
    rows = list(csv.DictReader(io.StringIO(atlas.FILES["models.csv"]())))
    told = json.loads(atlas.FILES["models.json"]())["models"]
    for row, one, shape in zip(rows, told, models(), strict=True):
        assert row["name"] == one["name"] == shape.name
        assert int(row["parameters"]) == one["parameters"] == shape.parameters
        assert int(row["active_parameters"]) == one["active_parameters"] == shape.active_parameters
        assert int(row["hidden"]) == one["hidden"] == shape.hidden
        assert int(row["kv_byte_per_token_bf16"]) == shape.kv_bytes_per_token()
        assert row["source"] == one["source"]["ref"] == shape.source.ref
        assert row["experts"] == (str(shape.experts.count) if shape.experts else "")


@pytest.mark.parametrize("name", atlas.FILES)
def test_a_file_is_the_same_each_time(name):
    assert atlas.FILES[name]() == atlas.FILES[name]()
