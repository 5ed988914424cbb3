"""How a training run is spread over GPUs: a `Layout`, what it must satisfy, and how layers fall on pipeline stages."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, lru_cache
from math import ceil

from sizebook.core.degrees import heads_not_divided, largest_divisor
from sizebook.core.errors import RangeError
from sizebook.core.hints import unknown_key
from sizebook.core.quantities import (
    Cp,
    Dp,
    Ep,
    Etp,
    Interleave,
    MicroBatch,
    Pp,
    Schedule,
    SequenceParallel,
    Tp,
    ZeroStage,
)
from sizebook.core.sections import DEFAULT, quantity, section
from sizebook.core.texts import joined, text
from sizebook.models.architecture import Architecture, Attention, Experts
from sizebook.models.flops import RECOMPUTE, distinct_layers
from sizebook.models.identity import ByIdentity
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Recompute

# What is computed again in the backward pass, in words; "none" and "lightest" have none.
_RECOMPUTED = {
    "selective": text("selective recomputation"),
    "every-other-matmul": text("every-other-matmul recomputation"),
    "full": text("full recomputation"),
}


def recomputed(kind: str) -> str:
    """Return what is computed again in the backward pass, in words; nothing for "none" and "lightest"."""
    return _RECOMPUTED.get(kind, "")


@section
class Layout:
    """Degrees of parallelism and what goes with them. ``etp`` is the tensor-parallel degree inside experts.

    ``recompute``: ``lightest`` what fits, which a plan settles and single functions take for none; ``none``;
    ``selective`` the attention core (Korthikanti et al. 2022); ``every-other-matmul`` keeps
    the outputs of every second matmul and of attention (PyTorch's selective checkpointing as torchtitan sets it);
    ``full`` keeps only the input of each layer.
    """

    tp: Tp = DEFAULT
    pp: Pp = DEFAULT
    dp: Dp = DEFAULT
    cp: Cp = DEFAULT
    ep: Ep = DEFAULT
    zero_stage: ZeroStage = DEFAULT
    micro_batch: MicroBatch = DEFAULT
    recompute: Recompute = DEFAULT
    interleave: Interleave = DEFAULT
    etp: Etp = DEFAULT
    sequence_parallel: SequenceParallel = DEFAULT
    fsdp: int | None = quantity(
        "data-parallel ranks that share one set of shards (HSDP), blank for all of them",
        minimum=1,
        maximum=1_000_000,
        default=None,
        label="Ranks that share shards",
    )
    hsdp: bool = quantity(
        "whether shards stay inside the scale-up domain and are copied over domains, unless fsdp says how many share",
        default=False,
        label="Hybrid sharding",
        source="neutral: shards span all ranks",
    )
    schedule: Schedule = DEFAULT

    @property
    def gpus(self) -> int:
        """GPUs of the whole layout; experts are spread over the same ones."""
        return self.tp * self.pp * self.dp * self.cp

    @property
    def expert_dp(self) -> int:
        """GPUs that hold the same experts."""
        return self.tp * self.cp * self.dp // (self.ep * self.etp)

    @cached_property
    def shards(self) -> int:
        """Ranks over which ZeRO spreads what it spreads: the data-parallel group with context parallelism, or the part
        of it that shares shards (HSDP)."""
        return min(self.fsdp or self.dp, self.dp) * self.cp

    @cached_property
    def expert_shards(self) -> int:
        """The same for experts: hybrid sharding shortens their group as much as the other."""
        return max(1, self.expert_dp * self.shards // (self.dp * self.cp))

    @cached_property
    def name(self) -> str:
        """The layout in the field's shorthand: ``TP8 PP4 DP16 ZeRO-1 mb1``."""
        degrees = [f"TP{self.tp}", f"PP{self.pp}", f"DP{self.dp}"]
        degrees += [f"CP{self.cp}"] if self.cp > 1 else []
        degrees += [f"EP{self.ep}"] if self.ep > 1 else []
        degrees += [f"v{self.interleave}"] if self.interleave > 1 else []
        degrees += [self.schedule] if self.schedule != "1f1b" else []
        degrees += [f"FSDP{self.fsdp}"] if self.fsdp and self.fsdp < self.dp else []
        degrees += [f"ZeRO-{self.zero_stage}", f"mb{self.micro_batch}"]
        return joined((" ".join(degrees), recomputed(self.recompute)), ", ")


def check(layout: Layout, architecture: Architecture, *, gpus: int, batches: Batches) -> None:
    """Raise unless the layout can run the model: products, divisibility, stages. Every message names the cheapest
    fix."""
    if layout.recompute not in RECOMPUTE:
        raise unknown_key("recompute", layout.recompute, RECOMPUTE)
    seq, batch = batches.seq, batches.batch
    _check_gpus(layout, gpus)
    heads, kv_heads, n_experts = _divided(ByIdentity(architecture))
    _check_heads(layout, heads, kv_heads)
    _check_stages(layout, architecture)
    _check_experts(layout, n_experts)
    _check_shards(layout)
    if seq % (layout.cp * 2 if layout.cp > 1 else 1):
        raise RangeError(
            f"context parallelism does not divide the sequence: got seq {seq} and cp {layout.cp}, want a multiple of "
            f"{2 * layout.cp}. Change one of the two."
        )
    share = layout.dp * layout.micro_batch
    if batch % share:
        raise RangeError(
            f"batch does not divide: got batch {batch}, dp {layout.dp} and micro_batch {layout.micro_batch}, want a "
            f"multiple of {share}. Use a batch of {max(share, batch - batch % share)}."
        )


def with_data_parallel(layout: Layout, gpus: int) -> Layout:
    """Return the layout with what the other degrees leave over of the GPUs as its data-parallel degree."""
    return replace(layout, dp=max(1, gpus // (layout.tp * layout.pp * layout.cp)))


def micro_batches(layout: Layout, batch: int) -> int:
    """Return the micro-batches that each pipeline runs in one step."""
    return batch // (layout.dp * layout.micro_batch)


def _check_gpus(layout: Layout, gpus: int) -> None:
    if layout.gpus != gpus:
        other = layout.tp * layout.pp * layout.cp
        fix = f"Set dp to {gpus // other}" if gpus % other == 0 else f"Use a multiple of {other} GPUs"
        raise RangeError(
            f"GPUs are not the product of the layout: got {gpus} GPUs and tp {layout.tp} x pp {layout.pp} x dp "
            f"{layout.dp} "
            f"x cp {layout.cp} = {layout.gpus}, want the same. {fix}."
        )


@lru_cache(maxsize=256)
def _divided(same: ByIdentity) -> tuple[frozenset[int], frozenset[int], int]:
    """Return what degrees must divide: the head counts, the key-value head counts, and the fewest experts of a
    layer."""
    bricks = [brick for layer, _ in distinct_layers(same.architecture.layers) for brick in layer.bricks]
    heads = frozenset(getattr(brick, "n_heads", 0) for brick in bricks) - {0}
    kv_heads = frozenset(brick.n_kv_heads for brick in bricks if isinstance(brick, Attention))
    return heads, kv_heads, min((brick.n_experts for brick in bricks if isinstance(brick, Experts)), default=1)


def _check_heads(layout: Layout, heads: Iterable[int], kv_heads: Iterable[int]) -> None:
    for n_heads in heads:
        if n_heads % layout.tp:
            raise RangeError(heads_not_divided(layout.tp, n_heads, largest_divisor(n_heads, layout.tp)))
    for n_kv in kv_heads:
        if n_kv % layout.tp and layout.tp % n_kv:
            raise RangeError(
                f"tensor parallelism does not fit the key-value heads: got tp {layout.tp} and n_kv_heads {n_kv}, "
                f"want one "
                f"to divide the other. Use tp {largest_divisor(n_kv, layout.tp)}."
            )


# The embedding and the head may stand in a chunk of their own: 126 layers make 128 chunks (Llama 3, arXiv:2407.21783).
CHUNKS_BESIDE_LAYERS = 2


def _fewer_chunks(layout: Layout, n_layers: int) -> str:
    """Return the setting that makes no more chunks than layers: fewer of a stage where there are several."""
    if layout.interleave > 1 and layout.pp <= n_layers:
        return f"interleave {largest_divisor(ceil(n_layers / layout.pp), layout.interleave)}"
    return f"pp {largest_divisor(n_layers, layout.pp)}"


def _check_stages(layout: Layout, architecture: Architecture) -> None:
    chunks = layout.pp * layout.interleave
    if chunks > architecture.n_layers + (CHUNKS_BESIDE_LAYERS if layout.pp > 1 else 0):
        raise RangeError(
            f"more pipeline chunks than layers: got pp {layout.pp} x interleave {layout.interleave} = {chunks} and "
            f"{architecture.n_layers} layers, want at most one chunk a layer and two for embedding and head. "
            f"Use {_fewer_chunks(layout, architecture.n_layers)}."
        )
    if layout.interleave > 1 and layout.pp == 1:
        raise RangeError(
            f"interleave needs a pipeline: got interleave {layout.interleave} and pp 1, want pp above 1. "
            "Set interleave to 1."
        )
    if layout.interleave > 1 and layout.schedule != "1f1b":
        raise RangeError(
            f"chunks go with 1F1B alone: got interleave {layout.interleave} and schedule {layout.schedule}, want one "
            "of the two. Set interleave to 1."
        )
    if layout.schedule != "1f1b" and layout.pp == 1:
        raise RangeError(
            f"schedule needs a pipeline: got schedule {layout.schedule} and pp 1, want pp above 1. Remove schedule."
        )
    if layout.schedule == "dualpipe" and layout.pp % 2:
        raise RangeError(
            f"DualPipe feeds both ends of a pipeline: got pp {layout.pp}, want an even number of stages. "
            f"Use pp {layout.pp + 1}."
        )


def _check_shards(layout: Layout) -> None:
    """Raise where the ranks that share a set of shards are no part of the data-parallel ones, counted with or without
    context parallelism, or share nothing."""
    asked = f"fsdp {layout.fsdp}" if layout.fsdp not in (None, 1) else "hsdp" if layout.hsdp else ""
    if asked and not layout.zero_stage:
        raise RangeError(
            f"nothing is sharded: got {asked} and zero_stage 0, want zero_stage 1, 2 or 3. "
            f"Set zero_stage to 3, or remove {asked.split(' ')[0]}."
        )
    ranks = layout.dp * layout.cp
    if layout.fsdp is not None and ranks % layout.fsdp:
        raise RangeError(
            f"shards do not divide the ranks: got fsdp {layout.fsdp} and dp x cp = {ranks}, want fsdp to divide them. "
            f"Use fsdp {largest_divisor(ranks, layout.fsdp)}."
        )


def _check_experts(layout: Layout, n_experts: int) -> None:
    if layout.etp > 1 >= n_experts:
        raise RangeError(
            f"no experts to split: got etp {layout.etp} and a model without experts, want etp 1. Remove etp."
        )
    if layout.ep > 1 >= n_experts:
        raise RangeError(f"no experts to spread: got ep {layout.ep} and a model without experts, want ep 1. Remove ep.")
    if n_experts % layout.ep:
        raise RangeError(
            f"expert parallelism does not divide the experts: got ep {layout.ep} and {n_experts} experts, want ep to "
            f"divide them. Use ep {largest_divisor(n_experts, layout.ep)}."
        )
    group = layout.tp * layout.cp * layout.dp
    if group % (layout.ep * layout.etp):
        raise RangeError(
            f"experts do not spread: got ep {layout.ep} x etp {layout.etp} over tp x cp x dp = {group} GPUs, want the "
            "product to divide them. Lower ep."
        )


@lru_cache(maxsize=1024)
def stage_layers(n_layers: int, pp: int) -> tuple[int, ...]:
    """Return the number of layers on each stage. What is left over goes to middle stages first, then to the first.

    The first stage also holds the embedding and the last the head, so they get an extra layer last.
    """
    base, left = divmod(n_layers, pp)
    order = [*range(1, pp - 1), 0, pp - 1]
    extra = set(order[:left]) if pp > 1 else set()
    return tuple(base + (stage in extra) for stage in range(pp))


def bubble(layout: Layout) -> float:
    """Return how many micro-batches' time a stage waits, with weights' gradients as long as a forward pass.

    1F1B waits (pp - 1) / v; zero-bubble fills that with weights' gradients, (pp - 1)(F + B - 2W), a third; DualPipe
    waits (pp / 2 - 1)(F&B + B - 3W), two of three thirds of pp / 2 - 1 (DeepSeek-V3, arXiv:2412.19437, table 2).
    """
    if layout.pp == 1:
        return 0.0
    if layout.schedule == "dualpipe":
        return 2 / 3 * max(layout.pp / 2 - 1, 0)
    third = 3 if layout.schedule == "zero-bubble" else 1
    return (layout.pp - 1) / layout.interleave / third


def in_flight(layout: Layout, stage: int, n_micro: int) -> float:
    """Return how many micro-batches' activations a stage holds at most, in units of the whole stage.

    1F1B: min(pp - stage, micro-batches). Interleaved with v chunks: warm-up runs 2 (pp - stage - 1) + (v - 1) pp chunks
    and one more is in progress, of v chunks a stage: on the first stage 1 + (pp - 1) / (pp v) of pp (Narayanan et al.
    2021; Korthikanti et al. 2022, section 4.2.3). DualPipe feeds both ends, so that every stage holds pp + 1
    (DeepSeek-V3, arXiv:2412.19437, table 2); zero-bubble holds what 1F1B does.
    """
    if layout.schedule == "dualpipe" and layout.pp > 1:
        return min(layout.pp + 1, n_micro)
    if layout.interleave == 1:
        return min(layout.pp - stage, n_micro)
    chunks = 2 * (layout.pp - stage - 1) + (layout.interleave - 1) * layout.pp + 1
    return min(chunks / layout.interleave, n_micro)
