"""Bricks of DeepSeek V4's attention: one key-value vector for all heads, a window, and compressed history."""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.models.architecture import Weight


def _matrix(name: str, d_out: int, d_in: int) -> Weight:
    return Weight(f"{name}.weight", (d_out, d_in), "attention")


def _norm(name: str, width: int) -> Weight:
    return Weight(f"{name}.weight", (width,), "norm", "vector")


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

    @property
    def n_kv_heads(self) -> int:
        return 1

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
            Weight(f"{self.name}.sinks", (self.n_heads,), "attention", "vector"),
        )


@dataclass(frozen=True, slots=True)
class Compressor:
    """Turns every ``rate`` tokens into one key-value vector; ``overlap`` reads twice as wide, two blocks at a time.

    With ``index_heads`` it has an indexer, which compresses keys of its own and selects among them.
    """

    d_model: int
    d_head: int
    rate: int
    q_rank: int
    overlap: bool
    index_heads: int = 0
    index_d_head: int = 0
    name: str = "self_attn.compressor"

    @property
    def cache_width(self) -> int:
        """Elements cached per token: one vector in ``rate`` tokens, and the indexer's."""
        return (self.d_head + (self.index_d_head if self.index_heads else 0)) // self.rate

    @property
    def score_width(self) -> int:
        """Multiply-adds of the indexer per query-key pair, in tokens before compression."""
        return self.index_heads * self.index_d_head // self.rate

    def _pool(self, name: str, d_head: int) -> tuple[Weight, ...]:
        width = d_head * (2 if self.overlap else 1)
        return (
            _matrix(f"{name}.kv_proj", width, self.d_model),
            _matrix(f"{name}.gate_proj", width, self.d_model),
            Weight(f"{name}.position_bias", (self.rate, width), "bias", "vector"),
            _norm(f"{name}.kv_norm", d_head),
        )

    @property
    def weights(self) -> tuple[Weight, ...]:
        pool = self._pool(self.name, self.d_head)
        if not self.index_heads:
            return pool
        name = f"{self.name}.indexer"
        return (
            *pool,
            *self._pool(name, self.index_d_head),
            _matrix(f"{name}.q_b_proj", self.index_heads * self.index_d_head, self.q_rank),
            _matrix(f"{name}.scorer.weights_proj", self.index_heads, self.d_model),
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
            Weight(f"{self.name}.base", (self.rows,), "other", "vector"),
            Weight(f"{self.name}.scale", (self.scales,), "other", "vector"),
        )
