"""The matmul intensity theorem, tried on sizes, formats and roofs, and solved by SymPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from roofline.bounds import bound
from roofline.formats import BYTES
from roofline.kernels import matmul
from roofline.roof import Roof
from roofline.threshold import critical_batch

from .strategies import formats, roofs, sizes

pytestmark = pytest.mark.property

mixed = st.fixed_dictionaries({"weights": formats, "activations": formats, "outputs": formats})
widths = st.integers(1, 4096)
#: Roofs whose limits are whole numbers, so that exact arithmetic can be asked who is right.
whole_roofs = st.builds(Roof, st.integers(1, 2000), st.integers(1, 50))


@given(sizes, sizes, sizes)
def test_the_intensity_stays_below_the_batch_and_below_the_ceiling(B, D, F):
    intensity = Fraction(2 * B * D * F, 1) / Fraction(matmul(B, D, F).nbytes)
    assert intensity < B
    assert intensity < Fraction(D * F, D + F)
    assert matmul(B, D, F).intensity == pytest.approx(float(intensity), rel=1e-15)


@given(sizes, sizes, sizes, sizes, mixed)
def test_more_tokens_mean_more_intensity(B, more, D, F, fmt):
    few, many = matmul(B, D, F, **fmt), matmul(B + more, D, F, **fmt)
    assert Fraction(many.flops) * Fraction(few.nbytes) > Fraction(few.flops) * Fraction(many.nbytes)
    assert many.intensity >= few.intensity


@given(sizes, sizes, sizes)
def test_in_one_format_the_three_sizes_play_the_same_part(B, D, F):
    costs = {(kernel.flops, kernel.nbytes) for kernel in (matmul(B, D, F), matmul(D, F, B), matmul(F, B, D))}
    assert len(costs) == 1


@given(sizes, sizes, sizes, formats)
def test_the_intensity_is_inverse_to_the_bytes_of_an_element(B, D, F, fmt):
    assert matmul(B, D, F, fmt).intensity * BYTES[fmt] == pytest.approx(2 * matmul(B, D, F).intensity, rel=1e-14)


@given(sizes, sizes, roofs, mixed)
def test_at_the_threshold_the_intensity_is_the_ridge_point(D, F, roof, fmt):
    threshold = critical_batch(D, F, roof, **fmt)
    assume(1e-200 < threshold < math.inf)
    assert matmul(threshold, D, F, **fmt).intensity == pytest.approx(roof.ridge, rel=1e-9)


@given(widths, widths, roofs)
def test_in_one_format_there_is_a_threshold_exactly_where_the_ceiling_is_above_the_ridge(D, F, roof):
    ceiling, ridge = Fraction(D * F, D + F), Fraction(roof.peak) / Fraction(roof.bandwidth)
    assume(abs(ceiling / ridge - 1) > Fraction(1, 10**12))
    assert (critical_batch(D, F, roof) == math.inf) == (ceiling <= ridge)


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_a_ceiling_exactly_at_the_ridge_has_no_threshold(half, peak_scale):
    """D = F = 2n has the ceiling n; a roof with the ridge n is never reached, only approached."""
    roof = Roof(half * peak_scale, peak_scale)
    assert critical_batch(2 * half, 2 * half, roof) == math.inf
    assert critical_batch(2 * half + 1, 2 * half, roof) < math.inf


@given(widths, widths, roofs, mixed)
def test_the_threshold_is_positive_and_above_the_rule_of_thumb(D, F, roof, fmt):
    """Activations only add traffic, so B* is above R w / 2, what the weights alone would need."""
    assert critical_batch(D, F, roof, **fmt) >= roof.ridge * BYTES[fmt["weights"]] / 2 * (1 - 1e-12)


@given(st.integers(1, 400), st.integers(1, 400), whole_roofs)
def test_the_threshold_rounded_up_is_the_first_whole_batch_that_is_compute_bound(D, F, roof):
    threshold = critical_batch(D, F, roof)
    assume(threshold < 2000)
    # A search by exact integers: 2 B D F bandwidth >= 2 (B D + D F + B F) peak.
    first = next(B for B in range(1, 2002) if B * D * F * roof.bandwidth >= (B * D + D * F + B * F) * roof.peak)
    # A whole threshold may come out one rounding too high: 225 x 225 at 225/47 gives 5.000000000000001.
    assert math.ceil(threshold * (1 - 1e-12)) == first
    regimes = [bound(matmul(B, D, F), roof).regime for B in (first, first + 1)]
    assert regimes == ["compute-bound", "compute-bound"]
    if first > 1:
        assert bound(matmul(first - 1, D, F), roof).regime == "memory-bound"


@given(st.lists(st.tuples(sizes, sizes, sizes), min_size=1, max_size=20), mixed)
def test_an_array_of_sizes_agrees_with_one_matmul_at_a_time(shapes, fmt):
    together = matmul(*(np.array(column) for column in zip(*shapes, strict=True)), **fmt)
    alone = [matmul(*shape, **fmt) for shape in shapes]
    for name in ("flops", "nbytes", "intensity"):
        assert getattr(together, name) == pytest.approx([float(getattr(one, name)) for one in alone], rel=1e-14)


@given(st.lists(st.tuples(widths, widths), min_size=1, max_size=20), roofs, mixed)
def test_an_array_of_thresholds_agrees_with_one_at_a_time(shapes, roof, fmt):
    D, F = (np.array(column) for column in zip(*shapes, strict=True))
    alone = [critical_batch(d, f, roof, **fmt) for d, f in shapes]
    assert critical_batch(D, F, roof, **fmt) == pytest.approx(alone, rel=1e-6)


B, D, F, R, P, BW, w, a, o = sympy.symbols("B D F R P BW w a o", positive=True)
SYMBOLIC = matmul(B, D, F, weights=w, activations=a, outputs=o)


@given(sizes, sizes, sizes, mixed)
def test_the_formula_evaluated_is_the_number(b, d, f, fmt):
    values = {B: b, D: d, F: f, w: BYTES[fmt["weights"]], a: BYTES[fmt["activations"]], o: BYTES[fmt["outputs"]]}
    kernel = matmul(b, d, f, **fmt)
    for name in ("flops", "nbytes", "intensity"):
        assert float(getattr(SYMBOLIC, name).subs(values)) == pytest.approx(float(getattr(kernel, name)), rel=1e-12)


@pytest.mark.parametrize(
    "formats",
    [
        {"dtype": "bf16"},
        {"dtype": "fp8"},
        {"weights": "int4"},
        {"weights": w},
        {"weights": w, "activations": a, "outputs": o},
    ],
    ids=["bf16", "fp8", "W4A16", "any weights", "any three formats"],
)
def test_solving_intensity_equals_ridge_for_the_batch_gives_the_closed_form(formats):
    """From the cost function itself: nothing of the theorem is typed here."""
    solutions = sympy.solve(sympy.Eq(matmul(B, D, F, **formats).intensity, P / BW), B)
    assert len(solutions) == 1
    assert sympy.simplify(solutions[0] - critical_batch(D, F, Roof(P, BW), **formats)) == 0


def test_the_closed_form_is_the_one_of_the_theorem():
    ours = critical_batch(D, F, Roof(R, sympy.Integer(1)))
    assert sympy.simplify(ours - R / (1 - R * (1 / D + 1 / F))) == 0
    assert sympy.simplify(ours - R * D * F / (D * F - R * (D + F))) == 0
    assert sympy.limit(sympy.limit(ours, D, sympy.oo), F, sympy.oo) == R
