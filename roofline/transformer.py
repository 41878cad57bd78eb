"""Shapes of a model -> the kernels of one layer, in decode and in prefill.

A dense decoder layer of the Llama kind: RMSNorm, the query/key/value projection, attention, the output projection, a
residual add, RMSNorm, a gated MLP, a residual add.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from .arguments import amount, bytes_per_element, is_symbolic
from .errors import InvalidValue
from .kernel import Kernel
from .kernels import attention_decode, attention_prefill, elementwise, matmul, rms_norm
from .roof import Roof, bound

if TYPE_CHECKING:
    from .catalog.entries import Source

#: What a shape consists of, beside its name.
WIDTHS: Final = ("hidden", "layers", "q_heads", "kv_heads", "head_dim", "intermediate", "vocab")


@dataclass(frozen=True)
class Shape:
    """The widths of a dense decoder.

    Parameters
    ----------
    name : str
        The model's name.
    hidden : int
        Width of the residual stream.
    layers : int
        Number of layers.
    q_heads, kv_heads : int
        Query heads and KV heads; the first is a multiple of the second.
    head_dim : int
        Width of one head.
    intermediate : int
        Width of the MLP.
    vocab : int
        Rows of the embedding table.
    source : Source, optional
        Where the widths come from; not compared.

    Raises
    ------
    InvalidValue
        Where a width is not a positive number, or KV heads do not divide the query heads.

    Examples
    --------
    >>> LLAMA_3_1_8B.g
    4
    """

    name: str
    hidden: int
    layers: int
    q_heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for width in WIDTHS:
            # What the check returns is kept, so that no NumPy integer overflows later in silence.
            object.__setattr__(self, width, amount(width, getattr(self, width), "a positive count"))
        # For symbols there is nothing to divide yet.
        if not is_symbolic(self.q_heads) and not is_symbolic(self.kv_heads) and self.q_heads % self.kv_heads:
            raise InvalidValue(
                f"q_heads is {self.q_heads}; it must be a multiple of kv_heads, which is {self.kv_heads}"
            )

    @property
    def g(self) -> Any:
        """Query heads per KV head.

        Returns
        -------
        int
            1 for MHA, more for GQA.

        Examples
        --------
        >>> Shape("small", 512, 8, 8, 8, 64, 2048, 32000).g
        1
        """
        if is_symbolic(self.q_heads) or is_symbolic(self.kv_heads):
            return self.q_heads / self.kv_heads
        return self.q_heads // self.kv_heads

    @property
    def matmul_parameters(self) -> Any:
        """Weights that a decode step reads: all layers and the output head, not the input embedding.

        Returns
        -------
        int
            A count. Norm gains, one vector each, are left out.

        Examples
        --------
        >>> LLAMA_3_1_8B.matmul_parameters
        7504658432
        """
        attention = self.hidden * self.head_dim * (2 * self.q_heads + 2 * self.kv_heads)
        return self.layers * (attention + 3 * self.hidden * self.intermediate) + self.hidden * self.vocab

    @property
    def parameters(self) -> Any:
        """All parameters, the input embedding and the norm gains included; embeddings are not shared.

        Returns
        -------
        int
            A count.

        Examples
        --------
        >>> LLAMA_3_1_8B.parameters
        8030261248
        """
        return self.matmul_parameters + self.hidden * (self.vocab + 2 * self.layers + 1)

    def kv_bytes_per_token(self, cache: Any = "bf16") -> Any:
        """Return the bytes that one token adds to the KV cache.

        Parameters
        ----------
        cache : str or float
            Format of the cache, or its bytes per element.

        Returns
        -------
        float
            Bytes, over all layers.

        Raises
        ------
        UnknownFormat
            Where the format is unknown.

        Examples
        --------
        >>> LLAMA_3_1_8B.kv_bytes_per_token()
        131072
        """
        return 2 * self.layers * self.kv_heads * self.head_dim * bytes_per_element(cache, "cache")

    def weight_bytes(self, weights: Any = "bf16") -> Any:
        """Return the memory that all weights take, the input embedding included.

        Parameters
        ----------
        weights : str or float
            Format of the weights, or its bytes per element.

        Returns
        -------
        float
            Bytes.

        Raises
        ------
        UnknownFormat
            Where the format is unknown.

        Examples
        --------
        >>> LLAMA_3_1_8B.weight_bytes("int4")
        4015130624.0
        """
        return self.parameters * bytes_per_element(weights, "weights")

    def step_weight_bytes(self, weights: Any = "bf16") -> Any:
        """Return the bytes of weights that a step reads: all layers and the output head, once.

        Parameters
        ----------
        weights : str or float
            Format of the weights, or its bytes per element.

        Returns
        -------
        float
            Bytes.

        Raises
        ------
        UnknownFormat
            Where the format is unknown.

        Examples
        --------
        >>> LLAMA_3_1_8B.step_weight_bytes()
        15009316864
        """
        return self.matmul_parameters * bytes_per_element(weights, "weights")

    def cache_bytes(self, sequences: Any, tokens: Any, cache: Any = "bf16") -> Any:
        """Return the size of the KV caches of a batch, which is also what one decode step reads of them.

        Parameters
        ----------
        sequences : float
            Sequences in the batch.
        tokens : float
            Tokens in the cache of each.
        cache : str or float
            Format of the cache, or its bytes per element.

        Returns
        -------
        float
            Bytes, over all layers.

        Raises
        ------
        UnknownFormat
            Where the format is unknown.
        InvalidValue
            Where a count breaks its rule.

        Examples
        --------
        >>> LLAMA_3_1_8B.cache_bytes(64, 8192)
        68719476736
        """
        caches = amount("sequences", sequences) * amount("tokens", tokens)
        return caches * self.kv_bytes_per_token(cache)

    def with_kv_heads(self, kv_heads: int) -> Shape:
        """Return the same shape with another number of KV heads.

        Parameters
        ----------
        kv_heads : int
            A divisor of the query heads; all of them is MHA.

        Returns
        -------
        Shape
            The new shape.

        Raises
        ------
        InvalidValue
            Where it does not divide the query heads.

        Examples
        --------
        >>> LLAMA_3_1_8B.with_kv_heads(32).g
        1
        """
        fields = {**self.__dict__, "kv_heads": kv_heads}
        return Shape(**fields)


#: The lesson's model, as published (arXiv:2407.21783, table 3); equal to ``model("Llama 3.1 8B")`` of the catalog.
LLAMA_3_1_8B: Final = Shape("Llama 3.1 8B", 4096, 32, 32, 8, 128, 14336, 128256)


def decode_layer(
    shape: Shape, sequences: Any, context: Any, *, weights: Any = "bf16", cache: Any = "bf16"
) -> list[Kernel]:
    """Return the kernels of one layer for one decode step.

    Parameters
    ----------
    shape : Shape
        The model.
    sequences : float
        Sequences in the batch; each brings one new token, so B of the weight matmuls is this number.
    context : float
        Tokens in the cache of each sequence.
    weights, cache : str or float
        Formats of the weights and of the KV cache; activations are bf16.

    Returns
    -------
    list of Kernel
        In the order in which they run.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.

    Examples
    --------
    >>> [kernel.name for kernel in decode_layer(LLAMA_3_1_8B, 1, 8192)][:3]
    ['norm', 'QKV projection', 'attention']
    """
    # Checked here under the names that the caller used.
    sequences, context = amount("sequences", sequences), amount("context", context)
    e = bytes_per_element(cache, "cache")
    attention = attention_decode(context, shape.head_dim, shape.g, e, kv_heads=shape.kv_heads, sequences=sequences)
    return _layer(shape, sequences, attention, weights)


def prefill_layer(
    shape: Shape, sequences: Any, prompt: Any, *, weights: Any = "bf16", cache: Any = "bf16"
) -> list[Kernel]:
    """Return the kernels of one layer for the prefill of a batch of prompts.

    Parameters
    ----------
    shape : Shape
        The model.
    sequences : float
        Prompts in the batch.
    prompt : float
        Tokens of each prompt; B of the weight matmuls is sequences times prompt.
    weights, cache : str or float
        Formats of the weights and of Q, K, V and O.

    Returns
    -------
    list of Kernel
        In the order in which they run.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.

    Examples
    --------
    >>> round(prefill_layer(LLAMA_3_1_8B, 1, 2048)[1].intensity)
    1117
    """
    sequences, prompt = amount("sequences", sequences), amount("prompt", prompt)
    e = bytes_per_element(cache, "cache")
    attention = attention_prefill(prompt, shape.head_dim, e, heads=shape.q_heads, g=shape.g, sequences=sequences)
    return _layer(shape, sequences * prompt, attention, weights)


def _layer(shape: Shape, tokens: Any, attention: Kernel, weights: Any) -> list[Kernel]:
    """Return the kernels around one attention kernel; ``tokens`` share each weight read."""
    hidden, inner, q_width = shape.hidden, shape.intermediate, shape.q_heads * shape.head_dim
    kv_width = 2 * shape.kv_heads * shape.head_dim
    n = amount("tokens", tokens) * hidden

    def projection(D: int, F: int, name: str) -> Kernel:
        return matmul(tokens, D, F, weights=weights, name=name)

    def norm() -> Kernel:
        kernel = rms_norm(tokens, hidden)
        return Kernel("norm", kernel.flops, kernel.nbytes)

    return [
        norm(),
        projection(hidden, q_width + kv_width, "QKV projection"),
        Kernel("attention", attention.flops, attention.nbytes),
        projection(q_width, hidden, "output projection"),
        elementwise(n, reads=2, name="residual add"),
        norm(),
        projection(hidden, 2 * inner, "gate and up"),
        # SiLU(gate) * up: exponential, add, divide, two multiplies.
        elementwise(tokens * inner, reads=2, flops_per_element=5, name="SwiGLU"),
        projection(inner, hidden, "down projection"),
        elementwise(n, reads=2, name="residual add"),
    ]


def decode_step(
    shape: Shape, sequences: Any, context: Any, *, weights: Any = "bf16", cache: Any = "bf16"
) -> list[Kernel]:
    """Return the kernels of a whole decode step: every layer, the last norm and the output head.

    Parameters
    ----------
    shape : Shape
        The model.
    sequences : float
        Sequences in the batch.
    context : float
        Tokens in the cache of each sequence.
    weights, cache : str or float
        Formats of the weights and of the KV cache; activations are bf16.

    Returns
    -------
    list of Kernel
        One kernel of all layers together for each kernel of a layer, then the last norm and the output head. A bound
        is proportional to FLOPs and bytes, so the bound of the layers together is the sum of their bounds.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.

    Examples
    --------
    >>> from roofline import device
    >>> step = decode_step(LLAMA_3_1_8B, 1, 8192)
    >>> f"{total_time(step, device('H100 SXM').roof('bf16')) * 1e3:.2f} ms"
    '4.80 ms'
    """
    return _step(shape, sequences, decode_layer(shape, sequences, context, weights=weights, cache=cache), weights)


def prefill_step(
    shape: Shape, sequences: Any, prompt: Any, *, weights: Any = "bf16", cache: Any = "bf16"
) -> list[Kernel]:
    """Return the kernels of a whole prefill: every layer, then the last norm and the output head.

    Parameters
    ----------
    shape : Shape
        The model.
    sequences : float
        Prompts in the batch.
    prompt : float
        Tokens of each prompt.
    weights, cache : str or float
        Formats of the weights and of Q, K, V and O.

    Returns
    -------
    list of Kernel
        As from `decode_step`. The last norm and the output head see one token of each prompt, the last one: only its
        successor is asked for.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.

    Examples
    --------
    >>> from roofline import device
    >>> step = prefill_step(LLAMA_3_1_8B, 1, 2048)
    >>> f"{total_time(step, device('H100 SXM').roof('bf16')) * 1e3:.1f} ms"
    '34.7 ms'
    """
    return _step(shape, sequences, prefill_layer(shape, sequences, prompt, weights=weights, cache=cache), weights)


def _step(shape: Shape, sequences: Any, layer: list[Kernel], weights: Any) -> list[Kernel]:
    """Return all layers, and what turns the last token of each sequence into the next one."""
    layers = [Kernel(kernel.name, kernel.flops * shape.layers, kernel.nbytes * shape.layers) for kernel in layer]
    norm = rms_norm(amount("sequences", sequences), shape.hidden)
    head = matmul(sequences, shape.hidden, shape.vocab, weights=weights, name="output head")
    return [*layers, Kernel("norm", norm.flops, norm.nbytes), head]


def total_time(kernels: list[Kernel], roof: Roof) -> Any:
    """Return the bound on the time of kernels that run one after another.

    Parameters
    ----------
    kernels : list of Kernel
        The kernels; each waits for the one before it.
    roof : Roof
        The roof that all of them run under.

    Returns
    -------
    float
        The sum of their bounds, in s: not one max over the summed FLOPs and bytes.

    Raises
    ------
    InvalidValue
        Where an item is not a kernel.

    Examples
    --------
    >>> from roofline import device
    >>> roof = device("H100 SXM").roof("bf16")
    >>> f"{total_time(decode_layer(LLAMA_3_1_8B, 1, 8192), roof) * 1e6:.0f} µs"
    '140 µs'
    """
    return sum(bound(kernel, roof).time for kernel in kernels)
