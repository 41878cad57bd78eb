"""The kernels of one layer of a model and of a whole step, in decode and in prefill.

A layer of the Llama kind: RMSNorm, the query/key/value projection, attention, the output projection, a residual add,
RMSNorm, a gated MLP, a residual add.  A model may say that the MLP has no gate, that experts take its place, that
attention is latent (MLA) or has a window, or that a condition steers the layer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .architecture import Experts, Kind, Model, require_model
from .arguments import amount, anywhere, smaller
from .attention import attention_decode, attention_prefill, causal_share
from .bounds import bound
from .errors import InvalidValue
from .formats import bytes_per_element
from .kernel import Kernel
from .kernels import elementwise, layer_norm, matmul, rms_norm
from .mla import head_matmul, mla_decode, mla_prefill
from .moe import expert_matmul
from .roof import Roof
from .types import Format, S, Size


def decode_layer(
    model: Model,
    sequences: Size[S],
    context: Size[S],
    *,
    weights: Format[S] = "bf16",
    cache: Format[S] = "bf16",
    activations: Format[S] = "bf16",
    new_tokens: Size[S] = 1,
    layer: int = -1,
) -> list[Kernel[float] | Kernel[S]]:
    """Return the kernels of one layer for one decode step.

    Parameters
    ----------
    model : Model
        The model.
    sequences : float
        Sequences in the batch.
    context : float
        Tokens in the cache of each sequence.
    weights, cache, activations : str or float
        Formats of the weights, of the KV cache, and of what the matmuls take in; what they give out is bf16.
    new_tokens : float
        Tokens that each sequence brings: 1, or more where drafted tokens are verified (speculative decoding). B of the
        weight matmuls is sequences times new tokens.
    layer : int
        Which layer, from 0 or negative from the last; it matters only where the layers differ.

    Returns
    -------
    list of Kernel
        In the order in which they run.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule, or the model is a denoiser, which has no decode.

    Examples
    --------
    >>> from roofline import LLAMA_3_1_8B
    >>> [kernel.name for kernel in decode_layer(LLAMA_3_1_8B, 1, 8192)][:3]
    ['norm', 'QKV projection', 'attention']
    >>> from roofline import model
    >>> [kernel.name for kernel in decode_layer(model("Mixtral 8x7B"), 1, 8192)][6:9]
    ['router', 'experts: gate and up', 'SwiGLU']
    """
    require_model(model)
    return _decode(model, model.kind(layer), sequences, context, weights, cache, activations, new_tokens)


def _decode(
    model: Model, kind: Kind, sequences: Any, context: Any, weights: Any, cache: Any, activations: Any, new_tokens: Any
) -> list[Kernel[Any]]:
    if model.conditioning:
        raise InvalidValue(f"{model.name} has no decode: it works on all tokens at once; ask for its prefill")
    # Checked here, so that errors use the caller's names.
    sequences, context = amount("sequences", sequences), amount("context", context)
    e = bytes_per_element(cache, "cache")
    _require_positions(model, "context", context)
    seen = smaller(context, kind.window) if kind.window else context
    if model.latent:
        widths = (model.latent.kv_rank, model.latent.rope)
        attention = mla_decode(seen, model.q_heads, *widths, dtype=e, sequences=sequences, new_tokens=new_tokens)
    else:
        attention = attention_decode(
            seen,
            model.head_dim,
            g=model.g,
            dtype=e,
            kv_heads=model.kv_heads,
            sequences=sequences,
            new_tokens=new_tokens,
        )
    return _Layer(model, kind, _times(sequences, new_tokens), weights, activations).kernels(attention, absorbed=True)


def prefill_layer(
    model: Model,
    sequences: Size[S],
    prompt: Size[S],
    *,
    weights: Format[S] = "bf16",
    cache: Format[S] = "bf16",
    activations: Format[S] = "bf16",
    layer: int = -1,
) -> list[Kernel[float] | Kernel[S]]:
    """Return the kernels of one layer for the prefill of a batch of prompts.

    A decoder's attention counts the pairs that its causal mask and its window keep; a denoiser's, all pairs.

    Parameters
    ----------
    model : Model
        The model.
    sequences : float
        Prompts in the batch.
    prompt : float
        Tokens of each prompt; B of the weight matmuls is sequences times prompt.
    weights, cache, activations : str or float
        Formats of the weights, of Q, K, V and O, and of what the matmuls take in; what they give out is bf16.
    layer : int
        Which layer, from 0 or negative from the last; it matters only where the layers differ.

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
    >>> from roofline import LLAMA_3_1_8B
    >>> round(prefill_layer(LLAMA_3_1_8B, 1, 2048)[1].intensity)
    1117
    >>> prefill_layer(LLAMA_3_1_8B, 1, 2048)[2].flops == 4 * 128 * 32 * (2048 * 2049 // 2)
    True
    """
    require_model(model)
    return _prefill(model, model.kind(layer), sequences, prompt, weights, cache, activations)


def _prefill(
    model: Model, kind: Kind, sequences: Any, prompt: Any, weights: Any, cache: Any, activations: Any
) -> list[Kernel[Any]]:
    # Beside _decode, not one with it: the two phases take other attention kernels, sizes and options.
    sequences, prompt = amount("sequences", sequences), amount("prompt", prompt)
    _require_positions(model, "prompt", prompt)
    e = bytes_per_element(cache, "cache")
    # A window is a share of the full square, and brings its own causal mask.
    causal = model.causal and not kind.window
    if model.latent:
        mla = model.latent
        widths = (mla.nope, mla.rope, mla.value)
        attention = mla_prefill(prompt, model.q_heads, *widths, causal=causal, dtype=e, sequences=sequences)
    else:
        attention = attention_prefill(
            prompt, model.head_dim, causal=causal, dtype=e, heads=model.q_heads, g=model.g, sequences=sequences
        )
    if kind.window:
        # Q, K, V and O stay what they are.
        seen = smaller(prompt, kind.window)
        share = causal_share(prompt, seen) if model.causal else seen / prompt
        attention = Kernel(attention.name, attention.flops * share, attention.nbytes)
    layer = _Layer(model, kind, sequences * prompt, weights, activations)
    return layer.kernels(attention, absorbed=False, images=sequences)


def _times(sequences: Any, new_tokens: Any) -> Any:
    """Return the product, but no factor of 1, which an unevaluated formula would keep."""
    return sequences if isinstance(new_tokens, int) and new_tokens == 1 else sequences * new_tokens


def _require_positions(model: Model, name: str, tokens: Any) -> None:
    """Refuse more tokens than a language model with learned positions can tell apart."""
    if model.positions and not model.conditioning and anywhere(tokens > model.positions):
        raise InvalidValue(f"{name} is {tokens}; {model.name} has positions for {model.positions:,} tokens at most")


class _Layer:
    """The kernels around one attention kernel; ``tokens`` share each weight read."""

    def __init__(self, model: Model, kind: Kind, tokens: Any, weights: Any, activations: Any) -> None:
        self.model, self.kind = model, kind
        # Checked here: a matmul takes None for a format that is not given.
        self.weights = bytes_per_element(weights, "weights")
        self.activations = bytes_per_element(activations, "activations")
        self.tokens = amount("tokens", tokens)
        self.n = self.tokens * model.hidden

    def kernels(self, attention: Kernel[Any], *, absorbed: bool, images: Any = None) -> list[Kernel[Any]]:
        """Return them in the order in which they run."""
        model = self.model
        middle = Kernel("attention", attention.flops, attention.nbytes)
        condition = []
        if model.conditioning:
            vectors = model.conditioning * model.hidden
            condition = [self.projection(model.hidden, vectors, "conditioning", tokens=images)]
        return [
            *condition,
            _norm(model, self.tokens),
            *(self.latent(middle, absorbed) if model.latent else self.heads(middle)),
            self.residual(),
            _norm(model, self.tokens),
            *(self.experts(model.experts) if self.kind.moe and model.experts else self.mlp(model.intermediate)),
            self.residual(),
        ]

    def projection(self, D: Any, F: Any, name: str, tokens: Any = None) -> Kernel[Any]:
        return matmul(
            self.tokens if tokens is None else tokens,
            D,
            F,
            weights=self.weights,
            activations=self.activations,
            outputs="bf16",
            name=name,
        )

    def residual(self) -> Kernel[Any]:
        return elementwise(self.n, reads=2, name="residual add")

    def heads(self, attention: Kernel[Any]) -> list[Kernel[Any]]:
        """Return attention whose cache holds the keys and values of KV heads."""
        model = self.model
        q_width, kv_width = model.q_heads * model.head_dim, 2 * model.kv_heads * model.head_dim
        return [
            self.projection(model.hidden, q_width + kv_width, "QKV projection"),
            attention,
            self.projection(q_width, model.hidden, "output projection"),
        ]

    def latent(self, attention: Kernel[Any], absorbed: bool) -> list[Kernel[Any]]:
        """Return attention whose cache holds a latent vector, expanded for each token or folded into Q and O."""
        model, mla = self.model, self.model.latent
        assert mla is not None  # noqa: S101 - the caller asked; this tells the type checker
        heads = model.q_heads
        down = self.projection(model.hidden, mla.q_rank + mla.cached, "Q and KV down projection")
        up = self.projection(mla.q_rank, heads * (mla.nope + mla.rope), "Q up projection")
        out = self.projection(heads * mla.value, model.hidden, "output projection")
        if not absorbed:
            expand = self.projection(mla.kv_rank, heads * (mla.nope + mla.value), "KV up projection")
            return [down, up, expand, attention, out]
        keys = head_matmul(self.tokens, heads, mla.nope, mla.kv_rank, weights=self.weights, name="Q into latent")
        values = head_matmul(self.tokens, heads, mla.kv_rank, mla.value, weights=self.weights, name="latent into O")
        return [down, up, keys, attention, values, out]

    def mlp(self, inner: Any, prefix: str = "") -> list[Kernel[Any]]:
        """Return the MLP that every token goes through."""
        hidden = self.model.hidden
        if not self.model.gated:
            return [
                self.projection(hidden, inner, f"{prefix}up projection"),
                # In its tanh form: a cube (2), scale, add, scale, tanh, add, two multiplies.
                elementwise(self.tokens * inner, flops_per_element=9, name="GELU"),
                self.projection(inner, hidden, f"{prefix}down projection"),
            ]
        return [
            self.projection(hidden, 2 * inner, f"{prefix}gate and up"),
            # SiLU(gate) * up: exponential, add, divide, two multiplies.
            elementwise(self.tokens * inner, reads=2, flops_per_element=5, name="SwiGLU"),
            self.projection(inner, hidden, f"{prefix}down projection"),
        ]

    def experts(self, experts: Experts) -> list[Kernel[Any]]:
        """Return the router, the routed and the shared experts, and the weighted sum of what they give."""
        hidden, inner, k = self.model.hidden, experts.width, experts.chosen
        formats = {"weights": self.weights, "activations": self.activations, "outputs": "bf16"}
        parts = k + (1 if experts.shared else 0)
        return [
            self.projection(hidden, experts.count, "router"),
            expert_matmul(self.tokens, hidden, 2 * inner, experts.count, k, **formats, name="experts: gate and up"),
            elementwise(self.tokens * k * inner, reads=2, flops_per_element=5, name="SwiGLU"),
            # Each expert has made a row of its own, so the second matmul reads k for each token.
            expert_matmul(
                self.tokens, inner, hidden, experts.count, k, **formats, rows=k, name="experts: down projection"
            ),
            *(self.mlp(experts.shared * inner, "shared expert: ") if experts.shared else []),
            elementwise(self.n, reads=parts, flops_per_element=2 * parts, name="weighted sum"),
        ]


def _norm(model: Model, tokens: Any) -> Kernel[Any]:
    kernel = (rms_norm if model.gated else layer_norm)(tokens, model.hidden)
    return Kernel("norm", kernel.flops, kernel.nbytes)


def decode_step(
    model: Model,
    sequences: Size[S],
    context: Size[S],
    *,
    weights: Format[S] = "bf16",
    cache: Format[S] = "bf16",
    activations: Format[S] = "bf16",
    new_tokens: Size[S] = 1,
) -> list[Kernel[float] | Kernel[S]]:
    """Return the kernels of a whole decode step: every layer, the last norm and the output head.

    Parameters
    ----------
    model : Model
        The model.
    sequences : float
        Sequences in the batch.
    context : float
        Tokens in the cache of each sequence.
    weights, cache, activations : str or float
        Formats of the weights, of the KV cache, and of what the matmuls take in; what they give out is bf16.
    new_tokens : float
        Tokens that each sequence brings; more than 1 where drafted tokens are verified.

    Returns
    -------
    list of Kernel
        For each kernel of a layer, one kernel of all equal layers together; then the last norm and the output head. A
        bound is proportional to FLOPs and bytes, so the bound of equal layers together is the sum of their bounds. Left
        out are the look-up in the input embedding and the choice of a token from the logits.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule, or the model is a denoiser, which has no decode.

    Examples
    --------
    >>> from roofline import device, model
    >>> from roofline import LLAMA_3_1_8B
    >>> step = decode_step(LLAMA_3_1_8B, 1, 8192)
    >>> f"{total_time(step, device('H100 SXM').roof('bf16')) * 1e3:.2f} ms"
    '4.80 ms'
    >>> len(decode_step(model("DeepSeek V3"), 1, 8192))
    33
    """
    require_model(model)
    layers = [
        (count, _decode(model, kind, sequences, context, weights, cache, activations, new_tokens))
        for count, kind in model.kinds
    ]
    return _step(model, _times(sequences, new_tokens), layers, weights, activations)


def prefill_step(
    model: Model,
    sequences: Size[S],
    prompt: Size[S],
    *,
    weights: Format[S] = "bf16",
    cache: Format[S] = "bf16",
    activations: Format[S] = "bf16",
) -> list[Kernel[float] | Kernel[S]]:
    """Return the kernels of a whole prefill: every layer, then the last norm and the output head.

    Parameters
    ----------
    model : Model
        The model.
    sequences : float
        Prompts in the batch; for a denoiser, images.
    prompt : float
        Tokens of each prompt or image.
    weights, cache, activations : str or float
        Formats of the weights, of Q, K, V and O, and of what the matmuls take in; what they give out is bf16.

    Returns
    -------
    list of Kernel
        As from `decode_step`. The last norm and the output head see one token of each prompt, the last one: only its
        successor is asked for. Those of a denoiser see all tokens. The last layer is counted for all tokens; a program
        that goes on with the last token alone, once keys and values are there, saves nearly one layer of them all.

    Raises
    ------
    InvalidValue
        Where a size breaks its rule.

    Examples
    --------
    >>> from roofline import device
    >>> from roofline import LLAMA_3_1_8B
    >>> step = prefill_step(LLAMA_3_1_8B, 1, 2048)
    >>> f"{total_time(step, device('H100 SXM').roof('bf16')) * 1e3:.1f} ms"
    '33.6 ms'
    """
    require_model(model)
    layers = [
        (count, _prefill(model, kind, sequences, prompt, weights, cache, activations)) for count, kind in model.kinds
    ]
    return _step(model, sequences * prompt if model.conditioning else sequences, layers, weights, activations)


def _step(
    model: Model, tokens: Any, layers: list[tuple[Any, list[Kernel[Any]]]], weights: Any, activations: Any
) -> list[Kernel[Any]]:
    """Return the kernels of all layers, and of the last norm and the output head over these tokens."""
    kernels = [Kernel(k.name, k.flops * count, k.nbytes * count) for count, layer in layers for k in layer]
    tokens = amount("tokens", tokens)
    formats = {"weights": weights, "activations": activations, "outputs": "bf16"}
    head = matmul(tokens, model.hidden, model.vocab, **formats, name="output head")
    return [*kernels, _norm(model, tokens), head]


def total_time(kernels: Iterable[Kernel[float] | Kernel[S]], roof: Roof[float] | Roof[S]) -> S:
    """Return the bound on the time of kernels that run one after another, each from HBM to HBM.

    Parameters
    ----------
    kernels : iterable of Kernel
        The kernels; each waits for the one before it.
    roof : Roof
        The roof that all of them run under.

    Returns
    -------
    float
        The sum of their bounds, in s: not one max over the summed FLOPs and bytes. A program that fuses kernels, lets
        them overlap, or keeps what lies between them in a cache can be faster; `fused_time` bounds that one, too.

    Raises
    ------
    InvalidValue
        Where an item is not a kernel.

    Examples
    --------
    >>> from roofline import device
    >>> roof = device("H100 SXM").roof("bf16")
    >>> from roofline import LLAMA_3_1_8B
    >>> f"{total_time(decode_layer(LLAMA_3_1_8B, 1, 8192), roof) * 1e6:.0f} µs"
    '140 µs'
    """
    if not isinstance(kernels, Iterable):
        raise InvalidValue(f"{kernels!r} is not a list of kernels; give one such as decode_step(model, 1, 8192)")
    times: list[Any] = [bound(kernel, roof).time for kernel in kernels]
    return sum(times)
