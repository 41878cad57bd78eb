"""Sizes, formats, roofs and kernels as the real world has them, and well beyond."""

import os

from hypothesis import settings
from hypothesis import strategies as st

from roofline.formats import BYTES
from roofline.kernel import Kernel
from roofline.roof import Roof

#: For a law that is tried on each cost function: fewer inputs for each, as they all have the same few operators. Once a
#: week as many as any other law gets.
tried_on_each = settings() if os.environ.get("WEEKLY") else settings(max_examples=30)
#: Whole sizes, from one element to more than any model has.
sizes = st.integers(1, 10**6)
#: FLOPs and bytes: from one to a year of a large cluster.
amounts = st.floats(1.0, 1e24)
formats = st.sampled_from(sorted(BYTES))
#: From a microcontroller to a rack.
roofs = st.builds(Roof, st.floats(1e6, 1e18), st.floats(1e6, 1e15))
#: FLOPs may be none at all: a copy.
kernels = st.builds(Kernel, st.just("kernel"), st.just(0.0) | amounts, amounts)
factors = st.floats(0.01, 100.0)
