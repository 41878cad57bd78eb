"""The share of the roof: it starts at the bound, and the suggestion beside it is what the measurements give."""

import re
import statistics

import pytest

from figures.shared.share import BOUND, measured_percent, share_controls, share_data
from roofline.errors import UnknownName
from roofline.reality import KINDS, measurements


@pytest.mark.parametrize("kind", KINDS)
def test_the_suggestion_is_the_median_of_the_points_that_do_not_beat_their_bound(kind):
    reached = [point.share for point in measurements(kind) if point.above is None]
    number, press = share_controls(kind)
    assert (number.value, number.low, number.high) == (BOUND, 1, BOUND)
    count, share = re.fullmatch(r"Measured median of (\d+) points: (\d+)%", press.label).groups()
    assert int(count) == len(reached)
    assert int(share) == measured_percent(kind) == share_data(kind)["measured"]
    assert int(share) == pytest.approx(100 * statistics.median(reached), abs=0.5)


def test_a_kind_that_nobody_measured_is_refused():
    with pytest.raises(UnknownName, match="magic"):
        share_controls("magic")
