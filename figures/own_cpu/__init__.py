"""The roofline of one CPU, as the notebook's fourth exercise measured it once."""

from .static import draw, record

__all__ = ["draw", "record"]
