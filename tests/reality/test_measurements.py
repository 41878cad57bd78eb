"""The published measurements: none beats its bound without a cause that explains it, and a wrong entry is refused."""

import re
import statistics
from importlib import resources

import pytest

from roofline import InvalidValue, measured, measured_shares, measurements, median_share
from roofline.errors import CatalogError, UnknownName
from roofline.reality import CAUSES, KINDS, bound_of, explanations, fault, possible_causes
from roofline.reality.measured_file import FILE, load_measurements

TEXT = resources.files("roofline.catalog").joinpath(FILE).read_text(encoding="utf-8")
SOURCES, *ROWS = re.split(r"^(?=\[\[measurement\]\])", TEXT, flags=re.MULTILINE)
ROW = {re.search(r'^id = "(.*)"$', row, re.MULTILINE)[1]: row for row in ROWS}
POINTS = measurements()


@pytest.mark.parametrize("point", POINTS, ids=[point.id for point in POINTS])
def test_a_point_beats_its_bound_only_for_a_named_cause_that_explains_it(point):
    assert fault(point) == ""


def loaded(row):
    (point,) = load_measurements(SOURCES + row)
    return point


def test_a_cause_that_is_missing_or_does_not_explain_or_is_not_needed_is_a_fault():
    fast, slow = ROW["matmul-036"], ROW["matmul-003"]
    cause = 'above = "clock above nominal"\n'
    assert cause in fast
    assert "name the cause with above = " in fault(loaded(fast.replace(cause, "")))
    assert "which 'data in L2' does not explain" in fault(loaded(fast.replace(cause, 'above = "data in L2"\n')))
    assert "a cause (clock above nominal) is named only where it is beaten" in fault(loaded(slow + cause))


@pytest.mark.parametrize("point", [point for point in POINTS if point.above], ids=lambda point: point.id)
def test_the_cause_that_is_named_is_the_first_to_try(point):
    first, *_ = explanations(point)
    if point.above == "impossible as stated":
        assert first.cause.grade != "as stated"
    else:
        assert possible_causes(point)[0] == point.above
        assert {point.above: first.cause.name}.items() <= {
            "data in L2": "l2",
            "clock above nominal": "clock",
            "figure rounded down": "rounding",
        }.items()


def test_under_its_bound_a_point_has_nothing_to_explain():
    assert [point.id for point in POINTS if bool(explanations(point)) != (point.above is not None)] == []


def test_a_full_square_that_was_counted_is_found_out():
    row = ROW["attention-070"].replace('value = "1.7849 ms"', 'value = "1,300 TFLOP/s"')
    assert row != ROW["attention-070"]
    assert "causal counted as full" in possible_causes(loaded(row))
    assert explanations(loaded(row))[0].cause.name == "causal"
    assert "causal counted as full" not in possible_causes(loaded(row.replace("causal = true", "causal = false")))


def test_several_devices_have_several_caches():
    row = ROW["matmul-044"].replace("D = 4096", "D = 16384")
    assert row != ROW["matmul-044"]
    assert "data in L2" not in possible_causes(loaded(row.replace('"15.4 µs"', '"60 µs"')))
    assert "data in L2" in possible_causes(loaded(row.replace('"15.4 µs"', '"30 µs"\ndevices = 4')))


def test_every_cause_that_is_named_is_on_the_closed_list_and_the_last_one_explains_nothing():
    assert {point.above for point in POINTS} - {None} <= set(CAUSES)
    for point in POINTS:
        if point.above == "impossible as stated":
            assert possible_causes(point) == ("impossible as stated",)


# id, value in SI units, share of its bound, worked out by hand from datasheet and shapes
KNOWN = [
    # 2 x 2048 x 13312 x 2048 FLOPs are compute-bound: 794.5 of 989 TFLOP/s.
    ("matmul-003", 794.5e12, 794.5 / 989),
    ("matmul-009", 668.4e12, 668.4 / 1307.4),
    ("matmul-023", 264.53e12, 264.53 / 312),
    ("matmul-036", 242.18e12, 242.18 / 209.5),
    ("bandwidth-053", 2018e9, 2018 / 2000),
    # Weights of the layers and the head, (32 x 218,103,808 + 128,256 x 4096) x 2 B, and 105 tokens of 131,072 B.
    ("decode-078", 93.89, 93.89 * ((32 * 218_103_808 + 128_256 * 4096) * 2 + 105 * 131_072) / 2.039e12),
    # Half the bytes of the weights: (32 x 202,375,168 + 32,000 x 4096) B, and 105 tokens of 524,288 B.
    ("decode-074", 155.58, 155.58 * (32 * 202_375_168 + 32_000 * 4096 + 105 * 524_288) / 2.039e12),
]


@pytest.mark.parametrize(("name", "value", "share"), KNOWN)
def test_a_share_is_what_pencil_and_paper_give(name, value, share):
    point = measured(name)
    assert point.value == value
    assert point.share == pytest.approx(share, rel=2e-3)


def test_a_time_is_compared_with_the_shortest_and_a_rate_with_the_highest():
    for point in POINTS:
        best = bound_of(point)
        assert point.share == pytest.approx(best / point.value if point.value.unit == "s" else point.value / best)


@pytest.mark.parametrize("kind", KINDS)
def test_the_median_is_that_of_the_points_that_lie_under_their_roof(kind):
    reached = sorted(point.share for point in measurements(kind) if point.above is None)
    assert list(measured_shares(kind)) == reached
    assert 0 < reached[0] <= reached[-1] <= 1
    assert median_share(kind) == statistics.median(reached)


def test_the_catalog_is_as_large_as_what_was_collected():
    assert len(POINTS) == len({point.id for point in POINTS}) == 167
    assert sum(len(measurements(kind)) for kind in KINDS) == 167
    assert len({point.device.name for point in POINTS}) >= 20


def test_every_point_says_where_it_was_read():
    for point in POINTS:
        assert point.value.source.ref.startswith("https://"), point.id
        assert point.where
        assert point.code


@pytest.mark.parametrize("ask", [measurements, measured_shares, median_share])
def test_a_kind_that_nobody_measured_is_refused(ask):
    with pytest.raises(UnknownName, match="there is no kind 'decoding' of measurement; write one of"):
        ask("decoding")


def test_an_id_that_is_none_is_refused():
    with pytest.raises(UnknownName, match="there is no measurement 'decode-999'; near it: decode-"):
        measured("decode-999")
    with pytest.raises(InvalidValue, match="a measurement is named by a string such as 'decode-074', not 74"):
        measured(74)


# what is changed in matmul-003, and what the loader says
REFUSED = [
    ('value = "794.5 TFLOP/s"', 'value = "794.5 GFLOP/s"', "check the prefix and the shapes"),
    ('value = "794.5 TFLOP/s"', 'value = "794.5 PFLOP/s"', "check the prefix and the shapes"),
    ('value = "794.5 TFLOP/s"', 'value = "794.5 TB/s"', "a matmul is measured in FLOP/s or s"),
    ('value = "794.5 TFLOP/s"', 'value = "fast"', "value: "),
    ('id = "matmul-003"', 'id = "decode-003"', "it must be the kind and a number, such as 'matmul-001'"),
    ('kind = "matmul"', 'kind = "gemm"', "kind is 'gemm'; it must be one of "),
    ('kind = "matmul"\n', "", "the key 'kind' is missing"),
    ('device = "H100 SXM"', 'device = "H100"', "'H100' comes in variants"),
    ('inputs = "bf16"', 'inputs = "bf61"', "inputs is 'bf61', which is not a known number format"),
    ('arithmetic = "bf16"', 'arithmetic = "fp4"', "H100 SXM has no peak for 'fp4'"),
    ('kind = "matmul"', 'kind = "matmul"\nbound = 1.0', "bound"),
    ('kind = "matmul"', 'kind = "matmul"\nabove = "luck"', "above is 'luck'; it must be one of "),
    ('kind = "matmul"', 'kind = "matmul"\ndevices = 2\nper = 3', "the value must count for 1 to 2 of them"),
    ('kind = "matmul"', 'kind = "matmul"\npart = 1.5', "it must be a share of one device"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), REFUSED)
def test_a_wrong_entry_is_refused_in_a_sentence_that_says_where_it_stands(old, new, sentence):
    row = ROW["matmul-003"]
    assert row.count(old) == 1
    with pytest.raises(CatalogError, match=re.escape(sentence)) as refused:
        load_measurements(SOURCES + row.replace(old, new), "mine.toml")
    assert str(refused.value).startswith("mine.toml")


def test_an_id_is_taken_once():
    with pytest.raises(CatalogError, match="the id is taken by matmul-003"):
        load_measurements(SOURCES + ROW["matmul-003"] * 2)


@pytest.mark.parametrize("date", ["24", "2024-9", "last year", "2024 until 2025"])
def test_a_date_that_is_none_is_refused(date):
    row = re.sub(r'^date = ".*"$', f'date = "{date}"', ROW["matmul-003"], flags=re.MULTILINE)
    with pytest.raises(CatalogError, match="date is "):
        load_measurements(SOURCES + row)
