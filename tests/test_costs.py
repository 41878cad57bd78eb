"""The list of cost functions that the command line and the figures are made from."""

import inspect

import pytest

import roofline
from roofline.costs import COMMON_COSTS, COST_FUNCTIONS, FORMAT_PARAMETERS
from roofline.formats import FORMATS


def test_every_public_function_that_returns_a_kernel_is_a_cost_function():
    public = {name: getattr(roofline, name) for name in roofline.__all__}
    costs = {
        name: value
        for name, value in public.items()
        if inspect.isfunction(value) and str(inspect.signature(value).return_annotation).startswith("Kernel")
    }
    assert costs == COST_FUNCTIONS
    assert len(costs) > len(COMMON_COSTS) > 1


@pytest.mark.parametrize("name", COST_FUNCTIONS)
def test_a_parameter_takes_a_format_exactly_where_the_list_says_so(name):
    """Read from the default: a format's name, or None where it follows another format."""
    for parameter in inspect.signature(COST_FUNCTIONS[name]).parameters.values():
        if parameter.name != "name":
            takes_format = parameter.default is None or parameter.default in FORMATS
            assert takes_format == (parameter.name in FORMAT_PARAMETERS)
