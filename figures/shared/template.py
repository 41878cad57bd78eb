"""Sentences with gaps, and numbers in their form; a figure's script fills them in the same way.

A gap is ``{name}`` or ``{name:form}``.  A form is a unit and how many digits: ``s``, ``FLOP/B 4``, ``% .1`` for one
place.  ``number`` has no unit, ``typed`` is a number as a reader types it, and after the unit may stand ``plain`` (no
SI prefix), ``bare`` (a prefix and no unit), ``ridge`` (the digits of a ridge point) or ``short`` (no more digits than
a label needs).  ``template.js`` reads the same grammar.
"""

from __future__ import annotations

import re
from typing import Any, Final

from roofline import format_quantity
from roofline.quantity import ridge_places

_GAP: Final = re.compile(r"\{(\w+)(?::([^}]*))?\}")


def shown(value: Any, form: str = "") -> str:
    """Return a value in its form.

    Parameters
    ----------
    value : float or str
        The value, in SI units; a text stays as it is.
    form : str
        The form; empty for a text.

    Returns
    -------
    str
        What a reader sees.

    Examples
    --------
    >>> shown(4.18e-3, "s"), shown(0.5, "% .1"), shown(1e11, "FLOP/s 1 bare"), shown(4096, "typed")
    ('4.18 ms', '50.0%', '100 G', '4,096')
    >>> shown(295.2, "FLOP/B ridge"), shown(25.47, "number ridge"), shown(64.0, "number short")
    ('295 FLOP/byte', '25.5', '64')
    """
    if isinstance(value, str):
        return value
    unit, *options = form.split()
    if unit == "typed":
        return format_quantity(value, "", places=0) if float(value).is_integer() else f"{value:.6g}"
    digits, places = 3, None
    for option in options:
        if option.isdigit():
            digits = int(option)
        elif option.startswith("."):
            places = int(option[1:])
        elif option == "ridge":
            places = ridge_places(value)
        elif option == "short":
            places = 0 if value >= 100 or float(value).is_integer() else None
    prefix = "" if "plain" in options else None
    text = format_quantity(value, "" if unit == "number" else unit, digits, places=places, prefix=prefix)
    return text.removesuffix(unit).rstrip() if "bare" in options else text


def filled(template: str, /, **values: Any) -> str:
    """Return a sentence with its gaps filled.

    Parameters
    ----------
    template : str
        The sentence.
    **values
        What goes into its gaps, by name.

    Returns
    -------
    str
        The sentence.

    Examples
    --------
    >>> filled("{kernel} takes at least {time:s 2}.", kernel="ReLU", time=1.19e-5)
    'ReLU takes at least 12 µs.'
    """
    return _GAP.sub(lambda gap: shown(values[gap[1]], gap[2] or ""), template)
