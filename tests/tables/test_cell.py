"""A cell written from its expression shows the value and keeps the expression."""

import pytest

from roofline.errors import ExpressionError, QuantityError, UnknownDevice
from roofline.tables import Cell, as_printed, computed, number, value_of

TIME = "14e9 / device('H100 SXM').bandwidth"


def test_a_number_has_the_digits_asked_for():
    assert number(TIME, "s", 2) == Cell("4.2 ms", TIME)
    assert number(TIME, "s", places=3, prefix="µ").shown == "4,179.104 µs"
    assert number("ceil(344.9)", places=lambda value: 0 if value > 100 else 1, approximate=True).shown == "≈ 345"


def test_words_are_shown_as_they_are_and_values_as_their_source_prints_them():
    assert computed("bound(matmul(8, 64, 64), device('L4').roof('bf16')).regime").shown == "memory-bound"
    assert computed("device('H100 SXM').roof('fp8').peak", as_printed).shown == "1,979 TFLOP/s"


def test_the_caller_of_a_table_reads_what_was_refused():
    with pytest.raises(UnknownDevice, match=r"^'H100' comes in variants"):
        value_of("device('H100').memory")
    with pytest.raises(ExpressionError, match="there is no name 'devise'"):
        number("devise('L4').memory", "B")
    with pytest.raises(QuantityError, match="must be a number"):
        number("device('L4')", "B")
