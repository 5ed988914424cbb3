"""Cache, memory and time of serving, and serving plans: figures that engines printed, measurements, hand counts."""

from __future__ import annotations

from typing import Any

from tests.functions.function_rows.by_hand import band, first_token, prefill, step
from tests.functions.function_rows.row import GIB, Row

ALONE = {"tp": 1, "pp": 1, "dp": 1, "ep": 1, "draft_tokens": None, "tokens_per_step": None, "max_running": 0}
LLAMA: dict[str, Any] = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "engine": "vllm", "kv_dtype": "bf16", **ALONE}
HALVES = {**LLAMA, "weight_dtype": "bf16"}
EIGHTS = {**LLAMA, "weight_dtype": "fp8"}
ONE = {**EIGHTS, "input_tokens": 1000, "output_tokens": 200, "concurrency": 1}
# Requests a quarter of an hour apart: what they see is what one alone sees.
RARE: dict[str, Any] = {**EIGHTS, "output_tokens": 200, "cache_hit_ratio": 0, "replica_requests_per_second": 0.001,
                        "request_percentile": "p95", "dispersion": 1}  # fmt: skip
NIM = {**ALONE, "model": "llama-3.3-70b", "gpu": "h100-sxm", "engine": "tensorrt-llm", "weight_dtype": "fp8",
       "kv_dtype": "fp8", "tp": 2, "input_tokens": 5000, "output_tokens": 500}  # fmt: skip
NIM_PAGE = "NVIDIA NIM 1.8.0 benchmark page: Llama-3.3-70B in fp8 on two H100, 5,000 tokens in and 500 out"
BY_HAND = "tests/functions/function_rows/by_hand.py, alone on one GPU"
# 90 % of the 85,029,615,043 bytes that the driver leaves, less bf16 weights, 15,800 bytes for each of 128,256 tokens
# that the profiling run samples from, and 256 MiB outside torch.
ROOM = 0.9 * 85_029_615_043 - 2 * 8_030_261_248 - 15_800 * 128_256 - 256 * 2**20
TRAFFIC = {
    "requests_per_day": 1000,
    "input_tokens": 1000,
    "output_tokens": 500,
    "growth_per_month": 0,
    "shape": "flat",
    "burst_factor": 1,
    "band_quantile": "p50",
    "target_load": 0.8,
    "spare": 1,
    "whole_nodes": False,
    "on_demand_usd_per_gpu_hour": 4,
    "reserved_usd_per_gpu_hour": 2,
    "pue": 1.25,
    "grams_per_kwh": 400,
}
PAIRS = {**HALVES, **TRAFFIC, "tp": 2, "months": 2, "concurrency": 10, "failure_domain": "node", "gpus_per_node": 8}

ROWS = (
    Row("KV_CACHE_BYTES", {"model": "llama-2-7b", "context_tokens": 4096, "kv_dtype": "bf16", "sequences": 3}, 6 * GIB,
        "half a megabyte a token: 32 layers x 2 x 32 heads x 128 x 2 bytes"),
    Row("KV_CACHE_BYTES", {"model": "deepseek-v3", "context_tokens": 1000, "kv_dtype": "fp8", "sequences": 1},
        61 * (512 + 64) * 1000, "DeepSeek-V2 (arXiv:2405.04434), section 2.1.2: one latent and one rotary key a layer"),
    Row("KV_BYTES_PER_TOKEN", {"model": "llama-3.1-8b", "kv_dtype": "fp8", "tp": 4}, 32 * 2 * 2 * 128,
        "32 layers, two of eight heads on a GPU, keys and values of 128, a byte each"),
    Row("KV_BYTES_PER_TOKEN", {"model": "llama-3.1-8b", "kv_dtype": "bf16", "tp": 1},
        (0.95 * 79.19 - 14.99 - 1.89 - 0.25) * GIB / 476_016,
        "vLLM 0.19 printed 476,016 tokens for 95 % of 79.19 GiB less weights 14.99, activations 1.89, other 0.25",
        relative=0.001),
    Row("KV_CACHE_BYTES_PER_GPU", {"model": "gpt-oss-120b", "context_tokens": 8192, "kv_dtype": "bf16", "tp": 1,
                                   "pp": 1, "encoder_tokens": 0}, 2 * 8 * 64 * 2 * (18 * 8192 + 18 * 128),
        "OpenAI's model card: every other of 36 layers sees 128 tokens; 8 key-value heads of 64"),
    Row("KV_CACHE_BYTES_PER_GPU", {"model": "qwen3-0.6b", "context_tokens": 40_960, "kv_dtype": "bf16", "tp": 2,
                                   "pp": 1, "encoder_tokens": 0}, 4.375 * GIB / 2,
        "unsloth pull request 4757: 4.375 GiB for 40,960 tokens, halved over two GPUs"),
    Row("KV_CACHE_BYTES_PER_GPU", {"model": "t5-small", "context_tokens": 100, "kv_dtype": "bf16", "tp": 1, "pp": 1,
                                   "encoder_tokens": 500}, 6 * 2 * 8 * 64 * 2 * 600,
        "six layers hold 100 tokens of their own and 500 of the encoder, 8 heads of 64"),
    Row("STATE_BYTES", {"model": "mamba-130m", "tp": 2}, 24 * 1536 * (16 + 4) * 4 / 2,
        "Gu and Dao 2023: 24 layers, inner width 2 x 768, 16 states, a convolution of 4; four bytes, two GPUs"),
    Row("SERVING_WEIGHT_BYTES", {"model": "qwen3-32b", "weight_dtype": "bf16", "tp": 2, "pp": 1, "dp": 1}, 30.59 * GIB,
        "llm-d-planner, empirical-vllm-memory-results.md: 30.59 GiB on each of two H100", relative=0.005),
    Row("SERVING_WEIGHT_BYTES", {"model": "llama-3.1-8b", "weight_dtype": "fp8", "tp": 1, "pp": 1, "dp": 1},
        2 * 8_030_261_248 - 32 * (41_943_040 + 176_160_768), "a byte less for each weight of a projection"),
    Row("CACHE_BYTES_AVAILABLE", {**HALVES, "version": "0.8"}, 51.38 * GIB,
        "llm-d-planner, empirical-vllm-memory-results.md: 51.38 GiB for the cache on one H100", relative=0.003),
    Row("CACHE_BYTES_AVAILABLE", {**HALVES, "version": "0.19"}, ROOM, "by hand from data/engines.csv", relative=1e-9),
    Row("MAX_CONCURRENCY", {**HALVES, "context_tokens": 4000}, 110, "58.17 GB over 4,000 x 131,072 bytes: 110.95"),
    Row("MAX_CONTEXT", {**HALVES, "kv_dtype": "fp8", "concurrency": 5}, 177_524,
        "58,171,250,786 bytes over 5 x 65,536"),
    Row("PREFILL_SECONDS", {**EIGHTS, "input_tokens": 3000}, prefill(3000), BY_HAND, relative=1e-9),
    Row("DECODE_STEP_SECONDS", {**EIGHTS, "input_tokens": 1000, "output_tokens": 200, "concurrency": 24},
        step(24, 1100), BY_HAND, relative=1e-9),
    Row("TTFT_SECONDS", ONE, first_token(1000), BY_HAND, relative=1e-9),
    Row("SERVING_PERCENTILE", {**RARE, "input_histogram": [[1000, 0.9], [4000, 0.1]], "latency": "ttft"},
        first_token(4000), f"{BY_HAND}: one prompt in ten has 4,000 tokens and meets no other", relative=0.01),
    Row("SERVING_PERCENTILE", {**RARE, "input_tokens": 1000, "latency": "tpot"}, step(1, 1100), BY_HAND,
        relative=0.01),
    Row("TPOT_SECONDS", ONE, step(1, 1100), BY_HAND, relative=1e-9),
    Row("TPOT_SECONDS", {**NIM, "concurrency": 1}, 0.0186, f"{NIM_PAGE}: 18.6 ms a token alone", relative=0.3),
    Row("REQUEST_SECONDS", ONE, first_token(1000) + 199 * step(1, 1100), BY_HAND, relative=1e-9),
    Row("TOKENS_PER_SECOND", ONE, 200 / (first_token(1000) + 199 * step(1, 1100)), BY_HAND, relative=1e-9),
    Row("TOKENS_PER_SECOND", {**NIM, "concurrency": 50}, 814, f"{NIM_PAGE}: 814 tokens/s of 50", relative=0.3),
    Row("SERVING_CURVE", {**ONE, "requests_per_day": 1, "loads": [1]},
        200 / (first_token(1000) + 199 * step(1, 1100)), BY_HAND, at="tokens_per_second", relative=1e-9),
    Row("SERVING_ERROR", {"gpu": "a100-sxm-80gb", "engine": "vllm", "figure": "tpot", "quantile": "p90",
                          "measured_model": ""}, band("tpot", "p90", "kernels measured, no server"),
        "its kernels were measured, no server: the band of GPUs left out of the fit"),
    Row("SERVING_ERROR", {"gpu": "mi300x", "engine": "vllm", "figure": "ttft", "quantile": "p10", "measured_model": ""},
        band("ttft", "p10", "nothing measured"), "nothing of it was measured: the widest band"),
    Row("PLAN_SERVING", {**TRAFFIC, "model": "deepseek-v3", "months": 1, "gpus_compared": "h200-sxm"}, 16,
        "671 GB in fp8 need more than four of 141 GB, so eight, and as many to spare", at="gpus"),
    Row("PLAN_SERVING", {**TRAFFIC, "model": "deepseek-v3", "months": 1, "gpus_compared": "h200-sxm"}, 23_360,
        "sixteen GPUs at 2 USD for 730 hours", at="usd_per_month"),
    Row("SERVING_LEDGER", PAIRS, 2 * 5 * 730 * 2, "one replica and, as a node holds four, four to spare: ten GPUs at "
        "2 USD for 730 hours", at="usd"),
    Row("SERVING_LEDGER", PAIRS, 1000 * 8760 / 12 / 24, "a twelfth of a year's days", at="requests", relative=1e-9),
    Row("SERVING_FIGURES", PAIRS, 4, "the replicas of two GPUs that a node of eight holds", at="spare_replicas"),
    Row("SERVING_FIGURES", PAIRS, 8_030_261_248, "two bytes a weight over two GPUs", at="weight_bytes"),
    Row("SERVING_FIGURES", PAIRS, 0.1 * 85_029_615_043, "vLLM leaves a tenth of what the driver does", at="left_bytes",
        relative=1e-9),
    Row("KV_BYTES_PER_TOKEN", {"model": "deepseek-v3.2", "kv_dtype": "bf16", "tp": 8}, 61 * ((512 + 64) * 2 + 128),
        "61 layers of a latent in two bytes, not divided, and an indexer's key of 128 in one"),
    Row("KV_CACHE_BYTES_PER_GPU", {"model": "llama-3.1-8b", "context_tokens": 100, "kv_dtype": "fp8", "tp": 1, "pp": 4,
                                   "encoder_tokens": 0}, 100 * 8 * 2 * 8 * 128, "eight layers of a stage, a byte each"),
    Row("SERVING_WEIGHT_BYTES", {"model": "mixtral-8x7b", "weight_dtype": "bf16", "tp": 2, "pp": 2, "dp": 2},
        (46_702_792_704 - 32 * 8 * 3 * 4096 * 14_336) / 2 + 32 * 8 * 3 * 4096 * 14_336 / 4,
        "two bytes over two stages: experts over tp x dp, all else over tp"),
    Row("MAX_CONCURRENCY", {**HALVES, "context_tokens": 4000, "dp": 2}, 2 * 107,
        "two GPUs, each less 2.1 GiB outside torch: 56.18 GB over 524,288,000 are 107.2"),
    Row("MAX_CONTEXT", {**HALVES, "concurrency": None}, 443_811, "one request: 58,171,250,786 bytes over 131,072"),
    Row("DECODE_STEP_SECONDS", {**EIGHTS, "input_tokens": 1000, "output_tokens": 200, "concurrency": 24,
                                "draft_tokens": 3, "tokens_per_step": 2}, step(24, 1100, drafts=3), BY_HAND,
        relative=1e-9),
)  # fmt: skip
