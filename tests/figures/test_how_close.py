"""The picture of all published measurements beside their bounds."""

import re
import statistics
from itertools import combinations

from figures.how_close.description import spread
from figures.how_close.static import draw
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


def test_no_mark_hides_another_while_there_is_room():
    places = [10.0, 10.5, 11.0, 12.0, 30.0, 31.0]
    at = list(zip(places, spread(places), strict=True))
    assert all((a - c) ** 2 + (b - d) ** 2 >= 48.9 for (a, b), (c, d) in combinations(at, 2))
