"""Where a datasheet value or a width comes from: a document, its address and its date."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A document that values come from.

    Attributes
    ----------
    title : str
        What it is, such as ``"NVIDIA H100 Tensor Core GPU datasheet, SXM and PCIe"``.
    ref : str
        Its address.
    kind : str
        ``"datasheet"``, ``"whitepaper"``, ``"vendor page"`` or ``"third party"``.
    date : str
        The date that the document bears (``"2024-09-11"``), or the day on which it was read
        (``"accessed 2026-11-29"``).
    via : str
        Where its text was read, if not at ``ref`` itself; empty otherwise.

    Examples
    --------
    >>> from roofline.catalog import device
    >>> device("MI300X").peaks["bf16"].source.date
    '2024-09-11'
    """

    title: str
    ref: str
    kind: str
    date: str
    via: str = ""
