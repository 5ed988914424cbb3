"""The plain bricks: tensors, norms, tables, heads, single matrices. A brick knows its own tensors and nothing else."""

from dataclasses import dataclass
from math import prod
from typing import Literal, NamedTuple, Protocol

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


class Weight(NamedTuple):
    """One tensor, or ``copies`` of it: routed experts are copies of which a token visits ``active``.

    ``use`` says what a token does with it: multiply (each element is one multiply-add a token), look a row up, or
    apply it element by element (norms, biases, state vectors). A named tuple, for every count makes dozens of them and
    a frozen dataclass takes three times as long to make.
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
        return prod(self.shape)


def bias_of(name: str, width: int) -> Weight:
    """Return a bias of ``width`` entries."""
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
        return (gain, bias_of(f"{self.name}.bias", self.width)) if self.bias else (gain,)


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
        return (*matrix, bias_of(f"{self.name}.bias", self.vocab)) if self.bias else matrix


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
        return (matrix, bias_of(f"{self.name}.bias", self.d_out)) if self.bias else (matrix,)


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


@dataclass(frozen=True, slots=True)
class Tensors:
    """Tensors that fit no other brick: biases, scales, tables that are added."""

    weights: tuple[Weight, ...]
