"""What static figures are drawn on: sizes in pixels, text, clean axes and the marks of the two regimes.

A drawing is 480 px wide in its own units.  On a phone of 360 px it is shown at about two thirds, so that text of 15 px
is still 10 px; in a wide column it stops growing at the size of the page's own text.
"""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, ParamSpec, TypeVar

from roofline import InvalidValue, Roof
from roofline.bounds import COMPUTE_BOUND, MEMORY_BOUND

from .colours import COLOURS, COMPUTE, GRID, HATCHES, INK, MARKERS, MEMORY, MUTED, SURFACE
from .description import Axis
from .template import filled, shown

P = ParamSpec("P")
R = TypeVar("R")

WIDTH: Final = 480
#: Text sizes, px: labels, and ticks with axis titles.
TEXT: Final = 15
SMALL: Final = 14
LINE: Final = 19


class Box(NamedTuple):
    """A rectangle in pixels from the lower left corner of the drawing.

    Examples
    --------
    >>> Box(0, 0, 10, 10).meets(Box(5, 5, 15, 15)), Box(0, 0, 10, 10).meets(Box(10, 0, 20, 10))
    (True, False)
    """

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Say whether two rectangles overlap.

        Parameters
        ----------
        other : Box
            The other rectangle.

        Returns
        -------
        bool
            True where they share an area.
        """
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top


def painted(paint: Callable[P, R]) -> Callable[P, R]:
    """Let a function draw with matplotlib's default settings, whatever this machine or notebook has set.

    Parameters
    ----------
    paint : callable
        The function.

    Returns
    -------
    callable
        The same function.

    Examples
    --------
    >>> import matplotlib
    >>> with matplotlib.rc_context({"lines.linewidth": 9.0}):
    ...     painted(lambda: matplotlib.rcParams["lines.linewidth"])()
    1.5
    """

    @functools.wraps(paint)
    def painting(*args: P.args, **kwargs: P.kwargs) -> R:
        # On a slow machine the first import logs that it builds a font cache; a page must not show that.
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
        from matplotlib import style  # noqa: PLC0415 - slow, and needed only where something is drawn

        with style.context("default"):
            return paint(*args, **kwargs)

    return painting


def canvas(height: float, inside: Box) -> tuple[Any, Any]:
    """Return a figure of the common width and one axes in it.

    Parameters
    ----------
    height : float
        Height of the drawing, px.
    inside : Box
        Where the axes are, px.

    Returns
    -------
    tuple of matplotlib.figure.Figure and matplotlib.axes.Axes
        Only the bottom spine is drawn; text is in the ink colour.

    Examples
    --------
    >>> figure, axes = canvas(300, Box(60, 40, 470, 280))
    >>> [name for name, spine in axes.spines.items() if spine.get_visible()]
    ['bottom']
    """
    # Not pyplot: it keeps every figure alive, and asks for a display.
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow, and needed only where something is drawn

    figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
    return figure, panel(figure, inside)


def panel(figure: Any, inside: Box) -> Any:
    """Return clean axes in a figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    inside : Box
        Where the axes are, px.

    Returns
    -------
    matplotlib.axes.Axes
        Only the bottom spine is drawn; text is in the ink colour.

    Examples
    --------
    >>> figure, upper = canvas(300, Box(60, 200, 470, 280))
    >>> lower = panel(figure, Box(60, 40, 470, 120))
    >>> len(figure.axes)
    2
    """
    height = figure.get_figheight() * 72
    left, bottom, right, top = inside
    axes = figure.add_axes((left / WIDTH, bottom / height, (right - left) / WIDTH, (top - bottom) / height))
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.tick_params(which="both", length=0, colors=MUTED, labelcolor=MUTED, labelsize=SMALL, pad=5)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=GRID, linewidth=1)
    return axes


def text(figure: Any, x: float, y: float, words: str, **options: Any) -> Any:
    """Write text at a pixel of the drawing.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    x, y : float
        Where, px from the lower left corner; the text is centred on ``y`` unless ``va`` says otherwise.
    words : str
        What to write.
    **options
        Further options of matplotlib's text.

    Returns
    -------
    matplotlib.text.Text
        The text.

    Examples
    --------
    >>> figure, axes = canvas(300, Box(60, 40, 470, 280))
    >>> text(figure, 60, 290, "FLOP/s").get_fontsize()
    15.0
    """
    height = figure.get_figheight() * 72
    return figure.text(x / WIDTH, y / height, words, **{"color": INK, "fontsize": TEXT, "va": "center", **options})


def text_width(words: str, size: float = TEXT) -> float:
    """Return about how wide a text is, in matplotlib's own font, which is wider than most.

    Parameters
    ----------
    words : str
        The text.
    size : float
        Its size, px.

    Returns
    -------
    float
        Pixels.

    Examples
    --------
    >>> 30 < text_width("ReLU") < 45
    True
    """
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415
    from matplotlib.textpath import TextToPath  # noqa: PLC0415

    return float(TextToPath().get_text_width_height_descent(words, FontProperties(size=size), ismath=False)[0])


def round_values(low: float, high: float, count: int) -> list[float]:
    """Return about so many round values of a linear axis, by the rule that the scripts have from d3.

    Parameters
    ----------
    low, high : float
        The ends of the axis.
    count : int
        About how many.

    Returns
    -------
    list of float
        Multiples of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> round_values(0, 43, 5)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    above = rough / power
    step = power * next(
        factor for factor, least in ((10, 50**0.5), (5, 10**0.5), (2, 2**0.5), (1, 0)) if above >= least
    )
    return [index * step for index in range(math.ceil(low / step), math.floor(high / step) + 1)]


def set_axis(
    axes: Any, which: Literal["x", "y"], axis: Axis, domain: tuple[float, float] | None = None, **values: Any
) -> None:
    """Give an axis its scale, its ends and its numbers, and the lower one its title.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes.
    which : {"x", "y"}
        Which of the two.
    axis : Axis
        Its description.
    domain : tuple of float, optional
        Where it starts and ends, if the description leaves that open.
    **values
        What goes into the gaps of the title.

    Raises
    ------
    InvalidValue
        Where neither gives the ends.

    Examples
    --------
    >>> figure, axes = canvas(300, Box(60, 40, 470, 280))
    >>> set_axis(axes, "x", Axis("time, {unit}", kind="linear", count=4, form="typed"), unit="ms", domain=(0, 4100))
    >>> axes.get_xlabel(), [tick.get_text() for tick in axes.get_xticklabels()]
    ('time, ms', ['0', '1,000', '2,000', '3,000', '4,000'])
    """
    ends = domain or axis.domain
    if ends is None:
        raise InvalidValue(f"the axis {axis.title!r} has no domain; give one in its description or to set_axis")
    low, high = ends
    axes.set(**{f"{which}scale": axis.kind, f"{which}lim": (low, high)})
    axes.minorticks_off()
    ticks = axis.ticks or (decades(low, high) if axis.kind == "log" else round_values(low, high, axis.count))
    getattr(axes, f"set_{which}ticks")(ticks, [shown(tick, axis.form) for tick in ticks])
    # The title of a y axis stands above the picture, where each figure writes it.
    if which == "x" and axis.title:
        axes.set_xlabel(filled(axis.title, **values), color=INK, fontsize=TEXT, labelpad=6)


def decades(low: float, high: float) -> list[float]:
    """Return the powers of ten from one value to another.

    Parameters
    ----------
    low, high : float
        The ends, above 0.

    Returns
    -------
    list of float
        Rising.

    Examples
    --------
    >>> decades(0.2, 1000)
    [1.0, 10.0, 100.0, 1000.0]
    """
    # A small tolerance, because math.log10 may return a little less or more than a whole number.
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0**power for power in range(first, last + 1)]


def along(value: float, domain: tuple[float, float], start: float, end: float) -> float:
    """Return where a value is on a logarithmic axis.

    Parameters
    ----------
    value : float
        The value, above 0.
    domain : tuple of float
        The values at the ends of the axis.
    start, end : float
        The pixels of its ends.

    Returns
    -------
    float
        The pixel.

    Examples
    --------
    >>> round(along(10, (1, 1000), 100, 400), 9)
    200.0
    """
    low, high = domain
    return start + math.log(value / low) / math.log(high / low) * (end - start)


def set_rows(axes: Any, low: float, high: float) -> None:
    """Give the axes of a bar chart the ends of its y axis, without numbers and lines.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes.
    low, high : float
        What is at the bottom and at the top.

    Examples
    --------
    >>> figure, axes = canvas(300, Box(60, 40, 470, 280))
    >>> set_rows(axes, 3, 0)
    >>> [float(end) for end in axes.get_ylim()], list(axes.get_yticks())
    ([3.0, 0.0], [])
    """
    axes.set(ylim=(low, high))
    axes.grid(visible=False, axis="y")
    axes.set_yticks([])


def draw_roof(axes: Any, roof: Roof, intensities: tuple[float, float], floor: float) -> None:
    """Draw the memory roof, the compute roof and a dotted line down from the ridge point.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes, both logarithmic.
    roof : Roof
        Peak and bandwidth.
    intensities : tuple of float
        The ends of the x axis, FLOP/byte.
    floor : float
        The lower end of the y axis, FLOP/s.

    Examples
    --------
    >>> figure, axes = canvas(300, Box(60, 40, 470, 280))
    >>> draw_roof(axes, Roof(1e12, 1e11), (0.1, 100), 1e9)
    >>> len(axes.lines)
    3
    """
    low, high = intensities
    axes.plot([roof.ridge, roof.ridge], [floor, roof.peak], color=MUTED, linewidth=1.2, linestyle=(0, (2, 3)))
    axes.plot([low, roof.ridge], [roof.attainable(low), roof.peak], color=MEMORY, linewidth=3, solid_capstyle="round")
    axes.plot([roof.ridge, high], [roof.peak, roof.peak], color=COMPUTE, linewidth=3, solid_capstyle="round")


def regime_key(figure: Any, x: float, y: float, *, hatches: bool = False) -> None:
    """Draw the key of the two regimes: colour and marker, or colour and hatch.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    x, y : float
        Its left end and its middle, px.
    hatches : bool
        Whether bars are drawn and not points.

    Examples
    --------
    >>> figure, axes = canvas(300, Box(60, 40, 470, 280))
    >>> regime_key(figure, 60, 290)
    >>> [words.get_text() for words in figure.texts]
    ['memory-bound', 'compute-bound']
    """
    from matplotlib.lines import Line2D  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    height = figure.get_figheight() * 72
    for regime in (MEMORY_BOUND, COMPUTE_BOUND):
        if hatches:
            size = {"width": 22 / WIDTH, "height": 14 / height}
            figure.add_artist(Rectangle((x / WIDTH, (y - 7) / height), **size, **bar_style(regime)))
        else:
            figure.add_artist(Line2D([(x + 11) / WIDTH], [y / height], **marker_style(regime)))
        text(figure, x + 28, y, regime, color=COLOURS[regime])
        x += 28 + text_width(regime) + 20


def marker_style(regime: str) -> dict[str, Any]:
    """Return how a point of a regime is drawn.

    Parameters
    ----------
    regime : str
        The regime.

    Returns
    -------
    dict
        Options of matplotlib's ``Line2D``.

    Examples
    --------
    >>> marker_style("memory-bound")["marker"], marker_style("compute-bound")["marker"]
    ('o', 's')
    """
    return {
        "marker": MARKERS[regime],
        "markersize": 11 if MARKERS[regime] == "o" else 10,
        "color": COLOURS[regime],
        "markeredgecolor": SURFACE,
        "markeredgewidth": 1.5,
        "linestyle": "none",
    }


def bar_style(regime: str) -> dict[str, Any]:
    """Return how a bar of a regime is drawn.

    Parameters
    ----------
    regime : str
        The regime.

    Returns
    -------
    dict
        Options of matplotlib's patches.

    Examples
    --------
    >>> bar_style("memory-bound")["hatch"], bar_style("compute-bound")["hatch"]
    ('///', None)
    """
    # The edge has no width: its colour is that of the hatch.
    return {"facecolor": COLOURS[regime], "edgecolor": SURFACE, "linewidth": 0, "hatch": HATCHES[regime] or None}
