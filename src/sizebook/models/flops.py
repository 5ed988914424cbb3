"""FLOPs of a model from its bricks: what one token costs forward, and what training costs under each convention.

A multiply-add is two FLOPs. Norms, activations, rotary embeddings and the softmax are left out, as every published
convention but Chinchilla's does; they are memory traffic rather than matrix work.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sizebook.core.errors import require
from sizebook.core.hints import unknown_key
from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Brick, Layer
from sizebook.models.counting import count
from sizebook.models.identity import ByIdentity

CONVENTIONS: dict[str, str] = {
    "matmul": remark(
        "6 x parameters that multiply (head included) + 3 x attention scores over the keys a causal token sees"
    ),
    "kaplan": remark("6 N, N without embeddings and head (Kaplan et al. 2020, arXiv:2001.08361, section 2.1)"),
    "6nd": remark("6 N, N every parameter that a token visits, embeddings included (the rule of thumb 6 N D)"),
    "palm": remark("6 N + 12 L H Q T: every parameter, full-square scores (Chowdhery et al. 2022, appendix B)"),
    "torchtitan": remark(
        "6 (N - embedding) + 6 L H (d_qk + d_v) T: full-square scores (torchtitan, get_nparams_and_flops)"
    ),
    "megatron": remark("as matmul, with multi-token-prediction layers and their heads, without routers (Megatron-LM)"),
    "chinchilla": remark(
        "3 x (embedding as a product, projections, scores, softmax, head) (Hoffmann et al. 2022, appendix F)"
    ),
    "hardware": remark(
        "full-square scores and whatever is recomputed (Narayanan et al. 2021, arXiv:2104.04473, equation 3)"
    ),
}
# What they count when adapters are trained; the others know of no frozen weights.
ADAPTER_CONVENTIONS: dict[str, str] = {
    "matmul": remark(
        "4 x parameters that multiply + 6 x adapters + 3 x attention scores: frozen weights have no gradients"
    ),
    "hardware": remark("as matmul with full-square scores and whatever is recomputed"),
}
RECOMPUTE = ("lightest", "none", "selective", "every-other-matmul", "full")


@dataclass(frozen=True)
class TokenFlops:
    """Forward FLOPs of one token by part; ``scores`` counts the given keys per query, ``state`` the scans of mixers."""

    layers: int
    head: int
    scores: float
    state: int

    @property
    def total(self) -> float:
        return self.layers + self.head + self.scores + self.state


def distinct_layers(layers: Iterable[Layer]) -> list[tuple[Layer, int]]:
    """Return each distinct layer with how often it occurs; equal layers are one object."""
    found: dict[int, tuple[Layer, int]] = {}
    for layer in layers:
        times = found[id(layer)][1] if id(layer) in found else 0
        found[id(layer)] = (layer, times + 1)
    return list(found.values())


def matmul_parameters(bricks: Iterable[Brick]) -> int:
    """Return the parameters by which a token is multiplied: routed experts count as many as it visits."""
    every = (w for brick in bricks for w in (*brick.weights, *getattr(brick, "borrowed", ())))
    return sum(w.size * w.active for w in every if w.use == "matmul" and w.part != "tower")


def score_width(brick: Brick) -> int:
    """Return the multiply-adds per query-key pair of a brick: n_heads (d_qk + d_v), 0 for a brick without scores."""
    return int(getattr(brick, "score_width", 0))


def state_flops(brick: Brick) -> int:
    """Return the forward FLOPs per token of a mixer's recurrence (Mamba, delta rule), 0 for other bricks."""
    return int(getattr(brick, "state_flops", 0))


def seen_keys(brick: Brick, seq: int, *, causal: bool) -> float:
    """Return the mean number of keys that a query sees: half of the sequence when causal, a window at most.

    A bidirectional brick (an encoder's) sees both sides whatever ``causal`` says.

    An indexer that selects keys leaves at most as many. A causal window of W keys over T positions is seen whole
    except at the start: W (1 - W / 2T).
    """
    window = min(getattr(brick, "window", None) or seq, getattr(brick, "selected_keys", None) or seq, seq)
    if getattr(brick, "cross", False):
        return seq
    if not causal or getattr(brick, "bidirectional", False):
        return min(2 * window, seq) if window < seq else seq
    return window * (1 - window / (2 * seq))


def forward(architecture: Architecture, seq: int, *, causal: bool, windows: bool = True) -> TokenFlops:
    """Return the forward FLOPs of one token in a sequence of ``seq`` tokens.

    Layers count as often as they run, also where they share weights; the head counts although it may be tied. Vision
    and audio towers are left out: they run per image or clip, not per token. ``windows=False`` takes every layer to
    see the whole sequence, as PaLM's and torchtitan's conventions do.
    """
    require(seq > 0, f"seq is out of range: got {seq}, want a positive number of tokens. Correct the number.")
    scores, state = 0.0, 0
    layer_parameters = matmul_parameters((*architecture.inputs, *architecture.outputs))
    for layer, times in distinct_layers(architecture.layers):
        layer_parameters += times * matmul_parameters(layer.bricks)
        for brick in layer.bricks:
            keys = seen_keys(brick, seq, causal=causal) if windows else (seq / 2 if causal else seq)
            scores += times * 2 * score_width(brick) * keys
            state += times * state_flops(brick)
    return TokenFlops(2 * layer_parameters, 2 * head_parameters(architecture), scores, state)


def head_parameters(architecture: Architecture) -> int:
    """Return the parameters of the projection to the vocabulary, tied or not."""
    head = architecture.head
    return 0 if head is None else head.vocab * head.width


def train_flops_per_token(
    architecture: Architecture, seq: int, convention: str = "matmul", recompute: str = "none"
) -> float:
    """Return the FLOPs of training on one token: forward, backward (twice the forward) and what is recomputed.

    Conventions are those of `CONVENTIONS`. Recomputation counts under ``hardware`` only: ``full`` runs the layers
    forward once more (the head not), ``selective`` the attention scores, ``every-other-matmul`` half of the layers'
    products.
    """
    if convention not in CONVENTIONS:
        raise unknown_key("convention", convention, CONVENTIONS)
    if recompute not in RECOMPUTE:
        raise unknown_key("recompute", recompute, RECOMPUTE)
    return _train_flops(ByIdentity(architecture), seq, convention, recompute)


@lru_cache(maxsize=1024)
def _train_flops(same: ByIdentity, seq: int, convention: str, recompute: str) -> float:
    architecture = same.architecture
    if convention in ("kaplan", "6nd", "palm", "torchtitan"):
        return _by_parameters(architecture, seq, convention)
    if convention == "chinchilla":
        return _chinchilla(architecture, seq)
    if convention == "hardware":
        full = forward(architecture, seq, causal=False)
        return 3 * full.total + _again(full, recompute)
    tokens = forward(architecture, seq, causal=True).total
    if convention == "megatron":
        layers = (*architecture.layers, *architecture.mtp)
        tokens += _mtp(architecture, seq) - sum(2 * times * _router(layer) for layer, times in distinct_layers(layers))
    return 3 * tokens


def _again(full: TokenFlops, recompute: str) -> float:
    """Return the FLOPs of one token that the backward pass does again."""
    return {
        "none": 0.0,
        "lightest": 0.0,  # nothing, where no GPU is known that it would have to fit
        "selective": full.scores,
        "every-other-matmul": full.layers / 2,
        "full": full.total - full.head,
    }[recompute]


def _by_parameters(architecture: Architecture, seq: int, convention: str) -> float:
    counted = count(architecture)
    scores = 3 * forward(architecture, seq, causal=False, windows=False).scores
    if convention == "kaplan":
        return 6 * (counted.active_without_embedding - counted.parts["lm_head"])
    if convention == "6nd":
        return 6 * counted.active
    if convention == "palm":
        return 6 * counted.active + scores
    return 6 * counted.active_without_embedding + scores


def _chinchilla(architecture: Architecture, seq: int) -> float:
    tokens = forward(architecture, seq, causal=False, windows=False)
    n_heads = sum(getattr(brick, "n_heads", 0) for layer in architecture.layers for brick in layer.bricks)
    return 3 * (tokens.total + 2 * architecture.vocab * architecture.d_model + 3 * n_heads * seq)


def _router(layer: Layer) -> int:
    """Return the parameters of a layer's routers, which Megatron-LM leaves out of its count."""
    return sum(w.size for brick in layer.bricks for w in brick.weights if w.use == "matmul" and w.part == "router")


def _mtp(architecture: Architecture, seq: int) -> float:
    """Return the forward FLOPs of the multi-token-prediction layers, each with its own pass through the head."""
    n_flops = 0.0
    for layer in architecture.mtp:
        scores = sum(score_width(brick) * seen_keys(brick, seq, causal=True) for brick in layer.bricks)
        n_flops += 2 * (matmul_parameters(layer.bricks) + scores + head_parameters(architecture))
    return n_flops


def fine_tuning_flops_per_token(architecture: Architecture, seq: int, trained_share: float, adapters: int = 0) -> float:
    """Return training FLOPs per token when only a share of the matrices is trained, adapters (LoRA) beside them.

    Forward and the gradients of activations run through every matrix; gradients of weights only through the trained
    ones: (4 + 2 trained_share) N + 6 adapters + 3 x scores. Assumes that the lowest trained layer is near the input, so
    that the backward pass runs through the whole stack.
    """
    require(
        0 <= trained_share <= 1,
        f"trained_share is out of range: got {trained_share}, want 0 to 1. Give the share of parameters that train.",
    )
    return _fine_tuning(forward(architecture, seq, causal=True), trained_share, adapters)


def adapter_hardware_flops_per_token(architecture: Architecture, seq: int, adapters: int, recompute: str) -> float:
    """Return what training adapters computes on one token: full-square scores, and whatever is recomputed."""
    full = forward(architecture, seq, causal=False)
    return _fine_tuning(full, 0.0, adapters) + _again(full, recompute)


def _fine_tuning(tokens: TokenFlops, trained_share: float, adapters: int) -> float:
    dense = tokens.layers + tokens.head
    return (2 + trained_share) * dense + 3 * (tokens.scores + tokens.state) + 6 * adapters
