"""Seconds of one optimizer step from the layout: compute, memory traffic, communication, pipeline bubble.

Every term is a quantity of work over a rate of the accelerator times an efficiency. The efficiencies are fitted on
published runs by calibration/training.py and stand, with their spread, in data/calibration_training.csv.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any

from sizebook.core.errors import RangeError
from sizebook.core.registry import Quantity, section
from sizebook.core.tables import by_key, table
from sizebook.tables.hardware import Accelerator
from sizebook.training.layout import Layout, stage_layers
from sizebook.training.memory import ACTIVATION_BYTES, everything_bytes, optimizer, stack
from sizebook.training.profile import ModelProfile, Profile
from sizebook.training.quantities import FORMATS, Method, Recipe

# Matrix engines of one generation behave alike; what is not in the table falls back to the nearest that is.
_GENERATION = {"volta": "ampere", "turing": "ampere", "ampere": "ampere", "ada": "ampere", "hopper": "hopper"}
_KINDS = {"bf16": "bf16", "fp16": "bf16", "fp8": "fp8", "mxfp8": "fp8", "nvfp4": "fp4"}
_BACKWARD_MATMUL = 2.0
# Flash attention's backward pass is five products where the forward pass is two (Dao 2023, arXiv:2307.08691).
_BACKWARD_SCORES = 2.5


_SECONDS: Any = {"unit": "seconds", "minimum": 0}


@section
class StepTime:
    """Seconds of one optimizer step by cause. ``recompute`` is part of no other term; ``bubble`` is waiting."""

    matmul: Annotated[float, Quantity("matrix products", **_SECONDS, label="Matrices")]
    attention: Annotated[float, Quantity("attention scores", **_SECONDS, label="Attention")]
    traffic: Annotated[float, Quantity("element-wise kernels, bound by memory", **_SECONDS, label="Memory traffic")]
    recompute: Annotated[float, Quantity("what the backward pass recomputes", **_SECONDS, label="Recomputation")]
    overhead: Annotated[float, Quantity("launches and waits, fixed a layer", **_SECONDS, label="Overhead")]
    tensor_parallel: Annotated[
        float, Quantity("exposed exchange of tensor parallelism", **_SECONDS, label="Tensor parallel")
    ]
    expert_parallel: Annotated[float, Quantity("exposed exchange with experts", **_SECONDS, label="Expert parallel")]
    context_parallel: Annotated[
        float, Quantity("exposed exchange of keys and values", **_SECONDS, label="Context parallel")
    ]
    pipeline: Annotated[float, Quantity("exposed sends between pipeline stages", **_SECONDS, label="Pipeline")]
    bubble: Annotated[float, Quantity("waiting for other pipeline stages", **_SECONDS, label="Bubble")]
    data_parallel: Annotated[
        float, Quantity("exposed gathering of weights and reducing of gradients", **_SECONDS, label="Data parallel")
    ]
    optimizer: Annotated[float, Quantity("the optimizer step", **_SECONDS, label="Optimizer")]

    @cached_property
    def total(self) -> float:
        compute = self.matmul + self.attention + self.traffic + self.recompute + self.overhead
        exchange = self.tensor_parallel + self.expert_parallel + self.context_parallel + self.pipeline
        return compute + exchange + self.bubble + self.data_parallel + self.optimizer


Calibration = Mapping[str, float]


@cache
def calibration() -> dict[str, float]:
    """Return the fitted efficiencies of data/calibration_training.csv by name."""
    return {name: float(row["value"]) for name, row in by_key("calibration_training", "name").items()}


@cache
def error_band() -> tuple[float, float]:
    """Return measured over predicted step time at the 10th and 90th percentile of runs that the fit had not seen."""
    rows = {row["name"]: row for row in table("calibration_training")}
    return float(rows["time_ratio"]["low"]), float(rows["time_ratio"]["high"])


@dataclass(frozen=True)
class Machine:
    """Rates that one GPU reaches: its published rates times the efficiencies of its generation and format."""

    matmul: float
    head: float
    experts: float
    scores: float
    memory: float
    scale_up: float
    scale_out: float
    domain: int
    layer_seconds: float
    tp_exposed: float
    ep_exposed: float
    hidden_cost: float
    traffic_factor: float


def generation(gpu: Accelerator) -> str:
    """Return the generation whose efficiencies are taken: blackwell for anything newer than hopper."""
    return _GENERATION.get(gpu.generation, "blackwell" if gpu.maker == "NVIDIA" else "hopper")


def machine(gpu: Accelerator, method: Method, fitted: Calibration) -> Machine:
    """Return the rates of a GPU for training in one number format.

    Matrices multiply in the method's format; attention scores stay in bf16. Under a power limit the clock falls with
    the cube root of the power (dynamic power is C V^2 f, and V follows f).
    """
    dtype, limit = method.compute_dtype, method.power_limit_watts
    if dtype not in FORMATS:
        raise RangeError(f"no training in {dtype}: got '{dtype}', want one of {', '.join(FORMATS)}. Choose another.")
    family, kind = generation(gpu), _KINDS[dtype]
    half = gpu.peaks.get("bf16") or gpu.peak_flop_per_s("fp16")
    peak = half if kind == "bf16" else gpu.peak_flop_per_s(kind)
    efficiency = fitted.get(f"matmul_{family}_{kind}") or fitted[f"matmul_blackwell_{kind}"]
    clock = min(1.0, (limit / gpu.tdp_watts) ** (1 / 3)) if limit and gpu.tdp_watts else 1.0
    head = half * clock * fitted[f"matmul_{family}_bf16"]
    link = gpu.scale_up_bytes_per_s or gpu.pcie_bytes_per_s or gpu.memory_bandwidth_bytes_per_s
    return Machine(
        matmul=peak * clock * efficiency,
        head=head,
        experts=peak * clock * efficiency * fitted["experts"],
        scores=half * clock * fitted.get(f"scores_{family}_{method.recipe.stack}", fitted[f"scores_{family}"]),
        memory=gpu.memory_bandwidth_bytes_per_s * fitted["memory"],
        scale_up=link * fitted["link"],
        scale_out=(gpu.scale_out_bytes_per_s or link / 8) * fitted["network"],
        domain=max(gpu.scale_up_domain, 1),
        layer_seconds=fitted["layer_seconds"],
        tp_exposed=fitted["tensor_parallel_exposed"],
        ep_exposed=fitted["expert_parallel_exposed"],
        hidden_cost=fitted["hidden_cost"],
        traffic_factor=fitted["traffic"],
    )


def step_time(profile: ModelProfile, layout: Layout, recipe: Recipe, *, rates: Machine, n_micro: int) -> StepTime:
    """Return the seconds of one optimizer step: every pipeline runs ``n_micro`` micro-batches through its slowest
    stage.

    With interleaving and 1F1B alike, a stage works n_micro times and waits (pp - 1) / v micro-batches.
    """
    tokens = layout.micro_batch * profile.seq / layout.cp
    slowest = max(stage_layers(profile.n_layers, layout.pp))
    share = slowest / profile.n_layers
    layers = profile.whole.times(share)
    compute = _compute(layers, profile, layout, recipe, rates, tokens)
    tp, ep, cp = _layer_communication(layers, profile, layout, rates, tokens)
    send = _pipeline_send(profile, layout, rates, tokens)
    micro = sum(compute) + tp + ep + cp + send
    held = _held(layers, profile, layout)
    data_parallel = _data_parallel(held, layout, recipe, rates, micro, n_micro)
    matmul, attention, traffic, recompute, overhead = (n_micro * each for each in compute)
    return StepTime(
        matmul=matmul,
        attention=attention,
        traffic=traffic,
        recompute=recompute,
        overhead=overhead,
        tensor_parallel=n_micro * tp,
        expert_parallel=n_micro * ep,
        context_parallel=n_micro * cp,
        pipeline=n_micro * send,
        bubble=micro * (layout.pp - 1) / layout.interleave,
        data_parallel=data_parallel,
        optimizer=_optimizer_seconds(held, layout, recipe, rates),
    )


def _compute(
    layers: Profile, profile: ModelProfile, layout: Layout, recipe: Recipe, rates: Machine, tokens: float
) -> tuple[float, float, float, float, float]:
    """Return seconds of one micro-batch on one stage: matrices, scores, traffic, recomputation, fixed overhead."""
    dense = 2 * tokens * layers.matrices / layout.tp / rates.matmul
    experts = 2 * tokens * recipe.expert_imbalance * layers.active_experts / layout.etp / rates.experts
    # The head runs on the last stage only; spread over the stages it is the mean that a balanced pipeline tends to.
    head = 2 * tokens * profile.head / layout.tp / layout.pp / rates.head
    scores = tokens * (layers.scores + layers.state_flops) / layout.tp / rates.scores
    # Element-wise kernels write what is kept and read it again.
    kept = everything_bytes(layers, layout, recipe, profile, scores=True)
    vector = 2 * rates.traffic_factor * tokens * kept / rates.memory
    backward = _BACKWARD_MATMUL if not recipe.lora_rank else _BACKWARD_MATMUL / 2
    again = {
        "none": 0.0,
        "selective": 0.0 if recipe.flash_attention else scores,
        "every-other-matmul": (dense + experts) / 2 + vector,
        "full": dense + experts + scores + vector,
    }[layout.recompute]
    return (
        (1 + backward) * (dense + experts + head),
        (1 + _BACKWARD_SCORES) * scores,
        3 * vector,
        again,
        layers.layers * rates.layer_seconds,
    )


def _layer_communication(
    layers: Profile, profile: ModelProfile, layout: Layout, rates: Machine, tokens: float
) -> tuple[float, float, float]:
    """Return seconds of one micro-batch on one stage for tensor, expert and context parallelism."""
    residual = ACTIVATION_BYTES * tokens * profile.architecture.d_model
    link = rates.scale_up if layout.tp <= rates.domain else rates.scale_out
    # Forward and backward: gather and scatter of each block, and one more gather backward with sequence parallelism.
    passes = 5 if layout.sequence_parallel else 4
    tp = rates.tp_exposed * passes * layers.blocks * residual * (layout.tp - 1) / layout.tp / link
    ep = _expert_exchange(layers, profile, layout, rates, tokens)
    ring = rates.scale_up if layout.cp * layout.tp <= rates.domain else rates.scale_out
    kv = ACTIVATION_BYTES * tokens * layers.inner_kv / min(layout.tp, profile.n_kv_heads)
    return tp, ep, rates.hidden_cost * 3 * kv * (layout.cp - 1) / ring


def _expert_exchange(layers: Profile, profile: ModelProfile, layout: Layout, rates: Machine, tokens: float) -> float:
    """Return exposed seconds of sending tokens to their experts and back, forward and backward.

    Inside a scale-up domain a token goes to each of its experts. Across domains it crosses the network once for each
    other domain that holds one of them, N - 1 times 1 - (1 - 1/N)^k with k experts spread evenly over N domains, and is
    copied on from there (DeepSeek-V3, arXiv:2412.19437, section 3.2.2).
    """
    if layout.ep == 1 or not layers.dispatched:
        return 0.0
    d_model = profile.architecture.d_model
    top_k = layers.dispatched / (layers.expert_blocks * d_model)
    domains = max(1.0, layout.ep * layout.etp / rates.domain)
    sent = ACTIVATION_BYTES * tokens * layers.expert_blocks * d_model
    inside = sent * top_k * (layout.ep - 1) / layout.ep / rates.scale_up
    met: float = 1 - (1 - 1 / domains) ** top_k
    across = sent * (domains - 1) * met / rates.scale_out
    return 4 * rates.ep_exposed * max(inside, across)


def _pipeline_send(profile: ModelProfile, layout: Layout, rates: Machine, tokens: float) -> float:
    if layout.pp == 1:
        return 0.0
    spread = layout.tp if layout.sequence_parallel else 1
    n_bytes = ACTIVATION_BYTES * tokens * profile.architecture.d_model / spread
    link = rates.scale_up if layout.gpus <= rates.domain else rates.scale_out
    return rates.hidden_cost * 2 * layout.interleave * n_bytes / link


def _data_parallel(held: float, layout: Layout, recipe: Recipe, rates: Machine, micro: float, n_micro: int) -> float:
    """Return exposed seconds of gathering weights and of reducing gradients over the data-parallel group.

    It hides behind the compute beside it: with ZeRO-3 behind every micro-batch, otherwise the reduction behind the last
    backward pass and the gathering behind the first forward pass.
    """
    kept, group = stack(recipe.stack), layout.dp * layout.cp
    if group == 1:
        return 0.0
    link = rates.scale_up if layout.tp * group <= rates.domain else rates.scale_out
    moved = held * (group - 1) / group / link
    trained = 0.0 if recipe.lora_rank else 1.0
    if layout.zero_stage == 3:
        rounds = 1 if layout.pp > 1 else n_micro
        busy = micro * (n_micro if layout.pp > 1 else 1)
        return rounds * _exposed(kept.gathered_bytes * (2 + trained) * moved, busy, rates)
    reduce = _exposed(trained * kept.gradient_bytes * moved, micro * 2 / 3, rates)
    return reduce + _exposed(trained * kept.gathered_bytes * moved, micro / 3, rates)


def _exposed(seconds: float, busy: float, rates: Machine) -> float:
    """Return what communication adds to compute of ``busy`` seconds beside it: what does not fit, and what it takes
    from the compute that hides the rest."""
    return max(0.0, seconds - busy) + rates.hidden_cost * min(seconds, busy)


def _held(layers: Profile, profile: ModelProfile, layout: Layout) -> float:
    dense = (layers.dense + layers.kv) / layout.tp + layers.replicated
    outside = (profile.embedding + profile.stored_head) / layout.tp / layout.pp
    return dense + outside + layers.experts / (layout.ep * layout.etp)


def _optimizer_seconds(held: float, layout: Layout, recipe: Recipe, rates: Machine) -> float:
    """Return the seconds of reading and writing master weights, gradients and states once."""
    if recipe.lora_rank:
        return 0.0
    group = layout.dp * layout.cp if layout.zero_stage else 1
    each = 2 * (optimizer(recipe.optimizer).matrix_bytes + 4) + 4
    return each * held / group / rates.memory
