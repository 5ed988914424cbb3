"""Llama-3.1-8B in fp8 on one H100 under vLLM, and GPT-2 on one A100: their seconds and bytes written out by hand.

The arithmetic is that of docs/serving.md and docs/training.md for the plainest case: one GPU, dense layers, no window.
Efficiencies are read from the tables, so that a new fit changes no row.
"""

from __future__ import annotations

from math import prod

from sizebook.core.tables import by_key, table

# Llama-3.1-8B: 32 layers 4096 wide, 8 key-value heads of 128. H100 SXM: 1978.9 TFLOP/s in fp8, 989.4 in bf16, and
# 3.35 TB/s.
LAYERS, WIDTH, CACHE = 32, 4096, 32 * 2 * 8 * 128 * 2
ATTENTION, BLOCKS, HEAD = 32 * 41_943_040, 32 * 176_160_768, 128_256 * 4096
HALF, EIGHT, BANDWIDTH = 989.4e12, 1978.9e12, 3.35e12
LEVELS = {("all", ""), ("engine", "vllm"), ("generation", "hopper"), ("engine generation", "vllm hopper"),
          ("attention dtype", "fp8"), ("expert dtype", "fp8")}  # fmt: skip


def rate(name: str) -> float:
    """Return a serving rate of that case: the value of all rows times the factor of each level."""
    rows = [row for row in table("calibration_serving") if row["name"] == name]
    return prod(float(row["value"]) for row in rows if (row["level"], row["key"]) in LEVELS)


def _both(seconds_memory: float, seconds_compute: float) -> float:
    power = rate("overlap_power")
    return (seconds_memory**power + seconds_compute**power) ** (1 / power)


def _pass(phase: str, tokens: int, outputs: int, seen: float) -> float:
    """Return seconds but for the cache: matrices in a byte a weight, head in two, scores, activations, launches."""
    read, compute = BANDWIDTH * rate("weight_bandwidth"), rate(f"{phase}_compute")
    matrices = sum(_both(n / read, 2 * n * tokens / (EIGHT * compute)) for n in (ATTENTION, BLOCKS))
    head = _both(2 * HEAD / read, 2 * HEAD * outputs / (HALF * compute))
    scores = tokens * seen * 4 * WIDTH * LAYERS / (HALF * rate(f"{phase}_scores"))
    moved = tokens * WIDTH * 2 * LAYERS * rate("activation_passes") / BANDWIDTH
    return matrices + head + scores + moved


def _launches() -> float:
    return rate("layer_time") * LAYERS * (rate("attention_layer_seconds") + rate("dense_layer_seconds"))


def _cache_read(tokens: float) -> float:
    return CACHE * tokens / (BANDWIDTH * rate("cache_bandwidth"))


def prefill(tokens: int) -> float:
    """Return the seconds of one prompt: each token sees half of it on average, and the head runs once."""
    return _pass("prefill", tokens, 1, tokens / 2) + _cache_read(tokens) + _launches() * rate("prefill_layer_factor")


def step(requests: int, context: int, drafts: int = 0) -> float:
    """Return the seconds of a decode step of so many requests, each with that much behind it.

    Every draft is checked like a token of its own, and costs one layer's share of the pass.
    """
    checked = requests * (1 + drafts)
    seconds = _pass("decode", checked, checked, context) + _cache_read(requests * context)
    return (seconds + _launches()) * (1 + drafts / LAYERS) + rate("step_seconds") + requests * rate("request_seconds")


def first_token(tokens: int, context: int) -> float:
    """Return the seconds to the first token of a request that is alone."""
    return rate("first_token_seconds") + prefill(tokens) + rate("first_token_steps") * step(1, context)


def band(figure: str, quantile: str) -> float:
    """Return measured over predicted of all accelerators, as the table has it."""
    rows = {(row["engine"], row["generation"], row["figure"]): row for row in table("calibration_serving_error")}
    return float(rows["any", "any", figure][quantile])


# GPT-2: 12 layers 768 wide, 12 heads; A100 SXM 80 GB: 312 TFLOP/s in bf16, 2.039 TB/s.
GPT_2, GPT_2_HEAD = 124_439_808, 50_257 * 768
# What a token keeps: inputs and outputs of the blocks and of their projections, 16 widths in two bytes, and a
# log-sum of four bytes for each head.
KEPT = 12 * (2 * 16 * 768 + 4 * 12)


def fitted(name: str) -> float:
    """Return a fitted training rate."""
    return float(by_key("calibration_training", "name")[name]["value"])


def gpt_2_bytes(sequences: int) -> int:
    """Return states, what 1,024 tokens a sequence keep, logits in ten bytes and the context of a GPU that is alone.

    States: weights in two bytes; gradients, master weights and AdamW's two moments in four each.
    """
    states = GPT_2 * (2 + 4 + 4 + 4 + 4)
    return states + 1024 * sequences * (KEPT + 10 * 50_257) + 512 * 2**20


def gpt_2_step(sequences: int) -> float:
    """Return the seconds of a step: matrices three times, scores 1 + 2.5, traffic and weights in one micro-batch; or
    what launching its 24 blocks takes, the longer and a little more; AdamW over the memory, what every step takes."""
    tokens, peak, memory = 1024 * sequences, 312e12, 2.039e12 * fitted("memory")
    matrices = 3 * 2 * tokens * (12 * 12 * 768**2 + GPT_2_HEAD) / (peak * fitted("matmul_ampere_bf16"))
    scores = 3.5 * tokens * 512 * 4 * 768 * 12 / (peak * fitted("scores_ampere"))
    traffic = 3 * 2 * fitted("traffic_megatron") * tokens * KEPT / memory
    # Layers without both embeddings and the last norm: read twice in two bytes, gradients added in fp32.
    weights = 12 * (GPT_2 - GPT_2_HEAD - 1024 * 768 - 2 * 768) / memory
    busy, launches = matrices + scores + traffic + weights, 24 * fitted("block_seconds_megatron")
    # Two moments and the master weights read and written, the gradient read; the last norm is left out.
    adam = (2 * (8 + 4) + 4) * (GPT_2 - 2 * 768) / memory
    return (busy**3 + launches**3) ** (1 / 3) + fitted("step_seconds") + adam
