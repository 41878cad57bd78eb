"""Every published measurement of the catalog under its roof, by kind."""

from .static import draw

__all__ = ["draw"]
