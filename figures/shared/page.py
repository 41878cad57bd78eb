"""Put a drawing or a table on a page: one call in one code cell.

What `show` returns renders as MyST, with the directives of `conf.figures.directives`, where the site is built; anywhere
else, such as in a notebook, it renders as HTML.  Cells are written with the ``calc`` role, so that a number of a
generated table is checked and carries its working like one in prose.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from roofline.errors import InvalidValue
from roofline.tables import Cell, Table

from .drawing import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL: Final = re.compile(r"(fig|tab)(-[a-z0-9]+)+")
#: Longer than any fence in a caption.
_FENCE: Final = "`" * 6


@dataclass(frozen=True)
class Shown:
    """A drawing or a table with its label and caption; see `show`.

    Parameters
    ----------
    thing : Drawing or Table
        What to show.
    label : str
        Its permanent label.
    caption : str
        Its caption, MyST.
    """

    thing: Drawing | Table
    label: str
    caption: str

    def to_myst(self) -> str:
        """Return the directive that shows it on a page.

        Returns
        -------
        str
            MyST.

        Examples
        --------
        >>> print(show(Table(("a",), ((Cell("2", "1 + 1"),),)), "tab-sum", "A sum.").to_myst())
        ``````{worked-table} tab-sum
        A sum.
        <BLANKLINE>
        | a |
        | :--- |
        | {calc}`2 <1 + 1>` |
        ``````
        """
        is_table = isinstance(self.thing, Table)
        blocks = [self.caption, pipe_table(self.thing if isinstance(self.thing, Table) else self.thing.table)]
        if isinstance(self.thing, Drawing):
            blocks.insert(1, self.thing.svg)
            if self.thing.live is not None:
                blocks.append(self.thing.live.to_html(self.label))
        head = f"{_FENCE}{{{'worked-table' if is_table else 'drawing'}}} {self.label}"
        return f"{head}\n" + "\n\n".join(blocks) + f"\n{_FENCE}"

    def to_html(self) -> str:
        """Return it as HTML that needs no style sheet.

        Returns
        -------
        str
            A ``figure`` element; the roles in the caption are reduced to their text.

        Examples
        --------
        >>> show(Table(("a",), ((Cell("2"),),)), "tab-sum", "Two is {calc}`2 <1 + 1>`.").to_html()[-51:]
        '</table><figcaption>Two is 2.</figcaption></figure>'
        """
        caption = html.escape(re.sub(r"\{[\w:-]+\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", self.caption))
        if isinstance(self.thing, Table):
            return f"<figure>{self.thing.to_html()}<figcaption>{caption}</figcaption></figure>"
        data = f"<details><summary>Show the data</summary>{self.thing.table.to_html()}</details>"
        return f"<figure>{self.thing.svg}<figcaption>{caption}</figcaption></figure>{data}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/markdown": self.to_myst(), "text/html": self.to_html(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<{self.label}: {self.caption}>"


def show(thing: Drawing | Table, label: str, caption: str) -> Shown:
    """Show a drawing or a table, numbered, with a caption and a permanent label.

    Parameters
    ----------
    thing : Drawing or Table
        What to show.
    label : str
        ``fig-…`` for a drawing, ``tab-…`` for a table: lower-case words and digits, joined by hyphens. Pages refer to
        it by ``{numref}`fig-one-gpu` ``.
    caption : str
        What to see in it, as MyST in one paragraph; roles and mathematics work.

    Returns
    -------
    Shown
        As the last value of a cell it is what the page shows.

    Raises
    ------
    InvalidValue
        Where the label breaks its grammar, the caption is empty or the thing is neither.

    Examples
    --------
    >>> show(Table(("a",), ()), "fig-sum", "A sum.")
    Traceback (most recent call last):
    roofline.errors.InvalidValue: label is 'fig-sum'; a Table needs one such as 'tab-ridge-points'
    """
    kinds: dict[type, tuple[str, str]] = {Drawing: ("fig", "fig-one-gpu"), Table: ("tab", "tab-ridge-points")}
    kind = next((kind for kind in kinds if isinstance(thing, kind)), None)
    if kind is None:
        raise InvalidValue(f"{thing!r} is a {type(thing).__name__}; show takes a Drawing or a Table")
    prefix, example = kinds[kind]
    match = _LABEL.fullmatch(label) if isinstance(label, str) else None
    if match is None or match[1] != prefix:
        raise InvalidValue(f"label is {label!r}; a {kind.__name__} needs one such as {example!r}")
    if not isinstance(caption, str) or not caption.strip():
        raise InvalidValue(f"caption of {label} is {caption!r}; say in a sentence what to see in it")
    return Shown(thing, label, " ".join(caption.split()))


def pipe_table(table: Table) -> str:
    """Return a table as MyST whose cells carry their working.

    Parameters
    ----------
    table : Table
        The table.

    Returns
    -------
    str
        A pipe table.

    Examples
    --------
    >>> pipe_table(Table(("n", "n!"), ((Cell("3"), Cell("6", "3 * 2")),))).splitlines()[-1]
    '| 3 | {calc}`6 <3 * 2>` |'
    """
    rules = [":---", *(("---:" if table.numeric else ":---") for _ in table.columns[1:])]
    body = [[_myst(cell) for cell in row] for row in table.rows]
    return "\n".join([_row([_escaped(head) for head in table.columns]), _row(rules), *map(_row, body)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _myst(cell: Cell) -> str:
    pieces = (f"{{calc}}`{shown} <{working}>`" if working else shown for shown, working in cell.pieces())
    return _escaped(" ".join(pieces))


def _escaped(words: str) -> str:
    return words.replace("|", "\\|")
