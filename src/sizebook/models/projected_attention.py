"""The brick for attention whose projections are listed one by one."""

from dataclasses import dataclass

from sizebook.models.bricks import Projection, Weight


@dataclass(frozen=True, slots=True)
class ProjectedAttention:
    """Attention whose projections are listed one by one: grouped, narrowed, or with more than the usual four."""

    n_heads: int
    d_head: int
    projections: tuple[Projection, ...]
    window: int | None = None
    bidirectional: bool = True

    @property
    def score_width(self) -> int:
        """Multiply-adds per query-key pair."""
        return 2 * self.n_heads * self.d_head

    @property
    def weights(self) -> tuple[Weight, ...]:
        return tuple(weight for projection in self.projections for weight in projection.weights)
