"""Memory and time of training a published model, and training plans."""

from __future__ import annotations

from typing import Any

from sizebook.core.tables import by_key
from tests.functions.function_rows.by_hand import gpt_2_bytes, gpt_2_step
from tests.functions.function_rows.row import GIB, Row

ALONE: dict[str, Any] = {"tp": 1, "pp": 1, "dp": 1, "cp": 1, "ep": 1, "zero_stage": 0, "interleave": 1,
                         "recompute": "none", "stack": "megatron"}  # fmt: skip
STATED = {"gradient_dtype": "fp32", "optimizer_dtype": "fp32", "fused_loss": False}
GPT_2 = {**ALONE, "model": "gpt-2-small", "seq": 1024}
SIZED = {"optimizer": "adamw", "component": "total", "batch": None}
BY_HAND = "tests/functions/function_rows/by_hand.py: GPT-2 on one A100"
ONE_GPU = {"model": "gpt-2-small", "gpu": "a100-sxm-80gb", "gpus": 1, "batch": 8, "seq": 1024, "compute_dtype": "bf16",
           "optimizer": "adamw", "stack": "megatron", "n_layouts": 3}  # fmt: skip
FSDP = {**ALONE, **SIZED, "model": "llama-3.1-8b", "seq": 8192, "dp": 128, "zero_stage": 3, "micro_batch": 2,
        "recompute": "every-other-matmul", "stack": "fsdp"}  # fmt: skip
LLAMA_405B = {**ALONE, "model": "llama-3.1-405b", "gpu": "h100-sxm", "compute_dtype": "bf16", "seq": 8192, "batch": 252,
              "micro_batch": 1, "tp": 8, "pp": 9, "cp": 2, "dp": 4, "interleave": 7, "zero_stage": 1}  # fmt: skip
SPLIT = {**ALONE, "model": "llama-3.1-8b", "optimizer": "adamw", "seq": 4096, "micro_batch": 1, "tp": 2, "pp": 4,
         "dp": 3, "cp": 2, "zero_stage": 1, "batch": None}  # fmt: skip
# A rank of its first stage: eight of 32 layers and the table over two ranks, the norms of those layers whole.
HELD = 8 * 218_103_808 / 2 + 128_256 * 4096 / 2 + 8 * 2 * 4096
RUN_HOURS = (
    10e12 * 797_815_296 / (0.4 * 312e12) / 3600
)  # GPU-hours of GPT-2 on ten trillion tokens at 40 % of 312 TFLOP/s
PROGRAMME = {
    "phases": [
        ["name", "DPO"], ["kind", "preference"], ["model", "gpt-2-small"], ["gpu", "a100-sxm-80gb"], ["gpus", 8],
        ["tokens", 10e12], ["batch", 64], ["seq", 1024], ["dp", 8], ["recompute", "none"], ["mfu", 0.4],
        ["price_usd_per_gpu_hour", 3], ["grams_per_kwh", 400], ["programme_factor", 1], ["gpu_mtbf_hours", 1e15],
        ["kept_checkpoints", 0],
    ],
    "ablation_share": 0.25,
}  # fmt: skip
FITTING = {name: value for name, value in SPLIT.items() if name != "batch"}

ROWS = (
    Row("TRAIN_MEMORY_BYTES", {**GPT_2, **SIZED, "micro_batch": 8}, gpt_2_bytes(8), BY_HAND),
    Row("TRAIN_MEMORY_BYTES", {**GPT_2, **SIZED, "micro_batch": 8, "optimizer": "lion",
                               "component": "optimizer_states"}, 4 * 124_439_808,
        "Chen et al. 2023 (arXiv:2302.06675), algorithm 2: one momentum of four bytes a parameter"),
    Row("TRAIN_MEMORY_BYTES", FSDP, 67 * GIB,
        "torchtitan's benchmark page: Llama-3.1-8B on 128 H100 peaks at 67 GiB", relative=0.1),
    Row("FITS", {**GPT_2, **STATED, "gpu": "a100-sxm-40gb", "optimizer": "adamw", "micro_batch": 48},
        gpt_2_bytes(48) <= 42_294_690_447, f"{BY_HAND}: 42.0 of the 42.3 GB that a card of 40 GiB leaves"),
    Row("FITS", {**GPT_2, **STATED, "gpu": "a100-sxm-40gb", "optimizer": "adamw", "micro_batch": 49},
        gpt_2_bytes(49) <= 42_294_690_447, f"{BY_HAND}: one sequence more takes 42.9 GB"),
    Row("FITS", {**GPT_2, "gpu": "a100-sxm-40gb", "optimizer": "adamw", "micro_batch": 49},
        gpt_2_bytes(49) - 2 * 124_439_808 - 6 * 1024 * 49 * 50_257 <= 42_294_690_447,
        f"{BY_HAND}: left open, gradients take two bytes and the loss keeps four of ten a logit"),
    Row("MIN_GPUS_TRAIN", {"model": "llama-3.1-70b", "gpu": "h100-sxm", "seq": 4096, "optimizer": "adamw",
                           "stack": "megatron"}, 16,
        "70.6e9 x 12 bytes are 10 GPUs of 85 GB, and the next power of two holds their activations recomputed"),
    Row("STEP_SECONDS", {**GPT_2, "gpu": "a100-sxm-80gb", "batch": 8, "micro_batch": 8, "compute_dtype": "bf16"},
        gpt_2_step(8), BY_HAND, relative=1e-9),
    Row("TRAIN_ERROR", {"percentile": 10}, float(by_key("calibration_training_bands", "family")["not measured"]["low"]),
        "the low end of what nobody measured in data/calibration_training_bands.csv"),
    Row("TRAIN_ERROR", {"percentile": 90, "run_family": "dense hopper"},
        float(by_key("calibration_training_bands", "family")["dense hopper"]["high"]),
        "the high end of dense models on Hopper in data/calibration_training_bands.csv"),
    Row("TRAIN_MEMORY_BYTES", {**GPT_2, **SIZED, "component": "gradients", "micro_batch": 49,
                               "fits_on": "a100-sxm-40gb"}, 2 * 124_439_808,
        "49 sequences fit on a card of 40 GiB with gradients in bf16"),
    Row("PLAN_TRAINING", ONE_GPU, gpt_2_bytes(8) / GIB, f"{BY_HAND}, to two digits", at="gib_per_gpu", relative=1e-3),
    Row("PLAN_TRAINING", ONE_GPU, 8 * 1024 / gpt_2_step(8), f"{BY_HAND}, to one digit", at="tokens_per_s_per_gpu",
        relative=1e-6),
    Row("PLAN_TRAINING", ONE_GPU, 8 * 1024 / gpt_2_step(8) * (6 * (84_934_656 + 38_597_376) + 3 * 12 * 4 * 768 * 512)
        / 312e12, "FLOPs of matrices, head and causal scores a token, at that rate, over 312 TFLOP/s", at="mfu",
        relative=1e-3),
    Row("STEP_SECONDS", LLAMA_405B, 17.2, "NVIDIA dgxc-benchmarking, README_405b.md 24.11.1: 17.2 s on 576 H100",
        relative=0.25),
    Row("TRAIN_MEMORY_BYTES", {**SPLIT, "component": "weights"}, 2 * HELD,
        "two bytes each; the first stage is the fullest, as it keeps four micro-batches"),
    Row("TRAIN_MEMORY_BYTES", {**SPLIT, "component": "optimizer_states"}, 8 * HELD / 6,
        "the same at eight bytes over three times two ranks"),
    Row("FITS", {**FITTING, "gpu": "h100-sxm", "tp": 8, "pp": 3, "dp": 5, "cp": 1}, True,
        "0.36 G parameters a GPU and 18 bytes each are 6.5 of 85 GB; three ranks do not divide 32 heads"),
    Row("ADAPTER_PARAMS", {"model": "llama-2-7b", "tuning": None, "lora_rank": 16, "lora_on": "all"}, 39_976_960,
        "PEFT prints this for every linear layer of Llama 2 7B: 32 layers x 16 x (4 x 8192 + 3 x 15 104)"),
    Row("ADAPTER_PARAMS", {"model": "llama-2-7b", "tuning": None, "lora_rank": 8, "lora_on": "query-value"}, 4_194_304,
        "PEFT prints this for its default of 8 on q_proj and v_proj: 32 layers x 8 x 2 x 8192"),
    Row("ADAPTER_PARAMS", {"model": "llama-2-7b", "tuning": "dora", "lora_rank": 16, "lora_on": "all"},
        39_976_960 + 32 * (4 * 4096 + 2 * 11_008 + 4096), "a magnitude for each output of the seven matrices"),
    Row("ADAPTER_PARAMS", {"model": "mixtral-8x7b", "tuning": "qlora", "lora_rank": 4, "lora_on": "mlp"},
        32 * 8 * 3 * 4 * (4096 + 14_336), "each of eight experts carries its own three adapters in 32 layers"),
    Row("FINE_TUNING_FITS", {"model": "llama-65b", "gpu_memory_gib": 48, "seq": 512, "tuning": "qlora",
                             "lora_rank": 64, "lora_on": "all"}, True,
        "Dettmers et al. 2023 (arXiv:2305.14314), abstract: a 65B model on a single 48GB GPU"),
    Row("FINE_TUNING_FITS", {"model": "llama-3.1-70b", "gpu_memory_gib": 24, "seq": 512, "tuning": "qlora",
                             "lora_rank": 16, "lora_on": "all"}, False,
        "the frozen layers alone take 68.45e9 x 0.516 = 35.3 GB"),
    Row("FINE_TUNING_MEMORY", {"model": "llama-3.1-70b", "gpu_memory_gib": 80, "seq": 1024, "tuning": "qlora",
                               "lora_rank": 16, "lora_on": "attention"},
        0.516 * 80 * 855_654_400 + 2 * (2 * 128_256 * 8192 + 8192) + 2 * 65_536_000,
        "layers in 4.128 bits, both tables and the last norm in bf16, adapters in bf16", at="weights"),
    Row("PROGRAMME_BUDGET", PROGRAMME, 1.25 * RUN_HOURS * 4 / 3 * 3, "a DPO phase of GPT-2 is a third more than its "
        "training; a quarter of ablations, at 3 USD an hour, nothing stored", at="usd", relative=1e-6),
    Row("PROGRAMME_LEDGER", PROGRAMME, 1.25 * 8 * 730, "in the first month eight GPUs run throughout, and a quarter "
        "as many for ablations", at="gpu_hours", relative=1e-6),
    Row("PROGRAMME_FIGURES", PROGRAMME, RUN_HOURS / 3, "forward is a third of forward and backward",
        at="forward_gpu_hours", relative=1e-6),
    Row("PROGRAMME_FIGURES", PROGRAMME, 14 * 124_439_808, "weights, master weights and two moments",
        at="checkpoint_bytes"),
)  # fmt: skip
