"""Sphinx extension: what the pages of the atlas have beside their tables.

``{device-filters}`` writes the controls that narrow down the tables of devices, ``{device-choice}`` a list of devices
whose regimes the tables of models show, and ``{catalog-files}`` links to the catalog as CSV and JSON, which are written
beside the site.  Without a script the controls are not shown, and the tables are plain tables.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, ClassVar, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from conf.assets import add_assets
from conf.element import Attributes, element, make
from conf.links import from_page
from roofline import DatasheetValue, Device, Model, devices, models
from roofline.formats import BYTES
from roofline.steps import WIDTHS
from roofline.tables.atlas import FORMATS

FOLDER: Final = "downloads"  # below the site
#: The formats of the weights and activations of the models, which the arithmetic should have too.
TWO_BYTES: Final = ("bf16", "fp16")


def device_rows() -> list[dict[str, Any]]:
    """Return the catalog of devices as flat rows.

    Returns
    -------
    list of dict
        SI units; each name says its own. What a device lacks is None.

    Examples
    --------
    >>> row = device_rows()[0]
    >>> row["name"], row["bandwidth_byte_per_s"], row["fp8_per_s"], round(row["fp8_ridge_per_byte"])
    ('H100 SXM', 3350000000000, 1979000000000000, 591)
    """
    known = {fmt for gpu in devices() for fmt in gpu.formats}
    # In the order of the formats everywhere, then what only some devices have.
    formats = [*(fmt for fmt in BYTES if fmt in known), *sorted(known - set(BYTES))]
    return [
        {
            "name": gpu.name,
            "vendor": gpu.vendor,
            "year": gpu.year,
            "scope": gpu.scope,
            "memory_byte": _plain(gpu.memory),
            "bandwidth_byte_per_s": _plain(gpu.bandwidth),
            "l2_byte": _plain(gpu.l2),
            **{f"{fmt}_per_s": _plain(gpu.peaks.get(fmt)) for fmt in formats},
            **{f"{fmt}_ridge_per_byte": _plain(gpu.roof(fmt).ridge if fmt in gpu.formats else None) for fmt in formats},
        }
        for gpu in devices()
    ]


def model_rows() -> list[dict[str, Any]]:
    """Return the catalog of models as flat rows.

    Returns
    -------
    list of dict
        Widths, and what follows from them: counts, and bytes in bf16.

    Examples
    --------
    >>> model_rows()[0]["kv_byte_per_token_bf16"]
    131072
    """
    return [
        {
            "name": shape.name,
            **{width: getattr(shape, width) for width in WIDTHS},
            "gated": shape.gated,
            "tied": shape.tied,
            "positions": shape.positions,
            "window": shape.window,
            "full_every": shape.full_every,
            **_parts(shape),
            "parameters": shape.parameters,
            "active_parameters": shape.active_parameters,
            "weights_byte_bf16": _plain(shape.weight_bytes()),
            "kv_byte_per_token_bf16": _plain(shape.kv_bytes_per_token()),
            "source": shape.source.ref if shape.source else "",
            "source_date": shape.source.date if shape.source else "",
        }
        for shape in models()
    ]


def _parts(shape: Model) -> dict[str, Any]:
    """Return the widths of experts and of latent attention, None where there are none."""
    experts, latent = shape.experts, shape.latent
    return {
        "experts": experts.count if experts else None,
        "experts_chosen": experts.chosen if experts else None,
        "expert_width": experts.width if experts else None,
        "experts_shared": experts.shared if experts else None,
        "dense_layers": experts.dense_layers if experts else None,
        "latent_cached": latent.cached if latent else None,
    }


def _plain(value: float | None) -> int | float | None:
    """Return a number as a file should have it: a whole one without a point, no subclass, nothing for nothing."""
    if value is None:
        return None
    return int(value) if float(value).is_integer() else float(value)


def to_csv(rows: list[dict[str, Any]]) -> str:
    r"""Return rows as comma-separated values (RFC 4180).

    Parameters
    ----------
    rows : list of dict
        All with the same keys.

    Returns
    -------
    str
        With a line of heads.

    Examples
    --------
    >>> to_csv([{"a": 1, "b": None}])
    'a,b\r\n1,\r\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def devices_json() -> str:
    """Return the catalog of devices with the source of each figure.

    Returns
    -------
    str
        JSON; the same for the same catalog.
    """

    def figure(one: DatasheetValue | None) -> dict[str, Any] | None:
        if one is None:
            return None
        told = {"value": _plain(one), "unit": one.unit, "shown": one.shown, "basis": one.basis or "as printed"}
        return told | ({"accumulate": one.accumulate} if one.accumulate else {}) | {"source": asdict(one.source)}

    def device(gpu: Device) -> dict[str, Any]:
        return {
            "name": gpu.name,
            "vendor": gpu.vendor,
            "year": gpu.year,
            "scope": gpu.scope,
            "memory": figure(gpu.memory),
            "bandwidth": figure(gpu.bandwidth),
            "l2": figure(gpu.l2),
            "peaks": {fmt: figure(peak) for fmt, peak in gpu.peaks.items()},
            "notes": list(gpu.notes),
        }

    return _json({"devices": [device(gpu) for gpu in devices()]})


def models_json() -> str:
    """Return the catalog of models with the source of each shape.

    Returns
    -------
    str
        JSON; the same for the same catalog.
    """

    def model(shape: Model) -> dict[str, Any]:
        told = {f.name: getattr(shape, f.name) for f in fields(shape)}
        for part in ("experts", "latent", "source"):
            told[part] = asdict(told[part]) if told[part] else None
        counts = {"parameters": shape.parameters, "active_parameters": shape.active_parameters}
        return told | counts | {"kv_byte_per_token_bf16": _plain(shape.kv_bytes_per_token())}

    return _json({"models": [model(shape) for shape in models()]})


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


FILES: Final = {
    "devices.csv": lambda: to_csv(device_rows()),
    "devices.json": devices_json,
    "models.csv": lambda: to_csv(model_rows()),
    "models.json": models_json,
}


class CatalogFiles(SphinxDirective):
    """``{catalog-files} devices``: links to the catalog as CSV and JSON."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return a list of two links."""
        (what,) = self.arguments
        if f"{what}.csv" not in FILES:
            raise self.error(f"catalog-files has devices and models, not {what}")
        up = from_page(self.env.docname, "")
        words = {"csv": "one row each, SI units", "json": "with the source of each figure"}
        items = (_file(f"{what}.{kind}", up, told) for kind, told in words.items())
        return [make(element, "ul", *items, classes=["catalog-files"])]


def _file(name: str, up: str, told: str) -> element:
    """Return an item of a list: a link to a file of the catalog, and what it holds."""
    address: Attributes = {"href": f"{up}{FOLDER}/{name}", "download": True}
    link = make(element, "a", html=address, before=name, classes=["reference", "download"])
    return make(element, "li", link, after=f", {told}")


class DeviceFilters(SphinxDirective):
    """``{device-filters} LABEL ...``: controls that narrow down the tables of devices with these labels."""

    required_arguments = 1
    optional_arguments = 9
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return the controls; the first label is the one that keeps them in the address."""
        gpus = devices()
        vendors = [("", "any"), *((vendor, vendor) for vendor in dict.fromkeys(gpu.vendor for gpu in gpus))]
        formats = [("", "any"), *((fmt, fmt) for fmt in FORMATS if any(fmt in gpu.formats for gpu in gpus))]
        years = [("", "any"), *((str(year), str(year)) for year in sorted({gpu.year for gpu in gpus}))]
        group: Attributes = {
            "data-tables": " ".join(self.arguments),
            "role": "group",
            "aria-label": "Filter the devices",
        }
        controls = make(
            element,
            "div",
            _select("vendor", "Vendor", vendors),
            _select("format", "Has a peak in", formats),
            _box("memory", "Memory of at least (GB)"),
            _select("year", "Announced in or after", years),
            make(element, "button", html={"type": "button"}, before="Show all devices", classes=["atlas-reset"]),
            _said(f"All {len(gpus)} devices."),
            html=group,
            classes=["atlas-filters"],
        )
        return [controls]


class DeviceChoice(SphinxDirective):
    """``{device-choice} LABEL``: a list of devices whose regimes the tables of the page show."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return the list; the label keeps the choice in the address."""
        options = [
            (gpu.name, f"{gpu.name}, {fmt}")
            for gpu in devices()
            for fmt in [next((fmt for fmt in TWO_BYTES if fmt in gpu.formats), None)]
            if fmt
        ]
        first = next(text for value, text in options if value == "H100 SXM")
        choice = make(
            element,
            "div",
            _select("device", "Regimes on", options, "H100 SXM"),
            _said(f"The tables below show the regimes on an {first}."),
            html={"data-label": self.arguments[0]},
            classes=["atlas-choice"],
        )
        return [choice]


def _select(name: str, label: str, options: list[tuple[str, str]], chosen: str = "") -> element:
    """Return a labelled list of values to choose from, each with the text that stands for it."""
    items = (
        make(element, "option", html={"value": value, "selected": value == chosen}, before=text)
        for value, text in options
    )
    return _control(name, label, "select", {}, *items)


def _box(name: str, label: str) -> element:
    """Return a labelled box for a number."""
    return _control(name, label, "input", {"type": "text", "inputmode": "decimal", "size": "6"})


def _control(name: str, label: str, tag: str, html: dict[str, str], *items: element) -> element:
    known = {"id": f"atlas-{name}", "name": name, "autocomplete": "off"}
    head = make(element, "label", html={"for": known["id"]}, before=label)
    return make(element, "div", head, make(element, tag, *items, html=known | html), classes=["atlas-control"])


def _said(text: str) -> element:
    """Return the line in which a script says what the tables show."""
    return make(element, "p", html={"role": "status"}, before=text, classes=["atlas-said"])


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the catalog beside the site."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in FILES.items():
            (folder / name).write_text(content(), encoding="utf-8", newline="")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives, and have the files written; Sphinx calls this once."""
    app.setup_extension("conf.element")
    app.add_directive("catalog-files", CatalogFiles)
    app.add_directive("device-filters", DeviceFilters)
    app.add_directive("device-choice", DeviceChoice)
    add_assets(app, 'class="atlas-', "atlas/atlas.css", "atlas/atlas.js")
    app.connect("build-finished", write_files)
    return METADATA
