"""What a figure shows and says, as data: its static picture is drawn from it, and its script gets it as a module.

Each interactive figure has a ``description.py`` with one `Description`.  The build writes it beside ``figure.js`` as
``description.js``, so that no title, domain, kernel, column or sentence is typed in both languages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from roofline.tables import Cell, Table
from roofline.tables.cell import computed

from .template import filled, shown


@dataclass(frozen=True)
class Axis:
    """One axis.

    Parameters
    ----------
    title : str
        Its title, with gaps.
    domain : tuple of float, optional
        Where it starts and ends; None where that follows from what is drawn.
    ticks : tuple of float
        The values that have a number; empty where they follow from the domain.
    count : int
        About how many numbers it has then.
    form : str
        Their form.
    kind : {"log", "linear"}
        Its scale.
    """

    title: str
    domain: tuple[float, float] | None = None
    ticks: tuple[float, ...] = ()
    count: int = 5
    form: str = "number 1"
    kind: Literal["log", "linear"] = "log"


@dataclass(frozen=True)
class Column:
    """One column of the data table.

    Parameters
    ----------
    head : str
        Its head as MyST, with gaps.
    form : str
        The form of its numbers; empty for texts.

    Examples
    --------
    >>> column = Column("At least", "s 4")
    >>> column.worked("14e9 / device('H100 SXM').bandwidth").shown, column.label("–").shown
    ('4.179 ms', '–')
    """

    head: str
    form: str = ""

    def worked(self, working: str) -> Cell:
        """Return a cell of the column from the expression that gives it.

        Parameters
        ----------
        working : str
            A Python expression over the public names of `roofline`.

        Returns
        -------
        Cell
            Its value in the column's form, with the expression as its working.
        """
        return computed(working, lambda value: shown(value, self.form))

    def label(self, value: Any) -> Cell:
        """Return a cell of the column that is no result: an input, or a text.

        Parameters
        ----------
        value : float or str
            What it shows, in the column's form.

        Returns
        -------
        Cell
            Without working.
        """
        return Cell(shown(value, self.form))


@dataclass(frozen=True)
class Description:
    """What a figure shows and says.

    Parameters
    ----------
    axes : dict of str to Axis
        Its axes by name.
    columns : tuple of Column
        The columns of its data table.
    says : dict of str to str
        Its sentences, titles and labels, with gaps.
    data : dict
        What else both sides need: kernels, batches, constants; all of it JSON.

    Examples
    --------
    >>> print(Description({}, (Column("Batch $B$", "typed"),), {}, {}).to_js().splitlines()[2])
    export const columns = [{"head": "Batch B", "form": "typed"}];
    """

    axes: Mapping[str, Axis]
    columns: tuple[Column, ...]
    says: Mapping[str, str]
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_js(self) -> str:
        """Return the description as an ES module.

        Returns
        -------
        str
            One constant for each part; mathematics in the heads is plain text.
        """
        columns = [{"head": column.head.replace("$", ""), "form": column.form} for column in self.columns]
        axes = {name: asdict(axis) for name, axis in self.axes.items()}
        parts = {"axes": axes, "columns": columns, "says": self.says, "data": self.data}
        lines = [f"export const {name} = {json.dumps(part, ensure_ascii=False)};" for name, part in parts.items()]
        return "\n".join(["// What the figure shows and says, from description.py. Do not edit.", *lines, ""])

    def say(self, name: str, /, **values: Any) -> str:
        """Return a sentence, a title or a label with its gaps filled.

        Parameters
        ----------
        name : str
            Which one.
        **values
            What goes into its gaps.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> Description({}, (), {"chosen": "batch {B:typed}"}).say("chosen", B=1024)
        'batch 1,024'
        """
        return filled(self.says[name], **values)

    def row(self, *cells: Any) -> tuple[Cell, ...]:
        """Return a row of the data table: expressions, and labels where a cell has none.

        Parameters
        ----------
        *cells : str or Cell
            One for each column: the expression that gives it, or a cell.

        Returns
        -------
        tuple of Cell
            The row.

        Examples
        --------
        >>> described = Description({}, (Column("Batch", "typed"), Column("FLOPs", "FLOP")), {})
        >>> [cell.shown for cell in described.row(described.columns[0].label(1024), "matmul(1024, 64, 64).flops")]
        ['1,024', '8.39 MFLOP']
        """
        pairs = zip(self.columns, cells, strict=True)
        return tuple(cell if isinstance(cell, Cell) else column.worked(cell) for column, cell in pairs)

    def table(self, rows: Iterable[tuple[Cell, ...]], **values: Any) -> Table:
        """Return the data table.

        Parameters
        ----------
        rows : iterable of tuple of Cell
            Its rows.
        **values
            What goes into the gaps of its heads.

        Returns
        -------
        Table
            The table.
        """
        return Table(tuple(filled(column.head, **values) for column in self.columns), tuple(rows))
