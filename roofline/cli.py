"""``python -m roofline``: the ridge table, the catalog, the bound of one kernel, and that of a whole step.

Each cost function is a command: its parameters are the options, so a kernel added to `roofline.kernels` is a command
at once.  `devices`, `models` and `step` are answered by `roofline.answers`.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from .answers import StepAnswer, aligned, device_records, device_table, model_records, model_table
from .arguments import amount
from .catalog import device, devices, model
from .errors import InvalidValue, RooflineError
from .formats import BYTES
from .kernels import COST_FUNCTIONS, FORMAT_PARAMETERS
from .quantity import format_quantity, parse_shown
from .roof import bound
from .tables import catalog_ridges

#: Kernels without a matrix product: whatever their data are, tensor cores do not work on them.
GENERAL: Final = {"elementwise", "rms-norm", "layer-norm", "softmax"}
_GENERAL_PEAK: Final = "--format fp32 for the general units (CUDA cores), where this kernel runs"


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence, as everywhere in this package."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"roofline: {message}; see '{self.prog} --help'\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; the process's own arguments where left out.

    Returns
    -------
    int
        0, or 2 where the input breaks a rule (the sentence is on standard error).

    Examples
    --------
    >>> main(["elementwise", "--n", "1e8", "--device", "H100 SXM"])  # doctest: +ELLIPSIS
    elementwise on H100 SXM, bf16
    ...
    """
    options = _parser().parse_args(arguments)
    try:
        print(_ANSWERS.get(options.command, _kernel)(options), flush=True)
    except RooflineError as error:
        print(f"roofline: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever reads, such as head, has seen enough. Closing the rest quietly is up to us: nobody reads it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m roofline",
        description="The roofline model: ridge points of devices, bounds of kernels and of whole steps of a model.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, in SI units")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _catalog_commands(commands)
    for function_name, function in COST_FUNCTIONS.items():
        command = function_name.replace("_", "-")
        summary = (inspect.getdoc(function) or "").splitlines()[0].removeprefix("Return ").rstrip(".")
        kernel = commands.add_parser(command, help=summary, description=summary)
        kernel.add_argument("--device", required=True, help='such as "H100 SXM"')
        own = "format of the arithmetic; the weights and activations' own where left out"
        kernel.add_argument("--format", help=own + f"; {_GENERAL_PEAK}" * (command in GENERAL))
        kernel.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON, in SI units")
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name == "name":
                continue
            required = parameter.default is inspect.Parameter.empty
            kernel.add_argument(
                f"--{parameter.name.replace('_', '-')}",
                dest=parameter.name,
                required=required,
                default=None if required else parameter.default,
                help=f"one of {', '.join(BYTES)}"
                if parameter.name in FORMAT_PARAMETERS
                else "a number, such as 4096 or 1e6",
            )
    return parser


def _catalog_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    """Add the commands that are no cost functions."""
    summaries = {
        "devices": "all devices of the catalog, with their sources in JSON",
        "models": "all models of the catalog",
        "step": "the bound of a whole step of a model on a device",
    }
    parsers = {name: commands.add_parser(name, help=text, description=text) for name, text in summaries.items()}
    for parser in parsers.values():
        parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON, in SI units")
    step = parsers["step"]
    step.add_argument("model", metavar="MODEL", help='such as "Llama 3.1 8B"')
    step.add_argument("--device", required=True, help='such as "H200 SXM"')
    step.add_argument("--batch", required=True, help="sequences, a number")
    step.add_argument("--context", required=True, help="tokens of each sequence, a number")
    for name in ("weights", "cache", "activations"):
        step.add_argument(f"--{name}", default="bf16", help=f"format, one of {', '.join(BYTES)}")
    step.add_argument("--format", help="format of the arithmetic; the activations' own where left out")
    step.add_argument("--new-tokens", default="1", help="tokens that each sequence brings, more than 1 for a draft")
    step.add_argument("--prefill", action="store_true", help="read the context in, instead of decoding after it")


def _number(name: str, text: str) -> float:
    """Read a number as people type it: 4096, 1e6, 16,384, 10⁸."""
    try:
        shown = parse_shown(text)
    except RooflineError:
        shown = None
    if shown is None or shown.unit:
        # float knows 'nan' and 'inf', which then break the model's own rule, with its own sentence.
        try:
            return float(text)
        except ValueError:
            raise InvalidValue(f"{name} is {text!r}; it must be a number, such as 4096 or 1e6") from None
    return int(shown.value) if shown.value.is_integer() else shown.value


def _ridges(options: argparse.Namespace) -> str:
    if options.json:
        rows = [
            {
                "device": gpu.name,
                "scope": gpu.scope,
                "bandwidth": float(gpu.bandwidth),
                "memory": float(gpu.memory),
                "peak": {fmt: float(gpu.roof(fmt).peak) for fmt in gpu.formats},
                "ridge": {fmt: gpu.roof(fmt).ridge for fmt in gpu.formats},
            }
            for gpu in devices()
        ]
        return json.dumps(rows, indent=2)
    table = catalog_ridges(devices())
    lines = aligned([list(table.columns), *table.texts()])
    return f"Ridge points in FLOP/byte, from dense datasheet peaks (– : no such peak)\n\n{lines}"


def _devices(options: argparse.Namespace) -> str:
    if options.json:
        return json.dumps(device_records(), indent=2, ensure_ascii=False)
    return f"Dense peaks in TFLOP/s, int8 in TOP/s (– : no such peak)\n\n{aligned(device_table())}"


def _models(options: argparse.Namespace) -> str:
    if options.json:
        return json.dumps(model_records(), indent=2, ensure_ascii=False)
    return f"Weights and cache in bf16 (– : no cache)\n\n{aligned(model_table())}"


def _step(options: argparse.Namespace) -> str:
    answer = StepAnswer(
        model(options.model),
        device(options.device),
        (options.format or options.activations).strip().casefold(),
        # Checked here under the names that the caller used.
        amount("batch", _number("batch", options.batch)),
        amount("context", _number("context", options.context)),
        weights=options.weights,
        cache=options.cache,
        activations=options.activations,
        new_tokens=_number("new_tokens", options.new_tokens),
        prefill=options.prefill,
    )
    return json.dumps(answer.record(), indent=2) if options.json else answer.words()


def _kernel(options: argparse.Namespace) -> str:
    function = COST_FUNCTIONS[options.command.replace("-", "_")]
    given = {
        name: _number(name, value)
        if isinstance(value := getattr(options, name), str) and name not in FORMAT_PARAMETERS
        else value
        for name in inspect.signature(function).parameters
        if name != "name"
    }
    kernel = function(**given)
    gpu = device(options.device)
    fmt = str(options.format or given.get("activations") or given["dtype"])
    limit = bound(kernel, gpu.roof(fmt))
    if options.json:
        return json.dumps(
            {
                "kernel": kernel.name,
                "arguments": given,
                "device": gpu.name,
                "format": fmt,
                "flops": kernel.flops,
                "bytes": kernel.nbytes,
                "intensity": kernel.intensity,
                "ridge": limit.roof.ridge,
                "compute_time": limit.compute_time,
                "memory_time": limit.memory_time,
                "time": limit.time,
                "regime": limit.regime,
                "attainable": limit.attainable,
                "fraction_of_peak": limit.fraction_of_peak,
            },
            indent=2,
        )
    rows: tuple[tuple[str, str], ...] = (
        ("FLOPs", format_quantity(kernel.flops, "FLOP", 4)),
        ("bytes", format_quantity(kernel.nbytes, "B", 4)),
        (
            "intensity",
            "{} (ridge point {})".format(
                *(format_quantity(value, "FLOP/B", 4) for value in (kernel.intensity, limit.roof.ridge))
            ),
        ),
        ("compute time", format_quantity(limit.compute_time, "s", 4)),
        ("memory time", format_quantity(limit.memory_time, "s", 4)),
        ("regime", limit.regime),
        (
            "bound",
            f"at least {format_quantity(limit.time, 's', 4)}, at most {format_quantity(limit.attainable, 'FLOP/s', 4)}",
        ),
        ("share of peak", f"at most {format_quantity(limit.fraction_of_peak, '%', 2)}"),
    )
    if options.command in GENERAL and fmt != "fp32" and "fp32" in gpu.formats:
        rows += (("note", f"with the peak of the tensor cores; {_GENERAL_PEAK}"),)
    return "\n".join([f"{kernel.name} on {gpu.name}, {fmt}", *(f"  {label:<13} {text}" for label, text in rows)])


#: What answers a command that is no cost function; None is no command at all.
_ANSWERS: Final[dict[str | None, Callable[[argparse.Namespace], str]]] = {
    None: _ridges,
    "devices": _devices,
    "models": _models,
    "step": _step,
}
