"""A published measurement, and how it stands to its bound."""

from __future__ import annotations

from dataclasses import dataclass

from roofline.bounds import Bound, bound
from roofline.catalog import DatasheetValue, Device
from roofline.errors import InvalidValue
from roofline.roof import Roof
from roofline.types import FormatName

from .works import ServingRun, Work


@dataclass(frozen=True, repr=False)
class Measurement:
    """One published measurement of the catalog.

    Attributes
    ----------
    id : str
        Its name, such as ``"decode-074"``; it never changes.
    device : Device
        What it ran on.
    devices : int
        How many of these worked together.
    per : int
        For how many of them the value counts.
    part : float
        The share of one device that was used: 0.5 for one of two dies.
    value : DatasheetValue
        What was measured, in SI units, with its source: FLOP/s, byte/s, tokens/s or s.
    arithmetic : str
        The format whose peak bounds it.
    work : object
        What ran: its shapes and formats, see `roofline.reality.works`.
    code : str
        The program that was measured.
    where : str
        The place in the source.
    date : str
        When it was measured or published, as exactly as is known.
    assumed : tuple of str
        What the source does not say and was assumed.
    above : str or None
        Why it beats its bound, a cause of `roofline.reality.CAUSES`; None where it does not.

    Examples
    --------
    >>> from roofline import measured
    >>> point = measured("decode-074")
    >>> point.value.shown, point.work.described
    ('155.58 tokens/s', 'Llama 2 7B, batch 1, context 105, weights in int8')
    """

    id: str
    device: Device
    devices: int
    per: int
    part: float
    value: DatasheetValue
    arithmetic: FormatName
    work: Work
    code: str
    where: str
    date: str
    assumed: tuple[str, ...] = ()
    above: str | None = None

    def __repr__(self) -> str:
        return f'measured("{self.id}")'

    @property
    def kind(self) -> str:
        """The kind of work.

        Returns
        -------
        str
            One of `roofline.reality.KINDS`.

        Examples
        --------
        >>> from roofline import measured
        >>> measured("decode-074").kind
        'decode'
        """
        return self.work.kind

    @property
    def roof(self) -> Roof:
        """The roof of one device, for the format of the arithmetic.

        Returns
        -------
        Roof
            Peak and bandwidth of the catalog.

        Examples
        --------
        >>> from roofline import measured
        >>> measured("decode-074").roof.label
        'A100 SXM 80GB bf16'
        """
        return self.device.roof(self.arithmetic)

    @property
    def batch(self) -> float | None:
        """The sequences that share a step.

        Returns
        -------
        float or None
            As published, or as many as fit where the source does not say; None where there is no batch.

        Examples
        --------
        >>> from roofline import measured
        >>> measured("decode-116").batch
        16
        """
        return self.work.in_flight(self._memory) if isinstance(self.work, ServingRun) else self.work.batch

    @property
    def limit(self) -> Bound | None:
        """The bound of the least work that was done, under the roof of one device.

        Returns
        -------
        Bound or None
            None where the shape is not published, and only the peak bounds the work.

        Examples
        --------
        >>> from roofline import measured
        >>> measured("decode-074").limit.regime
        'memory-bound'
        """
        kernel = self.work.least(self._memory)
        return None if kernel is None else bound(kernel, self.roof)

    @property
    def share(self) -> float:
        """What was achieved over what the bound allows.

        Returns
        -------
        float
            1 at the roof; above 1 where the measurement beats its bound.

        Examples
        --------
        >>> from roofline import measured
        >>> round(measured("decode-074").share, 2)
        0.51
        """
        return share_under(self, self.roof)

    @property
    def _memory(self) -> float:
        return self.device.memory * self.devices * self.part


def bound_of(measurement: Measurement) -> float:
    """Return the best value that the bound allows.

    Parameters
    ----------
    measurement : Measurement
        The measurement.

    Returns
    -------
    float
        In the unit of its value: the shortest time, or the highest rate. Several devices share the work of one and
        nothing is counted for what they tell each other.

    Examples
    --------
    >>> from roofline import measured
    >>> round(bound_of(measured("decode-074")))
    306
    """
    return bound_under(measurement, measurement.roof)


def bound_under(measurement: Measurement, roof: Roof) -> float:
    """Return the best value that the work would allow under another roof.

    Parameters
    ----------
    measurement : Measurement
        The measurement.
    roof : Roof
        The roof of one device.

    Returns
    -------
    float
        As from `bound_of`.

    Examples
    --------
    >>> from roofline import measured
    >>> point = measured("decode-074")
    >>> bound_under(point, point.roof) == bound_of(point)
    True
    """
    used = measurement.devices * measurement.part
    kernel, unit = measurement.work.least(measurement.device.memory * used), measurement.value.unit
    counted = measurement.per * measurement.part
    if kernel is None:
        return roof.peak * counted
    time = bound(kernel, roof).time / used
    if unit == "s":
        return time
    done = {"FLOP/s": kernel.flops, "B/s": kernel.nbytes, "tokens/s": measurement.work.tokens}[unit]
    if done is None:
        raise InvalidValue(f"{measurement.id} is in tokens/s; a {measurement.kind} gives no tokens, write FLOP/s or s")
    return done / time * measurement.per / measurement.devices


def share_under(measurement: Measurement, roof: Roof) -> float:
    """Return what was achieved over what another roof would allow.

    Parameters
    ----------
    measurement : Measurement
        The measurement.
    roof : Roof
        The roof of one device.

    Returns
    -------
    float
        As `Measurement.share`.

    Examples
    --------
    >>> from roofline import measured
    >>> point = measured("decode-074")
    >>> share_under(point, point.roof) == point.share
    True
    """
    limit, value = bound_under(measurement, roof), float(measurement.value)
    return limit / value if measurement.value.unit == "s" else value / limit
