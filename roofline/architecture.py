"""What a model is made of: its widths, and what they add up to in parameters and in bytes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from .arguments import amount, is_symbolic, smaller
from .errors import InvalidValue
from .formats import bytes_per_element
from .moe import expected_experts
from .source import Source
from .types import Format, S, Size

#: The widths that every model has.
WIDTHS: Final = ("hidden", "layers", "q_heads", "kv_heads", "head_dim", "intermediate", "vocab")


_COUNT: Final = "a positive count"


def require_model(model: object) -> None:
    """Raise unless this is a `Model`.

    Parameters
    ----------
    model : object
        What was given as a model.

    Raises
    ------
    InvalidValue
        Where it is anything else, such as the name of a model.

    Examples
    --------
    >>> require_model("Llama 3.1 8B")
    Traceback (most recent call last):
    roofline.errors.InvalidValue: 'Llama 3.1 8B' is not a Model; write model("Llama 3.1 8B") or Model(name, ...)
    """
    if not isinstance(model, Model):
        raise InvalidValue(f'{model!r} is not a Model; write model("Llama 3.1 8B") or Model(name, ...)')


@dataclass(frozen=True)
class Experts:
    """The experts that take the place of the MLP in a mixture of experts (MoE).

    Parameters
    ----------
    count : int
        Routed experts of a layer, N.
    chosen : int
        Experts that each token goes to, k; at most ``count``.
    width : int
        Width of the MLP of one expert.
    shared : int
        Experts beside them that every token goes through, 0 or more.
    dense_layers : int
        First layers that have a plain MLP instead, 0 or more.

    Raises
    ------
    InvalidValue
        Where a count breaks its rule.

    Examples
    --------
    >>> Experts(8, 2, 14336).idle
    6
    """

    count: int
    chosen: int
    width: int
    shared: int = 0
    dense_layers: int = 0

    def __post_init__(self) -> None:
        for name in ("count", "chosen", "width"):
            object.__setattr__(self, name, amount(name, getattr(self, name), _COUNT))
        for name in ("shared", "dense_layers"):
            object.__setattr__(self, name, amount(name, getattr(self, name), "a count, 0 or more", zero=True))
        if not is_symbolic(self.count) and not is_symbolic(self.chosen) and self.chosen > self.count:
            raise InvalidValue(f"chosen is {self.chosen}; it must be at most count, which is {self.count}")

    @property
    def idle(self) -> int:
        """Experts of a layer that a token does not go through.

        Returns
        -------
        int
            A count.

        Examples
        --------
        >>> Experts(256, 8, 2048, shared=1, dense_layers=3).idle
        248
        """
        return self.count - self.chosen


@dataclass(frozen=True)
class Latent:
    """The widths of multi-head latent attention (MLA), which caches one short vector for all heads.

    Parameters
    ----------
    q_rank, kv_rank : int
        Widths of the vectors that the queries, and the keys and values, are expanded from.
    rope : int
        Width of the key with positions, which all heads share.
    nope, value : int
        Widths of the key without positions and of the value, of one head.

    Raises
    ------
    InvalidValue
        Where a width is not a positive count.

    Examples
    --------
    >>> Latent(1536, 512, 64, 128, 128).cached
    576
    """

    q_rank: int
    kv_rank: int
    rope: int
    nope: int
    value: int

    def __post_init__(self) -> None:
        for name in ("q_rank", "kv_rank", "rope", "nope", "value"):
            object.__setattr__(self, name, amount(name, getattr(self, name), _COUNT))

    @property
    def cached(self) -> int:
        """Elements that a token adds to the cache of a layer.

        Returns
        -------
        int
            The latent vector and the key with positions.

        Examples
        --------
        >>> Latent(1536, 512, 64, 128, 128).cached
        576
        """
        return self.kv_rank + self.rope


class Kind(NamedTuple):
    """How the layers of a model differ: whether one has experts, and how many tokens it attends to."""

    moe: bool
    window: int


@dataclass(frozen=True)
class Model:
    """The widths of a transformer; a dense decoder of the Llama kind where nothing more is said.

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
        Rows of the embedding table; for a denoiser, the values that a token is turned into.
    gated : bool
        Whether the MLP has a gate, three matrices in all, and the norms have a gain alone. Else it has two matrices.
    tied : bool
        Whether the output head is the embedding table.
    positions : int
        Rows of a table of learned positions, 0 or more.
    window : int
        Tokens that a layer with a sliding window attends to; 0 where all layers attend to all tokens.
    full_every : int
        With a window: the period of the layers that attend to all tokens, 2 for every other layer; 0 where none does.
    conditioning : int
        Vectors of width ``hidden`` by which a condition steers each layer of a denoiser. Above 0 there is no cache and
        no decode: all tokens are worked on at once.
    experts : Experts, optional
        The experts of a MoE.
    latent : Latent, optional
        The widths of MLA, which then stand for ``kv_heads`` and ``head_dim``.
    source : Source, optional
        Where the widths come from; not compared.
    notes : tuple of str
        What to know beside the widths; not compared.

    Raises
    ------
    InvalidValue
        Where a width is not a positive number, or KV heads do not divide the query heads.

    Examples
    --------
    >>> from roofline import LLAMA_3_1_8B
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
    gated: bool = field(default=True, kw_only=True)
    tied: bool = field(default=False, kw_only=True)
    positions: int = field(default=0, kw_only=True)
    window: int = field(default=0, kw_only=True)
    full_every: int = field(default=0, kw_only=True)
    conditioning: int = field(default=0, kw_only=True)
    experts: Experts | None = field(default=None, kw_only=True)
    latent: Latent | None = field(default=None, kw_only=True)
    source: Source | None = field(default=None, compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        for width in WIDTHS:
            # What the check returns is kept, so that no NumPy integer overflows later in silence.
            object.__setattr__(self, width, amount(width, getattr(self, width), _COUNT))
        for name in ("positions", "window", "full_every", "conditioning"):
            object.__setattr__(self, name, amount(name, getattr(self, name), "a count, 0 or more", zero=True))
        # For symbols there is nothing to divide yet.
        if not is_symbolic(self.q_heads) and not is_symbolic(self.kv_heads) and self.q_heads % self.kv_heads:
            raise InvalidValue(
                f"q_heads is {self.q_heads}; it must be a multiple of kv_heads, which is {self.kv_heads}"
            )

    @property
    def g(self) -> int:
        """Query heads per KV head.

        Returns
        -------
        int
            1 for MHA, more for GQA.

        Examples
        --------
        >>> Model("small", 512, 8, 8, 8, 64, 2048, 32000).g
        1
        """
        if is_symbolic(self.q_heads) or is_symbolic(self.kv_heads):
            return self.q_heads / self.kv_heads
        return self.q_heads // self.kv_heads

    @property
    def causal(self) -> bool:
        """Whether a token attends only to itself and to those before it.

        Returns
        -------
        bool
            True for a decoder; False for a denoiser, which works on all tokens at once.

        Examples
        --------
        >>> from roofline import LLAMA_3_1_8B, model
        >>> LLAMA_3_1_8B.causal, model("DiT XL/2").causal
        (True, False)
        """
        return not self.conditioning

    @property
    def is_plain(self) -> bool:
        """Whether the widths alone say everything: a dense decoder of the Llama kind.

        Returns
        -------
        bool
            False with experts, MLA, a window, a condition, learned positions, shared embeddings or an MLP without gate.

        Examples
        --------
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.is_plain
        True
        """
        more = (self.tied, self.positions, self.window, self.conditioning, self.experts, self.latent)
        return self.gated and not any(more)

    @property
    def kinds(self) -> tuple[tuple[int, Kind], ...]:
        """How many layers there are of each kind, in the order in which they come first.

        Returns
        -------
        tuple of tuple
            A count of layers and their kind.

        Examples
        --------
        >>> from roofline import model
        >>> [(count, kind.window) for count, kind in model("Gemma 2 9B").kinds]
        [(21, 4096), (21, 0)]
        """
        if (self.experts is None or not self.experts.dense_layers) and not self.full_every:
            return ((self.layers, self.kind(0)),)
        return tuple((count, kind) for kind, count in Counter(map(self.kind, range(self.layers))).items())

    def kind(self, layer: int) -> Kind:
        """Return the kind of one layer.

        Parameters
        ----------
        layer : int
            From 0; negative from the last.

        Returns
        -------
        Kind
            Whether it has experts, and its window (0: none).

        Raises
        ------
        InvalidValue
            Where there is no such layer.

        Examples
        --------
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.kind(0)
        Kind(moe=False, window=0)
        """
        if not isinstance(layer, int) or isinstance(layer, bool):
            raise InvalidValue(f"layer is {layer!r}; it must be a whole number, 0 for the first layer")
        if isinstance(self.layers, int) and not -self.layers <= layer < self.layers:
            raise InvalidValue(f"layer is {layer}; {self.name} has {self.layers}, from 0 to {self.layers - 1}")
        place = layer if layer >= 0 else self.layers + layer
        full = self.full_every and place % self.full_every == self.full_every - 1
        return Kind(
            moe=self.experts is not None and (not self.experts.dense_layers or place >= self.experts.dense_layers),
            window=0 if full else self.window,
        )

    @property
    def matmul_parameters(self) -> int:
        """Weights of all layers and the output head, not the input embedding; a dense step reads all of them.

        Returns
        -------
        int
            A count. Norm gains, one vector each, are left out.

        Examples
        --------
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.matmul_parameters
        7504658432
        """
        layers = [count * self._layer_parameters(kind) for count, kind in self.kinds]
        head = self.hidden * self.vocab
        # sum() begins with 0, which an unevaluated formula would keep.
        return layers[0] + head if len(layers) == 1 else sum(layers) + head

    def _layer_parameters(self, kind: Kind) -> Any:
        return self._attention_parameters() + self._mlp_parameters(kind)

    def _attention_parameters(self) -> Any:
        if self.latent is None:
            widths = self.hidden * self.head_dim * (2 * self.q_heads + 2 * self.kv_heads)
        else:
            mla, heads = self.latent, self.q_heads
            widths = (
                self.hidden * (mla.q_rank + mla.cached)
                + mla.q_rank * heads * (mla.nope + mla.rope)
                + mla.kv_rank * heads * (mla.nope + mla.value)
                + heads * mla.value * self.hidden
            )
        return widths + self.conditioning * self.hidden**2 if self.conditioning else widths

    def _mlp_parameters(self, kind: Kind) -> Any:
        if not kind.moe or self.experts is None:
            return (3 if self.gated else 2) * self.hidden * self.intermediate
        routed = self.experts.count + self.experts.shared
        return self.hidden * self.experts.count + routed * self._expert_parameters

    @property
    def _expert_parameters(self) -> Any:
        return 3 * self.hidden * self.experts.width if self.experts else 0

    @property
    def parameters(self) -> int:
        """All parameters, the input embedding and the norm gains included.

        Returns
        -------
        int
            A count. Biases, and norms inside attention, are left out: less than 0.01% in most
            models of the catalog.

        Examples
        --------
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.parameters
        8030261248
        """
        norms = 2 * self.layers + 1
        rows = norms if self.tied else self.vocab + norms
        if self.positions:
            rows += self.positions
        if self.conditioning:
            # Two more vectors steer the last norm, and one matrix makes the condition.
            rows += 3 * self.hidden
        return self.matmul_parameters + self.hidden * rows

    @property
    def active_parameters(self) -> int:
        """Parameters that one token goes through: all but the experts that it is not sent to.

        Returns
        -------
        int
            A count; both embeddings are in it.

        Examples
        --------
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.active_parameters == LLAMA_3_1_8B.parameters
        True
        >>> from roofline import model
        >>> model("Mixtral 8x7B").active_parameters
        12879925248
        """
        return self.parameters - self._unread(self.experts.idle) if self.experts else self.parameters

    def _unread(self, experts: Any) -> Any:
        """Weights of this many experts in each layer that has any."""
        return sum(count for count, kind in self.kinds if kind.moe) * experts * self._expert_parameters

    def kv_bytes_per_token(self, cache: Format[S] = "bf16") -> S:
        """Return the bytes that one token adds to the KV cache; a layer with a window drops as many once it is full.

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
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.kv_bytes_per_token()
        131072
        """
        e = bytes_per_element(cache, "cache")
        if self.conditioning:
            return 0 * e
        if self.latent:
            return self.layers * self.latent.cached * e
        return 2 * self.layers * self.kv_heads * self.head_dim * e

    def weight_bytes(self, weights: Format[S] = "bf16") -> S:
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
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.weight_bytes("int4")
        4015130624.0
        """
        return self.parameters * bytes_per_element(weights, "weights")

    def step_weight_bytes(self, weights: Format[S] = "bf16", tokens: Size[S] | None = None) -> S:
        """Return the bytes of weights that a step reads: all layers and the output head, once.

        Parameters
        ----------
        weights : str or float
            Format of the weights, or its bytes per element.
        tokens : float, optional
            Tokens of the step, which for a MoE says how many experts are expected to be read; all where left out.

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
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.step_weight_bytes()
        15009316864
        >>> from roofline import model
        >>> f"{model('Mixtral 8x7B').step_weight_bytes(tokens=1) / 1e9:.1f} GB"
        '25.5 GB'
        """
        read: Any = self.matmul_parameters
        tokens = None if tokens is None else amount("tokens", tokens)
        if self.experts and tokens is not None:
            count = self.experts.count
            read -= self._unread(count - expected_experts(count, self.experts.chosen, tokens))
        return read * bytes_per_element(weights, "weights")

    def cache_bytes(self, sequences: Size[S], tokens: Size[S], cache: Format[S] = "bf16") -> S:
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
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.cache_bytes(64, 8192)
        68719476736
        """
        sequences, tokens = amount("sequences", sequences), amount("tokens", tokens)
        if not self.window:
            return sequences * tokens * self.kv_bytes_per_token(cache)
        kept: list[Any] = [n * (smaller(tokens, kind.window) if kind.window else tokens) for n, kind in self.kinds]
        return sequences * sum(kept) * (self.kv_bytes_per_token(cache) / self.layers)

    def with_kv_heads(self, kv_heads: int) -> Model:
        """Return the same model with another number of KV heads.

        Parameters
        ----------
        kv_heads : int
            A divisor of the query heads; all of them is MHA.

        Returns
        -------
        Model
            The new model.

        Raises
        ------
        InvalidValue
            Where it does not divide the query heads.

        Examples
        --------
        >>> from roofline import LLAMA_3_1_8B
        >>> LLAMA_3_1_8B.with_kv_heads(32).g
        1
        """
        fields = {**self.__dict__, "kv_heads": kv_heads}
        return Model(**fields)
