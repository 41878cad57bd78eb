"""The records of the catalog, and the files that are written from them."""

import csv
import io
import json

from roofline import device, devices, models
from roofline.catalog.records import catalog_files, device_record, plain_numbers

FILES = catalog_files(devices(), models())


def test_the_csv_of_the_devices_equals_the_catalog():
    rows = list(csv.DictReader(io.StringIO(FILES["devices.csv"])))
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


def test_the_json_of_the_devices_has_each_value_with_its_source_and_date():
    told = json.loads(FILES["devices.json"])["devices"]
    assert [one["name"] for one in told] == [gpu.name for gpu in devices()]
    for one, gpu in zip(told, devices(), strict=True):
        values = [one["bandwidth"], one["memory"], *([one["l2"]] if one["l2"] else []), *one["peaks"].values()]
        assert [value["value"] for value in values] == [float(value) for value in gpu.datasheet]
        assert [value["source"]["ref"] for value in values] == [value.source.ref for value in gpu.datasheet]
        assert all(value["source"]["date"] and value["basis"] for value in values)
        assert one["notes"] == list(gpu.notes)
        assert [e["ratio"] for e in one["exceptions"]] == [e.ratio for e in gpu.exceptions]


def test_the_files_of_the_models_equal_the_catalog():
    rows = list(csv.DictReader(io.StringIO(FILES["models.csv"])))
    told = json.loads(FILES["models.json"])["models"]
    for row, one, shape in zip(rows, told, models(), strict=True):
        assert row["name"] == one["name"] == shape.name
        assert int(row["parameters"]) == one["parameters"] == shape.parameters
        assert int(row["active_parameters"]) == one["active_parameters"] == shape.active_parameters
        assert int(row["hidden"]) == one["hidden"] == shape.hidden
        assert int(row["kv_byte_per_token_bf16"]) == shape.kv_bytes_per_token()
        assert row["source_ref"] == one["source"]["ref"] == shape.source.ref
        assert row["experts_count"] == (str(shape.experts.count) if shape.experts else "")
        assert int(row["conditioning"]) == one["conditioning"] == shape.conditioning


def test_the_files_are_the_same_each_time():
    assert catalog_files(devices(), models()) == FILES


def test_a_record_for_scripts_has_the_numbers_alone():
    gpu = device("TPU v5p")
    told = plain_numbers(device_record(gpu))
    assert (told["memory"], told["bandwidth"], told["l2"]) == (gpu.memory, gpu.bandwidth, gpu.l2)
    assert told["peaks"] == dict(gpu.peaks)
    assert told["ridge_per_byte"] == {fmt: gpu.roof(fmt).ridge for fmt in gpu.formats}
    assert not {"notes", "exceptions"} & told.keys()
