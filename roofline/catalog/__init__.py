"""The catalog of devices and models: every row with its source and date.

`device` finds one device by name, `devices` gives them all; `model` and `models` do the same for models.
The data is ``devices.toml`` and ``models.toml``; the head of each file explains its grammar, and `load` and
`load_models` refuse whatever breaks it.
"""

from __future__ import annotations

import functools
from typing import Final, TypeVar

from roofline.architecture import Model
from roofline.errors import InvalidValue, UnknownDevice, UnknownModel, UnknownName, near
from roofline.source import Source

from .build import Build, Memory
from .device_file import load
from .entries import DatasheetValue, Device, Exemption
from .model_file import load_models
from .rows import folded

__all__ = [
    "LLAMA_3_1_8B",
    "Build",
    "DatasheetValue",
    "Device",
    "Exemption",
    "Memory",
    "Source",
    "device",
    "devices",
    "load",
    "load_models",
    "model",
    "models",
]


@functools.cache
def devices() -> tuple[Device, ...]:
    """Return all devices of the catalog.

    Returns
    -------
    tuple of Device
        In the order of the catalog. The file is read on the first call only.

    Raises
    ------
    CatalogError
        Where the catalog breaks its own grammar.

    Examples
    --------
    >>> [device.name for device in devices() if device.vendor == "Apple"]
    ['M1 GPU', 'M1 CPU', 'M2 GPU', 'M2 Max GPU']
    """
    return load()


def device(name: str) -> Device:
    """Return the device of this name.

    Parameters
    ----------
    name : str
        The full name, such as ``"H100 SXM"``. Case, spaces, hyphens and underscores do not matter; nothing is
        guessed from a part of a name.

    Returns
    -------
    Device
        Its datasheet values and roofs.

    Raises
    ------
    UnknownDevice
        Where no device has this name; the sentence lists the variants or the near names.
    InvalidValue
        Where the name is not a string.

    Examples
    --------
    >>> device("h100-sxm").bandwidth.shown
    '3.35 TB/s'
    >>> device("H100")
    Traceback (most recent call last):
    roofline.errors.UnknownDevice: 'H100' comes in variants; write one of H100 NVL, H100 PCIe, H100 SXM
    """
    return _found(name, devices(), "device", "H100 SXM", UnknownDevice)


@functools.cache
def models() -> tuple[Model, ...]:
    """Return all models of the catalog.

    Returns
    -------
    tuple of Model
        In the order of the catalog. The file is read on the first call only.

    Raises
    ------
    CatalogError
        Where the catalog breaks its own grammar.

    Examples
    --------
    >>> [model.name for model in models() if model.g == 1]
    ['Llama 2 7B', 'DeepSeek V3', 'Kimi K2', 'GPT-2 124M', 'DiT XL/2']
    """
    return load_models()


def model(name: str) -> Model:
    """Return the model of this name.

    Parameters
    ----------
    name : str
        The full name, such as ``"Llama 3.1 8B"``. Case, spaces, hyphens and underscores do not matter; nothing is
        guessed from a part of a name.

    Returns
    -------
    Model
        Its widths, with their source.

    Raises
    ------
    UnknownModel
        Where no model has this name; the sentence lists the variants or the near names.
    InvalidValue
        Where the name is not a string.

    Examples
    --------
    >>> model("llama-3.1-70b").layers
    80
    >>> model("Qwen2.5")
    Traceback (most recent call last):
    roofline.errors.UnknownModel: 'Qwen2.5' comes in variants; write one of Qwen2.5 72B, Qwen2.5 7B
    """
    return _found(name, models(), "model", "Llama 3.1 8B", UnknownModel)


Entry = TypeVar("Entry", Device, Model)


def _found(name: str, entries: tuple[Entry, ...], kind: str, example: str, unknown: type[UnknownName]) -> Entry:
    """Return the entry of this name, or say in one sentence that there is none, and what is near it."""
    if not isinstance(name, str):
        raise InvalidValue(f"a {kind} is named by a string such as {example!r}, not {name!r}")
    known = {folded(entry.name): entry for entry in entries}
    wanted = folded(name)
    if wanted in known:
        return known[wanted]
    names = {key: entry.name for key, entry in known.items()}
    variants = sorted(full for full in names.values() if wanted and _begins_with_words(full, wanted))
    if variants[1:]:
        raise unknown(f"{name!r} comes in variants; write one of {', '.join(variants)}")
    if variants:
        raise unknown(f"{name!r} is not a full name; write {variants[0]}")
    # Two letters occur in too many names to be a useful hint.
    inside = [full for key, full in names.items() if (len(wanted) > 2 and wanted in key) or key in wanted]
    close = inside or [names[key] for key in near(wanted, names)]
    nearest = f"near it: {', '.join(close)}" if close else f"it has {', '.join(names.values())}"
    raise unknown(f"there is no {kind} {name!r} in the catalog; {nearest}")


def _begins_with_words(full: str, wanted: str) -> bool:
    """Tell whether a name begins with whole words that spell ``wanted``: H100 SXM with H100, A100 not with A10."""
    words = full.split()
    return any(folded(" ".join(words[:count])) == wanted for count in range(1, len(words)))


#: The lesson's model.
LLAMA_3_1_8B: Final = model("Llama 3.1 8B")
