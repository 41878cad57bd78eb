"""One device or model of the atlas: its roofline, all its figures, and what is said wrong about it."""

from .section import linked, model_section, section
from .static import draw

__all__ = ["draw", "linked", "model_section", "section"]
