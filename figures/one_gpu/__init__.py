"""The roofline of one GPU, with the lesson's kernels on it."""

from .static import draw

__all__ = ["draw"]
