"""What one layer holds and costs, in numbers that do not depend on the layout and add up over layers.

Widths are elements per token. The activation rule follows from the tensors: the backward pass keeps the input of a
block, the output of every projection into it and the input of the projection out of it (Korthikanti et al. 2022,
arXiv:2205.05198, section 4.1, for the GPT block, where it gives 34 s b h + 5 a s^2 b bytes).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from sizebook.models.architecture import Brick, Experts, Layer, Norm, Weight
from sizebook.models.flops import score_width, seen_keys, state_flops
from sizebook.models.latent import LatentAttention
from sizebook.training.adapters import carries
from sizebook.training.recipe import Recipe
from sizebook.training.tuning import TARGETS

# Projections out of a block: what enters them is kept, what leaves them is added to the residual stream.
_OUTWARD = (".o_proj.", ".down_proj.", ".out_proj.")
# Low-rank projections down are as wide on every tensor-parallel rank.
_LOW_RANK = (".q_a_proj", ".kv_a_proj")
_KEY_VALUE = (".k_proj.", ".v_proj.")
_LATENT_UP = (".q_b_proj.", ".kv_b_proj.")


@dataclass(frozen=True, slots=True)
class Profile:
    """Sums over layers; counts are floats so that a share of a layer can be taken.

    Parameters: ``dense`` split by TP, ``kv`` by at most n_kv_heads, ``replicated`` not, ``experts`` by EP and expert
    TP. ``factored`` is the sum of both extents of every matrix (Adafactor's state), ``adapter_*`` the same over the
    matrices that adapters may sit on, ``outputs_*`` the sum of their outputs; ``entering_*`` and ``leaving_*`` are what
    goes into and comes out of those that a token visits.
    Kept activations: ``inner`` split by TP, ``inner_kv`` like kv, ``routed`` per visited expert, ``residual`` split by
    TP only with sequence parallelism, ``rms_norms`` the widths of norms without a bias; ``alternate_*`` are the outputs
    of every second matmul.
    Of ``inner``: ``latent_up`` comes out of latent attention's upward projections, ``mlp_up`` and ``mlp_down`` stand in
    feed-forward blocks before and after the activation; of ``routed``: ``expert_down`` after it.
    ``scores`` are forward FLOPs a token, ``scores_by_width`` those over the width of their heads, ``score_elements``
    the entries of the score matrix a token. ``recurrent`` are the outputs of projections and convolutions into
    recurrent mixers, ``expert_biases`` the outputs of visited experts that a bias is added to.
    """

    layers: float = 0
    dense: float = 0
    kv: float = 0
    replicated: float = 0
    experts: float = 0
    active_experts: float = 0
    matrices: float = 0
    factored: float = 0
    adapter_query_value: float = 0
    adapter_attention: float = 0
    adapter_mlp: float = 0
    adapter_all: float = 0
    outputs_query_value: float = 0
    outputs_attention: float = 0
    outputs_mlp: float = 0
    outputs_all: float = 0
    entering_query_value: float = 0
    entering_attention: float = 0
    entering_mlp: float = 0
    entering_all: float = 0
    leaving_query_value: float = 0
    leaving_attention: float = 0
    leaving_mlp: float = 0
    leaving_all: float = 0
    inner: float = 0
    inner_kv: float = 0
    residual: float = 0
    rms_norms: float = 0
    latent_up: float = 0
    latent_matrices: float = 0
    mlp_matrices: float = 0
    mlp_up: float = 0
    mlp_down: float = 0
    routed: float = 0
    expert_down: float = 0
    dispatched: float = 0
    top_k: float = 0
    router: float = 0
    blocks: float = 0
    expert_blocks: float = 0
    heads: float = 0
    attention_out: float = 0
    alternate_inner: float = 0
    alternate_residual: float = 0
    scores: float = 0
    scores_by_width: float = 0
    score_elements: float = 0
    state_flops: float = 0
    recurrent: float = 0
    expert_biases: float = 0

    def times(self, n: float) -> Profile:
        """Return the profile of n such layers."""
        return Profile(*[getattr(self, name) * n for name in _FIELDS])

    def plus(self, other: Profile) -> Profile:
        """Return the profile of both together."""
        return Profile(*[getattr(self, name) + getattr(other, name) for name in _FIELDS])

    def adapters(self, recipe: Recipe) -> float:
        """Return the parameters that adapters train, DoRA's magnitudes included."""
        on = recipe.lora_on.replace("-", "_")
        trained: float = recipe.lora_rank * getattr(self, f"adapter_{on}")
        return trained + (getattr(self, f"outputs_{on}") if recipe.magnitudes else 0.0)

    def entering(self, recipe: Recipe) -> float:
        """Return the elements of a token that enter the matrices with adapters."""
        entering: float = getattr(self, f"entering_{recipe.lora_on.replace('-', '_')}")
        return entering

    def leaving(self, recipe: Recipe) -> float:
        """Return the elements of a token that leave the matrices with adapters."""
        leaving: float = getattr(self, f"leaving_{recipe.lora_on.replace('-', '_')}")
        return leaving

    @property
    def parameters(self) -> float:
        """Every parameter, each expert counted."""
        return self.dense + self.kv + self.replicated + self.experts


_FIELDS = tuple(field.name for field in fields(Profile))


def layer_profile(layer: Layer, d_model: int, seq: int) -> Profile:
    """Return the profile of one layer: its blocks, its norms and what each keeps for the backward pass."""
    sums = dict.fromkeys(_FIELDS, 0.0)
    sums["layers"] = 1
    matmuls = 0
    for brick in layer.bricks:
        _add_brick(sums, brick, d_model)
        _add_scores(sums, brick, seq)
        for weight in brick.weights:
            _add_parameters(sums, weight, stored=layer.stored)
            if weight.use == "matmul" and weight.part != "router":
                matmuls += 1
                _add_kept(sums, weight, alternate=matmuls % 2 == 1)
    return Profile(**sums)


def _add_brick(sums: dict[str, float], brick: Brick, d_model: int) -> None:
    if isinstance(brick, Norm):
        sums["residual"] += brick.width
        sums["rms_norms"] += 0 if brick.bias else brick.width
        return
    if isinstance(brick, Experts):
        width = brick.top_k * _expert_width(brick, d_model)
        sums["routed"] += width
        sums["dispatched"] += width
        sums["top_k"] += brick.top_k
        sums["router"] += brick.n_experts
        sums["expert_blocks"] += 1
    if isinstance(brick, LatentAttention):
        # Keys are assembled from the expanded and the rotary part, and kept beside both.
        sums["inner"] += brick.n_heads * brick.d_head
        sums["latent_up"] += brick.n_heads * brick.d_head
    if any(weight.use == "matmul" for weight in brick.weights):
        sums["residual"] += d_model
        sums["blocks"] += 1


def _expert_width(brick: Experts, d_model: int) -> int:
    """Return how wide a token is that is sent to an expert: narrower than the residual stream in a latent layer."""
    into = (w.shape[1] for w in brick.weights if w.copies > 1 and not _outward(w))
    return next(into, d_model)


def _add_scores(sums: dict[str, float], brick: Brick, seq: int) -> None:
    width = score_width(brick)
    n_heads = getattr(brick, "n_heads", 0) if width else 0
    scores = 2 * width * seen_keys(brick, seq, causal=True)
    sums["scores"] += scores
    sums["scores_by_width"] += scores * 2 * n_heads / width if width else 0
    sums["score_elements"] += n_heads * min(getattr(brick, "window", None) or seq, seq)
    sums["heads"] += n_heads
    sums["state_flops"] += state_flops(brick)
    if state_flops(brick):
        sums["recurrent"] += sum(w.shape[0] for w in brick.weights if w.use == "matmul" and not _outward(w))


def _add_parameters(sums: dict[str, float], weight: Weight, *, stored: bool) -> None:
    size = weight.size * weight.copies
    if weight.use == "vector" and weight.copies > 1:
        sums["expert_biases"] += weight.size * weight.active
    if weight.use == "matmul" and weight.copies == 1:
        sums["matrices"] += size
    if weight.use == "matmul" and weight.copies > 1:
        sums["active_experts"] += weight.size * weight.active
    if not stored:
        return
    sums[_home(weight)] += size
    sums["factored"] += weight.copies * sum(weight.shape)
    for on in TARGETS:
        if carries(weight, on):
            name = on.replace("-", "_")
            sums[f"adapter_{name}"] += weight.copies * sum(weight.shape)
            sums[f"outputs_{name}"] += weight.copies * weight.shape[0]
            sums[f"entering_{name}"] += weight.active * weight.shape[1]
            sums[f"leaving_{name}"] += weight.active * weight.shape[0]


def _outward(weight: Weight) -> bool:
    return any(name in weight.name for name in _OUTWARD)


def _home(weight: Weight) -> str:
    """Return which parallelism splits a tensor."""
    if weight.copies > 1:
        return "experts"
    if weight.use == "vector" or weight.part == "router" or any(name in weight.name for name in _LOW_RANK):
        return "replicated"
    return "kv" if any(name in weight.name for name in _KEY_VALUE) else "dense"


def _add_kept(sums: dict[str, float], weight: Weight, *, alternate: bool) -> None:
    outward = _outward(weight)
    width = weight.shape[1] if outward else weight.shape[0]
    if weight.copies > 1:
        sums["routed"] += width * weight.active
        sums["expert_down"] += width * weight.active if outward else 0
    else:
        sums["inner_kv" if _home(weight) == "kv" else "inner"] += width
        if any(name in weight.name for name in _LATENT_UP):
            sums["latent_up"] += width
            sums["latent_matrices"] += weight.size
        elif weight.part == "mlp":
            sums["mlp_down" if outward else "mlp_up"] += width
            sums["mlp_matrices"] += weight.size
    if outward and weight.part == "attention":
        sums["attention_out"] += width
    if alternate:
        sums["alternate_residual" if outward else "alternate_inner"] += weight.shape[0] * weight.active
