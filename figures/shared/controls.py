"""The controls of an interactive figure, as native, labelled inputs.

They are written into the page when it is built, so nothing moves when the script takes over, and the script reads
the choices from them.  Without JavaScript the style sheet hides them, because the static picture has no use for them.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import Final

from roofline import devices
from roofline.errors import InvalidValue
from roofline.formats import BYTES
from roofline.quantity import format_quantity

#: Steps of a slider: fine enough for three digits over five decades.
STEPS: Final = 1000
#: The choice of a stored format that follows the format of the arithmetic.
SAME: Final = "same"


@dataclass(frozen=True)
class Number:
    """A number box with a slider beside it.

    Parameters
    ----------
    name : str
        Its name in the address of the page, such as ``"B"``.
    label : str
        What a reader sees, with the unit.
    value : float
        The value to start with, between ``low`` and ``high``.
    low, high : float
        The range; the script clamps what is typed to it and says so.
    whole : bool
        Whether only whole numbers are allowed.
    log : bool
        Whether the slider is logarithmic.
    hidden : bool
        Whether it starts hidden: the figure shows it where another control makes it matter.

    Raises
    ------
    InvalidValue
        Where the value is outside the range, or a logarithmic range does not begin above 0.

    Examples
    --------
    >>> Number("B", "Batch", 8, 1, 4096).position
    250
    """

    name: str
    label: str
    value: float
    low: float
    high: float
    whole: bool = True
    log: bool = True
    hidden: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high or (self.log and self.low <= 0):
            span = f"{self.low} to {self.high}"
            raise InvalidValue(f"{self.name} is {self.value}; it must lie in its range, {span}, above 0 if logarithmic")

    @property
    def position(self) -> int:
        """Where the slider stands, between 0 and `STEPS`.

        Returns
        -------
        int
            The nearest step.

        Examples
        --------
        >>> Number("share", "Share", 50, 0, 100, log=False).position
        500
        """
        share = (
            math.log(self.value / self.low) / math.log(self.high / self.low)
            if self.log
            else (self.value - self.low) / (self.high - self.low)
        )
        return round(STEPS * share)

    def to_html(self, prefix: str) -> str:
        """Return the control as HTML.

        Parameters
        ----------
        prefix : str
            Begins its ids.

        Returns
        -------
        str
            A box, a slider and a place for a message.
        """
        name, label = html.escape(self.name), html.escape(self.label)
        flags = (" data-whole" if self.whole else "") + (" data-log" if self.log else "")
        hidden = " hidden" if self.hidden else ""
        span = f"{_plain(self.low)} to {_plain(self.high)}"
        return (
            f'<div class="control control-number" data-name="{name}" '
            f'data-low="{self.low:.12g}" data-high="{self.high:.12g}"{flags}{hidden}>'
            f'<label for="{prefix}-{name}">{label}</label>'
            f'<input id="{prefix}-{name}" class="control-box" type="text" inputmode="decimal" autocomplete="off" '
            f'spellcheck="false" value="{_plain(self.value)}" aria-describedby="{prefix}-{name}-says">'
            f'<input class="control-slider" type="range" min="0" max="{STEPS}" step="1" value="{self.position}" '
            f'aria-label="{label}, slider" aria-valuetext="{_plain(self.value)}">'
            f'<p class="control-says" id="{prefix}-{name}-says" data-hint="{span}"></p></div>'
        )


@dataclass(frozen=True)
class Choice:
    """A drop-down list.

    Parameters
    ----------
    name : str
        Its name in the address of the page.
    label : str
        What a reader sees.
    options : tuple of (str, str)
        Value and text of each option.
    value : str
        The value to start with.

    Raises
    ------
    InvalidValue
        Where the value is not among the options.

    Examples
    --------
    >>> Choice("format", "Format", (("bf16", "bf16"),), "bf16").to_html("fig-x")[-45:]
    '<option selected>bf16</option></select></div>'
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    value: str

    def __post_init__(self) -> None:
        if self.value not in {value for value, _ in self.options}:
            known = ", ".join(value for value, _ in self.options)
            raise InvalidValue(f"{self.name} is {self.value!r}; it must be one of {known}")

    def to_html(self, prefix: str) -> str:
        """Return the control as HTML.

        Parameters
        ----------
        prefix : str
            Begins its id.

        Returns
        -------
        str
            A ``select``.
        """
        name = html.escape(self.name)
        options = "".join(
            f"<option{_value(value, text)}{' selected' if value == self.value else ''}>{html.escape(text)}</option>"
            for value, text in self.options
        )
        return (
            f'<div class="control control-choice" data-name="{name}">'
            f'<label for="{prefix}-{name}">{html.escape(self.label)}</label>'
            f'<select id="{prefix}-{name}" autocomplete="off">{options}</select></div>'
        )


@dataclass(frozen=True)
class Switch:
    """A check box.

    Parameters
    ----------
    name : str
        Its name in the address of the page.
    label : str
        What a reader sees.
    value : bool
        Whether it starts checked.
    hidden : bool
        Whether only the figure's own buttons change it; it is still part of the address.

    Examples
    --------
    >>> "checked" in Switch("sum", "Without overlap", value=True).to_html("fig-x")
    True
    """

    name: str
    label: str
    value: bool = False
    hidden: bool = False

    def to_html(self, prefix: str) -> str:
        """Return the control as HTML.

        Parameters
        ----------
        prefix : str
            Begins its id.

        Returns
        -------
        str
            A labelled check box.
        """
        name, checked = html.escape(self.name), " checked" if self.value else ""
        hidden = " hidden" if self.hidden else ""
        return (
            f'<div class="control control-switch" data-name="{name}"{hidden}>'
            f'<input id="{prefix}-{name}" type="checkbox" autocomplete="off"{checked}>'
            f'<label for="{prefix}-{name}">{html.escape(self.label)}</label></div>'
        )


@dataclass(frozen=True)
class Press:
    """A button with a job of the figure's own, such as Reveal or Play.

    Parameters
    ----------
    name : str
        What the script knows it by.
    label : str
        What a reader sees.

    Examples
    --------
    >>> Press("reveal", "Reveal").to_html("fig-x")
    '<button type="button" class="control-press" data-press="reveal">Reveal</button>'
    """

    name: str
    label: str

    def to_html(self, prefix: str) -> str:  # noqa: ARG002 - one signature for all controls
        """Return the control as HTML.

        Parameters
        ----------
        prefix : str
            Not used: a button needs no id.

        Returns
        -------
        str
            A ``button``.
        """
        name = html.escape(self.name)
        return f'<button type="button" class="control-press" data-press="{name}">{html.escape(self.label)}</button>'


@dataclass(frozen=True)
class Presses:
    """Buttons that belong together, side by side.

    Parameters
    ----------
    label : str
        The accessible name of the group.
    buttons : tuple of Press
        From left to right.

    Examples
    --------
    >>> Presses("Move", (Press("back", "Back"),)).to_html("fig-x")[:59]
    '<div class="control-presses" role="group" aria-label="Move"'
    """

    label: str
    buttons: tuple[Press, ...]

    def to_html(self, prefix: str) -> str:
        """Return the group as HTML.

        Parameters
        ----------
        prefix : str
            Begins the ids of its parts.

        Returns
        -------
        str
            A group of ``button`` elements.
        """
        buttons = "".join(button.to_html(prefix) for button in self.buttons)
        return f'<div class="control-presses" role="group" aria-label="{html.escape(self.label)}">{buttons}</div>'


@dataclass(frozen=True)
class Lines:
    """Lines that the script writes below the readout; their space is reserved from the start, so that nothing moves.

    Parameters
    ----------
    name : str
        What the script knows it by.
    label : str
        Its accessible name.
    count : int
        How many lines to reserve.

    Examples
    --------
    >>> Lines("working", "The arithmetic", 11).to_html("fig-x")[:48]
    '<div class="figure-lines" data-lines="working" t'
    """

    name: str
    label: str
    count: int

    def to_html(self, prefix: str) -> str:  # noqa: ARG002 - one signature for all controls
        """Return it as HTML.

        Parameters
        ----------
        prefix : str
            Not used: it needs no id.

        Returns
        -------
        str
            A box, which the keyboard can scroll sideways.
        """
        name, label = html.escape(self.name), html.escape(self.label)
        return (
            f'<div class="figure-lines" data-lines="{name}" tabindex="0" role="group" aria-label="{label}" '
            f'style="--lines: {self.count}"></div>'
        )


Control = Number | Choice | Switch | Press | Presses


def device_choice(value: str, name: str = "device", label: str = "Device") -> Choice:
    """Return a list of all devices of the catalog.

    Parameters
    ----------
    value : str
        The device to start with.
    name, label : str
        Name and label of the control.

    Returns
    -------
    Choice
        The control.

    Examples
    --------
    >>> device_choice("H100 SXM").options[0]
    ('H100 SXM', 'H100 SXM')
    """
    return Choice(name, label, tuple((gpu.name, gpu.name) for gpu in devices()), value)


def format_choice(value: str, name: str = "format", label: str = "Format") -> Choice:
    """Return a list of the number formats in which some device of the catalog has a peak.

    Parameters
    ----------
    value : str
        The format to start with.
    name, label : str
        Name and label of the control.

    Returns
    -------
    Choice
        The control; the script disables what the chosen device lacks.

    Examples
    --------
    >>> [value for value, _ in format_choice("bf16").options][:3]
    ['fp64', 'fp32', 'tf32']
    """
    known = {fmt for gpu in devices() for fmt in gpu.formats}
    return Choice(name, label, tuple((fmt, fmt) for fmt in BYTES if fmt in known), value)


def stored_choice(value: str, name: str, label: str) -> Choice:
    """Return a list of the number formats in which something can be stored.

    Parameters
    ----------
    value : str
        The format to start with, or `SAME`.
    name, label : str
        Name and label of the control.

    Returns
    -------
    Choice
        The control.

    Examples
    --------
    >>> [value for value, _ in stored_choice("int4", "weights", "Weights").options][-2:]
    ['fp4', 'int4']
    """
    return Choice(name, label, ((SAME, "as the arithmetic"), *((fmt, fmt) for fmt in BYTES)), value)


@dataclass(frozen=True)
class Interactive:
    """What turns a static figure into an interactive one.

    Parameters
    ----------
    module : str
        The folder below ``figures/`` whose ``figure.js`` drives it.
    controls : tuple of Control
        What a reader can change, in the order of the page.
    readout : str
        The sentence below the picture at the start; the script keeps it up to date.
    options : dict
        Fixed settings for the script, such as the model's name.
    below : tuple of Lines or Press
        What stands between the readout and the tools.

    Examples
    --------
    >>> Interactive("one_gpu", (Press("step", "Step"),), "Nothing yet.").to_html("fig-one-gpu")[:40]
    '<div class="figure-panel" data-figure="o'
    """

    module: str
    controls: tuple[Control, ...]
    readout: str
    options: dict[str, str] = field(default_factory=dict)
    below: tuple[Lines | Press, ...] = ()

    def to_html(self, label: str) -> str:
        """Return the panel below the picture as HTML.

        Parameters
        ----------
        label : str
            The figure's label; begins the ids and the part of the address that holds the state.

        Returns
        -------
        str
            Controls, readout and buttons, hidden where there is no script.
        """
        controls = "".join(control.to_html(label) for control in self.controls)
        below = "".join(part.to_html(label) for part in self.below)
        data = "".join(f' data-{name}="{html.escape(value)}"' for name, value in self.options.items())
        tools = "".join(
            f'<button type="button" class="figure-tool" data-tool="{tool}">{text}</button>'
            for tool, text in (
                ("reset", "Reset"),
                ("link", "Copy link"),
                ("svg", "SVG"),
                ("png", "PNG"),
                ("csv", "CSV"),
            )
        )
        return (
            f'<div class="figure-panel" data-figure="{self.module}" data-label="{label}"{data}>'
            '<p class="figure-opening">The caption above is about the picture as it opens; Reset brings that back.</p>'
            f'<div class="figure-controls" role="group" aria-label="Controls of the figure">{controls}</div>'
            f'<p class="figure-readout" aria-live="polite">{html.escape(self.readout)}</p>{below}'
            f'<div class="figure-tools" role="group" aria-label="Reset, link and download">{tools}'
            '<span class="figure-note" role="status"></span></div></div>'
        )


def _value(value: str, text: str) -> str:
    return "" if value == text else f' value="{html.escape(value)}"'


def _plain(number: float) -> str:
    """Return a number as a reader would type it."""
    return format_quantity(number, "", 6, places=0) if float(number).is_integer() else f"{number:g}"
