"""One device or model of the atlas: its roofline, all its figures, and what is said wrong about it."""

from .section import about_device, about_model, linked
from .static import draw

__all__ = ["about_device", "about_model", "draw", "linked"]
