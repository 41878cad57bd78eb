"""The tables of the atlas against the catalog: each number by a way of its own."""

import pytest

from conf.numbers.evaluate import Page
from roofline import (
    bound,
    decode_layer,
    decode_step,
    device,
    devices,
    fused_time,
    model,
    models,
    total_time,
    unavoidable_bytes,
)
from roofline.errors import UnknownDevice, UnknownFormat, UnknownModel
from roofline.quantity import parse_quantity
from roofline.tables import Table, atlas

HALF_A_DIGIT = 6e-3  # two digits shown, the coarsest of any number here, are right within half of the last


def numbers(table: Table, row: str) -> list[float | None]:
    """What a row shows as plain numbers, None for dashes and words."""
    (found,) = [texts for texts in table.texts() if texts[0] == row]
    return [float(t.replace(",", "")) if t.replace(",", "").replace(".", "").isdigit() else None for t in found[1:]]


@pytest.mark.parametrize("gpu", devices(), ids=lambda gpu: gpu.name)
def test_a_device_has_its_memory_bandwidth_cache_and_peaks_in_one_row(gpu):
    year, memory, _, bandwidth, cache, *peaks = numbers(atlas.all_devices(), gpu.name)[1:]
    assert year == gpu.year
    assert memory == pytest.approx(gpu.memory / 1e9, rel=1e-3)
    assert bandwidth == pytest.approx(gpu.bandwidth / 1e12, rel=1e-3)
    assert cache == (None if gpu.l2 is None else pytest.approx(gpu.l2 / 2**20, rel=1e-3))
    assert peaks == [
        pytest.approx(gpu.peaks[fmt] / 1e12, rel=1e-3) if fmt in gpu.formats else None for fmt in atlas.COLUMNS
    ]


@pytest.mark.parametrize("gpu", devices(), ids=lambda gpu: gpu.name)
def test_a_device_has_the_ridge_point_of_each_format(gpu):
    ridges = numbers(atlas.all_ridges(), gpu.name)[4:]
    assert ridges == [
        pytest.approx(gpu.peaks[fmt] / gpu.bandwidth, abs=0.5 if gpu.roof(fmt).ridge >= 100 else 0.051)
        if fmt in gpu.formats
        else None
        for fmt in atlas.COLUMNS
    ]


def test_the_h200_has_its_own_ridge_point_and_not_that_of_the_h100():
    bf16 = 4 + atlas.COLUMNS.index("bf16")
    assert numbers(atlas.all_ridges(), "H200 SXM")[bf16] == 206
    assert numbers(atlas.all_ridges(), "H100 SXM")[bf16] == 295


@pytest.mark.parametrize("gpu", devices(), ids=lambda gpu: gpu.name)
def test_all_datasheet_values_of_a_device_are_told_with_basis_and_source(gpu):
    rows = atlas.one_device(gpu.name).texts()
    assert len(rows) == len(gpu.datasheet)
    for row, value in zip(rows, gpu.datasheet, strict=True):
        assert row[1] == value.shown
        assert parse_quantity(row[1], unit=value.unit) == pytest.approx(float(value), rel=1e-12)
        assert row[4].startswith(value.basis or "as printed")
        assert gpu.sources[int(row[5]) - 1] == value.source
    assert {row[0].removesuffix(" peak") for row in rows} >= set(gpu.formats)


def test_labels_of_devices_and_models_are_all_different():
    for names in ([gpu.name for gpu in devices()], [shape.name for shape in models()]):
        assert len({atlas.slug(name) for name in names}) == len(names)


@pytest.mark.parametrize("shape", models(), ids=lambda shape: shape.name)
def test_a_model_has_its_sizes(shape):
    (row,) = [texts for texts in atlas.model_sizes().texts() if texts[0] == shape.name]
    assert float(row[1].replace(",", "")) == pytest.approx(shape.parameters / 1e9, rel=1e-3)
    assert float(row[2]) == pytest.approx(shape.active_parameters / 1e9, rel=1e-3)
    assert parse_quantity(row[3], unit="B") == pytest.approx(2 * shape.parameters, rel=HALF_A_DIGIT)
    if shape.conditioning:
        assert row[4:] == ["no cache", "no cache"]
    else:
        assert parse_quantity(row[4], unit="B") == pytest.approx(shape.kv_bytes_per_token(), rel=HALF_A_DIGIT)


@pytest.mark.parametrize("shape", models(), ids=lambda shape: shape.name)
def test_the_kernels_of_a_model_are_those_of_its_last_layer(shape):
    table = atlas.model_kernels(shape.name, "H200 SXM")
    texts = table.texts()
    if shape.conditioning:
        assert all(head.startswith(("Kernel", "Prefill")) for head in table.columns)
        return
    context = min(8192, shape.positions or 8192)
    layer = decode_layer(shape, 64, context)
    roof = device("H200 SXM").roof("bf16")
    shown = [row for row in texts if row[1] != "–"]
    assert [row[0] for row in shown] == [kernel.name for kernel in layer]
    for row, kernel in zip(shown, layer, strict=True):
        assert parse_quantity(row[1], unit="FLOP") == pytest.approx(kernel.flops, rel=HALF_A_DIGIT)
        assert parse_quantity(row[2], unit="B") == pytest.approx(kernel.nbytes, rel=HALF_A_DIGIT)
        assert row[4] == bound(kernel, roof).regime


def test_a_kernel_of_one_phase_alone_has_dashes_in_the_other():
    rows = {row[0]: row for row in atlas.model_kernels("DeepSeek V3").texts()}
    assert rows["KV up projection"][1:5] == ["–"] * 4
    assert rows["Q into latent"][5:] == ["–"] * 4
    names = [row[0] for row in atlas.model_kernels("DeepSeek V3").texts()]
    assert names.index("KV up projection") < names.index("attention")


@pytest.mark.parametrize("name", ["Llama 3.1 8B", "Mixtral 8x7B", "DeepSeek V3"])
@pytest.mark.parametrize("weights", ["bf16", "int4"])
def test_the_bound_of_many_devices_is_that_of_one_over_their_number(name, weights):
    shape = model(name)
    step = decode_step(shape, 32, 4096, weights=weights)
    for row in atlas.which_device(name, 32, 4096, weights=weights).texts():
        gpu = device(row[0])
        held = shape.weight_bytes(weights) + shape.cache_bytes(32, 4096)
        needed = int(row[1].replace(",", ""))
        assert (needed - 1) * gpu.memory < held <= needed * gpu.memory
        if "bf16" not in gpu.formats:
            assert row[2:] == ["no bf16 peak", "–", "–", "–"]
            continue
        time = total_time(step, gpu.roof("bf16")) / needed
        assert parse_quantity(row[2], unit="s") == pytest.approx(time, rel=HALF_A_DIGIT)
        fused = fused_time(step, gpu.roof("bf16"), unavoidable_bytes(shape, 32, 4096, weights=weights)) / needed
        assert parse_quantity(row[3], unit="s") == pytest.approx(fused, rel=HALF_A_DIGIT)
        assert fused < time
        assert parse_quantity(row[4], unit="tokens/s") == pytest.approx(32 / time, abs=0.51)


TABLES = {
    "all_devices": atlas.all_devices,
    "all_ridges": atlas.all_ridges,
    "one_device": lambda: atlas.one_device("RTX 4090"),
    "model_sizes": atlas.model_sizes,
    "model_kernels": lambda: atlas.model_kernels("DeepSeek V3"),
    "which_device": lambda: atlas.which_device("Mixtral 8x7B", 3, 1000, weights="fp8", cache="fp8"),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_each_working_gives_what_is_shown(table):
    page, seen = Page(), 0
    for row in table().rows:
        for cell in row:
            for shown, working in cell.pieces():
                if working:
                    page.check(shown, working)
                    seen += 1
    assert seen > 10


def test_what_the_catalog_lacks_is_named():
    with pytest.raises(UnknownDevice, match="H100"):
        atlas.one_device("H100")
    with pytest.raises(UnknownModel):
        atlas.model_kernels("Llama 9")
    with pytest.raises(UnknownFormat):
        atlas.model_kernels("Llama 3.1 8B", "V100 SXM2")
