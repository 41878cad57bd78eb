"""Sphinx extension: the sections of the atlas, one for each device or model of the catalog.

``{device-sections} FAMILY`` writes those of the devices of one family, the oldest first, and ``{model-sections}`` those
of all models.  So a new row of the catalog is on its page at once, with the labels ``sec-device-…`` or ``sec-model-…``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from conf import METADATA
from figures.device_roofline import about_device, about_model
from roofline import devices, models
from roofline.tables.atlas import slug


class _Sections(SphinxDirective):
    option_spec: ClassVar[dict[str, Any]] = {}

    def section(self, name: str, kind: str, myst: str) -> nodes.section:
        """Return a section with this name as its title and as the end of its label."""
        part = slug(name)
        label = f"sec-{kind}-{part}"
        section = nodes.section("", nodes.title(name, name), names=[label], ids=[label])
        self.set_source_info(section)
        self.state.document.note_explicit_target(section, section)
        # A heading with this text would have this id besides its label, and links may use it.
        section["ids"].insert(0, part)
        self.state.nested_parse(StringList(myst.splitlines()), self.content_offset, section)
        return section


class DeviceSections(_Sections):
    """``{device-sections} FAMILY``: the devices of one family."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return a section for each."""
        (family,) = self.arguments
        found = sorted((gpu for gpu in devices() if gpu.family == family), key=lambda gpu: gpu.year)
        if not found:
            known = dict.fromkeys(gpu.family for gpu in devices())
            raise self.error(f"no device is of the family {family!r}; write one of {', '.join(known)}")
        return [self.section(gpu.name, "device", about_device(gpu.name)) for gpu in found]


class ModelSections(_Sections):
    """``{model-sections}``: all models."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each."""
        return [self.section(shape.name, "model", about_model(shape.name)) for shape in models()]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives; Sphinx calls this once."""
    app.add_directive("device-sections", DeviceSections)
    app.add_directive("model-sections", ModelSections)
    return METADATA
