"""A table of cells, rendered as Markdown, HTML or LaTeX."""

from __future__ import annotations

import html
from dataclasses import dataclass

from roofline.errors import InvalidValue

from .cell import Cell


@dataclass(frozen=True)
class Table:
    """A table of cells.

    Parameters
    ----------
    columns : tuple of str
        The heads of the columns.
    rows : tuple of tuple of Cell
        The rows; each as long as ``columns``.
    numeric : bool
        Whether all columns but the first are aligned to the right.

    Raises
    ------
    InvalidValue
        Where a row has more or fewer cells than there are columns.

    Examples
    --------
    >>> print(Table(("GPU", "Ridge"), ((Cell("H100"), Cell("≈ 295")),)).to_markdown())
    | GPU | Ridge |
    | :--- | ---: |
    | H100 | ≈ 295 |
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numeric: bool = True

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.columns):
                raise InvalidValue(
                    f"row {number} has {len(row)} cells; it must have {len(self.columns)}, one for each column"
                )

    def texts(self) -> list[list[str]]:
        """Return what each cell shows.

        Returns
        -------
        list of list of str
            The rows.

        Examples
        --------
        >>> Table(("a",), ((Cell("1"),),)).texts()
        [['1']]
        """
        return [[str(cell) for cell in row] for row in self.rows]

    def to_markdown(self) -> str:
        r"""Return the table as Markdown.

        Returns
        -------
        str
            A pipe table; a ``|`` in a cell is escaped.

        Examples
        --------
        >>> Table(("a",), ((Cell("x|y"),),)).to_markdown().splitlines()[-1]
        '| x\\|y |'
        """
        rules = [":---", *(("---:" if self.numeric else ":---") for _ in self.columns[1:])]
        lines = [self.columns, rules, *self.texts()]
        return "\n".join(
            "| " + " | ".join(text.replace("|", "\\|") if line is not rules else text for text in line) + " |"
            for line in lines
        )

    def to_html(self) -> str:
        """Return the table as HTML.

        Returns
        -------
        str
            A ``table`` element with row and column headers.

        Examples
        --------
        >>> Table(("a",), ((Cell("<"),),)).to_html()
        '<table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><th scope="row">&lt;</th></tr></tbody></table>'
        """
        head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in self.columns)
        body = "".join(
            "<tr>"
            f'<th scope="row">{html.escape(first)}</th>'
            + "".join(f"<td>{html.escape(text)}</td>" for text in rest)
            + "</tr>"
            for first, *rest in self.texts()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_latex(self) -> str:
        r"""Return the table as LaTeX.

        Returns
        -------
        str
            A ``tabular`` environment; needs no package but amsmath.

        Examples
        --------
        >>> print(Table(("GPU", "share"), ((Cell("H100"), Cell("3%")),)).to_latex())
        \begin{tabular}{lr}
        \hline
        GPU & share \\
        \hline
        H100 & 3\% \\
        \hline
        \end{tabular}
        """
        align = "l" + ("r" if self.numeric else "l") * (len(self.columns) - 1)
        lines = [" & ".join(_latex_text(text) for text in row) + r" \\" for row in (list(self.columns), *self.texts())]
        return "\n".join(
            [rf"\begin{{tabular}}{{{align}}}", r"\hline", lines[0], r"\hline", *lines[1:], r"\hline", r"\end{tabular}"]
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_latex_(self) -> str:
        return self.to_latex()


def _latex_text(text: str) -> str:
    """Return a text with LaTeX's special characters escaped, except between dollar signs."""
    parts = text.split("$")
    for index in range(0, len(parts), 2):
        for plain, escaped in (("\\", r"\textbackslash{}"), ("%", r"\%"), ("&", r"\&"), ("#", r"\#"), ("_", r"\_")):
            parts[index] = parts[index].replace(plain, escaped)
        for plain, escaped in (("≈", r"$\approx$"), ("×", r"$\times$"), ("µ", r"$\mu$"), ("∞", r"$\infty$")):
            parts[index] = parts[index].replace(plain, escaped)
    return "$".join(parts)
