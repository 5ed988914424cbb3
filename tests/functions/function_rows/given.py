"""Settings and constants that several rows of `rows.csv` share, by the names that the rows call them."""

import re
from math import exp, sqrt
from pathlib import Path
from typing import Any

from sizebook.core.tables import by_key
from tests.functions.function_rows.by_hand import band, first_token, gpt_2_bytes, gpt_2_step, prefill, step

__all__ = ["band", "by_key", "exp", "first_token", "gpt_2_bytes", "gpt_2_step", "prefill", "sqrt", "step"]

GIB = 2**30
H100 = 989.4e12  # dense bf16 FLOP/s

# Closed forms of the 2017 paper, of GPT-3 and of Korthikanti et al. 2022, figure 1.
BASE = {"n_layers": 6, "d_model": 512, "d_ff": 2048}
GPT_3 = {"n_layers": 96, "d_model": 12288}
GPT_3_STEP = {**GPT_3, "seq": 2048, "vocab": 51200}
SMALL = {"seq": 2048, "micro_batch": 4, "d_model": 6144, "n_heads": 64, "n_layers": 48, "tp": 8, "pp": 1}
LARGE = {"seq": 2048, "micro_batch": 1, "d_model": 12288, "n_heads": 96, "n_layers": 96, "tp": 8, "pp": 8}
# 300 B tokens of GPT-3 on 384 A100 at 153 TFLOP/s each took 84 days: table 2 of Narayanan et al. 2021.
GPT_3_RUN = {"n_flops": 84 * 86_400 * 384 * 153e12, "peak_flop_per_s": 312e12, "utilization": 153 / 312, "goodput": 1}
STATES = {"n_parameters": 7_500_000_000, "dp": 64, "weight_bytes_each": 2, "gradient_bytes_each": 2,
          "optimizer_bytes_each": 12}  # fmt: skip
# Llama-3.1-8B: parameters that multiply (all but the embedding and 65 norms), of 8,030,261,248.
MULTIPLIED = 8_030_261_248 - 128_256 * 4096 - 65 * 4096
# Where alpha A / N^alpha = beta B / D^beta with N = 10 B and the coefficients of Besiroglu et al. 2024.
BALANCED_TOKENS = (0.3658 * 2085.43 / (0.3478 * 482.01) * 10**3.478) ** (1 / 0.3658)

# Training: GPT-2 on one A100, and runs of Llama.
ONE_RANK: dict[str, Any] = {"tp": 1, "pp": 1, "dp": 1, "cp": 1, "ep": 1, "zero_stage": 0, "interleave": 1,
                            "recompute": "none", "stack": "megatron"}  # fmt: skip
STATED = {"gradient_dtype": "fp32", "optimizer_dtype": "fp32", "fused_loss": False}
GPT_2_RUN = {**ONE_RANK, "model": "gpt-2-small", "seq": 1024}
SIZED = {"optimizer": "adamw", "component": "total", "batch": None}
ONE_GPU = {"model": "gpt-2-small", "gpu": "a100-sxm-80gb", "gpus": 1, "batch": 8, "seq": 1024, "compute_dtype": "bf16",
           "optimizer": "adamw", "stack": "megatron", "n_layouts": 3}  # fmt: skip
FSDP = {**ONE_RANK, **SIZED, "model": "llama-3.1-8b", "seq": 8192, "dp": 128, "zero_stage": 3, "micro_batch": 2,
        "recompute": "every-other-matmul", "stack": "fsdp"}  # fmt: skip
LLAMA_405B = {**ONE_RANK, "model": "llama-3.1-405b", "gpu": "h100-sxm", "compute_dtype": "bf16", "seq": 8192,
              "batch": 252, "micro_batch": 1, "tp": 8, "pp": 9, "cp": 2, "dp": 4, "interleave": 7,
              "zero_stage": 1}  # fmt: skip
FITTING = {**ONE_RANK, "model": "llama-3.1-8b", "optimizer": "adamw", "seq": 4096, "micro_batch": 1, "tp": 2, "pp": 4,
           "dp": 3, "cp": 2, "zero_stage": 1}  # fmt: skip
SPLIT = {**FITTING, "batch": None}
# A rank of its first stage: eight of 32 layers and the table over two ranks, the norms of those layers whole.
HELD = 8 * 218_103_808 / 2 + 128_256 * 4096 / 2 + 8 * 2 * 4096
# GPU-hours of GPT-2 on ten trillion tokens at 40 % of 312 TFLOP/s.
RUN_HOURS = 10e12 * 797_815_296 / (0.4 * 312e12) / 3600
PROGRAMME = {
    "phases": [
        ["name", "DPO"], ["kind", "preference"], ["model", "gpt-2-small"], ["gpu", "a100-sxm-80gb"], ["gpus", 8],
        ["tokens", 10e12], ["batch", 64], ["seq", 1024], ["dp", 8], ["recompute", "none"], ["mfu", 0.4],
        ["price_usd_per_gpu_hour", 3], ["grams_per_kwh", 400], ["programme_factor", 1], ["gpu_mtbf_hours", 1e15],
        ["kept_checkpoints", 0],
    ],
    "ablation_share": 0.25,
}  # fmt: skip
# 51,470,401,536 FLOPs a token: six for each of 7.5 G multiplied weights, and the causal scores of 32 layers.
LLAMA_8B = {
    "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 8, "tokens": 1e9, "batch": 8, "seq": 8192, "dp": 8, "tp": 1,
    "zero_stage": 1, "flops_convention": "matmul", "mfu": 0.5, "price_usd_per_gpu_hour": 2, "grams_per_kwh": 400,
}  # fmt: skip

# Serving.
ONE_SERVER = {"tp": 1, "pp": 1, "dp": 1, "ep": 1, "draft_tokens": None, "tokens_per_step": None, "max_running": 0}
LLAMA: dict[str, Any] = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "engine": "vllm", "kv_dtype": "bf16", **ONE_SERVER}
HALVES = {**LLAMA, "weight_dtype": "bf16"}
EIGHTS = {**LLAMA, "weight_dtype": "fp8"}
ONE = {**EIGHTS, "input_tokens": 1000, "output_tokens": 200, "concurrency": 1}
# Requests a quarter of an hour apart: what they see is what one alone sees.
RARE: dict[str, Any] = {**EIGHTS, "output_tokens": 200, "cache_hit_ratio": 0, "replica_requests_per_second": 0.001,
                        "request_percentile": "p95", "dispersion": 1}  # fmt: skip
NIM = {**ONE_SERVER, "model": "llama-3.3-70b", "gpu": "h100-sxm", "engine": "tensorrt-llm", "weight_dtype": "fp8",
       "kv_dtype": "fp8", "tp": 2, "input_tokens": 5000, "output_tokens": 500}  # fmt: skip
# 90 % of the 85,029,615,043 bytes that the driver leaves, less bf16 weights, 15,800 bytes for each of 128,256 tokens
# that the profiling run samples from, and 256 MiB outside torch.
ROOM = 0.9 * 85_029_615_043 - 2 * 8_030_261_248 - 15_800 * 128_256 - 256 * 2**20
TRAFFIC = {
    "requests_per_day": 1000, "input_tokens": 1000, "output_tokens": 500, "growth_per_month": 0, "shape": "flat",
    "burst_factor": 1, "band_quantile": "p50", "target_load": 0.8, "spare": 1, "whole_nodes": False,
    "on_demand_usd_per_gpu_hour": 4, "reserved_usd_per_gpu_hour": 2, "pue": 1.25, "grams_per_kwh": 400,
}  # fmt: skip
PAIRS = {**HALVES, **TRAFFIC, "tp": 2, "months": 2, "concurrency": 10, "failure_domain": "node", "gpus_per_node": 8}
# One request a day: two GPUs work, two are spare, and all four are reserved around the clock.
ONE_A_DAY = {
    "services": [
        ["name", "A", "B"], ["model", "llama-3.1-8b", ""], ["gpu", "h100-sxm", ""], ["requests_per_day", 1, ""],
        ["input_tokens", 100, ""], ["output_tokens", 100, ""], ["concurrency", 1, ""], ["tp", 2, ""],
        ["reserved_usd_per_gpu_hour", 2.5, ""], ["on_demand_usd_per_gpu_hour", 4, ""],
    ],
    "spare": 1, "failure_domain": "replica", "months": 36,
}  # fmt: skip
ONE_REPLICA = {
    "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1, "input_tokens": 100, "output_tokens": 100,
    "concurrency": 1, "tp": 1,
}  # fmt: skip
RUN = [["Model", "GPU", "gpus", "tokens", "batch", "tp"], ["llama-3.1-8b", "h100-sxm", 8, "1 trillion", 128, 1]]
LOAD = [
    ["model", "gpu", "weight_dtype", "input_tokens", "output_tokens", "concurrency"],
    ["llama-3.1-8b", "h100-sxm", "fp8", 1024, 1024, 1],
]

# DeepSeek-V3 (arXiv:2412.19437), section 4.2: attention, norms of its two ranks, and what a layer of experts holds.
V3_ATTENTION = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168 + 1536 + 512
V3_EXPERTS = (256 + 1) * 3 * 7168 * 2048 + 256 * 7168
HAND = str(Path(__file__).with_name("hand.safetensors"))
MHA_512 = {"name": "PARAMS_MHA", "arg_1": 512, "arg_2": False}
RELEASE = re.findall(
    r"^## \[(\d.+?)\]", Path(__file__).parents[3].joinpath("CHANGELOG.md").read_text("utf-8"), re.MULTILINE
)
