"""The picture of all published measurements beside their bounds."""

import math
import re
import statistics
from itertools import combinations

import pytest

from figures.how_close.description import APART, INSIDE, SHARES, spread
from figures.how_close.static import draw
from figures.shared.canvas import along
from roofline import format_quantity, measurements
from roofline.reality import KINDS, bound_of

DRAWING = draw()


def reached(point):
    """Achieved over bound, from the two values and not from the share that the figure takes."""
    bound = bound_of(point)
    return bound / point.value if point.value.unit == "s" else point.value / bound


def test_every_measurement_is_a_mark_and_a_row():
    marks = len(re.findall("<use ", DRAWING.svg))
    assert marks == len(measurements()) + 2  # and the two of the key
    assert [row[0].shown for row in DRAWING.table.rows] == [point.id for point in measurements()]


def test_the_medians_are_those_of_the_points_that_keep_their_bound():
    for kind in KINDS:
        median = statistics.median(reached(point) for point in measurements() if point.kind == kind and not point.above)
        assert f"{kind} {format_quantity(median, '%', 2)}" in DRAWING.alt
        assert f">{format_quantity(median, '%', 2)}<" in DRAWING.svg


def test_the_alternative_text_counts_the_points_above_the_line():
    above = [point for point in measurements() if reached(point) > 1]
    assert f"{len(above)} lie above the line" in DRAWING.alt


@pytest.mark.parametrize("kind", KINDS)
def test_no_mark_hides_another(kind):
    places = [along(point.share, SHARES, INSIDE.left, INSIDE.right) for point in measurements(kind)]
    marks = zip(places, spread(places), strict=True)
    assert min(math.dist(one, other) for one, other in combinations(marks, 2)) > APART / 2


def test_a_mark_leaves_the_middle_of_its_row_only_where_another_is():
    assert spread([10.0, 10.0, 40.0]) == [0.0, APART, 0.0]
