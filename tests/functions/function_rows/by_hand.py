"""Llama-3.1-8B in fp8 on one H100 under vLLM, and GPT-2 on one A100: their seconds and bytes written out by hand.

The arithmetic is that of docs/serving.md and docs/training.md for the plainest case: one GPU, dense layers, no window.
Efficiencies are read from the tables, so that a new fit changes no row.
"""

from math import hypot, prod

from sizebook.core.tables import by_key, table

# Llama-3.1-8B: 32 layers 4096 wide, 8 key-value heads of 128. H100 SXM: 1978.9 TFLOP/s in fp8, 989.4 in bf16, and
# 3.35 TB/s.
LAYERS, WIDTH, CACHE = 32, 4096, 32 * 2 * 8 * 128 * 2
ATTENTION, BLOCKS, HEAD = 32 * 41_943_040, 32 * 176_160_768, 128_256 * 4096
HALF, EIGHT, BANDWIDTH = 989.4e12, 1978.9e12, 3.35e12
# Four products a layer (queries, keys and values in one, the output, gate and up in one, down) and the head's.
PRODUCTS = 4 * LAYERS


def rate(name: str) -> float:
    """Return a scheduling number of vLLM: the value of all rows times the engine's factor."""
    rows = [row for row in table("calibration_serving") if row["name"] == name]
    return prod(float(row["value"]) for row in rows if row["key"] in ("", "vllm"))


def kernel(operation: str, column: str, form: str = "") -> float:
    """Return a number of the H100's measured kernels."""
    wanted = ("h100-sxm", operation, form)
    return next(float(r[column]) for r in table("kernels") if (r["gpu"], r["operation"], r["format"]) == wanted)


def _products(tokens: int, outputs: int) -> float:
    """Return the seconds of all matrices: weights in a byte, the head in two, and activations in and out."""
    weights = ATTENTION + BLOCKS
    memory = weights / (BANDWIDTH * kernel("product", "bandwidth", "fp8"))
    memory += 2 * HEAD / (BANDWIDTH * kernel("product", "bandwidth", "bf16"))
    compute = 2 * weights * tokens / (EIGHT * kernel("product", "compute", "fp8"))
    compute += 2 * HEAD * outputs / (HALF * kernel("product", "compute", "bf16"))
    passed = 2 * tokens * (PRODUCTS * WIDTH + weights / WIDTH) / BANDWIDTH
    return hypot(memory, compute) + kernel("product", "passes", "fp8") * passed


def _beside(tokens: int, phase: str, form: str) -> float:
    """Return launches, activations of attention and what no kernel table holds."""
    launches = PRODUCTS * kernel("product", "launch_seconds", "fp8") + kernel("product", "launch_seconds", "bf16")
    launches += LAYERS * kernel(f"{phase}_attention", "launch_seconds", form)
    attended = kernel(f"{phase}_attention", "passes", form) * 2 * tokens * LAYERS * 2 * WIDTH / BANDWIDTH
    elementwise = rate("activation_passes") * LAYERS * 2 * tokens * WIDTH / BANDWIDTH
    return launches + attended + elementwise + LAYERS * rate("layer_seconds")


def prefill(tokens: int) -> float:
    """Return the seconds of one prompt: each token sees half of it on average, and the head runs once."""
    # Heads are 128 wide, where the share of the peak stands as it is.
    scores = 2 * tokens * LAYERS * 2 * WIDTH * tokens / 2 / (HALF * kernel("prefill_attention", "compute"))
    gpu = _products(tokens, 1) + scores + _beside(tokens, "prefill", "")
    return hypot(gpu, LAYERS * rate("eager_seconds"))  # a host launches the kernels meanwhile


def step(requests: int, context: int, drafts: int = 0) -> float:
    """Return the seconds of a decode step of so many requests, each with that much behind it.

    Every draft is checked like a token of its own, and costs one layer's share of the pass.
    """
    checked = requests * (1 + drafts)
    cache = CACHE * requests * context / (BANDWIDTH * kernel("decode_attention", "bandwidth", "bf16"))
    scores = 2 * checked * LAYERS * 2 * WIDTH * context / (HALF * kernel("decode_attention", "compute", "bf16"))
    seconds = _products(checked, checked) + hypot(cache, scores) + _beside(checked, "decode", "bf16")
    overlapped = hypot(seconds * (1 + drafts / LAYERS), rate("step_seconds"))  # the next step is scheduled meanwhile
    return overlapped + rate("request_seconds") * requests


def first_token(tokens: int) -> float:
    """Return the seconds to the first token of a request that is alone, which waits for nobody."""
    return rate("first_token_seconds") + prefill(tokens)


def band(figure: str, quantile: str, basis: str) -> float:
    """Return measured over predicted of what the fit had not seen, as the table has it."""
    rows = {(row["basis"], row["figure"]): row for row in table("calibration_serving_error")}
    return float(rows[basis, figure][quantile])


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
    """Return the seconds of a step: matrices three times, scores 1 + 2.5, in heads of 64 where the rate is that of 128,
    traffic and weights in one micro-batch; or what launching its 24 blocks takes, the longer and a little more; AdamW
    over the memory, what every step takes."""
    tokens, peak, memory = 1024 * sequences, 312e12, 2.039e12 * fitted("memory")
    matrices = 3 * 2 * tokens * (12 * 12 * 768**2 + GPT_2_HEAD) / (peak * fitted("matmul_ampere_bf16"))
    narrow = 1 + fitted("head_width") * (1 / 64 - 1 / 128)
    scores = narrow * 3.5 * tokens * 512 * 4 * 768 * 12 / (peak * fitted("scores_ampere"))
    traffic = 3 * 2 * fitted("traffic_megatron") * tokens * KEPT / memory
    # Layers without both embeddings and the last norm: read twice in two bytes, gradients added in fp32.
    weights = 12 * (GPT_2 - GPT_2_HEAD - 1024 * 768 - 2 * 768) / memory
    busy, launches = matrices + scores + traffic + weights, 24 * fitted("block_seconds_megatron")
    # Two moments and the master weights read and written, the gradient read; the last norm is left out.
    adam = (2 * (8 + 4) + 4) * (GPT_2 - 2 * 768) / memory
    return (busy**3 + launches**3) ** (1 / 3) + fitted("step_seconds") + adam
