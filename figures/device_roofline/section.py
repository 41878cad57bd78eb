"""What the atlas says about one device or one model: a picture or a table, what others get wrong, and its sources."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from figures.shared.page import show
from roofline import device, model
from roofline.tables import Cell, Table
from roofline.tables.atlas import model_kernels, one_device, slug

from .static import draw

if TYPE_CHECKING:
    from roofline.catalog import Source

_MARKUP = re.compile(r"([\\`*_$<>\[\]{}|~^])")


def about_device(name: str) -> str:
    """Return what stands below the heading of a device.

    Parameters
    ----------
    name : str
        The device.

    Returns
    -------
    str
        MyST: sentences, a figure and a table with the labels ``fig-device-…`` and ``tab-device-…``, and two lists.

    Raises
    ------
    UnknownDevice
        Where the catalog has no such device.

    Examples
    --------
    >>> about_device("T4").splitlines()[0]
    'Made by NVIDIA, announced in 2018. All figures are those of one card.'
    """
    gpu = device(name)
    part = slug(gpu.name)
    drawing = show(
        draw(gpu.name),
        f"fig-device-{part}",
        f"The roofline of the {gpu.name}, on the axes of all devices. Dots are ridge points; "
        "beside each format is its peak in TFLOP/s, for int8 in TOP/s.",
    )
    table = show(one_device(gpu.name), f"tab-device-{part}", f"All figures of the {gpu.name}; peaks are dense.")
    blocks = [
        f"Made by {gpu.vendor}, announced in {gpu.year}. All figures are those of {_one(gpu.scope)}.",
        drawing.to_myst(),
        table.to_myst(),
    ]
    ratios = [f"{e.numerator} over {e.denominator} is {e.ratio:g}: {e.reason}." for e in gpu.exceptions]
    for title, said in (
        ("What public tables often get wrong", gpu.notes),
        ("Where its peaks are not in the usual ratio", ratios),
    ):
        if said:
            blocks += [f"**{title}:**", "\n".join(f"- {plain(note)}" for note in said)]
    blocks += ["**Sources:**", "\n".join(f"{n}. {cited(source)}" for n, source in enumerate(gpu.sources, 1))]
    return "\n\n".join(blocks)


def about_model(name: str) -> str:
    """Return what stands below the heading of a model.

    Parameters
    ----------
    name : str
        The model.

    Returns
    -------
    str
        MyST: a table with the label ``tab-model-…``, and where the widths come from.

    Raises
    ------
    UnknownModel
        Where the catalog has no such model.

    Examples
    --------
    >>> about_model("Mistral 7B").splitlines()[0]
    '``````{worked-table} tab-model-mistral-7b'
    """
    chosen = model(name)
    what = "in prefill; it has no decode" if chosen.conditioning else "in decode and in prefill"
    table = show(
        model_kernels(chosen.name),
        f"tab-model-{slug(chosen.name)}",
        f"The kernels of the last layer of {chosen.name} {what}.",
    )
    blocks = [table.to_myst(), "\n".join(f"- {plain(note)}" for note in chosen.notes)]
    if chosen.source:
        blocks.append(f"Model from {cited(chosen.source)}")
    return "\n\n".join(block for block in blocks if block)


def linked(table: Table, section: str = "sec-device") -> Table:
    """Return a table whose first column links to sections of the atlas.

    Parameters
    ----------
    table : Table
        Its first column holds names of the catalog.
    section : str
        How the labels of the sections begin.

    Returns
    -------
    Table
        The same numbers, for a page.

    Examples
    --------
    >>> linked(Table(("Device",), ((Cell("T4"),),))).texts()
    [['[T4](#sec-device-t4)']]
    """
    rows = tuple((Cell(f"[{row[0].shown}](#{section}-{slug(row[0].shown)})"), *row[1:]) for row in table.rows)
    return Table(table.columns, rows, table.numeric)


def plain(words: str) -> str:
    r"""Return words in MyST that show just what they are.

    Parameters
    ----------
    words : str
        Plain text.

    Returns
    -------
    str
        With a backslash before each character that means something.

    Examples
    --------
    >>> print(plain("fp8_acc16"))
    fp8\_acc16
    """
    return _MARKUP.sub(r"\\\1", words)


def cited(source: Source) -> str:
    """Return a source in MyST: what it is, its kind and date, and where its text was read.

    Parameters
    ----------
    source : Source
        The document.

    Returns
    -------
    str
        With a link.

    Examples
    --------
    >>> cited(device("MI300X").sources[0])[:34]
    '[AMD Instinct MI300X product page]'
    """
    read = ""
    if source.via:
        where = f"<{source.via}>" if source.via.startswith("http") and " " not in source.via else _linked(source.via)
        read = f" Read by way of {where}."
    date = source.date if source.date.startswith("accessed") else f"dated {source.date}"
    return f"[{plain(source.title)}](<{source.ref}>), {source.kind}, {date}.{read}"


def _one(scope: str) -> str:
    return scope if scope.startswith("half") else f"one {scope}"


def _linked(words: str) -> str:
    return " ".join(f"<{word}>" if word.startswith("http") else plain(word) for word in words.split())
