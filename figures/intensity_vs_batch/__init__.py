"""From which batch on a weight matmul is compute-bound."""

from .static import draw

__all__ = ["draw"]
