"""A kernel: FLOPs, bytes and their ratio."""

import dataclasses

import numpy as np
import pytest
import sympy

from roofline.errors import InvalidValue
from roofline.kernel import Kernel, trusted


@pytest.mark.parametrize(
    ("name", "flops", "nbytes", "intensity"),
    [
        ("ReLU on 10⁸ bf16 values", 1e8, 4e8, 0.25),
        ("a 4096³ matmul in bf16", 2 * 4096**3, 6 * 4096**2, 1365.3333333333333),
        ("a copy", 0, 8, 0.0),
        ("a fraction of a byte", 3, 0.5, 6.0),
    ],
)
def test_intensity_is_flops_over_bytes(name, flops, nbytes, intensity):
    assert Kernel(name, flops, nbytes).intensity == intensity


def test_arrays_give_the_intensity_of_each():
    kernel = Kernel("curve", np.array([1, 2, 0]), np.array([4, 4, 4]))
    assert kernel.intensity.tolist() == [0.25, 0.5, 0.0]


def test_an_int32_array_does_not_overflow():
    kernel = Kernel("wide", np.array([2**30], np.int32), np.array([1], np.int32))
    assert (kernel.flops * 16).tolist() == [2.0**34]


def test_symbols_give_the_formula():
    n = sympy.Symbol("n", positive=True)
    assert Kernel("matmul", 2 * n**3, 6 * n**2).intensity == n / 3


@pytest.mark.parametrize("name", ["", "   ", None, 3], ids=repr)
def test_a_name_that_no_table_can_show_is_refused(name):
    with pytest.raises(InvalidValue, match=r"name is .*; it must be a text that tables can show"):
        Kernel(name, 1.0, 1.0)


@pytest.mark.parametrize("field", ["flops", "nbytes"])
def test_a_wrong_element_is_named_with_its_field(field):
    amounts = {"flops": 1.0, "nbytes": 1.0, field: np.array([1.0, -1.0])}
    with pytest.raises(InvalidValue, match=rf"{field}\[1\] is -1\.0"):
        Kernel("k", **amounts)


def test_a_kernel_is_frozen_and_equal_by_value():
    kernel = Kernel("relu", 1e8, 4e8)
    assert kernel == Kernel("relu", 1e8, 4e8)
    assert kernel != Kernel("relu", 1e8, 8e8)
    with pytest.raises(dataclasses.FrozenInstanceError):
        kernel.flops = 0


def test_a_trusted_kernel_equals_the_checked_one():
    assert trusted("relu", 1e8, 4e8) == Kernel("relu", 1e8, 4e8)
    assert isinstance(trusted("relu", 1e8, 4e8), Kernel)


def test_kernels_of_arrays_are_compared_as_a_whole():
    one, same, other = (Kernel("scan", np.array([1.0, last]), np.array([4.0, 8.0])) for last in (2, 2, 3))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != Kernel("scan", 1.0, 4.0)
    assert one not in [other, Kernel("scan", np.array([1.0]), np.array([4.0]))]


def test_of_two_amounts_of_which_one_is_an_array_both_become_arrays():
    kernel = Kernel("scan", 8, np.array([4.0, 2.0]))
    assert kernel.flops.tolist() == [8, 8]
    assert kernel == Kernel("scan", np.array([8.0, 8.0]), np.array([4.0, 2.0]))


def test_a_kernel_is_no_tuple_of_its_amounts():
    assert Kernel("relu", 1, 4) != ("relu", 1, 4)
