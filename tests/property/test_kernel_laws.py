"""Every cost function: arrays and formulas agree with numbers, and the work adds up."""

import functools
import inspect

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofline.attention import attention_chunk, attention_decode, attention_prefill
from roofline.costs import COST_FUNCTIONS
from roofline.kernels import elementwise

from .strategies import formats, sizes, tried_on_each

pytestmark = pytest.mark.property

#: Experts cannot be drawn at random (no token goes to more than there are), and have laws of their own.
FUNCTIONS = [function for name, function in COST_FUNCTIONS.items() if name != "expert_matmul"]
AMOUNTS = ("flops", "nbytes", "intensity")


def sizes_of(function):
    """The arguments without a default: the sizes."""
    return [p.name for p in inspect.signature(function).parameters.values() if p.default is inspect.Parameter.empty]


@functools.cache
def formulas(function, fmt):
    """The amounts of a kernel whose sizes are symbols, as a function of these."""
    symbols = sympy.symbols(sizes_of(function), positive=True)
    kernel = function(*symbols, dtype=fmt)
    return sympy.lambdify(symbols, [sympy.sympify(getattr(kernel, name)) for name in AMOUNTS], "math")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@tried_on_each
@given(data=st.data(), fmt=formats)
def test_an_array_agrees_with_one_kernel_at_a_time(function, data, fmt):
    rows = data.draw(st.lists(st.tuples(*(sizes for _ in sizes_of(function))), min_size=1, max_size=4))
    together = function(*(np.array(column, np.int32) for column in zip(*rows, strict=True)), dtype=fmt)
    alone = [function(*row, dtype=fmt) for row in rows]
    for name in AMOUNTS:
        computed = np.broadcast_to(getattr(together, name), len(rows))
        assert computed == pytest.approx([float(getattr(one, name)) for one in alone], rel=1e-14), name


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@tried_on_each
@given(data=st.data(), fmt=formats)
def test_a_formula_evaluated_is_the_number(function, data, fmt):
    values = data.draw(st.tuples(*(sizes for _ in sizes_of(function))))
    number = function(*values, dtype=fmt)
    for name, evaluated in zip(AMOUNTS, formulas(function, fmt)(*values), strict=True):
        assert evaluated == pytest.approx(float(getattr(number, name)), rel=1e-12), name


@given(sizes, formats, st.integers(0, 8), st.integers(1, 8), st.integers(0, 100))
def test_an_elementwise_op_has_the_same_intensity_at_any_size(n, fmt, reads, writes, k):
    kwargs = {"reads": reads, "writes": writes, "flops_per_element": k}
    assert elementwise(n, fmt, **kwargs).intensity == pytest.approx(elementwise(1, fmt, **kwargs).intensity, rel=1e-15)


@given(sizes, sizes, st.integers(1, 64), st.integers(1, 1000))
def test_a_batch_of_sequences_does_not_change_the_intensity_of_attention(T, d_h, g, sequences):
    """Each brings its own keys and values."""
    for attention in (attention_prefill, attention_decode):
        one, many = attention(T, d_h, g=g), attention(T, d_h, g=g, sequences=sequences)
        assert many.intensity == pytest.approx(one.intensity, rel=1e-14)
        assert many.flops == sequences * one.flops


@given(sizes, sizes, st.integers(1, 64))
def test_sharing_kv_heads_multiplies_the_intensity_of_decode_and_helps_prefill_less_than_twice(T, d_h, g):
    assert attention_decode(T, d_h, g=g).intensity == pytest.approx(g * attention_decode(T, d_h).intensity, rel=1e-15)
    gain = attention_prefill(T, d_h, g=g).intensity / attention_prefill(T, d_h).intensity
    assert gain * (1 + 1e-14) >= 1
    assert gain < 2


@given(st.lists(st.integers(1, 10**5), min_size=1, max_size=8), sizes, st.integers(1, 8), st.integers(1, 8))
def test_the_chunks_of_a_prompt_do_the_work_of_its_prefill(chunks, d_h, g, kv_heads):
    """However it is cut: no kernel is beaten by the sum of its parts. Each chunk reads what came before it again."""
    heads = {"g": g, "kv_heads": kv_heads}
    parts = [attention_chunk(size, sum(chunks[:i]), d_h, **heads) for i, size in enumerate(chunks)]
    whole = attention_prefill(sum(chunks), d_h, heads=g * kv_heads, g=g)
    assert sum(part.flops for part in parts) == whole.flops
    assert sum(part.nbytes for part in parts) * (1 + 1e-14) >= whole.nbytes
    if len(chunks) == 1:
        assert parts[0].nbytes == pytest.approx(whole.nbytes, rel=1e-14)


@given(sizes, sizes)
def test_a_causal_mask_is_never_more_work(T, d_h):
    masked, full = attention_prefill(T, d_h), attention_prefill(T, d_h, causal=False)
    assert full.flops / 2 < masked.flops <= full.flops
    assert masked.nbytes == full.nbytes
