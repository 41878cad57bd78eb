"""Sphinx extension: what the pages of the atlas have besides their tables.

``{device-filters}`` writes the controls that narrow down the tables of devices, ``{device-choice}`` a list of devices
whose regimes the tables of models show, and ``{catalog-files}`` links to the catalog as CSV and JSON, which are written
beside the site.  Without a script the controls are not shown, and the tables are plain tables.
"""

from __future__ import annotations

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
from roofline import devices, models
from roofline.catalog.records import catalog_files
from roofline.formats import FORMATS

FOLDER: Final = "downloads"  # below the site
#: Formats of two bytes, as the weights of the models have; the regimes are those of a device's peak in one of these.
TWO_BYTES: Final = ("bf16", "fp16")


class CatalogFiles(SphinxDirective):
    """``{catalog-files} devices``: links to the catalog as CSV and JSON."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Return a list of two links."""
        (what,) = self.arguments
        if what not in ("devices", "models"):
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
        formats = [("", "any"), *((fmt, fmt) for fmt in FORMATS if FORMATS[fmt].in_atlas)]
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
        for name, content in catalog_files(devices(), models()).items():
            (folder / name).write_text(content, encoding="utf-8", newline="")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives, and have the files written; Sphinx calls this once."""
    app.setup_extension("conf.element")
    app.add_directive("catalog-files", CatalogFiles)
    app.add_directive("device-filters", DeviceFilters)
    app.add_directive("device-choice", DeviceChoice)
    add_assets(app, 'class="atlas-', "atlas/atlas.css", "atlas/atlas.js")
    app.connect("build-finished", write_files)
    return METADATA
