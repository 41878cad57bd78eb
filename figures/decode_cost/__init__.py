"""What a decode step costs as the batch grows."""

from .static import draw

__all__ = ["draw"]
