"""Evaluate expressions over the public names of the package, and tell which datasheet values they use.

A checked number of a page and a cell of a table are both written as an expression.  Each call in one is evaluated once
by an `Expressions`, however many texts it stands in: a table of thirty kernels of one step computes the step once.
"""

from __future__ import annotations

import ast
import builtins
import functools
import math
from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, cast

import roofline
from roofline.errors import ExpressionError, RooflineError, near

_MATH: Final = ("ceil", "floor", "sqrt", "log2", "log10", "inf", "isinf")
_BUILTINS: Final = (
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "len", "list", "max", "min", "next", "range",
    "round", "set", "sorted", "str", "sum", "tuple", "zip",
)  # fmt: skip
#: What rewritten expressions call; a page cannot write such a name by accident.
_ONCE: Final = "__once__"
_KEEP: Final = "__keep__"
_COMPARE: Final = "__compare__"
#: The most values that are remembered before all are forgotten: more than the largest page has.
_MOST: Final = 20_000


def namespace() -> dict[str, Any]:
    """Return the names that every expression sees.

    Returns
    -------
    dict
        The public names of `roofline`, and a few functions of `math` and of Python; a new dict on each call.

    Examples
    --------
    >>> namespace()["ceil"](344.9)
    345
    """
    names: dict[str, Any] = {name: getattr(roofline, name) for name in roofline.__all__}
    names |= {name: getattr(math, name) for name in _MATH}
    return names | {"__builtins__": {name: getattr(builtins, name) for name in _BUILTINS}}


def reason(error: Exception, names: Mapping[str, Any]) -> str:
    """Return why code failed, in one sentence for the author of that code.

    Parameters
    ----------
    error : Exception
        What it raised.
    names : mapping
        The names that it could use.

    Returns
    -------
    str
        An error of the package as it is; for a missing name, the names near it.

    Examples
    --------
    >>> reason(NameError("", name="critical_bach"), namespace())
    "there is no name 'critical_bach'; near it: critical_batch, moe_critical_batch"
    """
    if isinstance(error, RooflineError):
        return str(error)
    if isinstance(error, NameError) and error.name:
        hint = near(error.name, [name for name in names if not name.startswith("_")])
        return f"there is no name {error.name!r}" + (
            f"; near it: {', '.join(hint)}" if hint else "; define it in the page's names block"
        )
    return f"{type(error).__name__}: {error}"


class Expressions:
    """Evaluates expressions over some names.

    Calls are taken to be pure: one that stands in several texts is evaluated once.

    Parameters
    ----------
    names : mapping, optional
        The names; those of `namespace` where left out.

    Examples
    --------
    >>> expressions = Expressions()
    >>> expressions.evaluate("device('H100 SXM').roof('bf16').ridge")
    295.2238805970149
    >>> [value.shown for value in expressions.datasheet_values("device('H100 SXM').roof('bf16').ridge")]
    ['989 TFLOP/s', '3.35 TB/s']
    """

    def __init__(self, names: Mapping[str, Any] | None = None) -> None:
        self.names = namespace() if names is None else names
        self._known: dict[str, Any] = {}

    def evaluate(self, text: str) -> Any:
        """Return what an expression gives.

        Parameters
        ----------
        text : str
            A Python expression.

        Returns
        -------
        object
            Its value.

        Raises
        ------
        ExpressionError
            Where it is not an expression, or fails.

        Examples
        --------
        >>> Expressions().evaluate("1 / 0")
        Traceback (most recent call last):
        roofline.errors.ExpressionError: 1 / 0 fails: ZeroDivisionError: division by zero
        """
        return self._run(text)[0]

    def datasheet_values(self, text: str) -> tuple[roofline.DatasheetValue, ...]:
        """Return the datasheet values that an expression uses.

        Parameters
        ----------
        text : str
            A Python expression.

        Returns
        -------
        tuple of DatasheetValue
            Each once, from the outside in: the bandwidth of a roof is one value, although the roof has two. A value
            that differs between the turns of a loop is left out.

        Raises
        ------
        ExpressionError
            Where it is not an expression, or fails.

        Examples
        --------
        >>> Expressions().datasheet_values("2 * 4")
        ()
        """
        _, of_loops = self._run(text)
        found: list[roofline.DatasheetValue] = []
        _collect(_compiled(text)[1], ChainMap(of_loops, self._known), found)
        return tuple({id(value): value for value in found}.values())

    def _run(self, text: str) -> tuple[Any, dict[str, Any]]:
        """Return the value of an expression, and the values of its parts in loops, None for one that changed."""
        if len(self._known) > _MOST:
            self._known.clear()
        of_loops: dict[str, Any] = {}

        def once(part: str, value: Callable[[], Any]) -> Any:
            if part not in self._known:
                self._known[part] = value()
            return self._known[part]

        def keep(part: str, value: Any) -> Any:
            self._known[part] = value
            return value

        def compare(part: str, value: Any) -> Any:
            of_loops[part] = value if of_loops.get(part, value) is value else None
            return value

        try:
            code = _compiled(text)[0]
            names = {**self.names, _ONCE: once, _KEEP: keep, _COMPARE: compare}
            return eval(code, names), of_loops  # noqa: S307 - the author's own text
        except SyntaxError as error:
            raise ExpressionError(f"{text!r} is not a Python expression: {error.msg}") from error
        except Exception as error:
            raise ExpressionError(f"{text} fails: {reason(error, self.names)}") from error


#: The text of a part of an expression, and the parts inside it.
_Part: TypeAlias = "tuple[str, list[_Part]]"


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> tuple[Any, list[_Part]]:
    """Return the code of an expression that keeps the values of its parts, and those parts."""
    tree = ast.parse(text.strip(), mode="eval")
    parts = _Parts(text.strip(), tree)
    return compile(ast.fix_missing_locations(parts.visit(tree)), "<expression>", "eval"), parts.tree


class _Parts(ast.NodeTransformer):
    """Rewrites an expression: every part keeps its value, and a call of fixed arguments runs once."""

    def __init__(self, text: str, tree: ast.AST) -> None:
        self.tree: list[_Part] = []
        self._bytes = text.encode()
        self._lines = [0]  # where each begins; the parser counts bytes, not characters
        for line in self._bytes.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        #: Names of loops and lambdas: a part that uses one may differ between turns.
        self._bound = {
            node.id if isinstance(node, ast.Name) else node.arg
            for node in ast.walk(tree)
            if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        }

    def generic_visit(self, node: ast.AST) -> ast.AST:
        is_part = isinstance(node, ast.Attribute | ast.Call) or (
            isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )
        if not is_part:
            return super().generic_visit(node)
        text, may_differ = self._text(node), self._may_differ(node)
        outer, self.tree = self.tree, []
        inner = cast("ast.expr", super().generic_visit(node))
        outer.append((text, self.tree))
        self.tree = outer
        function, value = _COMPARE if may_differ else _KEEP, inner
        if isinstance(node, ast.Call) and not may_differ:
            no_arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
            function, value = _ONCE, ast.Lambda(no_arguments, inner)
        return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), [ast.Constant(text), value], []), node)

    def _text(self, node: Any) -> str:
        begin = self._lines[node.lineno - 1] + node.col_offset
        return self._bytes[begin : self._lines[node.end_lineno - 1] + node.end_col_offset].decode()

    def _may_differ(self, node: ast.AST) -> bool:
        return bool(self._bound) and any(
            (isinstance(part, ast.Name) and part.id in self._bound)
            or (isinstance(part, ast.arg) and part.arg in self._bound)
            for part in ast.walk(node)
        )


def _collect(parts: list[_Part], values: Mapping[str, Any], found: list[roofline.DatasheetValue]) -> None:
    """Gather the datasheet values that are used, from the outside in: H100.bandwidth uses one of the two of H100."""
    for text, inside in parts:
        value = values.get(text)
        candidates = (value.peak, value.bandwidth) if isinstance(value, roofline.Roof) else (value,)
        used = [candidate for candidate in candidates if isinstance(candidate, roofline.DatasheetValue)]
        found += used
        if not used:
            _collect(inside, values, found)
