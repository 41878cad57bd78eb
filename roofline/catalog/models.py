"""Read ``models.toml``: the shapes of well-known models, each with its source.

The grammar is stated once, in the head of ``models.toml``.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Final

from roofline.errors import CatalogError, InvalidValue, near
from roofline.transformer import WIDTHS, Shape

from .rows import Row, folded, read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .entries import Source

FILE: Final = "models.toml"
KINDS: Final = ("paper", "configuration")

#: Biases, and norms inside attention, which `Shape` does not count.
_COUNT_SLACK: Final = 0.001


def load_models(text: str | None = None, file: str = FILE) -> tuple[Shape, ...]:
    """Read a catalog of models.

    Parameters
    ----------
    text : str, optional
        The TOML text. The catalog of this package where left out.
    file : str
        What errors call the text.

    Returns
    -------
    tuple of Shape
        In the order of the text.

    Raises
    ------
    CatalogError
        Where the text breaks the grammar; the sentence names the file, the model and the key.

    Examples
    --------
    >>> [shape.name for shape in load_models()][:2]
    ['Llama 3.1 8B', 'Llama 3.1 70B']
    >>> load_models('[[model]]', "mine.toml")
    Traceback (most recent call last):
    roofline.errors.CatalogError: mine.toml, model 1: the key 'name' is missing
    """
    rows, sources = read_file(text, file, "model", KINDS)
    shapes: dict[str, Shape] = {}
    for number, table in enumerate(rows, 1):
        shape = _model(table, sources, file, number)
        key = folded(shape.name)
        if key in shapes:
            raise CatalogError(f"{file}, {shape.name}: the name is taken by {shapes[key].name}; each is written once")
        shapes[key] = shape
    return tuple(shapes.values())


def _model(table: object, sources: Mapping[str, Source], file: str, number: int) -> Shape:
    if not isinstance(table, dict):
        raise CatalogError(f"{file}, model {number}: {reprlib.repr(table)} must be a table")
    name = table.get("name")
    place = f"{file}, {name if isinstance(name, str) and name else f'model {number}'}"
    row = Row(table, place, {"name": str, **dict.fromkeys(WIDTHS, int), "parameters": int, "source": str})
    if row["source"] not in sources:
        hint = near(row["source"], sources)
        listed = f"; near it: {', '.join(hint)}" if hint else ""
        raise row.error(f"source {row['source']!r} is not among the [sources]{listed}")
    try:
        shape = Shape(name=row["name"], source=sources[row["source"]], **{width: row[width] for width in WIDTHS})
    except InvalidValue as error:
        raise row.error(str(error)) from error
    if not abs(shape.parameters - row["parameters"]) <= _COUNT_SLACK * row["parameters"]:
        raise row.error(
            f"its widths make {shape.parameters:,} parameters; it must be the published {row['parameters']:,},"
            f" give or take {_COUNT_SLACK:.1%}"
        )
    return shape
