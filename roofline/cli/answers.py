"""The answer of each command, computed from its options: a record for JSON, and the same in words."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from roofline.architecture import Model
from roofline.arguments import amount
from roofline.bounds import Bound, bound
from roofline.capacity import devices_needed
from roofline.catalog import Device, device, devices, model, models
from roofline.catalog.records import device_record, model_record, plain_numbers
from roofline.costs import FORMAT_PARAMETERS
from roofline.errors import InvalidValue
from roofline.formats import format_name
from roofline.fusion import fused_time, unavoidable_bytes
from roofline.kernel import Kernel
from roofline.quantity import format_quantity
from roofline.roof import Roof
from roofline.steps import decode_step, prefill_step
from roofline.types import FormatName
from roofline.utilisation import mbu, mfu

from .above import explained, seconds_at
from .options import COST_COMMANDS, is_count
from .planning import Plan, kind_of_kernel, planned
from .terminal import Answer
from .values import count, number, quantity

if TYPE_CHECKING:
    from roofline.tables import Table

#: Kernels without a matrix product, which tensor cores cannot run whatever the format is.
GENERAL: Final = frozenset({"elementwise", "rms-norm", "layer-norm", "softmax"})


def answer(options: argparse.Namespace) -> Answer:
    """Return what a command has to say.

    Parameters
    ----------
    options : argparse.Namespace
        What was asked, as from `roofline.cli.options.parse`.

    Returns
    -------
    Answer
        The answer.

    Raises
    ------
    RooflineError
        Where an option breaks a rule.

    Examples
    --------
    >>> from roofline.cli.options import parse
    >>> asked = ["kernel", "--flops", "1e9", "--bytes", "1e6", "--device", "L4"]
    >>> answer(parse(asked, "roofline")).title
    'kernel on L4, bf16'
    """
    match options.command:
        case None:
            return _ridges()
        case "devices":
            return _devices()
        case "models":
            return _models()
        case "step":
            return _step(options)
        case "above":
            return _above(options)
        case _:
            kernel, own_format, record = _kernel_of(options, options.command)
            return _bound(kernel, options, own_format, record)


def _ridges() -> Answer:
    from roofline.tables import catalog_ridges

    record = [plain_numbers(device_record(gpu)) for gpu in devices()]
    title = "Ridge points in FLOP/byte, from dense datasheet peaks at the stated clock (– : no such peak)"
    return _listed(record, title, catalog_ridges(devices()))


def _devices() -> Answer:
    from roofline.tables.listing import device_list

    title = "Dense peaks at the stated clock in TFLOP/s, int8 in TOP/s (– : no such peak)"
    return _listed([device_record(gpu) for gpu in devices()], title, device_list())


def _models() -> Answer:
    from roofline.tables.listing import model_list

    record = [model_record(entry) for entry in models()]
    return _listed(record, "Weights and cache in bf16 (– : no cache)", model_list())


def _listed(record: list[dict[str, Any]], title: str, table: Table) -> Answer:
    return Answer(record, title, table=[list(table.columns), *table.texts()])


def _kernel_of(options: argparse.Namespace, command: str) -> tuple[Kernel, Any, dict[str, Any]]:
    """Return the kernel of a command, the format that it is in, and what a record says of its sizes."""
    if command == "kernel":
        amounts = quantity("flops", options.flops, "FLOP"), quantity("bytes", options.bytes, "B")
        return Kernel("kernel", *amounts), "bf16", {}
    function = COST_COMMANDS[command]
    parameters = inspect.signature(function).parameters
    given = {name: _value(name, text) for name in parameters if (text := getattr(options, name, None)) is not None}
    arguments = {name: given.get(name, parameter.default) for name, parameter in parameters.items() if name != "name"}
    fmt = given.get("activations") or arguments["dtype"]
    return function(**given), fmt, {"arguments": arguments}


def _value(name: str, text: str | bool) -> Any:
    """Read an option of a cost function as the argument that the function takes."""
    if isinstance(text, bool):
        return text
    if name in FORMAT_PARAMETERS:
        return number(name, text) if text[:1].isdecimal() else text  # bytes per element, or the name of a format
    return count(name, text) if is_count(name) else number(name, text)


def _bound(kernel: Kernel, options: argparse.Namespace, own_format: Any, record: dict[str, Any]) -> Answer:
    """Answer what the chosen roof allows a kernel."""
    gpu, roof, where = _roof(options, own_format)
    limit = bound(kernel, roof)
    facts = [
        ("FLOPs", format_quantity(kernel.flops, "FLOP", 4)),
        ("bytes", format_quantity(kernel.nbytes, "B", 4)),
        (
            "intensity",
            "{} (ridge point {})".format(*(format_quantity(x, "FLOP/B", 4) for x in (kernel.intensity, roof.ridge))),
        ),
        ("compute time", format_quantity(limit.compute_time, "s", 4)),
        ("memory time", format_quantity(limit.memory_time, "s", 4)),
        ("regime", limit.regime),
        (
            "bound",
            f"at least {format_quantity(limit.time, 's', 4)}, at most {format_quantity(limit.attainable, 'FLOP/s', 4)}",
        ),
        ("share of peak", f"at most {format_quantity(limit.fraction_of_peak, '%', 2)}"),
    ]
    plan = planned(options.share, kind_of_kernel(options.command, limit.regime))
    if plan:
        facts.append(plan.fact(limit.time, kernel.flops / limit.time, "FLOP/s"))
    if gpu and options.command in GENERAL and where["format"] != "fp32" and "fp32" in gpu.formats:
        units = "--format fp32 for the general units (CUDA cores), where this kernel runs"
        facts.append(("note", f"with the peak of the tensor cores; {units}"))
    record = {
        "kernel": kernel.name,
        **record,
        **where,
        "flops": kernel.flops,
        "bytes": kernel.nbytes,
        "intensity": kernel.intensity,
        "ridge": roof.ridge,
        "compute_time": limit.compute_time,
        "memory_time": limit.memory_time,
        "time": limit.time,
        "regime": limit.regime,
        "attainable": limit.attainable,
        "fraction_of_peak": limit.fraction_of_peak,
        **Plan.record(plan, limit.time),
    }
    return Answer(record, f"{kernel.name} on {_named(where)}", tuple(facts))


def _roof(options: argparse.Namespace, own_format: Any) -> tuple[Device | None, Roof, dict[str, Any]]:
    """Return the device, if there is one, the roof, and what a record says of both."""
    if options.device is None:
        roof = Roof(quantity("peak", options.peak, "FLOP/s"), quantity("bandwidth", options.bandwidth, "B/s"))
        return None, roof, {"device": None, "format": None, "peak": roof.peak, "bandwidth": roof.bandwidth}
    return _roof_of_device(options, own_format)


def _roof_of_device(options: argparse.Namespace, own_format: Any) -> tuple[Device, Roof, dict[str, Any]]:
    """Return the chosen device, its roof for the chosen format, and what a record says of both."""
    gpu = device(options.device)
    if options.format is None and not isinstance(own_format, str):
        raise InvalidValue(f"{own_format} bytes per element name no peak of {gpu.name}; choose one with --format")
    fmt = format_name(own_format if options.format is None else options.format)
    roof = gpu.roof(fmt)
    about = {"device": gpu.name, "format": fmt, "peak": float(roof.peak), "bandwidth": float(roof.bandwidth)}
    return gpu, roof, about


def _named(where: dict[str, Any]) -> str:
    if where["device"]:
        return f"{where['device']}, {where['format']}"
    return f"{format_quantity(where['peak'], 'FLOP/s', 4)} and {format_quantity(where['bandwidth'], 'B/s', 4)}"


@dataclass(frozen=True)
class _Step:
    """A step as it was asked for: the model, sequences, tokens of each, new tokens of each, and formats."""

    model: Model
    batch: float
    context: float
    new_tokens: float
    formats: dict[str, FormatName]
    prefill: bool

    @property
    def tokens(self) -> float:
        """New tokens of all sequences."""
        return self.batch * self.new_tokens

    @property
    def stored(self) -> dict[str, FormatName]:
        """The formats of what lies in memory."""
        return {name: self.formats[name] for name in ("weights", "cache")}

    @property
    def unavoidable(self) -> float:
        """Bytes that cross however the kernels are fused."""
        return unavoidable_bytes(self.model, self.batch, self.context, **self.stored)

    def kernels(self) -> list[Kernel]:
        """Return what runs, one after another."""
        if self.prefill:
            return prefill_step(self.model, self.batch, self.context, **self.formats)
        return decode_step(self.model, self.batch, self.context, **self.formats, new_tokens=self.new_tokens)


def _step_of(options: argparse.Namespace) -> _Step:
    entry = model(options.model)
    # Checked here, so that errors use the names of the options.
    batch, context = (amount(name, count(name, getattr(options, name))) for name in ("batch", "context"))
    new_tokens = context if options.prefill else count("new_tokens", options.new_tokens or "1")
    formats = {name: format_name(getattr(options, name), name) for name in ("weights", "cache", "activations")}
    return _Step(entry, batch, context, new_tokens, formats, options.prefill)


def _step(options: argparse.Namespace) -> Answer:
    """Answer how long a whole step takes at least, and whether the model and its cache fit."""
    step = _step_of(options)
    entry, batch, context, formats, tokens = step.model, step.batch, step.context, step.formats, step.tokens
    gpu, roof, where = _roof(options, formats["activations"])
    kernels = step.kernels()
    bounds = [bound(kernel, roof) for kernel in kernels]
    time, flops, nbytes = (
        float(sum(amounts))
        for amounts in zip(*((each.time, each.kernel.flops, each.kernel.nbytes) for each in bounds), strict=True)
    )
    weight_bytes = float(entry.weight_bytes(formats["weights"]))
    cache_bytes = float(entry.cache_bytes(batch, context, formats["cache"]))
    needed = devices_needed(entry, gpu.memory, batch, context, **step.stored) if gpu else None
    fused = fused_time(kernels, roof, step.unavoidable)
    # Rounding in the sums may lift this share above one by its last bit.
    shares = {"mfu": mfu(flops, time, roof), "mbu": min(mbu(nbytes, time, roof), 1.0)}
    plan = planned(options.share, "prefill" if options.prefill else "decode")
    record = {
        "model": entry.name,
        "phase": "prefill" if options.prefill else "decode",
        **where,
        **formats,
        "batch": batch,
        "context": context,
        "new_tokens": step.new_tokens,
        "weight_bytes": weight_bytes,
        "cache_bytes": cache_bytes,
        "memory": float(gpu.memory) if gpu else None,
        "devices_needed": needed,
        "flops": flops,
        "bytes": nbytes,
        "time": time,
        "fused_time": fused,
        "tokens_per_second": tokens / time,
        **shares,
        **Plan.record(plan, time),
        "kernels": [
            {
                "kernel": each.kernel.name,
                "flops": each.kernel.flops,
                "bytes": each.kernel.nbytes,
                "intensity": each.kernel.intensity,
                "time": each.time,
                "regime": each.regime,
            }
            for each in bounds
        ],
    }
    memory = format_quantity(weight_bytes + cache_bytes, "B", 4)
    if gpu and needed:
        fits = "fits" if needed == 1 else f"needs at least {_counted(needed, 'device')}"
        memory += f" of {format_quantity(gpu.memory, 'B', 4)} (sold as {gpu.memory.sold_as}): {fits}"
    summed, joined = format_quantity(time, "s", 4), format_quantity(fused, "s", 4)
    rate = f"{format_quantity(tokens / time, 'tokens/s', prefix='')} kernel by kernel"
    # How many experts are read is a mean, and no bound.
    limits, rates = (
        (f"{summed} kernel by kernel with the experts expected, at least {joined} however fused and routed", [rate])
        if entry.experts
        else (f"at least {summed} kernel by kernel, {joined} however fused", [f"at most {rate}"])
    )
    if not options.prefill and batch != 1:
        rates.append(f"{format_quantity(tokens / time / batch, 'tokens/s', prefix='')} for each sequence")
    facts = (
        ("weights", f"{format_quantity(weight_bytes, 'B', 4)} in {formats['weights']}"),
        ("cache", f"{format_quantity(cache_bytes, 'B', 4)} in {formats['cache']}" if cache_bytes else "none"),
        ("memory", memory),
        ("bound", limits),
        ("rate", ", ".join(rates)),
        (
            "at the sum",
            "{} of the peak (MFU), {} of the bandwidth (MBU)".format(
                *(format_quantity(share, "%", 2) for share in shares.values())
            ),
        ),
        *([plan.fact(time, tokens / time, "tokens/s")] if plan else []),
    )
    what, of = ("a prefill", "prompt") if options.prefill else ("a decode step", "sequence")
    asked = f"{what} of {_counted(batch, of)} with {_counted(context, 'token')} each"
    head = ["Kernel of all layers", "FLOPs", "Bytes", "FLOP/byte", "At least", "Regime"]
    return Answer(record, f"{entry.name} on {_named(where)}: {asked}", facts, [head, *map(_bound_row, bounds)])


def _counted(number: float, noun: str) -> str:
    # From 2^53 on a count has been through a float, and its last digits say nothing.
    shown = f"{number:,}" if isinstance(number, int) and number < 2**53 else format_quantity(number)
    return f"{shown} {noun}{'' if number == 1 else 's'}"


def _bound_row(limit: Bound) -> list[str]:
    kernel = limit.kernel
    return [
        kernel.name,
        format_quantity(kernel.flops, "FLOP"),
        format_quantity(kernel.nbytes, "B"),
        format_quantity(kernel.intensity, "", prefix=""),
        format_quantity(limit.time, "s"),
        limit.regime,
    ]


def _above(options: argparse.Namespace) -> Answer:
    """Answer why a measured time may be below the bound."""
    tokens: float | None = None
    about: dict[str, Any] = {}
    more: dict[str, float] = {}
    if options.measured == "step":
        step = _step_of(options)
        name, own_format, kernels, tokens = step.model.name, step.formats["activations"], step.kernels(), step.tokens
        more["unavoidable"] = step.unavoidable
    else:
        kernel, own_format, about = _kernel_of(options, options.measured)
        name, kernels = kernel.name, [kernel]
        arguments = about.get("arguments", {})
        if arguments.get("causal") is False:
            more["square"] = arguments["T"]
    gpu, _, where = _roof_of_device(options, own_format)
    if options.time is not None:
        seconds = amount("time", quantity("time", options.time, "s"))
    else:
        seconds = seconds_at(options.rate, kernels, tokens)
    return explained(name, kernels, gpu, seconds, {**about, **where}, **more)
