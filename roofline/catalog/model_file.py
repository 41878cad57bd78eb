"""Read ``models.toml``: the widths of well-known models, each with its source.

The grammar is stated once, in the head of ``models.toml``.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from roofline.architecture import WIDTHS, Experts, Latent, Model
from roofline.errors import CatalogError, InvalidValue
from roofline.source import Source

from .rows import Row, read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping


FILE: Final = "models.toml"
KINDS: Final = ("paper", "configuration")

#: The share that biases and norms inside attention, which `Model` does not count, may have of the parameters.
_COUNT_SLACK: Final = 0.0001
#: The largest share of parameters that a row may declare as having no width in `Model`.
_MOST_UNCOUNTED: Final = 0.01
#: Optional keys for what sets a model apart from Llama, with the type of each.
TRAITS: Final = {"gated": bool, "tied": bool, "positions": int, "window": int, "full_every": int, "conditioning": int}
#: Optional tables for the same: the class that each describes, and the keys that it may leave out.
_PARTS: Final[dict[str, tuple[type[Experts | Latent], tuple[str, ...]]]] = {
    "experts": (Experts, ("shared", "dense_layers")),
    "latent": (Latent, ()),
}


def load_models(text: str | None = None, file: str = FILE) -> tuple[Model, ...]:
    """Read a catalog of models.

    Parameters
    ----------
    text : str, optional
        The TOML text. The catalog of this package where left out.
    file : str
        What errors call the text.

    Returns
    -------
    tuple of Model
        In the order of the text.

    Raises
    ------
    CatalogError
        Where the text breaks the grammar; the sentence names the file, the model and the key.

    Examples
    --------
    >>> [model.name for model in load_models()][:2]
    ['Llama 3.1 8B', 'Llama 3.1 70B']
    >>> load_models('[[model]]', "mine.toml")
    Traceback (most recent call last):
    roofline.errors.CatalogError: mine.toml:1, model 1: the key 'name' is missing
    """
    return read_rows(text, file, "model", KINDS, _model)


def _model(table: Mapping[str, Any], place: str, sources: Mapping[str, Source]) -> Model:
    required = {"name": str, **dict.fromkeys(WIDTHS, int), "parameters": int, "source": str}
    row = Row(table, place, required, {**TRAITS, **dict.fromkeys(_PARTS, dict), "uncounted": dict, "notes": list})
    notes, source = row.texts("notes"), row.source(sources)
    try:
        model = Model(
            name=row["name"],
            source=source,
            notes=notes,
            **{width: row[width] for width in WIDTHS},
            **{trait: row[trait] for trait in TRAITS if trait in table},
            **{part: _part(part, row) for part in _PARTS if part in table},
        )
    except CatalogError:
        raise
    except InvalidValue as error:
        raise row.error(str(error)) from error
    if model.experts and not model.experts.dense_layers and model.intermediate != model.experts.width:
        raise row.error(
            f"intermediate is {model.intermediate}; without dense layers it must be the width of an expert,"
            f" {model.experts.width}"
        )
    share = _COUNT_SLACK
    if "uncounted" in table:
        share = Row(row["uncounted"], f"{place}, uncounted", {"share": float, "what": str})["share"]
        if not _COUNT_SLACK < share <= _MOST_UNCOUNTED:
            raise row.error(
                f"uncounted has the share {share:g}; it must be above {_COUNT_SLACK:g} and at most {_MOST_UNCOUNTED:g}"
            )
    # What is left out makes the count too low, never too high.
    if not -_COUNT_SLACK <= 1 - model.parameters / row["parameters"] <= share:
        raise row.error(
            f"its widths make {model.parameters:,} parameters; they must make the published"
            f" {row['parameters']:,}, or fewer by {share:.2%} at most"
        )
    return model


def _part(part: str, row: Row) -> Any:
    kind, optional = _PARTS[part]
    widths = {width.name: int for width in fields(kind)}
    required = {name: of for name, of in widths.items() if name not in optional}
    table = Row(row[part], f"{row.place}, {part}", required, {name: widths[name] for name in optional})
    return kind(**table.table)
