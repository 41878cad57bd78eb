"""One transformer layer, kernel by kernel."""

from .static import draw

__all__ = ["draw"]
