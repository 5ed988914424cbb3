"""Bricks of attention through low ranks: of keys and values or of queries; and indexers that select keys.

Latent attention: DeepSeek-V2, arXiv:2405.04434, section 2.1. Indexer: DeepSeek-V3.2, section 2. Shared queries: Step-3,
arXiv:2507.19427.
"""

from dataclasses import dataclass
from typing import ClassVar

from sizebook.models.architecture import Norm, Weight


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention (MLA).

    Queries come through a rank ``q_rank`` (0: directly), keys and values from one vector of ``kv_rank`` entries;
    each head adds ``d_rope`` rotary entries, which all heads share on the key side. ``gate`` is the width of an
    output gate read from the residual stream; with ``gate_from_query`` queries and a gate come from one matrix that
    reads two low-rank vectors.
    """

    d_model: int
    n_heads: int
    q_rank: int
    kv_rank: int
    d_nope: int
    d_rope: int
    d_head_v: int
    bias: bool = False
    out_bias: bool = False
    window: int | None = None
    selected_keys: int | None = None
    gate: int = 0
    gate_from_query: bool = False
    sinks: bool = False
    rope_norm: bool = False
    name: str = "self_attn"
    n_kv_heads: ClassVar = 1  # one latent vector serves every head, so tensor parallelism does not divide the cache

    @property
    def d_head(self) -> int:
        """Width of a query-key head."""
        return self.d_nope + self.d_rope

    @property
    def cache_width(self) -> int:
        """Elements cached per token and layer: the latent vector and the shared rotary key."""
        return self.kv_rank + self.d_rope

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair when heads are expanded, as in training."""
        return self.n_heads * (self.d_head + self.d_head_v)

    @property
    def weights(self) -> tuple[Weight, ...]:
        d_model, heads = self.d_model, self.n_heads
        found = []
        if self.q_rank:
            found += [self._matrix("q_a_proj", self.q_rank, d_model), self._norm("q_a_layernorm", self.q_rank)]
            wide, d_query = ("q_gate_proj", 2 * self.q_rank) if self.gate_from_query else ("q_b_proj", self.q_rank)
            d_gate = heads * self.d_head_v if self.gate_from_query else 0
            found.append(self._matrix(wide, heads * self.d_head + d_gate, d_query))
        else:
            found.append(self._matrix("q_proj", heads * self.d_head, d_model))
        found.append(self._matrix("kv_a_proj_with_mqa", self.kv_rank + self.d_rope, d_model))
        found.append(self._norm("kv_a_layernorm", self.kv_rank))
        found.append(self._matrix("kv_b_proj", heads * (self.d_nope + self.d_head_v), self.kv_rank))
        found.append(self._matrix("o_proj", d_model, heads * self.d_head_v))
        if self.gate:
            found.append(self._matrix("g_proj", self.gate, d_model))
        if self.sinks:
            found.append(Weight(f"{self.name}.sinks", (heads,), "attention", use="vector"))
        if self.rope_norm:
            found.append(self._norm("k_rope_only_layernorm", self.d_rope))
        return (*found, *self._biases())

    def _biases(self) -> tuple[Weight, ...]:
        widths = {"q_a_proj": self.q_rank, "kv_a_proj_with_mqa": self.kv_rank + self.d_rope}
        if not self.bias:
            widths = {}
        if self.out_bias:
            widths["o_proj"] = self.d_model
        return tuple(Weight(f"{self.name}.{n}.bias", (w,), "bias", use="vector") for n, w in widths.items() if w)

    def _matrix(self, name: str, d_out: int, d_in: int) -> Weight:
        return Weight(f"{self.name}.{name}.weight", (d_out, d_in), "attention")

    def _norm(self, name: str, width: int) -> Weight:
        return Weight(f"{self.name}.{name}.weight", (width,), "norm", use="vector")


@dataclass(frozen=True, slots=True)
class Indexer:
    """The small attention that selects the keys of the large one: ``n_heads`` queries, one key head, no values.

    Queries come from the low-rank vector of ``d_query`` entries. It caches a key of its own.
    """

    d_model: int
    d_query: int
    n_heads: int
    d_head: int
    name: str = "self_attn.indexer"

    @property
    def index_width(self) -> int:
        """Elements cached per token and layer: the indexer's own key."""
        return self.d_head

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair."""
        return self.n_heads * self.d_head

    @property
    def weights(self) -> tuple[Weight, ...]:
        return (
            Weight(f"{self.name}.wq_b.weight", (self.n_heads * self.d_head, self.d_query), "attention"),
            Weight(f"{self.name}.wk.weight", (self.d_head, self.d_model), "attention"),
            *Norm(f"{self.name}.k_norm", self.d_head, bias=True).weights,
            Weight(f"{self.name}.weights_proj.weight", (self.n_heads, self.d_model), "attention"),
        )


@dataclass(frozen=True, slots=True)
class SharedQueryAttention:
    """Multi-matrix factorisation attention: ``q_rank`` shared query entries widened to ``n_heads`` heads of ``d_head``.

    Keys and values are one head, so a token caches 2 d_head elements a layer.
    """

    d_model: int
    n_heads: int
    d_head: int
    q_rank: int
    window: int | None = None
    name: str = "self_attn"
    n_kv_heads: ClassVar = 1  # one key and value serve every head, so tensor parallelism does not divide the cache

    @property
    def cache_width(self) -> int:
        """Elements cached per token and layer: one key and one value."""
        return 2 * self.d_head

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair."""
        return 2 * self.n_heads * self.d_head

    @property
    def weights(self) -> tuple[Weight, ...]:
        wide = self.n_heads * self.d_head
        shapes = {
            "q_proj": (self.q_rank, self.d_model),
            "k_proj": (self.d_head, self.d_model),
            "v_proj": (self.d_head, self.d_model),
            "wq": (wide, self.q_rank),
            "o_proj": (self.d_model, wide),
        }
        matrices = (Weight(f"{self.name}.{name}.weight", shape, "attention") for name, shape in shapes.items())
        return (*matrices, *Norm(f"{self.name}.inter_norm", self.q_rank).weights)
