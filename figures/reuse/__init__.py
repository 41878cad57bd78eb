"""How much reuse each device demands: its ridge point, beside what a batch gives."""

from .static import draw

__all__ = ["draw"]
