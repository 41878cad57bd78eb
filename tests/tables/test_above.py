"""The tables of points above the roof."""

import pytest

from roofline import tables
from roofline.above import CAUSES
from roofline.errors import InvalidValue, UnknownDevice

L40S = 'matmul(1, 4096, 12288, "fp8", outputs="bf16"), device("L40S"), "fp8", 15.4e-6'


def test_the_table_of_causes_has_each_with_its_experiment():
    table = tables.causes()
    assert [row[0] for row in table.texts()] == [f"{cause.title}. {cause.change}" for cause in CAUSES.values()]
    assert all(len(text) > 10 for row in table.texts() for text in row)
    assert not table.numeric


def test_the_causes_of_a_point_stand_in_their_order_with_their_numbers():
    # 50.4 MB at seven times 864 GB/s; a quarter and an eighth of 58.3 µs.
    assert tables.causes_of_point(L40S).texts() == [
        ["The data comes from the L2 cache", "8.33 µs", "54%", "0.68"],
        ["More than one device did the work", "14.6 µs", "95%", "0.96"],
        ["A unit slipped", "7.29 µs", "47%", "0.64"],
        ["Less was done than was counted", "15.4 µs", "100%", "–"],
        ["The clock stopped before the work was done", "–", "–", "–"],
    ]
    assert [row[1].working for row in tables.causes_of_point(L40S).rows] == [
        *(f"causes_above({L40S})[{place}].bound" for place in range(4)),
        "",
    ]


def test_a_point_below_its_roof_has_no_rows():
    assert tables.causes_of_point(L40S.replace("e-6", "e-3")).rows == ()


@pytest.mark.parametrize(
    ("point", "error"),
    [(L40S.replace("L40S", "L41"), UnknownDevice), (L40S.replace("15.4", "0 * 15.4"), InvalidValue)],
)
def test_a_wrong_point_is_refused(point, error):
    with pytest.raises(error):
        tables.causes_of_point(point)
