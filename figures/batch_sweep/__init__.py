"""The decode batch from 1 to 1024: what it moves on the roofline, and what it leaves where it is."""

from .static import draw

__all__ = ["draw"]
