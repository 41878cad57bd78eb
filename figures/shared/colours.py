"""The colours of all figures, by what they mean.

matplotlib draws with a placeholder; `themed` then puts the page's CSS variable in its place, so that one SVG follows
the light and the dark theme while the reader switches.  The fallback is for places without the page's style sheet,
such as a notebook.  Colour is never the only signal: see `MARKERS` and `HATCHES`.
"""

from __future__ import annotations

from typing import Final

from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND

MEMORY: Final = "#fe0101"
COMPUTE: Final = "#0101fe"
INK: Final = "#010101"
MUTED: Final = "#020202"
GRID: Final = "#030303"
SURFACE: Final = "#fefefe"

#: Placeholder -> what the SVG says. The fallbacks are the light theme's colours.
VARIABLES: Final[dict[str, str]] = {
    MEMORY: "var(--rl-memory, #b45309)",
    COMPUTE: "var(--rl-compute, #1d5fb8)",
    INK: "var(--rl-ink, #1f2328)",
    MUTED: "var(--rl-muted, #57606a)",
    GRID: "var(--rl-grid, #d5d9de)",
    SURFACE: "var(--rl-surface, #ffffff)",
}

#: Regime -> colour, and the second signal that goes with it.
COLOURS: Final = {MEMORY_BOUND: MEMORY, COMPUTE_BOUND: COMPUTE}
MARKERS: Final = {MEMORY_BOUND: "o", COMPUTE_BOUND: "s"}
HATCHES: Final = {MEMORY_BOUND: "///", COMPUTE_BOUND: ""}


def themed(svg: str) -> str:
    """Return the SVG with the page's colour variables for the placeholders.

    Parameters
    ----------
    svg : str
        SVG as matplotlib writes it.

    Returns
    -------
    str
        The same drawing.

    Examples
    --------
    >>> themed('<path style="fill: #fe0101"/>')
    '<path style="fill: var(--rl-memory, #b45309)"/>'
    """
    for placeholder, variable in VARIABLES.items():
        svg = svg.replace(placeholder, variable)
    return svg
