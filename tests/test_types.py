"""The types say what the values do."""

from typing import get_args

from roofline import bounds
from roofline.formats import FORMATS
from roofline.types import FormatName, Regime


def test_a_type_checker_knows_the_formats_of_the_table():
    assert get_args(FormatName) == tuple(FORMATS)


def test_a_type_checker_knows_both_regimes():
    assert get_args(Regime) == (bounds.MEMORY_BOUND, bounds.COMPUTE_BOUND)
