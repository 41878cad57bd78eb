"""The four-step method as a pair of bars."""

from .static import draw

__all__ = ["draw"]
