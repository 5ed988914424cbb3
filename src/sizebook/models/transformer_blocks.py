"""The two blocks of a transformer layer: attention in its ordinary kinds, and feed-forward blocks and experts."""

from dataclasses import dataclass

from sizebook.models.bricks import Norm, Part, Use, Weight, bias_of


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
        return 0 if self.kv_shared else self.read_width

    @property
    def read_width(self) -> int:
        """Elements of a cache that a query reads per token, be it the cache of an earlier layer."""
        return 0 if self.bidirectional else self.n_kv_heads * (self.d_head + self.d_value)

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
            found.append(Weight(f"{self.name}.sinks", (self.n_heads,), "attention", use="vector"))
        if self.qkv_bias:
            with_bias = [(p, out) for p, out, _ in inward if self.key_bias or p != "k_proj"]
            found += [bias_of(f"{self.name}.{p}.bias", out) for p, out in with_bias]
        if self.out_bias:
            found.append(bias_of(f"{self.name}.o_proj.bias", d_out))
        for name, width in zip(("q_norm", "k_norm"), self.qk_norm or (), strict=False):
            if not (self.kv_shared and name == "k_norm"):
                found += Norm(f"{self.name}.{name}", width, self.qk_norm_bias).weights
        return tuple(found)


@dataclass(frozen=True, slots=True)
class MergedCross:
    """What a decoder's self-attention does with an encoder's tokens, which it sees beside its own (T5Gemma 2).

    Its keys and values of them come from the self-attention's own matrices, ``own``: nothing more is stored, but they
    are multiplied by (``borrowed``), scored and cached.
    """

    own: Attention
    cross: bool = True

    @property
    def n_heads(self) -> int:
        return self.own.n_heads

    @property
    def n_kv_heads(self) -> int:
        return self.own.n_kv_heads

    @property
    def cache_width(self) -> int:
        """Elements cached per token of the encoder and layer."""
        return self.own.cache_width

    @property
    def score_width(self) -> int:
        """Multiply-adds per pair of a query and an encoder's token."""
        return self.own.score_width

    @property
    def weights(self) -> tuple[Weight, ...]:
        return ()

    @property
    def borrowed(self) -> tuple[Weight, ...]:
        """The matrices of the self-attention that it multiplies by as well."""
        return tuple(w for w in self.own.weights if w.name.endswith(("k_proj.weight", "v_proj.weight")))


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
        biases = [bias_of(f"{self.name}.{p}.bias", self.d_ff) for p in inward]
        return (*matrices, *biases, bias_of(f"{self.name}.down_proj.bias", self.d_model))


@dataclass(frozen=True, slots=True)
class Experts:
    """Routed experts, of which a token visits ``top_k``, the router, and the shared experts that every token visits.

    ``d_latent`` is the width between which and d_model two more projections lead where experts work in a narrower
    space. ``router_rows`` counts the router's outputs where they are not one per expert (experts without weights),
    ``d_router`` the width that it reads where that is not d_model.
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
    d_router: int = 0

    @property
    def weights(self) -> tuple[Weight, ...]:
        d_in = self.d_latent or self.d_model
        rows = self.router_rows or self.n_experts
        inward = ("gate_proj", "up_proj") if self.gated else ("up_proj",)
        shapes = [(p, (self.d_ff, d_in)) for p in inward] + [("down_proj", (d_in, self.d_ff))]
        found = [self._routed(f"{p}.weight", shape, "mlp", "matmul") for p, shape in shapes]
        if self.bias:
            found += [self._routed(f"{p}.bias", shape[:1], "bias", "vector") for p, shape in shapes]
        found.append(Weight(f"{self.name}.gate.weight", (rows, self.d_router or self.d_model), "router"))
        if self.router_bias:
            found.append(bias_of(f"{self.name}.gate.bias", rows))
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
        return Weight(f"{self.name}.experts.*.{inner}", shape, part, use=use, copies=self.n_experts, active=visited)
