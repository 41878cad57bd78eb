"""What a measurement ran, one class for each kind, and the least work that it can have been.

The least is what survives fusion: weights and caches cross from memory once, whatever is computed crosses the units
once, and everything else stays on the chip.  A sum of bounds of single kernels is higher; a program that fuses kernels,
or overlaps the phases of a run, may beat that sum, but not this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from roofline.architecture import Model
from roofline.attention import attention_prefill
from roofline.capacity import sequences_that_fit
from roofline.errors import InvalidValue
from roofline.kernel import Kernel
from roofline.kernels import matmul
from roofline.steps import decode_step, prefill_step
from roofline.types import FormatName

#: FLOPs and bytes per element of the loops that measure a bandwidth: what each reads and writes, in fp64.
ACCESSES: Final = {
    "write": (0, 8),
    "read": (1, 8),
    "scale": (1, 16),
    "triad": (2, 24),
    "stream": (0, 8),
    "latent cache": (0, 8),
}

#: Elements of the array of such a loop: far more than any cache holds.
_ELEMENTS: Final = 10**10

#: A format by its name, or bytes per element.
StoredFormat: TypeAlias = FormatName | float


@dataclass(frozen=True)
class MatmulRun:
    """One matmul.

    Attributes
    ----------
    B, D, F : int
        Its sizes, as in `roofline.matmul`.
    inputs, outputs : str
        Formats of both factors and of the result.
    """

    B: int
    D: int
    F: int
    inputs: FormatName
    outputs: FormatName

    kind: ClassVar = "matmul"
    batch: ClassVar = None
    tokens: ClassVar = None

    def least(self, memory: float) -> Kernel:  # noqa: ARG002 - only a whole run asks what fits
        """Return its FLOPs and bytes."""
        return matmul(self.B, self.D, self.F, weights=self.inputs, activations=self.inputs, outputs=self.outputs)

    @property
    def described(self) -> str:
        """The work in words."""
        return f"({self.B:,} × {self.D:,}) · ({self.D:,} × {self.F:,})"


@dataclass(frozen=True)
class StreamRun:
    """A loop over an array far larger than the cache.

    Attributes
    ----------
    access : str
        A key of `ACCESSES`.
    """

    access: str

    kind: ClassVar = "bandwidth"
    batch: ClassVar = None
    tokens: ClassVar = None

    def least(self, memory: float) -> Kernel:  # noqa: ARG002 - as above
        """Return the FLOPs and bytes of a pass over the array."""
        flops, nbytes = ACCESSES[self.access]
        return Kernel(self.access, flops * _ELEMENTS, nbytes * _ELEMENTS)

    @property
    def described(self) -> str:
        """The work in words."""
        return self.access


@dataclass(frozen=True)
class AttentionRun:
    """The forward pass of one attention kernel.

    Attributes
    ----------
    phase : str
        ``"prefill"`` or ``"decode"``.
    causal : bool
        Whether a token sees only those before it; FLOP/s then count these pairs alone.
    T, d_h, heads : int or None
        Tokens, width of a head, heads; all None where the source does not say.
    inputs : str
        Format of Q, K, V and O.
    """

    phase: str
    causal: bool
    inputs: FormatName
    T: int | None = None
    d_h: int | None = None
    heads: int | None = None

    kind: ClassVar = "attention"
    batch: ClassVar = None
    tokens: ClassVar = None

    def least(self, memory: float) -> Kernel | None:  # noqa: ARG002 - as above
        """Return its FLOPs and bytes; None where the shape is not published."""
        if self.T is None or self.d_h is None or self.heads is None:
            return None
        return attention_prefill(self.T, self.d_h, causal=self.causal, dtype=self.inputs, heads=self.heads)

    @property
    def described(self) -> str:
        """The work in words."""
        name = f"{'causal ' if self.causal else ''}{self.phase}"
        return name if self.T is None else f"{name}, {self.T:,} tokens, {self.heads} heads of {self.d_h}"


@dataclass(frozen=True)
class DecodeRun:
    """Decode steps of a model at one context.

    Attributes
    ----------
    model : Model
        The model.
    batch : int
        Sequences.
    context : int
        Tokens in the cache of each, on average.
    weights, cache : str or float
        Formats of the weights and of the cache, or bytes per element.
    """

    model: Model
    batch: int
    context: int
    weights: StoredFormat
    cache: StoredFormat

    kind: ClassVar = "decode"

    @property
    def tokens(self) -> float:
        """Tokens that a step gives."""
        return self.batch

    def least(self, memory: float) -> Kernel:  # noqa: ARG002 - as above
        """Return FLOPs and bytes of one step."""
        flops, nbytes = _decode(self.model, self.batch, self.context, self.weights, self.cache)
        return Kernel("decode step", flops, nbytes)

    @property
    def described(self) -> str:
        """The work in words."""
        return f"{self.model.name}, batch {self.batch:,}, context {self.context:,}, {_stored(self.weights)}"


@dataclass(frozen=True)
class PrefillRun:
    """The prefill of a batch of prompts.

    Attributes
    ----------
    model : Model
        The model.
    batch : int
        Prompts.
    prompt : int
        Tokens of each.
    weights : str or float
        Format of the weights, or bytes per weight.
    cached : float
        The share of the prompt tokens whose keys and values were kept from before, 0 to 1.
    """

    model: Model
    batch: int
    prompt: int
    weights: StoredFormat
    cached: float = 0.0

    kind: ClassVar = "prefill"

    @property
    def tokens(self) -> float:
        """Tokens that are read in, those kept from before included."""
        return self.batch * self.prompt

    def least(self, memory: float) -> Kernel:  # noqa: ARG002 - as above
        """Return its FLOPs and bytes; the tokens that are computed come last, where attention costs most."""
        flops = _prefill_flops(self.model, self.batch, self.prompt) * (1 - self.cached)
        return Kernel("prefill", flops, _weights_read(self.model, self.weights))

    @property
    def described(self) -> str:
        """The work in words."""
        kept = f", {self.cached:.1%} of it cached" if self.cached else ""
        return f"{self.model.name}, batch {self.batch:,}, prompt {self.prompt:,}{kept}, {_stored(self.weights)}"


@dataclass(frozen=True)
class ServingRun:
    """Whole requests, one after another: prompts go in and answers come out.

    Attributes
    ----------
    model : Model
        The model.
    batch : int or None
        Sequences in flight; None where the source does not say, which stands for as many as fit.
    prompt, output : int
        Tokens of a prompt and of an answer.
    weights, cache : str or float
        Formats of the weights and of the cache, or bytes per element.
    """

    model: Model
    batch: int | None
    prompt: int
    output: int
    weights: StoredFormat
    cache: StoredFormat

    kind: ClassVar = "serving"

    @property
    def tokens(self) -> float:
        """Output tokens of one sequence in flight."""
        return self.output

    @property
    def context(self) -> float:
        """Tokens in the cache of a sequence, on average over its answer."""
        return self.prompt + self.output / 2

    def in_flight(self, memory: float) -> float:
        """Return the sequences that share a step, at most what this memory holds."""
        if self.batch is not None:
            return self.batch
        fit = sequences_that_fit(self.model, memory, self.context, weights=self.weights, cache=self.cache)
        if fit < 1:
            raise InvalidValue(f"{self.model.name} and one sequence do not fit in {memory:.3g} bytes; say the batch")
        return fit

    def least(self, memory: float) -> Kernel:
        """Return FLOPs and bytes of one sequence: its prefill, its steps, and its share of the weights of each step.

        The first token comes out of the prefill, which may run beside the steps of others and read their weights.
        """
        batch, steps = self.in_flight(memory), self.output - 1
        flops, nbytes = _decode(self.model, batch, self.context, self.weights, self.cache)
        prefill = _prefill_flops(self.model, 1, self.prompt)
        return Kernel("request", prefill + steps * flops / batch, steps * nbytes / batch)

    @property
    def described(self) -> str:
        """The work in words."""
        batch = "as many as fit" if self.batch is None else f"batch {self.batch:,}"
        return f"{self.model.name}, {batch}, {self.prompt:,} in, {self.output:,} out, {_stored(self.weights)}"


@dataclass(frozen=True)
class TrainingRun:
    """Steps of training, of which a source prints the FLOP/s alone.

    Attributes
    ----------
    what : str
        What was trained.
    """

    what: str

    kind: ClassVar = "training"
    batch: ClassVar = None
    tokens: ClassVar = None

    def least(self, memory: float) -> None:
        """Return None: only the peak bounds what has no published shape."""

    @property
    def described(self) -> str:
        """The work in words."""
        return self.what


Work: TypeAlias = MatmulRun | StreamRun | AttentionRun | DecodeRun | PrefillRun | ServingRun | TrainingRun

#: The kinds of work, in the order in which they are listed everywhere.
KINDS: Final = tuple(
    work.kind for work in (StreamRun, MatmulRun, AttentionRun, PrefillRun, DecodeRun, ServingRun, TrainingRun)
)


def _decode(
    model: Model, batch: float, context: float, weights: StoredFormat, cache: StoredFormat
) -> tuple[float, float]:
    """Return FLOPs and bytes of one decode step, fused."""
    flops = sum(kernel.flops for kernel in decode_step(model, batch, context))
    return flops, _weights_read(model, weights) + model.cache_bytes(batch, context, cache)


def _prefill_flops(model: Model, batch: float, prompt: float) -> float:
    """Return the FLOPs of the prefill of a batch of prompts."""
    return sum(kernel.flops for kernel in prefill_step(model, batch, prompt))


def _weights_read(model: Model, weights: StoredFormat) -> float:
    """Return the least bytes of weights that a step reads: those that one token goes through.

    How many experts a batch reaches is a matter of chance, so their expected number bounds nothing.
    """
    return model.step_weight_bytes(weights, tokens=1)


def _stored(weights: StoredFormat) -> str:
    return f"weights in {weights}" if isinstance(weights, str) else f"{weights:g} bytes a weight"
