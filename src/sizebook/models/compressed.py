"""Bricks of DeepSeek V4's attention: one key-value vector for all heads, a window, and compressed history."""

from dataclasses import dataclass
from typing import ClassVar

from sizebook.models.architecture import Weight


def _matrix(name: str, d_out: int, d_in: int) -> Weight:
    return Weight(f"{name}.weight", (d_out, d_in), "attention")


def _norm(name: str, width: int) -> Weight:
    return Weight(f"{name}.weight", (width,), "norm", use="vector")


@dataclass(frozen=True, slots=True)
class SharedKeyAttention:
    """Attention in which one vector of ``d_head`` entries is key and value of every head; the output is low-rank.

    The output projection is split in ``o_groups`` groups of heads, each leading to ``o_rank`` entries.
    """

    d_model: int
    n_heads: int
    d_head: int
    q_rank: int
    o_groups: int
    o_rank: int
    window: int | None
    selected_keys: int | None = None
    name: str = "self_attn"
    n_kv_heads: ClassVar = 1

    @property
    def cache_width(self) -> int:
        """Elements cached per token of the window: the key is the value."""
        return self.d_head

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair."""
        return 2 * self.n_heads * self.d_head

    @property
    def weights(self) -> tuple[Weight, ...]:
        d_heads, d_out = self.n_heads * self.d_head, self.o_groups * self.o_rank
        return (
            _matrix(f"{self.name}.q_a_proj", self.q_rank, self.d_model),
            _norm(f"{self.name}.q_a_norm", self.q_rank),
            _matrix(f"{self.name}.q_b_proj", d_heads, self.q_rank),
            _matrix(f"{self.name}.kv_proj", self.d_head, self.d_model),
            _norm(f"{self.name}.kv_norm", self.d_head),
            _matrix(f"{self.name}.o_a_proj", d_out, d_heads // self.o_groups),
            _matrix(f"{self.name}.o_b_proj", self.d_model, d_out),
            Weight(f"{self.name}.sinks", (self.n_heads,), "attention", use="vector"),
        )


def _pool(name: str, d_model: int, d_head: int, rate: int, overlap: bool) -> tuple[Weight, ...]:
    """Return what turns ``rate`` tokens into one vector; overlapping blocks are read twice as wide."""
    width = d_head * (2 if overlap else 1)
    return (
        _matrix(f"{name}.kv_proj", width, d_model),
        _matrix(f"{name}.gate_proj", width, d_model),
        Weight(f"{name}.position_bias", (rate, width), "bias", use="vector"),
        _norm(f"{name}.kv_norm", d_head),
    )


@dataclass(frozen=True, slots=True)
class Compressor:
    """Turns every ``rate`` tokens into one more key-value vector that ``n_query_heads`` attend to.

    ``selected_keys`` counts in tokens what an indexer leaves to each query, None for all.
    """

    d_model: int
    d_head: int
    rate: int
    n_query_heads: int
    overlap: bool = False
    selected_keys: int | None = None
    name: str = "self_attn.compressor"

    @property
    def cache_width(self) -> int:
        """Elements cached per token: one vector in ``rate`` tokens."""
        return self.d_head // self.rate

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair, in tokens before compression."""
        return 2 * self.n_query_heads * self.d_head // self.rate

    @property
    def weights(self) -> tuple[Weight, ...]:
        return _pool(self.name, self.d_model, self.d_head, self.rate, self.overlap)


@dataclass(frozen=True, slots=True)
class CompressedIndexer:
    """The indexer that selects among compressed vectors; it compresses keys of its own at the same rate."""

    d_model: int
    d_query: int
    n_index_heads: int
    d_head: int
    rate: int
    name: str = "self_attn.compressor.indexer"

    @property
    def index_width(self) -> int:
        """Elements cached per token."""
        return self.d_head // self.rate

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair, in tokens before compression."""
        return self.n_index_heads * self.d_head // self.rate

    @property
    def weights(self) -> tuple[Weight, ...]:
        return (
            *_pool(self.name, self.d_model, self.d_head, self.rate, True),
            _matrix(f"{self.name}.q_b_proj", self.n_index_heads * self.d_head, self.d_query),
            _matrix(f"{self.name}.scorer.weights_proj", self.n_index_heads, self.d_model),
        )


@dataclass(frozen=True, slots=True)
class HyperConnection:
    """Mixes ``copies`` residual streams around a block (arXiv:2409.19606): ``rows`` learned mixtures of all of them."""

    name: str
    d_model: int
    copies: int
    rows: int
    scales: int

    @property
    def weights(self) -> tuple[Weight, ...]:
        return (
            Weight(f"{self.name}.fn", (self.rows, self.copies * self.d_model), "other"),
            Weight(f"{self.name}.base", (self.rows,), "other", use="vector"),
            Weight(f"{self.name}.scale", (self.scales,), "other", use="vector"),
        )


@dataclass(frozen=True, slots=True)
class BlockIndexer:
    """MiniMax M3's indexer: small normed queries and one key head, whose scores select blocks of keys."""

    d_model: int
    n_index_heads: int
    d_head: int
    name: str = "self_attn.indexer"

    @property
    def index_width(self) -> int:
        """Elements cached per token and layer: the indexer's own key."""
        return self.d_head

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair."""
        return self.n_index_heads * self.d_head

    @property
    def weights(self) -> tuple[Weight, ...]:
        return (
            _matrix(f"{self.name}.q_proj", self.n_index_heads * self.d_head, self.d_model),
            _matrix(f"{self.name}.k_proj", self.d_head, self.d_model),
            _norm(f"{self.name}.q_norm", self.d_head),
            _norm(f"{self.name}.k_norm", self.d_head),
        )
