"""Compare what a page says with what its expressions give.

Sphinx and pytest both use this.  An expression sees the public names of `roofline`, a few functions of `math`, the
worked tables, NumPy, and the names of the page's own ``{names}`` blocks.
"""

from __future__ import annotations

import ast
import math
import numbers
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

import roofline
from conf.numbers.grammar import Check, Names
from roofline import expressions, tables
from roofline.errors import ExpressionError, QuantityError
from roofline.expressions import Expressions
from roofline.quantity import format_quantity, parse_shown


class CheckError(Exception):
    """A page says what the code does not give; the sentence is for the author."""


@dataclass(frozen=True)
class Working:
    """What readers see when they ask where a number comes from.

    Attributes
    ----------
    shown : str
        What the page says.
    expr : str
        The expression.
    value : str
        What it gives, to six digits, in the shown unit.
    source : str
        For datasheet values: source and date of each, a line each; else empty.
    """

    shown: str
    expr: str
    value: str
    source: str


def namespace() -> dict[str, Any]:
    """Return the names that the expressions of every page see.

    Returns
    -------
    dict
        Those of `roofline.expressions.namespace`, the tables of the lesson, and NumPy as ``np``.

    Examples
    --------
    >>> namespace()["ceil"](344.9)
    345
    """
    return expressions.namespace() | {"tables": tables, "np": np}


class Page:
    """The names of one page, and its checks.

    Parameters
    ----------
    names : dict, optional
        Names to begin with; those of `namespace` where left out.

    Examples
    --------
    >>> page = Page()
    >>> page.define(Names('H100 = device("H100 SXM").roof("bf16")', line=1))
    >>> page.check("344.9", "critical_batch(4096, 4096, H100)")
    '344.949'
    """

    def __init__(self, names: dict[str, Any] | None = None) -> None:
        self.names = namespace() if names is None else names
        self._expressions = Expressions(self.names)

    def define(self, block: Names) -> None:
        """Run a ``{names}`` block.

        Parameters
        ----------
        block : Names
            The block.

        Raises
        ------
        CheckError
            Where a line of it fails; the sentence names the line within the page.
        """
        try:
            tree = ast.parse(block.source)
        except SyntaxError as error:
            line = block.line + (error.lineno or 1) - 1
            raise CheckError(f"line {line}: the names block is not Python: {error.msg}") from error
        for statement in tree.body:
            line = block.line + statement.lineno - 1
            if not isinstance(statement, ast.Assign | ast.AnnAssign):
                raise CheckError(
                    f"line {line}: a names block holds assignments only, such as H100 = device('H100 SXM').roof('bf16')"
                )
            try:
                exec(compile(ast.Module([statement], []), "<names>", "exec"), self.names)  # noqa: S102 - the author's own page
            except Exception as error:
                why = expressions.reason(error, self.names)
                raise CheckError(f"line {line}: {ast.unparse(statement)} fails: {why}") from error
        # What was evaluated so far may use a name that now means something else.
        self._expressions = Expressions(self.names)

    def evaluate(self, expr: str) -> Any:
        """Return what an expression gives.

        Parameters
        ----------
        expr : str
            A Python expression.

        Returns
        -------
        object
            Its value.

        Raises
        ------
        CheckError
            Where the text is not an expression, or the expression fails.
        """
        try:
            return self._expressions.evaluate(expr)
        except ExpressionError as error:
            raise CheckError(str(error)) from error

    def working(self, shown: str, expr: str) -> Working:
        """Compare a shown text with an expression, and return the working that a reader may ask for.

        Parameters
        ----------
        shown, expr : str
            As for `check`.

        Returns
        -------
        Working
            The working, with its sources.

        Raises
        ------
        CheckError
            Where the two differ.
        """
        exact = self.check(shown, expr)
        sources = dict.fromkeys(map(describe, self._expressions.datasheet_values(expr)))
        return Working(shown, expr, exact, "\n".join(sources))

    def check(self, shown: str, expr: str) -> str:
        """Compare a shown text with an expression.

        Parameters
        ----------
        shown : str
            What the page says, written as in prose.
        expr : str
            What must give it.

        Returns
        -------
        str
            What the expression gives, to six digits, in the shown unit.

        Raises
        ------
        CheckError
            Where the two differ; the sentence has what the page says and what the code gives.
        """
        value = self.evaluate(expr)
        if isinstance(value, str):
            if " ".join(value.split()) != shown:
                raise CheckError(f"the page says {shown!r}, the code gives {value!r}: {expr}")
            return value
        number = _number(value)
        if number is None or math.isnan(number):
            raise CheckError(
                f"{expr} gives {value!r}, a {type(value).__name__}; a checked number needs a number or a text"
            )
        try:
            quantity = parse_shown(shown)
        except QuantityError as error:
            raise CheckError(f"{error}: {expr}") from error
        # Six digits, without the zeros at the end of a whole number.
        exact = (
            re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", format_quantity(number, quantity.unit, 6))
            .replace(". ", " ")
            .removesuffix(".")
        )
        if not quantity.holds(number):
            raise CheckError(f"the page says {shown}, the code gives {exact}: {expr}")
        return exact

    def verify(self, item: Check) -> str:
        """Check one item of a page.

        Parameters
        ----------
        item : Check
            What `conf.numbers.grammar.scan` found.

        Returns
        -------
        str
            What the expression gives, as `check` returns it.

        Raises
        ------
        CheckError
            Where the item is malformed or wrong.
        """
        if item.fault:
            raise CheckError(item.fault)
        return self.check(item.shown, item.expr)


def describe(value: roofline.DatasheetValue) -> str:
    """Return one line that says where a datasheet value comes from.

    Parameters
    ----------
    value : DatasheetValue
        A value of the catalog.

    Returns
    -------
    str
        Name, value as shown, source with its kind, and date.

    Examples
    --------
    >>> describe(roofline.device("H100 SXM").bandwidth).startswith("H100 SXM bandwidth: 3.35 TB/s")
    True
    """
    basis = f" ({value.basis})" if value.basis else ""
    return f"{value.name}: {value.shown}{basis}; {value.source.title} ({value.source.kind}), {value.date}"


def _number(value: Any) -> float | None:
    """Return the value as a float, or None if it is not a single real number."""
    if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0:
        value = value.item()
    if getattr(value, "is_number", False) and getattr(value, "is_real", False):
        return float(value)  # a SymPy number
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    return float(value)
