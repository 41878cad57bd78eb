"""Evaluate the expressions of a page and hold them against what the page says.

One evaluator serves Sphinx and pytest.  Expressions see the public names of `roofline`, a few functions of `math`
and the names of the page's own ``{names}`` blocks.
"""

from __future__ import annotations

import ast
import builtins
import math
import numbers
import re
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np

import roofline
from conf.numbers.grammar import Check, Names
from roofline import tables
from roofline.errors import QuantityError, RooflineError, near
from roofline.quantity import format_quantity, parse_shown

_MATH: Final = ("ceil", "floor", "sqrt", "log2", "log10", "inf", "isinf")
_BUILTINS: Final = (
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "len", "list", "max", "min", "next", "range",
    "round", "set", "sorted", "str", "sum", "tuple", "zip",
)  # fmt: skip


class CheckError(Exception):
    """A page says what the code does not give; the sentence is for the author."""


@dataclass(frozen=True)
class Working:
    """What a reader sees who asks where a number comes from.

    Attributes
    ----------
    shown : str
        What the page says.
    expr : str
        The expression.
    value : str
        What it gives, to six digits, in the shown unit.
    source : str
        For datasheet figures: source and date of each, a line each; else empty.
    """

    shown: str
    expr: str
    value: str
    source: str


def namespace() -> dict[str, Any]:
    """Return the names that every expression sees.

    Returns
    -------
    dict
        The public names of `roofline`, its tables, and a few functions of `math` and of Python.

    Examples
    --------
    >>> namespace()["ceil"](344.9)
    345
    """
    names: dict[str, Any] = {name: getattr(roofline, name) for name in roofline.__all__}
    names |= {name: getattr(math, name) for name in _MATH}
    names |= {"tables": tables, "np": np, "__builtins__": {name: getattr(builtins, name) for name in _BUILTINS}}
    return names


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
                raise CheckError(f"line {line}: {ast.unparse(statement)} fails: {self._reason(error)}") from error

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
            Where it is no expression, or fails.
        """
        try:
            return eval(compile(expr, "<page>", "eval"), self.names)  # noqa: S307 - the author's own page
        except SyntaxError as error:
            raise CheckError(f"{expr!r} is not a Python expression: {error.msg}") from error
        except Exception as error:
            raise CheckError(f"{expr} fails: {self._reason(error)}") from error

    def _reason(self, error: Exception) -> str:
        if isinstance(error, RooflineError):
            return str(error)
        if isinstance(error, NameError) and error.name:
            hint = near(error.name, [name for name in self.names if not name.startswith("_")])
            return f"there is no name {error.name!r}" + (
                f"; near it: {', '.join(hint)}" if hint else "; define it in the page's names block"
            )
        return f"{type(error).__name__}: {error}"

    def working(self, shown: str, expr: str) -> Working:
        """Hold a shown text against an expression, and return what a reader may ask about it.

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
        return Working(shown, expr, self.check(shown, expr), self._sources(expr))

    def check(self, shown: str, expr: str) -> str:
        """Hold a shown text against an expression.

        Parameters
        ----------
        shown : str
            What the page says, in the form that prose has.
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
        # Six digits, without the zeros that a whole number would trail.
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
            What the expression gives, as `check` has it.

        Raises
        ------
        CheckError
            Where the item is malformed or wrong.
        """
        if item.fault:
            raise CheckError(item.fault)
        return self.check(item.shown, item.expr)

    def _sources(self, expr: str) -> str:
        """Source and date of every datasheet figure that an expression uses, a line each."""
        recorded: dict[int, Any] = {}
        recorder = _Recorder()
        body = recorder.visit(ast.parse(expr, mode="eval"))
        code = compile(ast.fix_missing_locations(body), "<page>", "eval")

        def record(number: int, value: Any) -> Any:
            # What differs from turn to turn of a loop is no one figure.
            recorded[number] = value if recorded.get(number, value) is value else None
            return value

        eval(code, {**self.names, _RECORD: record})  # noqa: S307 - what just ran
        figures: list[roofline.DatasheetValue] = []
        _collect(recorder.tree, recorded, figures)
        return "\n".join(dict.fromkeys(describe(figure) for figure in figures))


_RECORD: Final = "__record__"


class _Recorder(ast.NodeTransformer):
    """Has every name, attribute and call of an expression say its value once, while the whole is evaluated.

    Attributes
    ----------
    tree : list
        The number of each, with those inside it: ``(number, [(number, [...]), ...])``.
    """

    def __init__(self) -> None:
        self.tree: list[tuple[int, Any]] = []
        self._count = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        told = isinstance(node, ast.Attribute | ast.Call) or (
            isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )
        if not told:
            return super().generic_visit(node)
        number, self._count = self._count, self._count + 1
        outer, self.tree = self.tree, []
        inner = cast("ast.expr", super().generic_visit(node))
        outer.append((number, self.tree))
        self.tree = outer
        call = ast.Call(ast.Name(_RECORD, ast.Load()), [ast.Constant(number), inner], [])
        return ast.copy_location(call, node)


def _collect(tree: list[tuple[int, Any]], recorded: dict[int, Any], figures: list[roofline.DatasheetValue]) -> None:
    """Gather the figures that were used, from the outside in: H100.bandwidth uses one of the two figures of H100."""
    for number, inside in tree:
        value = recorded.get(number)
        found = (value.peak, value.bandwidth) if isinstance(value, roofline.Roof) else (value,)
        used = [figure for figure in found if isinstance(figure, roofline.DatasheetValue)]
        figures += used
        if not used:
            _collect(inside, recorded, figures)


def describe(figure: roofline.DatasheetValue) -> str:
    """Return one line that says where a datasheet figure comes from.

    Parameters
    ----------
    figure : DatasheetValue
        A figure of the catalog.

    Returns
    -------
    str
        Name, value as shown, source and date.

    Examples
    --------
    >>> describe(roofline.device("H100 SXM").bandwidth).startswith("H100 SXM bandwidth: 3.35 TB/s")
    True
    """
    basis = f" ({figure.basis})" if figure.basis else ""
    return f"{figure.name}: {figure.shown}{basis}; {figure.source.title}, {figure.date}"


def _number(value: Any) -> float | None:
    """Return the value as a float, or None where it is no single real number."""
    if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0:
        value = value.item()
    if getattr(value, "is_number", False) and getattr(value, "is_real", False):
        return float(value)  # a SymPy number
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    return float(value)
