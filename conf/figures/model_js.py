"""``model.js``: the model in the browser, generated from `roofline` when the site is built.

Nobody writes a formula in JavaScript.  Each function of the model is called with SymPy symbols, and the result is
printed by SymPy's JavaScript printer.  Nothing is evaluated, so that the operations keep their order and both languages
round alike.  A cost function added to `roofline.costs.COMMON_COSTS` is in the next build of ``model.js``.
"""

from __future__ import annotations

import inspect
import json
import re
from typing import Any, Final

import sympy
from sympy.printing.jscode import JavascriptCodePrinter

import roofline
from roofline.architecture import WIDTHS
from roofline.catalog.records import device_record, plain_numbers
from roofline.costs import COMMON_COSTS, FORMAT_PARAMETERS
from roofline.formats import BYTES
from roofline.kernel import Kernel
from roofline.threshold import threshold_terms

HEAD: Final = "// The roofline model, generated from the Python package when the site is built. Do not edit.\n"
_SUPERSCRIPTS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Printer(JavascriptCodePrinter):  # type: ignore[misc]  # SymPy ships no types
    """SymPy's printer, without the powers of 1 that unevaluated divisions leave behind."""

    def _print_Pow(self, expr: Any) -> str:  # noqa: N802 - SymPy's name
        base, exponent = expr.as_base_exp()
        if exponent == 1:
            return self.parenthesize(base, 1000) if not base.is_Atom else str(self._print(base))
        if exponent == 2:
            # x*x rounds as Python's x**2 does; the standard leaves Math.pow to the browser.
            factor = self.parenthesize(base, 1000) if not base.is_Atom else str(self._print(base))
            return f"({factor}*{factor})"
        return str(super()._print_Pow(expr))


def expression(value: Any) -> str:
    """Return a formula as a JavaScript expression.

    Parameters
    ----------
    value : sympy.Expr or float
        The formula.

    Returns
    -------
    str
        JavaScript, on one line.

    Examples
    --------
    >>> B, D = sympy.symbols("B D", positive=True)
    >>> expression(2 * B / D)
    '2*B/D'
    """
    return " ".join(str(Printer().doprint(sympy.sympify(value))).split())


def function(value: Any, parameters: list[str]) -> str:
    """Return a formula as a JavaScript function of an object.

    Parameters
    ----------
    value : sympy.Expr or float
        The formula.
    parameters : list of str
        The names that the object may have.

    Returns
    -------
    str
        An arrow function that takes just the names that the formula uses.

    Examples
    --------
    >>> function(2 * sympy.Symbol("B", positive=True), ["B", "D"])
    '({B}) => 2*B'
    """
    used = {symbol.name for symbol in sympy.sympify(value).free_symbols}
    return f"({{{', '.join(name for name in parameters if name in used)}}}) => {expression(value)}"


def symbols(names: Any) -> dict[str, Any]:
    """Return positive symbols by name."""
    return {name: sympy.Symbol(name, positive=True) for name in names}


def _cost(kernel: Kernel, parameters: list[str]) -> str:
    costs = {"flops": kernel.flops, "nbytes": kernel.nbytes}
    return "".join(f"    {name}: {function(cost, parameters)},\n" for name, cost in costs.items())


def written(value: Any) -> str:
    """Return a formula as a person would write it, with its names as they are.

    Parameters
    ----------
    value : sympy.Expr
        The formula.

    Returns
    -------
    str
        Such as ``"2 × B × D × F"``.

    Examples
    --------
    >>> T, g = sympy.symbols("T g", positive=True)
    >>> written(4 * T**2 * (2 + 2 / g))
    '4 × T² × (2 + 2 ÷ g)'
    """
    text = re.sub(r"\*\*(\d+)", lambda power: power[1].translate(_SUPERSCRIPTS), sympy.sstr(value))
    return text.replace("*", " × ").replace("/", " ÷ ")


def kernels() -> str:
    """Return the common cost functions as JavaScript."""
    parts = []
    for cost in COMMON_COSTS.values():
        signature = inspect.signature(cost).parameters
        # Where a kernel has formats of its own for weights and activations, dtype only stands in for them.
        several = FORMAT_PARAMETERS & signature.keys() - {"dtype"}
        names = [name for name in signature if name != "name" and not (name == "dtype" and several)]
        kernel = cost(**symbols(names))
        with sympy.evaluate(True):
            plain = cost(**symbols(names))
        defaults = {
            # A number, as the formulas multiply by it: 1 for true.
            name: signature[name].default + 0 if isinstance(signature[name].default, int | float) else 2
            for name in names
            if signature[name].default is not inspect.Parameter.empty
        }
        read = {"flops": written(plain.flops), "nbytes": written(plain.nbytes)}
        parts.append(
            f"  {cost.__name__}: {{\n    parameters: {json.dumps(names)},\n"
            f"    formats: {json.dumps([n for n in names if n in FORMAT_PARAMETERS])},\n"
            f"    defaults: {json.dumps(defaults)},\n"
            f"    written: {json.dumps(read, ensure_ascii=False)},\n{_cost(kernel, names)}  }},\n"
        )
    return f"export const kernels = {{\n{''.join(parts)}}};\n"


def bounds() -> str:
    """Return the roofline bound and the critical batch as JavaScript."""
    of = symbols(("flops", "nbytes", "peak", "bandwidth", "intensity", "D", "F", "weights", "activations", "outputs"))
    roof = roofline.Roof(of["peak"], of["bandwidth"])
    limit = roofline.bound(Kernel("kernel", of["flops"], of["nbytes"]), roof)
    top, bottom = threshold_terms(of["D"], of["F"], roof, of["weights"], of["activations"], of["outputs"])
    formulas = {
        "intensity": limit.kernel.intensity,
        "ridge": roof.ridge,
        "attainable_at": roof.attainable(of["intensity"]),
        "compute_time": limit.compute_time,
        "memory_time": limit.memory_time,
        "time": limit.time,
        "time_without_overlap": limit.time_without_overlap,
        "attainable": limit.attainable,
        "fraction_of_peak": limit.fraction_of_peak,
        "at_or_above_ridge": limit.at_or_above_ridge,
        "critical_batch": sympy.Piecewise((top / bottom, bottom > 0), (sympy.oo, True)),
    }
    return "".join(f"export const {name} = {function(value, list(of))};\n" for name, value in formulas.items())


def transformer() -> str:
    """Return the kernels of a layer and of a step, and the sizes of a model, as JavaScript."""
    of = symbols((*WIDTHS, "sequences", "context", "prompt", "tokens", "weights", "cache"))
    model = roofline.Model("model", *(of[name] for name in WIDTHS))
    formats = {"weights": of["weights"], "cache": of["cache"]}
    lists = {
        "decode_layer": roofline.decode_layer(model, of["sequences"], of["context"], **formats),
        "decode_step": roofline.decode_step(model, of["sequences"], of["context"], **formats),
        "prefill_layer": roofline.prefill_layer(model, of["sequences"], of["prompt"], **formats),
        "prefill_step": roofline.prefill_step(model, of["sequences"], of["prompt"], **formats),
    }
    sizes = {
        "g": model.g,
        "matmul_parameters": model.matmul_parameters,
        "parameters": model.parameters,
        "kv_bytes_per_token": model.kv_bytes_per_token(of["cache"]),
        "weight_bytes": model.weight_bytes(of["weights"]),
        "step_weight_bytes": model.step_weight_bytes(of["weights"]),
        "cache_bytes": model.cache_bytes(of["sequences"], of["tokens"], of["cache"]),
        "unavoidable_bytes": roofline.unavoidable_bytes(model, of["sequences"], of["tokens"], **formats),
    }
    parts = [
        f"export const {name} = [\n"
        + "".join(f"  {{\n    name: {json.dumps(k.name)},\n{_cost(k, list(of))}  }},\n" for k in kernels)
        + "];\n"
        for name, kernels in lists.items()
    ]
    parts += [f"export const {name} = {function(value, list(of))};\n" for name, value in sizes.items()]
    return "".join(parts)


def data() -> str:
    """Return the devices and the models of the catalog as JavaScript."""
    devices = [plain_numbers(device_record(gpu)) for gpu in roofline.devices()]
    models = [
        {name: getattr(model, name) for name in ("name", *WIDTHS)} for model in roofline.models() if model.is_plain
    ]
    values = {"devices": devices, "models": models, "bytes": BYTES}
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in values.items())


def source() -> str:
    """Return the whole of ``model.js``.

    Returns
    -------
    str
        An ES module without imports.

    Examples
    --------
    >>> "export const critical_batch" in source()
    True
    """
    with sympy.evaluate(False):
        formulas = kernels() + bounds() + transformer()
    return HEAD + formulas + data()
