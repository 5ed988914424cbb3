"""The brick of Step-3's attention: queries through a low rank, one key-value head for all (arXiv:2507.19427)."""

from dataclasses import dataclass
from typing import ClassVar

from sizebook.models.architecture import Norm, Weight


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
