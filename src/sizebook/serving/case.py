"""One serving case: a model's sums, a machine, number formats and a layout, ready for plain arithmetic.

Every field is a number or an array of numbers of one length, and every function of serving time and memory takes a
`Case`, so one estimate and a sweep over a million rows run the same code.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sizebook.core.degrees import heads_not_divided, largest_divisor
from sizebook.core.errors import RangeError, UnknownKeyError, require
from sizebook.core.hints import unknown_key
from sizebook.core.tables import by_key, table
from sizebook.formulas.weights import dtype_bits
from sizebook.models.cached_results import cached_by_model
from sizebook.serving.formats import attention_dtype_of, dtype_class, kv_dtype_of, stored_bytes, weight_dtype_of
from sizebook.serving.quantities import ENGINES, MOST_DRAFTED, Replica
from sizebook.serving.rates import Formats, kernel_rates, rescaled, scheduling, setup_of
from sizebook.serving.releases import usual_of
from sizebook.serving.shape import ServingShape, shape_of
from sizebook.tables.hardware import Accelerator, accelerator
from sizebook.tables.own_rates import digest_of, factors_of

# Of a replica, numbers of a case as they stand.
DEGREES = ("tp", "pp", "dp", "ep", "max_running", "memory_utilization", "adapters", "adapter_rank")

Number = Any  # a float, or a NumPy array of floats

PAIRED = ("AMD",)  # Infinity Fabric joins every two GPUs of a node, without a switch
# Heads up to so wide have flash kernels everywhere. A model with wider ones runs all of its attention in Triton, but on
# Blackwell of data centres (TensorRT-LLM pull 17772, vLLM pulls 42175 and 43257, SGLang pull 25006).
FLASH_HEAD = 256
CHUNK_TOKENS = 8192.0  # tokens of prompts that engines put into one pass by default (chunked prefill)


@dataclass(frozen=True, eq=False)
class Case:
    """A model on a machine: bytes per weight and cached element, peaks for attention and experts, the layout, and
    ``rates``, the numbers of its kernels and of its engine's scheduling by name. Cases are equal if they are the same.

    ``node_gpus`` share a link, ``host_gpus`` a server; ``paired`` is 1 where links join GPUs pair by pair.
    ``tokens_per_step`` 0 takes what drafts yielded in the measurements. Settings of an engine hold a new request back
    for ``held_steps`` of those that decode. ``overlapped`` is 1 where it schedules a step while the GPU works.
    ``max_running`` 0 is no cap but the engine's own: ``rank_running`` on an attention rank, and on all of them
    ``drafting_running`` where tokens are drafted, 0 for none. An engine takes ``memory_utilization`` of a GPU's memory,
    0 for its default; before it serves it measures a pass of ``profiled_running`` requests on a rank, and of
    ``profiled_tokens``, and records decode graphs of up to ``graphs`` requests, on four GPUs or more ``graphs_wide``.
    ``adapters`` of ``adapter_rank`` lie in it. Images of a request take their encoder ``encode_seconds``. A pass takes
    ``chunk_tokens`` of prompts, which ranks share where ``chunk_shared`` is 1, beside a decode step where ``mixed`` is.
    ``all_experts`` is 1 where a step reads the weights of them all.
    ``stored_bytes`` is what a checkpoint's headers state of all weights but the experts, 0 where none is given.
    """

    shape: ServingShape
    rates: Any
    attention_bytes: Number
    expert_bytes: Number
    kv_bytes: Number
    attention_peak: Number
    expert_peak: Number
    half_peak: Number
    bandwidth: Number
    link: Number
    node_gpus: Number
    host_gpus: Number
    network: Number
    paired: Number
    tp: Number = 1.0
    pp: Number = 1.0
    dp: Number = 1.0
    ep: Number = 1.0
    stored_bytes: Number = 0.0
    stored_expert_bytes: Number = 0.0
    max_running: Number = 0.0
    memory_utilization: Number = 0.0
    profiled_running: Number = 1024.0
    profiled_tokens: Number = CHUNK_TOKENS
    graphs: Number = 0.0
    graphs_wide: Number = 0.0
    adapters: Number = 0.0
    adapter_rank: Number = 1.0
    encode_seconds: Number = 0.0
    rank_running: Number = 0.0
    drafting_running: Number = 0.0
    chunk_tokens: Number = CHUNK_TOKENS
    chunk_shared: Number = 0.0
    mixed: Number = 1.0
    draft_tokens: Number = 0.0
    tokens_per_step: Number = 1.0
    held_steps: Number = 0.0
    overlapped: Number = 1.0
    all_experts: Number = 0.0


def larger(a: Number, b: Number) -> Number:
    """Return the larger of two numbers, element by element: (a + b + |a - b|) / 2."""
    return (a + b + abs(a - b)) / 2


def smaller(a: Number, b: Number) -> Number:
    """Return the smaller of two numbers, element by element."""
    return (a + b - abs(a - b)) / 2


def _peak(gpu: Accelerator, dtype: str) -> float:
    """Return the dense peak that a format multiplies at: its own units, or those of the next wider format."""
    ladder = {"fp8": "fp8", "fp8_block": "fp8", "int8": "int8", "nvfp4": "fp4", "mxfp4": "fp8", "fp16": "fp16"}
    for name in (ladder.get(dtype, "bf16"), "bf16", "fp16"):
        if name in gpu.peaks:
            return float(gpu.peaks[name])
    raise UnknownKeyError(
        f"no 16-bit peak: got '{gpu.key}', want an accelerator with a published bf16 or fp16 peak. Choose another gpu."
    )


def case_of(model: str, gpu: str, replica: Replica) -> Case:
    """Return the case of one model on one machine; every name is checked, every layout refused that no engine runs.

    With neither drafts nor a yield stated, a server drafts nothing.
    """
    return _case_at(model, gpu, replica, digest_of(replica.rates_file))


@cached_by_model
def _case_at(model: str, gpu: str, replica: Replica, _rates: str) -> Case:
    """Return the case of one model on one machine with a file of own rates as it is now."""
    if replica.engine not in ENGINES:
        raise unknown_key("engine", replica.engine, ENGINES)
    check_layout(replica)
    case = _case(model, gpu, replica.engine, replica.weight_dtype or None, replica.kv_dtype or None)
    if refusal := beyond_experts(case.shape, replica.ep):
        raise RangeError(refusal)
    reads_all = replica.experts_read == "all"
    require(not reads_all or case.shape.n_experts > 0, no_experts(model))
    speculation = speculation_stated(replica.draft_tokens, replica.tokens_per_step)
    changed: dict[str, Any] = {name: getattr(replica, name) for name in DEGREES}
    usual = usual_of(replica, accelerator(gpu))
    if own := factors_of(replica.rates_file, setup_of(accelerator(gpu).key, replica.engine)):
        changed["rates"] = rescaled(case.rates, own)
    return replace(case, **changed, **speculation, **usual, all_experts=float(reads_all))


def speculation_stated(draft_tokens: int | None, tokens_per_step: float | None) -> dict[str, Any]:
    """Return the fields of a case that say whether its server speculates; none where neither is given.

    Drafts are checked in each decode step, 0 for none; a step yields ``tokens_per_step`` of them and its own token,
    left out, what was measured. Of a yield alone follow the fewest drafts that can reach it.
    """
    if draft_tokens is None and tokens_per_step is None:
        return {}
    require(
        draft_tokens is None or 0 <= draft_tokens <= MOST_DRAFTED,
        f"draft_tokens is out of range: got {draft_tokens}, want 0 to {MOST_DRAFTED}. Give 0 for no speculation.",
    )
    require(
        tokens_per_step is None or tokens_per_step >= 1,
        f"tokens_per_step is out of range: got {tokens_per_step}, want 1 or more. Give 1 for no speculation.",
    )
    drafts = math.ceil((tokens_per_step or 1) - 1) if draft_tokens is None else draft_tokens
    if tokens_per_step is not None and tokens_per_step > drafts + 1:
        raise RangeError(beyond_drafts(tokens_per_step, drafts))
    return {"draft_tokens": drafts, "tokens_per_step": tokens_per_step or 0.0}


def check_layout(replica: Replica) -> None:
    """Refuse degrees below 1, and more expert parallelism than the GPUs that hold one copy of the experts."""
    tp, dp, ep = replica.tp, replica.dp, replica.ep
    for name, degree in (("tp", tp), ("pp", replica.pp), ("dp", dp), ("ep", ep)):
        require(degree >= 1, f"{name} is out of range: got {degree}, want 1 or more. Correct the number.")
    if ep > tp * dp or (tp * dp) % ep:
        raise RangeError(undivided_ranks(tp, dp, ep))


def undivided_ranks(tp: int, dp: int, ep: int) -> str:
    """Return why experts are not divided over ranks that are no multiple of them."""
    return f"layout does not divide: got ep {ep} over tp x dp = {tp * dp} GPUs, want a divisor. Change ep, tp or dp."


def beyond_drafts(tokens_per_step: float, draft_tokens: int) -> str:
    """Return why a step cannot yield more tokens than were drafted and the one that follows them."""
    return (
        f"tokens_per_step is out of range: got {tokens_per_step:g} of {draft_tokens} drafted, want at most "
        f"{draft_tokens + 1}. Raise draft_tokens or lower tokens_per_step."
    )


def beyond_experts(shape: ServingShape, ep: int) -> str:
    """Return why expert parallelism over more ranks than the model has experts is refused, empty where it is not."""
    n_experts = int(shape.n_experts)
    if ep <= max(n_experts, 1):
        return ""
    return (
        f"more expert parallelism than experts: got ep {ep} and {n_experts} experts, want at most {max(n_experts, 1)}. "
        "Lower ep."
    )


def no_experts(model: str) -> str:
    """Return why reading all experts is refused of a model that has none."""
    return f"no experts: got experts_read 'all' for {model}, want a model with routed experts. Leave it out."


def startable(case: Case) -> Case:
    """Return the case, or refuse what no engine starts: heads that tp does not divide, stages without a layer.

    And what tables write that count the same GPUs twice, as tensor and as data parallel.
    """
    tp, pp, n_layers = int(case.tp), int(case.pp), int(case.shape.n_layers)
    if refusal := undivided_heads(case.shape, tp):
        raise RangeError(refusal)
    if pp > n_layers:
        raise RangeError(
            f"more stages than layers: got pp {pp} and {n_layers} layers, want at least one layer a stage. Lower pp."
        )
    if refusal := counted_twice(tp, int(case.dp), int(case.ep), int(case.node_gpus)):
        raise RangeError(refusal)
    return case


def undivided_heads(shape: ServingShape, tp: int) -> str:
    """Return why tensor parallelism that does not divide the heads of every layer is refused, empty where it does."""
    common = shape.common_heads
    if common % tp == 0:
        return ""
    of_layers = (*(kind.n_heads for kind in shape.kinds), shape.state_heads)
    n_heads = next(int(heads) for heads in of_layers if heads % tp)
    return heads_not_divided(tp, n_heads, largest_divisor(common, tp))


def counted_twice(tp: int, dp: int, ep: int, node_gpus: int) -> str:
    """Return why a layout is refused that states one group of GPUs twice, empty where it does not.

    Tables write tp n, dp n and ep n x n for n GPUs that hold attention data parallel: n squared would be more GPUs than
    share a link, with experts exchanged between nodes.
    """
    if tp != dp or ep != tp * dp or tp * dp <= node_gpus:
        return ""
    return (
        f"tp x dp counts the same GPUs twice: got tp {tp} x dp {dp} = {tp * dp} GPUs with ep {ep}, want at most "
        f"{node_gpus} that share a link. Use tp 1, dp {dp} and ep {dp}, or tp {tp} and dp 1."
    )


def layout_meant(tp: int, dp: int, ep: int, node_gpus: int) -> tuple[int, int, int, str]:
    """Return the layout that a table row means, and what was read differently, empty where nothing was.

    Benchmark tables write tp x ep where expert parallelism splits the tensor- or data-parallel group itself: 64 with
    ep 8 on a node of 8 GPUs means 8. Pairs of rows with the same measurement, one written each way, show it. It is read
    so only where the group would be ep squared GPUs, more than share a link.
    """
    if ep > 1 and tp * dp == ep * ep and tp * dp > node_gpus and 1 in (tp, dp):
        note = f"{'tp' if dp == 1 else 'dp'} {ep * ep} with ep {ep} read as {ep}: more GPUs than share a link"
        return (ep, 1, ep, note) if dp == 1 else (1, ep, ep, note)
    return tp, dp, ep, ""


def most_at_once(case: Case) -> Number:
    """Return the requests that run at once at most: the cap stated, else the engine's own; 0 where neither is."""
    drafting = (case.draft_tokens > 0) * (case.drafting_running > 0)
    usual = drafting * case.drafting_running + (1 - drafting) * case.rank_running * case.dp
    return case.max_running + (case.max_running <= 0) * usual


@cached_by_model
def _case(model: str, gpu: str, engine: str, weight_dtype: str | None, kv_dtype: str | None) -> Case:
    chip, shape = accelerator(gpu), shape_of(model)
    dtype = weight_dtype_of(model, weight_dtype)
    kv = kv_dtype_of(engine, dtype, kv_dtype, model=model)
    attention = attention_dtype_of(shape, dtype)
    link = chip.scale_up_bytes_per_s or chip.pcie_bytes_per_s
    if link is None:
        raise UnknownKeyError(f"no link speed: got '{chip.key}', want an accelerator with one. Choose another gpu.")
    latent, wide = shape.n_latent_layers > 0, shape.widest_head > FLASH_HEAD
    formats = Formats(dtype_class(attention), dtype_class(dtype), dtype_class(kv), latent=latent, wide=wide)
    sixteen = dtype == "int4_wo" or (dtype == "mxfp4" and "fp4" not in chip.peaks)
    return Case(
        shape=shape,
        rates={**kernel_rates(chip.key, formats), **scheduling(engine)},
        attention_bytes=dtype_bits(attention) / 8,
        expert_bytes=dtype_bits(dtype) / 8,
        kv_bytes=dtype_bits(kv) / 8,
        attention_peak=_peak(chip, "bf16" if attention == "int4_wo" else attention),
        expert_peak=_peak(chip, "bf16" if sixteen else dtype),
        half_peak=_peak(chip, "bf16"),
        bandwidth=float(chip.memory_bandwidth_bytes_per_s),
        link=float(link),
        node_gpus=float(chip.scale_up_domain),
        host_gpus=float(chip.gpus_per_node),
        network=float(chip.scale_out_bytes_per_s or link),
        paired=float(chip.maker in PAIRED),
        **stored_bytes(model, weight_dtype),
    )


@cache
def engine_row(engine: str, version: str = "") -> dict[str, str]:
    """Return the constants of one engine version from ``data/engines.csv``; blank takes the newest row."""
    rows = {row["engine"] + " " + row["version"]: row for row in table("engines") if row["engine"] == engine}
    if not rows:
        raise unknown_key("engine", engine, ENGINES)
    if not version:
        return next(iter(rows.values()))
    versions = [row["version"] for row in rows.values()]
    if version not in versions:
        raise unknown_key("version", version, versions, also=f" for {engine}", lists="data/engines.csv")
    return by_key("engines", "key")[f"{engine} {version}"]
