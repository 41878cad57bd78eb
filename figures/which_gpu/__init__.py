"""Which GPU? The bound on the decode rate of a model on every device, and how many devices it takes."""

from .static import draw

__all__ = ["draw"]
