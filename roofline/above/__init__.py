"""A point above the roof: no device does the impossible, so something that was stated or measured is not so.

`causes_above` ranks the causes that fit the numbers; `CAUSES` says of each what it changes and how to try it.
"""

from .causes import CAUSES, Cause
from .point import Explanation, causes_above

__all__ = ["CAUSES", "Cause", "Explanation", "causes_above"]
