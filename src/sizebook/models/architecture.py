"""What a model is: an `Architecture` made of layers, each a handful of bricks.

A brick (attention, feed-forward block, experts, norm, ...) knows its own tensors and nothing else. Parameter counts,
FLOPs, activation memory and cache sizes all derive from the same bricks, so there is one description of a model.
A layer that occurs several times is one `Layer` object repeated: counting visits it once.

Vocabulary: d_model is the width of the residual stream, n_heads and n_kv_heads the query and key-value heads, d_head
the width of a query-key head and d_head_v of a value head.
"""

from dataclasses import dataclass

from sizebook.models.bricks import PARTS, Brick, Embedding, Head, Norm, Part, Projection, Tensors, Use, Weight
from sizebook.models.transformer_blocks import Attention, Experts, FeedForward

__all__ = [
    "PARTS",
    "Architecture",
    "Attention",
    "Brick",
    "Embedding",
    "Experts",
    "FeedForward",
    "Head",
    "Layer",
    "Norm",
    "Part",
    "Projection",
    "Tensors",
    "Use",
    "Weight",
]


@dataclass(frozen=True, slots=True)
class Layer:
    """One block of the stack. ``stored`` is False for a layer that computes with another layer's weights."""

    bricks: tuple[Brick, ...]
    stored: bool = True

    @property
    def weights(self) -> tuple[Weight, ...]:
        return tuple([weight for brick in self.bricks for weight in brick.weights]) if self.stored else ()


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
