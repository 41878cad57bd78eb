"""The catalog holds the lesson's values, finds devices by name, and refuses a wrong row."""

import copy
import dataclasses
import json
import pickle
import re
from importlib import resources

import numpy as np
import pytest

from roofline.catalog import DatasheetValue, Source, device, devices, load
from roofline.catalog.device_file import FILE
from roofline.errors import CatalogError, InvalidValue, UnknownDevice, UnknownFormat

NAMES = [gpu.name for gpu in devices()]


# ------------------------------------------------------------------------------------------------------- the values


@pytest.mark.parametrize(
    ("name", "number_format", "ridge"),
    [
        ("H100 SXM", "bf16", "295.2"),
        ("H100 SXM", "fp8", "590.7"),
        ("H100 SXM", "fp32", "20.0"),
        ("A100 SXM 80GB", "bf16", "153.0"),
        ("A100 SXM 80GB", "fp32", "9.6"),
        # Its bandwidth is its own: with the H100's it would be 295.
        ("H200 SXM", "bf16", "206.0"),
        ("B200", "fp4", "1125.0"),
        ("TPU v6e", "bf16", "560.4"),
    ],
)
def test_gives_the_ridge_points_of_the_lesson(name, number_format, ridge):
    assert f"{device(name).roof(number_format).ridge:.1f}" == ridge


def test_h200_computes_what_h100_sxm_computes():
    assert dict(device("H200 SXM").peaks) == dict(device("H100 SXM").peaks)


@pytest.mark.parametrize("entry", devices(), ids=str)
def test_every_value_says_what_it_is_and_where_it_comes_from(entry):
    for value in entry.datasheet:
        assert value.name.startswith(f"{entry.name} ")
        assert value.unit in {"B/s", "B", "FLOP/s", "OP/s"}
        assert value.shown.endswith(value.unit)
        said = (
            "as printed",
            "sparse/2 of the printed",
            "derived; ",
            "reported by the driver",
            "binary, as memory is built",
        )
        assert value.basis.startswith(said)
        assert re.fullmatch(r"(accessed )?\d{4}-\d\d-\d\d", value.date)
        assert value.source.title
        assert value.source.ref.startswith("https://")
        assert value.source in entry.sources


def test_no_source_of_a_third_party_has_a_title_that_begins_with_the_vendor():
    vendors = tuple({entry.vendor for entry in devices()})
    third = {source for entry in devices() for source in entry.sources if source.kind == "third party"}
    assert not [source.title for source in third if source.title.startswith(vendors)]


def test_the_bandwidth_of_the_a100_is_the_vendors():
    for name in ("A100 SXM 80GB", "A100 PCIe 80GB"):
        assert device(name).bandwidth.source.kind == "datasheet"


def test_tensor_peaks_say_what_they_add_up_in():
    peaks = device("RTX 4090").peaks
    assert [peaks[f].accumulate for f in ("bf16", "fp16_acc16", "int8", "fp32")] == ["fp32", "fp16", "int32", ""]


def test_a_device_without_a_printed_cache_has_none():
    assert device("TPU v5e").l2 is None


@pytest.mark.parametrize(
    ("name", "mebibytes", "sold_as"),
    [
        ("H100 SXM", 81_559, "80 GB"),
        ("H200 SXM", 143_771, "141 GB"),
        ("B200", 183_359, "180 GB"),
        ("A100 SXM 80GB", 81_920, "80 GB"),
        ("A100 SXM 40GB", 40_960, "40 GB"),
        ("RTX 4090", 24_564, "24 GB"),
        ("RTX 5090", 32_607, "32 GB"),
        ("MI300X", 192 * 1024, "192 GB"),
        ("B300", 275_040, "288 GB"),
    ],
)
def test_a_memory_is_as_large_as_a_driver_finds_it_whatever_it_is_sold_as(name, mebibytes, sold_as):
    memory = device(name).memory
    assert memory == mebibytes * 2**20
    assert memory.sold_as == sold_as


def test_the_cache_of_a_b200_has_the_bytes_that_its_driver_reports():
    assert device("B200").l2 == 132_644_864


# ----------------------------------------------------------------------------------------------------- what a figure is


@pytest.mark.parametrize(
    ("name", "limited", "limit", "nature"),
    [
        # units x operations in a clock x highest clock, against what the sheet prints at the clock that it states
        ("RTX 5090", "bf16", 170 * 512 * 3.105e9, "by clock"),
        ("RTX 5090", "tf32", 170 * 256 * 3.105e9, "by clock"),
        ("RTX 4090", "bf16", 128 * 512 * 3.165e9, "by clock"),
        ("H100 SXM", "bf16", 132 * 4096 * 1.98e9, "by clock"),
        ("H100 SXM", "fp64", 132 * 128 * 1.98e9, "rounded up"),
        ("A100 SXM 80GB", "bf16", 108 * 2048 * 1.41e9, "by clock"),
        ("L40S", "bf16", 142 * 1024 * 2.52e9, "rounded down"),
        ("L4", "tf32", 58 * 512 * 2.04e9, "rounded down"),
        ("T4", "fp16", 40 * 1024 * 1.59e9, "by clock"),
        ("V100 SXM2", "fp16", 80 * 1024 * 1.53e9, "by clock"),
        ("MI300X", "fp8", 304 * 4096 * 2.1e9, "by clock"),
        ("MI355X", "fp4", 256 * 16384 * 2.4e9, "by clock"),
        ("B200", "bf16", 148 * 8192 * 1.965e9, "nominal"),
        ("TPU v5e", "bf16", None, "nominal"),
        # wires x bits of each in a second / 8
        ("H100 PCIe", "bandwidth", 2.03904e12, "rounded down"),
        ("H100 SXM", "bandwidth", 3.35232e12, "by clock"),
        ("A100 SXM 80GB", "bandwidth", 2.03904e12, "by clock"),
        ("B200", "bandwidth", 7.67232e12, "rounded up"),
        ("MI325X", "bandwidth", 6.144e12, "rounded down"),
        ("RTX 5090", "bandwidth", 1.792128e12, "by clock"),
        ("TPU v5e", "bandwidth", None, "nominal"),
    ],
)
def test_a_figure_says_what_it_is_and_has_the_limit_that_its_parts_give(name, limited, limit, nature):
    gpu = device(name)
    value = gpu.bandwidth if limited == "bandwidth" else gpu.peaks[limited]
    found = gpu.bandwidth_limit if limited == "bandwidth" else gpu.peak_limit(limited)
    assert value.nature == nature
    assert f"; {nature}" in value.basis
    assert found == (None if limit is None else pytest.approx(limit, rel=1e-12))


@pytest.mark.parametrize(
    ("name", "measured", "reached"),
    [
        ("RTX 5090", "bf16", 242e12),
        ("RTX 5090", "fp16", 238e12),
        ("RTX 5090", "tf32", 122e12),
        ("RTX 4090", "bf16", 173e12),
        ("H100 PCIe", "bandwidth", 2.018e12),
    ],
)
def test_what_was_measured_above_the_stated_figure_is_below_the_limit(name, measured, reached):
    gpu = device(name)
    if measured == "bandwidth":
        assert gpu.bandwidth < reached < gpu.bandwidth_limit
    else:
        assert gpu.peaks[measured] < reached < gpu.peak_limit(measured.upper())


@pytest.mark.parametrize("entry", devices(), ids=str)
def test_what_is_by_clock_is_what_clock_units_and_width_give(entry):
    """At the stated clock; the highest is never lower."""
    for fmt, value in entry.peaks.items():
        made = entry.build.peak(fmt, entry.build.clocks[fmt]) if fmt in entry.build.clocks else None
        assert (made is None) == (value.nature == "nominal")
        if value.nature == "by clock":
            assert value == pytest.approx(made, rel=0.005)
        if made is not None and entry.build.highest is not None:
            assert entry.peak_limit(fmt) >= made
    if entry.bandwidth.nature == "by clock":
        assert entry.bandwidth == pytest.approx(entry.bandwidth_limit, rel=0.005)


def test_a_limit_of_a_format_that_the_device_lacks_is_refused():
    with pytest.raises(UnknownFormat, match="V100 SXM2 has no peak for 'bf16'"):
        device("V100 SXM2").peak_limit("bf16")


@pytest.mark.parametrize("entry", devices(), ids=str)
def test_no_size_is_a_bare_decimal_unless_its_row_says_that_the_source_means_it(entry):
    for size in filter(None, (entry.memory, entry.l2)):
        meant = size.basis.startswith(("decimal, as the source means it", "as printed, unit not settled"))
        assert size.shown.endswith(("MiB", "GiB")) != meant


# --------------------------------------------------------------------------------------------------- values as numbers


def test_a_value_is_a_float_and_arithmetic_gives_plain_floats():
    bandwidth = device("H100 SXM").bandwidth
    assert isinstance(bandwidth, float)
    assert repr(bandwidth) == "3350000000000.0" == json.dumps(bandwidth)
    for result in (bandwidth * 2, 14e9 / bandwidth, bandwidth + 0, -bandwidth, abs(bandwidth), +bandwidth):
        assert type(result) is float
    assert type(bandwidth * np.ones(2)) is np.ndarray


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])  # noqa: S301
def test_values_and_devices_survive_copying_and_pickling(again):
    value, entry = device("H100 SXM").peaks["bf16"], device("H100 SXM")
    twin = again(value)
    assert (type(twin), twin, twin.shown, twin.basis, twin.source) == (
        DatasheetValue,
        value,
        value.shown,
        value.basis,
        value.source,
    )
    assert again(entry) == entry


def test_nothing_in_the_catalog_can_be_changed():
    entry = device("H100 SXM")
    with pytest.raises(AttributeError, match="H100 SXM bf16: a value of the catalog cannot be changed"):
        entry.peaks["bf16"].shown = "990 TFLOP/s"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del entry.bandwidth.source
    with pytest.raises(AttributeError):
        entry.bandwidth.colour = "blue"
    with pytest.raises(TypeError):
        entry.peaks["bf16"] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.bandwidth = 1.0


def test_devices_can_be_keys():
    assert {device("L4"): 1}[device("l4")] == 1


# --------------------------------------------------------------------------------------------------------------- lookup


@pytest.mark.parametrize(
    "spelling", ["H100 SXM", "h100 sxm", "H100-SXM", "h100_sxm", "H100SXM", " h100  sxm ", "H100\u00a0SXM"]
)
def test_finds_a_device_however_it_is_spelt(spelling):
    assert device(spelling) is device("H100 SXM")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("H100", "'H100' comes in variants; write one of H100 NVL, H100 PCIe, H100 SXM"),
        ("a100-sxm", "'a100-sxm' comes in variants; write one of A100 SXM 40GB, A100 SXM 80GB"),
        ("GH200", "'GH200' is not a full name; write GH200 96GB"),
        ("H200", "'H200' comes in variants; write one of H200 NVL, H200 SXM"),
        ("A1", "there is no device 'A1' in the catalog; near it: A100 SXM 40GB, A100 SXM 80GB, A100 PCIe 80GB, A10"),
        ("NVIDIA H100 SXM", "there is no device 'NVIDIA H100 SXM' in the catalog; near it: H100 SXM"),
        ("4090", "there is no device '4090' in the catalog; near it: RTX 4090"),
        ("abacus?", f"there is no device 'abacus?' in the catalog; it has {', '.join(NAMES)}"),
        ("", f"there is no device '' in the catalog; it has {', '.join(NAMES)}"),
    ],
)
def test_an_unknown_device_is_one_sentence_with_the_way_out(asked, sentence):
    with pytest.raises(UnknownDevice) as caught:
        device(asked)
    assert str(caught.value) == sentence


def test_a_typing_error_finds_the_device_meant_first():
    with pytest.raises(UnknownDevice, match="near it: H100 SXM,"):
        device("H100 SMX")


@pytest.mark.parametrize("wrong", [3, None, 3.35, b"H100 SXM", ["H100 SXM"]])
def test_a_device_name_must_be_a_string(wrong):
    with pytest.raises(InvalidValue) as caught:
        device(wrong)
    assert str(caught.value) == f"a device is named by a string such as 'H100 SXM', not {wrong!r}"


def test_the_errors_are_also_key_errors():
    with pytest.raises(KeyError):
        device("A30")
    with pytest.raises(KeyError):
        device("A100 SXM 80GB").roof("fp8")


def test_a_roof_carries_the_values_and_a_label():
    entry = device("h100 sxm")
    roof = entry.roof("BF16")
    assert roof.peak is entry.peaks["bf16"]
    assert roof.bandwidth is entry.bandwidth
    assert roof.label == "H100 SXM bf16"


@pytest.mark.parametrize(
    ("name", "asked", "sentence"),
    [
        (
            "V100 SXM2",
            "bf16",
            "V100 SXM2 has no peak for 'bf16'; it has fp64, fp32, fp16 (near it: fp16, fp64)",
        ),
        ("TPU v5e", "mx", "TPU v5e has no peak for 'mx'; it has bf16, int8"),
    ],
)
def test_a_missing_format_is_one_sentence_and_nothing_is_guessed(name, asked, sentence):
    with pytest.raises(UnknownFormat) as caught:
        device(name).roof(asked)
    assert str(caught.value) == sentence


def test_a_format_must_be_a_string():
    with pytest.raises(InvalidValue, match="a number format is named by a string such as 'bf16', not 16"):
        device("L4").roof(16)


def test_the_catalog_is_read_once():
    assert devices() is devices()


# ------------------------------------------------------------------------------------------------------- planted errors

GOOD = """
[sources.sheet]
title = "A datasheet"
ref = "https://example.org/sheet.pdf"
kind = "datasheet"
date = 2024-02-29

[[device]]
name = "Toy X"
vendor = "Toys"
family = "Toys"
year = 2024
scope = "card"
notes = ["It is a toy."]
bandwidth = { value = "2 TB/s", source = "sheet" }
memory = { value = "81,559 MiB", sold_as = "80 GB", basis = "reported by the driver", source = "sheet" }
l2 = { value = "50 MiB", basis = "binary, as memory is built", source = "sheet" }
[device.peaks]
fp32 = { value = "50 TFLOP/s", basis = "as printed", source = "sheet" }
bf16 = { value = "500 TFLOP/s", basis = "as printed", accumulate = "fp32", source = "sheet" }
fp8 = { value = "1,000 TFLOP/s", basis = "sparse/2", printed = "2,000 TFLOP/s", accumulate = "fp32", source = "sheet" }
int8 = { value = "1,000 TOP/s", basis = "as printed", accumulate = "int32", source = "sheet" }
"""


def test_the_row_that_the_planted_errors_are_made_from_is_right():
    (toy,) = load(GOOD)
    assert toy.formats == ("fp32", "bf16", "fp8", "int8")
    assert toy.sources == (Source("A datasheet", "https://example.org/sheet.pdf", "datasheet", "2024-02-29"),)
    assert toy.peaks["int8"] == 1000e12


ROW = {line.split(" = ")[0]: line for line in GOOD.splitlines() if " = " in line}
#: 100 units at 2 GHz, in place of the head of the peaks.
BUILD = '[device.build]\nunits = 100\nsource = "sheet"\nclock = "2 GHz"\n[device.peaks]\n'


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        # keys
        ("vendor =", "vender =", "Toy X", "the key 'vender' is unknown; use 'vendor'"),
        ('vendor = "Toys"\n', "", "Toy X", "the key 'vendor' is missing"),
        ('scope = "card"', 'scope = ["card", "die"]', "Toy X", "scope is ['card', 'die']; it must be a text"),
        ('scope = "card"', 'scope = "rack"', "Toy X", "scope is 'rack'; it must be one of 'die', 'package', 'card'"),
        ('scope = "card"', 'scope = ""', "Toy X", "scope is ''; it must be a text that is not empty"),
        ("year = 2024", 'year = "2024"', "Toy X", "year is '2024'; it must be a whole number"),
        ("year = 2024", "year = 24", "Toy X", "year is 24; it must be the year of announcement"),
        ('["It is a toy."]', '["It is a toy.", 3]', "Toy X", "notes must be a list of texts"),
        ('name = "Toy X"\n', "", "device 1", "the key 'name' is missing"),
        ("l2 = {", "l3 = {", "Toy X", "the key 'l3' is unknown; use 'l2'"),
        ("fp32 = {", "fp31 = {", "Toy X, peaks.fp31", "this format is unknown; use fp32"),
        ("fp32 = { value", "fp32 = { unit = 1, value", "Toy X, peaks.fp32", "the key 'unit' is unknown"),
        (ROW["fp32"], 'fp32 = "50 TFLOP/s"', "Toy X, peaks.fp32", "'50 TFLOP/s' must be a table"),
        (ROW["memory"], 'memory = "80 GiB"', "Toy X", "memory is '80 GiB'; it must be a table"),
        # sources and dates
        (
            'built", source = "sheet"',
            'built", source = "shed"',
            "Toy X, l2",
            "source 'shed' is not among the [sources]",
        ),
        ('built", source = "sheet"', 'built"', "Toy X, l2", "the key 'source' is missing"),
        ("date = 2024-02-29\n", "", "source sheet", "it must have one of 'date'"),
        ("date = 2024-02-29", "date = 2024-02-29\naccessed = 2024-03-01", "source sheet", "it must have one of 'date'"),
        ("date = 2024-02-29", 'date = "2024-02-29"', "source sheet", "it must be a date such as 2024-09-11"),
        ('kind = "datasheet"', 'kind = "rumour"', "source sheet", "kind is 'rumour'; it must be one of 'datasheet'"),
        ('title = "A datasheet"\n', "", "source sheet", "the key 'title' is missing"),
        # units
        ('"2 TB/s"', '"2 TB"', "Toy X, bandwidth", "value: '2 TB' is in B; write it in B/s"),
        ('"2 TB/s"', '"2 Tb/s"', "Toy X, bandwidth", "'2 Tb/s' ends in the unknown unit"),
        ('"2 TB/s"', '"two TB/s"', "Toy X, bandwidth", "'two TB/s' is not a quantity"),
        ('"2 TB/s"', "2e12", "Toy X, bandwidth", "value is 2000000000000.0; it must be a text"),
        ('"1,000 TOP/s"', '"1,000 TFLOP/s"', "Toy X, peaks.int8", "is in FLOP/s; write it in OP/s"),
        ('"500 TFLOP/s"', '"500 TOP/s"', "Toy X, peaks.bf16", "is in OP/s; write it in FLOP/s"),
        # size
        ('"2 TB/s"', '"-2 TB/s"', "Toy X, bandwidth", "value is '-2 TB/s'; it must be from 5e+10 to 5e+13 B/s"),
        ('"81,559 MiB"', '"81,559 KiB"', "Toy X, memory", "value is '81,559 KiB'; it must be from 4e+09 to 1e+12 B"),
        ('"50 MiB"', '"50 GiB"', "Toy X, l2", "value is '50 GiB'; it must be from 1e+06 to 1e+09 B"),
        # what a size means
        (
            '"81,559 MiB"',
            '"80 GB"',
            "Toy X, memory",
            "value is '80 GB' and basis is 'reported by the driver'; a size is",
        ),
        (
            '"50 MiB"',
            '"50 MB"',
            "Toy X, l2",
            "value is '50 MB' and basis is 'binary, as memory is built'; a size is in",
        ),
        (
            '"reported by the driver"',
            '"as printed, unit not settled"',
            "Toy X, memory",
            "a size is in MiB or GiB where",
        ),
        ('"reported by the driver"', '"as printed"', "Toy X, memory", "basis is 'as printed'; it must be one of"),
        ('basis = "reported by the driver", ', "", "Toy X, memory", "the key 'basis' is missing"),
        ('sold_as = "80 GB", ', "", "Toy X, memory", "the key 'sold_as' is missing"),
        ("l2 = { value", 'l2 = { sold_as = "50 MB", value', "Toy X, l2", "the key 'sold_as' is unknown"),
        ('"80 GB"', '"72 GB"', "Toy X, memory", "value is '81,559 MiB'; it must be what '72 GB' is in GB, in GiB or"),
        ('"80 GB"', '"94 GB"', "Toy X, memory", "value is '81,559 MiB'; it must be what '94 GB' is in GB, in GiB or"),
        ('"50 TFLOP/s"', '"50 PFLOP/s"', "Toy X, peaks.fp32", "a ridge point of 2.5e+04; it must be from 1 to 500"),
        ('"2 TB/s"', '"40 TB/s"', "Toy X, peaks.bf16", "500 TFLOP/s over 40 TB/s is a ridge point of 12.5"),
        # dense and sparse
        ('"1,000 TFLOP/s"', '"2,000 TFLOP/s"', "Toy X, peaks.fp8", "it must be half of the printed '2,000 TFLOP/s'"),
        ('printed = "2,000 TFLOP/s", ', "", "Toy X, peaks.fp8", "basis is 'sparse/2'; a peak has 'printed' where"),
        ('"sparse/2"', '"as printed"', "Toy X, peaks.fp8", "basis is 'as printed'; a peak has 'printed' where"),
        ('"sparse/2"', '"dense"', "Toy X, peaks.fp8", "basis is 'dense'; it must be one of 'as printed', 'sparse/2'"),
        (
            'basis = "as printed", source',
            'basis = "about", source',
            "Toy X, peaks.fp32",
            "basis is 'about'; it must be one",
        ),
        (
            '"500 TFLOP/s"',
            '"1,000 TFLOP/s"',
            "Toy X, peaks.fp8",
            "it is 1.00 times the bf16 peak and must be 2; is one of them sparse?",
        ),
        (
            '"as printed", source = "sheet" }\nbf16',
            '"derived", source = "sheet" }\nbf16',
            "Toy X, peaks.fp32",
            "basis is 'derived'; it must show its working in 'rounding'",
        ),
        (
            '"1,000 TOP/s"',
            '"500 TOP/s"',
            "Toy X, peaks.int8",
            "it is 1.00 times the bf16 peak and must be 2",
        ),
        # clock, units and width
        (
            "[device.peaks]",
            "[device.build]\nunits = 100\n[device.peaks]",
            "Toy X, build",
            "'units' and 'source' must come together",
        ),
        (
            ROW["bf16"],
            ROW["bf16"].replace(" }", ", per_clock = 4096 }"),
            "Toy X, peaks.bf16",
            "it has 'per_clock'; the device must say of how many 'units'",
        ),
        (
            "[device.peaks]\n" + ROW["fp32"],
            BUILD + ROW["fp32"].replace(" }", ", per_clock = 256 }"),
            "Toy X, peaks.fp32",
            "nature is 'by clock'; it must be 'rounded down'",
        ),
        (
            "[device.peaks]\n" + ROW["fp32"],
            BUILD + ROW["fp32"].replace(" }", ", per_clock = 512 }"),
            "Toy X, peaks.fp32",
            "value is '50 TFLOP/s', but its clock, units and width give 1.024e+14; one is wrong",
        ),
        (
            "[device.peaks]\n" + ROW["fp32"],
            BUILD + ROW["fp32"].replace(" }", ', per_clock = 250, nature = "rounded up" }'),
            "Toy X, peaks.fp32",
            "nature is 'rounded up'; it must be 'by clock'",
        ),
        (
            "[device.peaks]",
            '[device.build]\nmemory = { bus = 5120, value = "3.186 GHz", source = "sheet" }\n[device.peaks]',
            "Toy X, bandwidth",
            "nature is 'by clock'; it must be 'rounded down'",
        ),
        (
            ROW["bandwidth"],
            ROW["bandwidth"].replace(" }", ', nature = "by clock" }'),
            "Toy X, bandwidth",
            "nature is 'by clock'; it must be 'nominal' or 'rounded down' or 'rounded up'",
        ),
        # exceptions
        (
            "[device.peaks]",
            '[device.exceptions]\nfp8_over_bf16 = { ratio = 1.0, reason = "a toy" }\n[device.peaks]',
            "Toy X, peaks.fp8",
            "it is 2.00 times the bf16 peak and must be 1",
        ),
        (
            "[device.peaks]",
            '[device.exceptions]\nfp8_over_bf16 = { ratio = 2.0, reason = "a toy" }\n[device.peaks]',
            "Toy X, exceptions.fp8_over_bf16",
            "ratio is 2; it must differ from the rule, which is 2",
        ),
        (
            "[device.peaks]",
            '[device.exceptions]\ntf32_over_bf16 = { ratio = 1.0, reason = "a toy" }\n[device.peaks]',
            "Toy X, exceptions.tf32_over_bf16",
            "the device must have both peaks, or no exception",
        ),
        (
            "[device.peaks]",
            "[device.exceptions]\nfp8_over_bf16 = { ratio = 1.0 }\n[device.peaks]",
            "Toy X, exceptions.fp8_over_bf16",
            "the key 'reason' is missing",
        ),
        (
            "[device.peaks]",
            "[device.exceptions]\nfp8_over_bf16 = 1\n[device.peaks]",
            "Toy X, exceptions.fp8_over_bf16",
            "1 must be a table",
        ),
        (
            "[device.peaks]",
            '[device.exceptions]\nfp8_over_fp16 = { ratio = 1.0, reason = "a toy" }\n[device.peaks]',
            "Toy X, exceptions.fp8_over_fp16",
            "there is no such rule; use fp8_over_bf16",
        ),
        # the running sum
        (
            'accumulate = "int32"',
            'accumulate = "int8"',
            "Toy X, peaks.int8",
            "accumulate is 'int8'; it must be one of 'int32'",
        ),
        ('accumulate = "int32", ', "", "Toy X, peaks.int8", "the key 'accumulate' is missing"),
        (
            "fp32 = { value",
            'fp32 = { accumulate = "fp32", value',
            "Toy X, peaks.fp32",
            "the key 'accumulate' is unknown",
        ),
        # the file
        ("[[device]]", "[[device]", "", "this is not TOML"),
        ("[[device]]", "[device]", "", "device is {"),
        ("[[device]]", "[[devices]]", "", "the key 'devices' is unknown; use 'device'"),
    ],
)
def test_refuses_a_wrong_row_in_one_sentence_that_names_the_place(old, new, place, says):
    assert old in GOOD
    with pytest.raises(CatalogError) as caught:
        load(GOOD.replace(old, new, 1), "toys.toml")
    sentence = str(caught.value)
    assert re.match(rf"toys\.toml:\d+, {re.escape(place)}: " if place else r"toys\.toml: ", sentence)
    assert says in sentence
    assert "\n" not in sentence


def test_refuses_a_second_device_of_the_same_name():
    row = GOOD[GOOD.index("[[device]]") :]
    with pytest.raises(CatalogError, match=r"toys.toml:\d+, toy-x: the name is taken by Toy X"):
        load(GOOD + row.replace("Toy X", "toy-x"), "toys.toml")


def test_refuses_the_same_name_with_another_scope():
    row = GOOD[GOOD.index("[[device]]") :]
    with pytest.raises(CatalogError, match=r"toys.toml:\d+, Toy X: the name is taken by Toy X"):
        load(GOOD + row.replace('scope = "card"', 'scope = "die"'), "toys.toml")


def test_refuses_a_name_that_leaves_the_scope_to_a_guess():
    row = GOOD[GOOD.index("[[device]]") :]
    with pytest.raises(CatalogError) as caught:
        load(GOOD + row.replace("Toy X", "Toy X die").replace('"card"', '"die"'), "toys.toml")
    assert str(caught.value) == "toys.toml, Toy X: Toy X die begins with this name; it must say which Toy X it counts"


def line_of(text, key, block):
    """The line on which a key first stands after the head of its block."""
    return text.count("\n", 0, text.index(f"\n{key}", text.index(block))) + 2


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("year = ", "year = 1066 #", "Toy X"),
        ("memory = ", "memory = 3 #", "Toy X"),
        ("bf16 = ", "bf16 = 3 #", "Toy X, peaks.bf16"),
        ("int8 = ", "int8 = {} #", "Toy X, peaks.int8"),
        ("scope = ", 'scope = "rack" #', "Toy X"),
    ],
)
def test_names_the_line_of_a_wrong_value_and_for_a_missing_key_that_of_the_device(key, value, place):
    before, _, after = GOOD.rpartition(f"\n{key}")
    wrong = f"{before}\n{value}{after}"
    line = line_of(wrong, value, "[[device]]")
    with pytest.raises(CatalogError, match=rf"^toys\.toml:{line}, {place}: "):
        load(wrong, "toys.toml")
    gone = f"{before}\n# {key}{after}"
    head = gone.count("\n", 0, gone.index("[[device]]")) + 1
    if "peaks" not in place:
        with pytest.raises(CatalogError, match=rf"^toys\.toml:{head}, Toy X: the key '\w+' is missing"):
            load(gone, "toys.toml")


def test_refuses_an_empty_file():
    with pytest.raises(CatalogError, match=r"toys\.toml: the key 'device' is missing"):
        load("", "toys.toml")


# ----------------------------------------------------------------------------------------------- slips in the real file

PREFIXES = "kMGTPE"
CATALOG = resources.files("roofline.catalog").joinpath(FILE).read_text("utf-8")
SOURCES, *ROWS = re.split(r"^(?=\[\[device\]\])", CATALOG, flags=re.MULTILINE)
BLOCKS = {
    block[len("[sources.") : block.index("]")]: block
    for block in re.split(r"^(?=\[sources\.)", SOURCES, flags=re.MULTILINE)[1:]
}


def sources_of(row):
    """The blocks of the sources that a row names: to read those of all rows would take most of a test's time."""
    return "".join(block for key, block in BLOCKS.items() if f'"{key}"' in row)


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
@pytest.mark.parametrize("step", [-1, 1], ids=["a thousandth", "a thousandfold"])
def test_no_value_can_slip_by_a_factor_of_1000(row, step):
    sources, slips = sources_of(row), 0
    load(sources + row)
    for value in re.finditer(r'value = "[\d.,]+ ([kMGTP])', row):
        prefix = PREFIXES[PREFIXES.index(value[1]) + step]
        with pytest.raises(CatalogError):
            load(sources + row[: value.start(1)] + prefix + row[value.end(1) :])
        slips += 1
    assert slips == row.count("value =")


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_no_halved_peak_can_be_sparse(row):
    for value in re.finditer(r'value = "([^"]+)", basis = "sparse/2", printed = "([^"]+)"', row):
        with pytest.raises(CatalogError, match="half of the printed"):
            load(sources_of(row) + row[: value.start(1)] + value[2] + row[value.end(1) :])


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ('basis = "sparse/2", printed = "4,500 TFLOP/s"', "half of the printed"),
        ('basis = "as printed"', "is one of them sparse?"),
    ],
)
def test_refuses_the_sparse_bf16_peak_of_b200_as_dense(printed, says):
    (row,) = [row for row in ROWS if 'name = "B200"' in row]
    dense = 'bf16 = { value = "2,250 TFLOP/s", basis = "sparse/2", printed = "4,500 TFLOP/s"'
    assert row.count(dense) == 1
    # fp16 goes along, so that it is not the ratio of fp16 to bf16 that fails.
    both = row.replace(dense, f'bf16 = {{ value = "4,500 TFLOP/s", {printed}').replace(
        dense.replace("bf16", "fp16"), f'fp16 = {{ value = "4,500 TFLOP/s", {printed}'
    )
    with pytest.raises(CatalogError, match=re.escape(says)):
        load(SOURCES + both)


def test_every_source_is_used():
    used = {source for entry in devices() for source in entry.sources}
    titles = re.findall(r'^title = "(.+)"', SOURCES, flags=re.MULTILINE)
    assert sorted(titles) == sorted(source.title for source in used)
