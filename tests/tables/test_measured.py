"""The tables of what published measurements reach."""

import statistics

from roofline import measurements
from roofline.reality import KINDS
from roofline.tables import shares_by_kind


def test_a_kind_has_the_median_of_its_points_and_the_best_kind_comes_first():
    rows = shares_by_kind().texts()
    medians = [statistics.median(point.share for point in measurements(row[0]) if point.share <= 1) for row in rows]
    assert [row[2] for row in rows] == [f"{median:.0%}" for median in medians]
    assert medians == sorted(medians, reverse=True)
    assert {row[0] for row in rows} == set(KINDS)


def test_every_point_is_counted_once():
    rows = shares_by_kind().texts()
    assert sum(int(row[1]) + int(row[5]) for row in rows) == len(measurements())
