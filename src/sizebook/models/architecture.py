"""What a model is: an `Architecture` made of layers, each a handful of bricks.

A brick (attention, feed-forward block, experts, norm, ...) knows its own tensors and nothing else. Parameter counts,
FLOPs, activation memory and cache sizes all derive from the same bricks, so there is one description of a model.
A layer that occurs several times is one `Layer` object repeated: counting visits it once.

Vocabulary: d_model is the width of the residual stream, n_heads and n_kv_heads the query and key-value heads, d_head
the width of a query-key head and d_head_v of a value head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Part = Literal["embedding", "lm_head", "attention", "mlp", "router", "norm", "bias", "ssm", "tower", "other"]
PARTS: tuple[Part, ...] = (
    "embedding",
    "lm_head",
    "attention",
    "mlp",
    "router",
    "norm",
    "bias",
    "ssm",
    "tower",
    "other",
)

Use = Literal["matmul", "lookup", "vector"]


@dataclass(frozen=True, slots=True)
class Weight:
    """One tensor, or ``copies`` of it: routed experts are copies of which a token visits ``active``.

    ``use`` says what a token does with it: multiply (each element is one multiply-add a token), look a row up, or
    apply it element by element (norms, biases, state vectors).
    """

    name: str
    shape: tuple[int, ...]
    part: Part
    use: Use = "matmul"
    copies: int = 1
    active: int = 1

    @property
    def size(self) -> int:
        """Elements of one copy."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size


def _bias(name: str, width: int) -> Weight:
    return Weight(name, (width,), "bias", "vector")


class Brick(Protocol):
    """Anything that can say which tensors it holds."""

    @property
    def weights(self) -> tuple[Weight, ...]: ...


@dataclass(frozen=True, slots=True)
class Norm:
    """A norm's gain of ``width`` entries and, for a layer norm, its bias."""

    name: str
    width: int
    bias: bool = False

    @property
    def weights(self) -> tuple[Weight, ...]:
        gain = Weight(f"{self.name}.weight", (self.width,), "norm", "vector")
        return (gain, _bias(f"{self.name}.bias", self.width)) if self.bias else (gain,)


@dataclass(frozen=True, slots=True)
class Embedding:
    """A lookup table: tokens, learned positions, token types."""

    name: str
    rows: int
    width: int

    @property
    def weights(self) -> tuple[Weight, ...]:
        return (Weight(f"{self.name}.weight", (self.rows, self.width), "embedding", "lookup"),)


@dataclass(frozen=True, slots=True)
class Head:
    """The projection to the vocabulary. Tied, it multiplies like any other but stores nothing of its own."""

    vocab: int
    width: int
    tied: bool
    bias: bool = False
    name: str = "lm_head"

    @property
    def weights(self) -> tuple[Weight, ...]:
        matrix = () if self.tied else (Weight(f"{self.name}.weight", (self.vocab, self.width), "lm_head"),)
        return (*matrix, _bias(f"{self.name}.bias", self.vocab)) if self.bias else matrix


@dataclass(frozen=True, slots=True)
class Attention:
    """Multi-head, grouped (n_kv_heads < n_heads) or multi-query (n_kv_heads = 1) attention.

    ``window`` is the number of past tokens it sees, None for all. ``qk_norm`` gives the widths of the query and key
    norms, ``cross`` that keys and values come from an encoder, ``kv_shared`` that they are an earlier layer's,
    ``bidirectional`` that a token sees later ones too, as an encoder's do: nothing is cached then. ``gate`` is the
    width of a projection that gates the output, ``sinks`` a learned score per head, ``values_are_keys`` that keys
    serve as values, ``key_bias`` False that of query, key and value only the key has no bias. ``selected_keys`` is
    the number of keys that an indexer leaves to each query, ``d_out`` the width of the output where it is not d_model.
    """

    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_head_v: int = 0
    qkv_bias: bool = False
    out_bias: bool = False
    qk_norm: tuple[int, int] | None = None
    window: int | None = None
    cross: bool = False
    kv_shared: bool = False
    d_kv_in: int = 0
    bidirectional: bool = False
    name: str = "self_attn"
    key_bias: bool = True
    gate: int = 0
    sinks: bool = False
    values_are_keys: bool = False
    qk_norm_bias: bool = False
    selected_keys: int | None = None
    d_out: int = 0

    @property
    def d_value(self) -> int:
        """Width of a value head."""
        return self.d_head_v or self.d_head

    @property
    def cache_width(self) -> int:
        """Elements cached per token and layer: keys and values of every key-value head."""
        return 0 if self.kv_shared or self.bidirectional else self.n_kv_heads * (self.d_head + self.d_value)

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair: n_heads (d_head + d_head_v)."""
        return self.n_heads * (self.d_head + self.d_value)

    @property
    def _inward(self) -> list[tuple[str, int, int]]:
        d_in = self.d_kv_in or self.d_model
        inward = [("q_proj", self.n_heads * self.d_head, self.d_model)]
        if not self.kv_shared:
            inward.append(("k_proj", self.n_kv_heads * self.d_head, d_in))
            if not self.values_are_keys:
                inward.append(("v_proj", self.n_kv_heads * self.d_value, d_in))
        return inward

    @property
    def weights(self) -> tuple[Weight, ...]:
        inward = self._inward
        found = [Weight(f"{self.name}.{p}.weight", (out, d_in), "attention") for p, out, d_in in inward]
        if self.gate:
            found.append(Weight(f"{self.name}.g_proj.weight", (self.gate, self.d_model), "attention"))
        d_out = self.d_out or self.d_model
        found.append(Weight(f"{self.name}.o_proj.weight", (d_out, self.n_heads * self.d_value), "attention"))
        if self.sinks:
            found.append(Weight(f"{self.name}.sinks", (self.n_heads,), "attention", "vector"))
        if self.qkv_bias:
            with_bias = [(p, out) for p, out, _ in inward if self.key_bias or p != "k_proj"]
            found += [_bias(f"{self.name}.{p}.bias", out) for p, out in with_bias]
        if self.out_bias:
            found.append(_bias(f"{self.name}.o_proj.bias", d_out))
        for name, width in zip(("q_norm", "k_norm"), self.qk_norm or (), strict=False):
            if not (self.kv_shared and name == "k_norm"):
                found += Norm(f"{self.name}.{name}", width, self.qk_norm_bias).weights
        return tuple(found)


@dataclass(frozen=True, slots=True)
class FeedForward:
    """A plain (up, down) or gated (gate, up, down) feed-forward block."""

    d_model: int
    d_ff: int
    gated: bool
    bias: bool = False
    name: str = "mlp"

    @property
    def weights(self) -> tuple[Weight, ...]:
        inward = ("gate_proj", "up_proj") if self.gated else ("up_proj",)
        matrices = [Weight(f"{self.name}.{p}.weight", (self.d_ff, self.d_model), "mlp") for p in inward]
        matrices.append(Weight(f"{self.name}.down_proj.weight", (self.d_model, self.d_ff), "mlp"))
        if not self.bias:
            return tuple(matrices)
        biases = [_bias(f"{self.name}.{p}.bias", self.d_ff) for p in inward]
        return (*matrices, *biases, _bias(f"{self.name}.down_proj.bias", self.d_model))


@dataclass(frozen=True, slots=True)
class Experts:
    """Routed experts, of which a token visits ``top_k``, the router, and the shared experts that every token visits.

    ``d_latent`` is the width between which and d_model two more projections lead where experts work in a narrower
    space. ``router_rows`` counts the router's outputs where they are not one per expert (experts without weights).
    """

    d_model: int
    d_ff: int
    n_experts: int
    top_k: int
    d_ff_shared: int = 0
    shared_gate: bool = False
    gated: bool = True
    name: str = "mlp"
    bias: bool = False
    router_bias: bool = False
    d_latent: int = 0
    router_rows: int = 0

    @property
    def weights(self) -> tuple[Weight, ...]:
        d_in = self.d_latent or self.d_model
        rows = self.router_rows or self.n_experts
        inward = ("gate_proj", "up_proj") if self.gated else ("up_proj",)
        shapes = [(p, (self.d_ff, d_in)) for p in inward] + [("down_proj", (d_in, self.d_ff))]
        found = [self._routed(f"{p}.weight", shape, "mlp", "matmul") for p, shape in shapes]
        if self.bias:
            found += [self._routed(f"{p}.bias", shape[:1], "bias", "vector") for p, shape in shapes]
        found.append(Weight(f"{self.name}.gate.weight", (rows, self.d_model), "router"))
        if self.router_bias:
            found.append(_bias(f"{self.name}.gate.bias", rows))
        if self.d_latent:
            found.append(Weight(f"{self.name}.fc1_latent_proj.weight", (d_in, self.d_model), "mlp"))
            found.append(Weight(f"{self.name}.fc2_latent_proj.weight", (self.d_model, d_in), "mlp"))
        if self.d_ff_shared:
            name = f"{self.name}.shared_experts"
            found += FeedForward(self.d_model, self.d_ff_shared, self.gated, name=name).weights
        if self.shared_gate:
            found.append(Weight(f"{self.name}.shared_expert_gate.weight", (1, self.d_model), "router"))
        return tuple(found)

    def _routed(self, inner: str, shape: tuple[int, ...], part: Part, use: Use) -> Weight:
        visited = min(self.top_k, self.n_experts)
        return Weight(f"{self.name}.experts.*.{inner}", shape, part, use, self.n_experts, visited)


@dataclass(frozen=True, slots=True)
class Projection:
    """One matrix of its own, with its bias: a factor of the embedding, a pooler, the transform before a head.

    ``pooled`` says that it runs once a sequence and not once a token, as a pooler or a classifier does.
    """

    name: str
    d_in: int
    d_out: int
    bias: bool = True
    part: Part = "other"
    pooled: bool = False

    @property
    def weights(self) -> tuple[Weight, ...]:
        use: Use = "vector" if self.pooled else "matmul"
        matrix = Weight(f"{self.name}.weight", (self.d_out, self.d_in), self.part, use)
        return (matrix, _bias(f"{self.name}.bias", self.d_out)) if self.bias else (matrix,)


@dataclass(frozen=True, slots=True)
class Tensors:
    """Tensors that fit no other brick: biases, scales, tables that are added."""

    weights: tuple[Weight, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """One block of the stack. ``stored`` is False for a layer that computes with another layer's weights."""

    bricks: tuple[Brick, ...]
    stored: bool = True

    @property
    def weights(self) -> tuple[Weight, ...]:
        return tuple(weight for brick in self.bricks for weight in brick.weights) if self.stored else ()


@dataclass(frozen=True, slots=True)
class Architecture:
    """A whole model: input tables, the stack of layers, what follows it, and the head.

    ``mtp`` holds multi-token-prediction layers, stored in checkpoints but counted apart; ``buffers`` the tensors that
    are stored but not trained. ``notes`` say what a reader of the count must know.
    """

    model_type: str
    d_model: int
    vocab: int
    n_ctx: int | None
    inputs: tuple[Brick, ...]
    layers: tuple[Layer, ...]
    outputs: tuple[Brick, ...]
    head: Head | None
    mtp: tuple[Layer, ...] = ()
    buffers: tuple[Weight, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n_layers(self) -> int:
        return len(self.layers)
