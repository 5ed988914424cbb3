"""Memory and time of training a published model, and training plans."""

from __future__ import annotations

from typing import Any

from sizebook.tables import by_key
from tests.function_rows.by_hand import gpt_2_bytes, gpt_2_step
from tests.function_rows.row import GIB, Row

ALONE: dict[str, Any] = {"tp": 1, "pp": 1, "dp": 1, "cp": 1, "ep": 1, "zero_stage": 0, "interleave": 1,
                         "recompute": "none", "stack": "megatron"}  # fmt: skip
GPT_2 = {**ALONE, "model": "gpt-2-small", "seq": 1024}
SIZED = {"optimizer": "adamw", "component": "total", "batch": None}
BY_HAND = "tests/function_rows/by_hand.py: GPT-2 on one A100"
ONE_GPU = {"model": "gpt-2-small", "gpu": "a100-sxm-80gb", "gpus": 1, "batch": 8, "seq": 1024, "dtype": "bf16",
           "optimizer": "adamw", "stack": "megatron", "rows": 3}  # fmt: skip
FSDP = {**ALONE, **SIZED, "model": "llama-3.1-8b", "seq": 8192, "dp": 128, "zero_stage": 3, "micro_batch": 2,
        "recompute": "every-other-matmul", "stack": "fsdp"}  # fmt: skip

ROWS = (
    Row("TRAIN_MEMORY_BYTES", {**GPT_2, **SIZED, "micro_batch": 8}, gpt_2_bytes(8), BY_HAND),
    Row("TRAIN_MEMORY_BYTES", {**GPT_2, **SIZED, "micro_batch": 8, "optimizer": "lion",
                               "component": "optimizer_states"}, 4 * 124_439_808,
        "Chen et al. 2023 (arXiv:2302.06675), algorithm 2: one momentum of four bytes a parameter"),
    Row("TRAIN_MEMORY_BYTES", FSDP, 67 * GIB,
        "torchtitan's benchmark page: Llama-3.1-8B on 128 H100 peaks at 67 GiB", relative=0.1),
    Row("FITS", {**GPT_2, "gpu": "a100-sxm-40gb", "optimizer": "adamw", "micro_batch": 47},
        gpt_2_bytes(47) <= 0.99 * 40 * GIB, f"{BY_HAND}: 42.2 of the 42.5 GB that a card of 40 GiB leaves"),
    Row("FITS", {**GPT_2, "gpu": "a100-sxm-40gb", "optimizer": "adamw", "micro_batch": 48},
        gpt_2_bytes(48) <= 0.99 * 40 * GIB, f"{BY_HAND}: one sequence more takes 43.1 GB"),
    Row("MIN_GPUS_TRAIN", {"model": "llama-3.1-70b", "gpu": "h100-sxm", "seq": 4096, "optimizer": "adamw",
                           "stack": "megatron"}, 16,
        "70.6e9 x 18 bytes are 15 GPUs of 85 GB, and the next power of two holds their activations recomputed"),
    Row("STEP_SECONDS", {**GPT_2, "gpu": "a100-sxm-80gb", "batch": 8, "micro_batch": 8, "dtype": "bf16"}, gpt_2_step(8),
        BY_HAND, relative=1e-9),
    Row("TRAIN_ERROR", {"percentile": 10}, float(by_key("calibration_training", "name")["time_ratio"]["low"]),
        "the low end of time_ratio in data/calibration_training.csv"),
    Row("TRAIN_ERROR", {"percentile": 90}, float(by_key("calibration_training", "name")["time_ratio"]["high"]),
        "the high end of time_ratio in data/calibration_training.csv"),
    Row("PLAN_TRAINING", ONE_GPU, gpt_2_bytes(8) / GIB, f"{BY_HAND}, to two digits", at="gib_per_gpu", relative=1e-3),
    Row("PLAN_TRAINING", ONE_GPU, 8 * 1024 / gpt_2_step(8), f"{BY_HAND}, to one digit", at="tokens_per_s_per_gpu",
        relative=1e-6),
)  # fmt: skip
