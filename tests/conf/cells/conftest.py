"""What jupyter_client leaves to the garbage collector is collected after each test, without its warnings."""

import gc
import warnings

import pytest


@pytest.fixture(autouse=True)
def collected(request):
    """Collect sockets and event loops of ended kernels here: found later, they would fail some other test."""
    yield
    if not request.node.get_closest_marker("slow"):
        return  # it started no kernel, and to look for what it left takes longer than all else
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
