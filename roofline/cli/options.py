"""What may be asked on the command line: the commands, their options, and the help.

Each public cost function is a command, and its parameters are the options: a function added to the package is a command
at once.  The help of an option is what the docstring says of the parameter.
"""

from __future__ import annotations

import argparse
import ast
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import roofline
from roofline.costs import COST_FUNCTIONS, FORMAT_PARAMETERS
from roofline.formats import BYTES
from roofline.kernel import Kernel

#: Every cost function, by the name of its command.
COST_COMMANDS: Final = {name.replace("_", "-"): function for name, function in COST_FUNCTIONS.items()}

#: What follows the name of the program in the example of each command.
EXAMPLES: Final = {
    "matmul": '--B 8 --D 4096 --F 4096 --device "H100 SXM"',
    "elementwise": '--n 1e8 --reads 2 --device "H100 SXM" --format fp32',
    "rms-norm": '--tokens 16,384 --width 4096 --device "H100 SXM" --format fp32',
    "layer-norm": '--tokens 16,384 --width 4096 --device "H100 SXM" --format fp32',
    "softmax": '--tokens 1024 --width 4096 --device "H100 SXM" --format fp32',
    "attention-prefill": '--T 2048 --d-h 128 --heads 32 --g 4 --device "H100 SXM"',
    "attention-decode": '--T 8192 --d-h 128 --g 4 --kv-heads 8 --sequences 32 --device "H200 SXM"',
    "attention-chunk": '--new-tokens 512 --before 8192 --d-h 128 --g 4 --kv-heads 8 --device "H200 SXM"',
    "attention-shared-prefix": (
        '--prefix 8192 --own 1024 --d-h 128 --g 4 --kv-heads 8 --sequences 32 --device "H200 SXM"'
    ),
    "expert-matmul": '--B 64 --D 2048 --F 768 --N 128 --k 8 --weights fp8 --device "H200 SXM"',
    "mla-decode": '--T 8192 --heads 128 --kv-rank 512 --rope 64 --sequences 32 --device "H200 SXM"',
    "mla-prefill": '--T 2048 --heads 128 --nope 128 --rope 64 --value 128 --device "H200 SXM"',
    "head-matmul": '--B 32 --heads 128 --D 128 --F 512 --device "H200 SXM"',
    "kernel": '--flops "268 MFLOP" --bytes "33.7 MB" --peak "989 TFLOP/s" --bandwidth "3.35 TB/s"',
    "step": '"Llama 3.1 8B" --device "H200 SXM" --batch 32 --context 8192',
    "above": 'matmul --B 1 --D 4096 --F 12288 --dtype fp8 --outputs bf16 --device L40S --time "15.4 µs"',
    "devices": "--json",
    "models": "",
}

#: Parameters of cost functions that need not be whole: averages, not counts.
_NOT_COUNTS: Final = frozenset({"reads", "writes", "flops_per_element"})
#: The formats of a step, with what each is the format of.
_STEP_FORMATS: Final = {
    "weights": "the weights",
    "cache": "the KV cache",
    "activations": "what the matmuls take in; what they give out is bf16",
}
_JSON: Final = "print JSON, in SI units"
_OF_ACTIVATIONS: Final = "format of the arithmetic (default: that of the activations)"
_OF_OWN: Final = "format of the arithmetic (default: bf16)"
_FORMATS: Final = f"one of {', '.join(BYTES)}"


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence, as everywhere in this package, and which guesses nothing."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"roofline: {message}; see '{self.prog} --help'\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse's own method says nothing where the help or the version cannot be written.
        if file is not None and file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)


def parse(arguments: Sequence[str] | None, prog: str) -> argparse.Namespace:
    """Return what was asked; a wrong call ends the program with a sentence.

    Parameters
    ----------
    arguments : sequence of str or None
        What follows the program's name; the process's own arguments for None.
    prog : str
        What the program is called.

    Returns
    -------
    argparse.Namespace
        ``command`` (None for none), ``json`` and the texts of the options, None for one that was left out.

    Examples
    --------
    >>> options = parse(["kernel", "--flops", "1e9", "--bytes", "1e6", "--device", "L4"], "roofline")
    >>> options.command, options.flops, options.format
    ('kernel', '1e9', None)
    """
    options = _parsers(prog)[None].parse_args(arguments)
    if "peak" in options:
        _require_one_roof(options)
    if {"dtype", "weights", "activations"} <= vars(options).keys() and None not in (
        options.dtype,
        options.weights,
        options.activations,
    ):
        options.parser.error("--dtype has no effect where both --weights and --activations are given; leave it out")
    if getattr(options, "prefill", False) and options.new_tokens is not None:
        options.parser.error("--new-tokens has no effect with --prefill, which takes the context in; leave one out")
    return options


def help_text(command: str | None = None, prog: str = "roofline") -> str:
    """Return the help of a command, or of them all, in lines of 80 characters whatever the terminal is.

    Parameters
    ----------
    command : str, optional
        Such as ``"matmul"``; the list of the commands where left out.
    prog : str
        What the program is called.

    Returns
    -------
    str
        Lines of text.

    Examples
    --------
    >>> help_text("models").splitlines()[0]
    'usage: roofline models [-h] [--json]'
    """
    parser = _parsers(prog)[command]
    parser.formatter_class = functools.partial(argparse.RawDescriptionHelpFormatter, width=80)
    return parser.format_help()


def _require_one_roof(options: argparse.Namespace) -> None:
    """End the program unless it has either a device or both a peak and a bandwidth."""
    own = [option for option in ("peak", "bandwidth") if getattr(options, option) is not None]
    if options.device is not None and own:
        options.parser.error(f"--device has a {own[0]} of its own; give either --device, or --peak and --bandwidth")
    if options.device is None and len(own) < 2:
        options.parser.error("a roof is missing; give either --device, or both --peak and --bandwidth")
    if own and options.format is not None:
        options.parser.error("--format chooses among the peaks of a device and has no effect with --peak; leave it out")


@functools.cache  # to make them takes ten times as long as to answer
def _parsers(prog: str) -> dict[str | None, _Parser]:
    """Return the parser of each command by its name, and that of them all under None."""
    parser = _Parser(
        prog=prog,
        description="The roofline model: ridge points of devices, bounds of kernels, and of whole\n"
        "steps of a model. Without a command: the ridge points of all devices.",
        epilog=f"example:\n  {prog} matmul {EXAMPLES['matmul']}\n\nEach command has its own help: {prog} matmul --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help=_JSON)
    parser.add_argument("--version", action="version", version=f"roofline {roofline.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _command(commands, prog, "devices", "list all devices of the catalog; in JSON with the source of each value")
    _command(commands, prog, "models", "list all models of the catalog; in JSON with their sources")
    step = _command(commands, prog, "step", "bound a whole step of a model on a device")
    _add_step(step)
    _add_roof(step, _OF_ACTIVATIONS)
    for name, function in COST_COMMANDS.items():
        doc = _docstring(function)
        _add_sizes(_command(commands, prog, name, _summary(doc, name)), function, _parameters(doc))
        _add_roof(commands.choices[name], _OF_ACTIVATIONS)
    own = _command(commands, prog, "kernel", "bound a kernel of your own, of which you know the FLOPs and the bytes")
    _add_amounts(own)
    _add_roof(own, _OF_OWN)
    above = _command(commands, prog, "above", "say why a measured time may be below the bound, and how to find out")
    return {None: parser} | dict(commands.choices) | _add_above(above)


def _command(
    commands: argparse._SubParsersAction[_Parser], prog: str, name: str, summary: str, example: str | None = None
) -> _Parser:
    """Add a command with its summary and its example."""
    parser = commands.add_parser(
        name,
        help=_escaped(summary),
        description=textwrap.fill(summary[0].upper() + summary[1:] + ".", 80),
        epilog=f"example:\n  {prog} {name} {EXAMPLES[name] if example is None else example}".rstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    # SUPPRESS, so that the option may stand before the command as well as after it.
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=_JSON)
    parser.set_defaults(parser=parser)
    return parser


def _add_roof(parser: _Parser, about_format: str) -> None:
    roof = parser.add_argument_group(
        "what it runs on", "A device of the catalog, or a peak and a bandwidth of your own."
    )
    roof.add_argument("--device", metavar="NAME", help='such as "H100 SXM"')
    roof.add_argument("--format", metavar="FORMAT", help=f"{about_format}; only with --device")
    roof.add_argument("--peak", metavar="FLOP/s", help='such as "989 TFLOP/s", instead of --device')
    roof.add_argument("--bandwidth", metavar="B/s", help='such as "3.35 TB/s", with --peak')
    share = "adds an estimate, for code that gets this share of the roof: 60%%, or 'measured' for the median"
    roof.add_argument("--share", metavar="SHARE", help=f"{share} of published measurements of its kind")


def _add_step(parser: _Parser) -> None:
    parser.add_argument("model", metavar="MODEL", help='such as "Llama 3.1 8B" (required)')
    parser.add_argument("--batch", required=True, metavar="COUNT", help="sequences (required)")
    parser.add_argument("--context", required=True, metavar="COUNT", help="tokens of each sequence (required)")
    for name, what in _STEP_FORMATS.items():
        about = f"format of {what}; {_FORMATS} (default: bf16)"
        parser.add_argument(f"--{name}", default="bf16", metavar="FORMAT", help=about)
    new_tokens = "tokens that each sequence brings, more than 1 for a draft (default: 1)"
    parser.add_argument("--new-tokens", metavar="COUNT", help=new_tokens)
    parser.add_argument("--prefill", action="store_true", help="read the context in, instead of decoding after it")


def _add_sizes(parser: _Parser, function: Callable[..., Kernel], about: dict[str, str]) -> None:
    """Add the parameters of a cost function as options."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "name":
            continue
        text, option = about.get(parameter.name, ""), f"--{parameter.name.replace('_', '-')}"
        if isinstance(parameter.default, bool):
            chosen = option if parameter.default else f"--no-{option[2:]}"
            help_ = _escaped(f"{text} (default: {chosen})")
            parser.add_argument(option, action=argparse.BooleanOptionalAction, default=None, help=help_)
            continue
        if parameter.name in FORMAT_PARAMETERS:
            metavar, text = "FORMAT", f"{text} {_FORMATS[0].upper()}{_FORMATS[1:]}."
        else:
            metavar = "COUNT" if is_count(parameter.name) else "NUMBER"
        required = parameter.default is inspect.Parameter.empty
        if required:
            text += " (required)"
        elif parameter.default is not None:
            text += f" (default: {parameter.default})"
        parser.add_argument(
            option, dest=parameter.name, required=required, metavar=metavar, help=_escaped(text.strip())
        )


def _add_amounts(parser: _Parser) -> None:
    """Add what a kernel of one's own is made of."""
    parser.add_argument("--flops", required=True, metavar="FLOP", help='its operations, such as "268 MFLOP" (required)')
    parser.add_argument("--bytes", required=True, metavar="B", help='what it reads and writes, as "33.7 MB" (required)')


def _add_above(parser: _Parser) -> dict[str | None, _Parser]:
    """Add what may be measured: each kernel with its sizes, one of one's own, and a step. Return their parsers."""
    kernels = parser.add_subparsers(dest="measured", metavar="KERNEL", required=True, parser_class=_Parser)

    def measured(name: str, summary: str, example: str) -> _Parser:
        return _command(kernels, parser.prog, name, summary, f'{example} --time "1 µs"')

    for name, function in COST_COMMANDS.items():
        doc = _docstring(function)
        _add_sizes(measured(name, _summary(doc, name), EXAMPLES[name]), function, _parameters(doc))
    _add_amounts(measured("kernel", "a kernel of your own", '--flops "268 MFLOP" --bytes "33.7 MB" --device L4'))
    _add_step(measured("step", "a whole step of a model", EXAMPLES["step"]))
    for name, each in kernels.choices.items():
        _add_measured(each, _OF_OWN if name == "kernel" else _OF_ACTIVATIONS)
    return {f"above {name}": each for name, each in kernels.choices.items()}


def _add_measured(parser: _Parser, about_format: str) -> None:
    group = parser.add_argument_group("what was measured, and where", "A device of the catalog, and a time or a rate.")
    group.add_argument("--device", required=True, metavar="NAME", help='such as "H100 SXM" (required)')
    group.add_argument("--format", metavar="FORMAT", help=about_format)
    either = group.add_mutually_exclusive_group(required=True)
    either.add_argument("--time", metavar="s", help='such as "15.4 µs"')
    either.add_argument("--rate", metavar="RATE", help='instead of --time: "242 TFLOP/s", "2 TB/s", "155 tokens/s"')


def is_count(parameter: str) -> bool:
    """Say whether a parameter of a cost function counts things that come whole.

    Parameters
    ----------
    parameter : str
        Its name.

    Returns
    -------
    bool
        False for an average, and for a number format.

    Examples
    --------
    >>> is_count("sequences"), is_count("flops_per_element"), is_count("dtype")
    (True, False, False)
    """
    return parameter not in _NOT_COUNTS | FORMAT_PARAMETERS


def _summary(doc: str, name: str) -> str:
    """Return what a cost function gives, from the first line of its docstring."""
    return doc.splitlines()[0].removeprefix("Return ").rstrip(".") if doc else name


def _docstring(function: Callable[..., object]) -> str:
    """Return the docstring of a function, from its source where ``python -OO`` has dropped it."""
    if function.__doc__ is not None:
        return inspect.getdoc(function) or ""
    try:
        (definition,) = ast.parse(inspect.getsource(function)).body
    except OSError:
        return ""  # a package of compiled files only
    return (ast.get_docstring(definition) or "") if isinstance(definition, ast.FunctionDef) else ""


def _parameters(doc: str) -> dict[str, str]:
    """Return what a docstring in numpydoc's form says of each parameter."""
    about: dict[str, str] = {}
    names: list[str] = []
    for line in doc.partition("Parameters\n----------\n")[2].splitlines():
        if line and not line.startswith(" "):
            head, colon, _ = line.partition(" : ")
            if not colon:
                break  # the title of the next section
            names = head.split(", ")
            # A text about several parameters begins with their names, in their order.
            about |= dict.fromkeys(names, f"{head}: " if len(names) > 1 else "")
        elif line:
            about |= {name: f"{about[name]} {line.strip()}" for name in names}
    return {name: " ".join(text.replace("`", "").split()) for name, text in about.items()}


def _escaped(text: str) -> str:
    """Return a text that argparse, which fills in ``%(default)s`` and the like, shows as it is."""
    return text.replace("%", "%%")
