"""Training memory and time in closed form."""

from __future__ import annotations

from math import exp, sqrt

from tests.functions.function_rows.row import GIB, Row

KORTHIKANTI = "Korthikanti et al. 2022 (arXiv:2205.05198), figure 1"
NARAYANAN = "Narayanan et al. 2021 (arXiv:2104.04473)"
SMALL = {"seq": 2048, "micro_batch": 4, "d_model": 6144, "n_heads": 64, "n_layers": 48, "tp": 8, "pp": 1}
LARGE = {"seq": 2048, "micro_batch": 1, "d_model": 12288, "n_heads": 96, "n_layers": 96, "tp": 8, "pp": 8}
# 300 B tokens of GPT-3 on 384 A100 at 153 TFLOP/s each took 84 days: table 2 of Narayanan.
GPT_3 = {"n_flops": 84 * 86_400 * 384 * 153e12, "peak_flop_per_s": 312e12, "utilization": 153 / 312, "goodput": 1}
STATES = {"n_parameters": 7_500_000_000, "dp": 64, "weight_bytes_each": 2, "gradient_bytes_each": 2,
          "optimizer_bytes_each": 12}  # fmt: skip

ROWS = (
    Row(
        "ACTIVATION_BYTES",
        {**SMALL, "interleave": 1, "sequence_parallel": False, "recompute": "none"},
        59.25 * GIB,
        f"{KORTHIKANTI}: 22 B, tensor parallel only",
    ),
    Row(
        "ACTIVATION_BYTES",
        {**LARGE, "interleave": 3, "sequence_parallel": True, "recompute": "selective"},
        12.3515625 * GIB,
        f"{KORTHIKANTI}: 175 B, sequence parallel and selective",
    ),
    Row(
        "ACTIVATION_BYTES",
        {**SMALL, "interleave": 1, "sequence_parallel": False, "recompute": "full"},
        48 * 2 * 2048 * 4 * 6144,
        "by hand: the input of each of 48 layers in two bytes",
    ),
    Row("LOGITS_BYTES", {"seq": 1000, "micro_batch": 3, "vocab": 50_000, "bytes_each": 4, "tp": 8}, 75_000_000,
        "3,000 tokens x 6,250 logits of a rank x 4 bytes"),
    Row(
        "STATE_BYTES_GPT",
        {"n_layers": 96, "d_model": 12288, "tp": 8, "pp": 8},
        45.5625 * GIB,
        f"{KORTHIKANTI}: parameters and optimizer of 175 B",
    ),
    Row("STATE_BYTES_GPT", {"n_layers": 3, "d_model": 10, "tp": 2, "pp": 3}, 18 * 3 * 1200 / 6,
        "by hand: 12 x 10^2 parameters in each of three layers, 18 bytes each, over six GPUs"),
    Row("MODEL_STATE_BYTES", {**STATES, "zero_stage": 0}, 120e9, "Rajbhandari et al. 2020, figure 1: 120 GB"),
    Row("MODEL_STATE_BYTES", {**STATES, "zero_stage": 1}, 31.4e9, "the same figure: 31.4 GB", relative=0.0005),
    Row("MODEL_STATE_BYTES", {**STATES, "zero_stage": 2}, 16.6e9, "the same figure: 16.6 GB", relative=0.003),
    Row("MODEL_STATE_BYTES", {**STATES, "zero_stage": 3}, 120e9 / 64, "the same figure: 1.9 GB, all of it over 64"),
    Row(
        "OPTIMIZER_BYTES",
        {"n_parameters": 2048_000, "optimizer": "adamw-8bit"},
        1000 * 2 * (2048 + 4),
        "Dettmers et al. 2022, section 2: two moments of a byte, a scale of four bytes for each block of 2048",
    ),
    Row("OPTIMIZER_BYTES", {"n_parameters": 1000, "optimizer": "adamw"}, 8000, "two moments of four bytes"),
    Row(
        "TRAIN_SECONDS",
        {**GPT_3, "gpus": 768, "utilization": 149 / 312},
        43 * 86_400,
        f"{NARAYANAN}, table 2: the same run takes 43 days on 768 GPUs at 149 TFLOP/s",
        relative=0.015,
    ),
    Row(
        "TRAIN_SECONDS",
        {"n_flops": 9e21, "gpus": 50, "peak_flop_per_s": 1e15, "utilization": 0.4, "goodput": 0.9},
        500_000,
        "50 x 4e14 = 2e16 FLOP/s, of which 0.9 advance: 1.8e16",
    ),
    Row(
        "TRAIN_DAYS",
        {**GPT_3, "gpus": 1536, "utilization": 141 / 312},
        23,
        f"{NARAYANAN}, table 2: 23 days on 1,536 GPUs at 141 TFLOP/s",
        relative=0.015,
    ),
    Row("TRAIN_DAYS", {"n_flops": 1.8e16 * 86_400 * 7, "gpus": 50, "peak_flop_per_s": 1e15, "utilization": 0.4,
                       "goodput": 0.9}, 7, "a week at the 1.8e16 FLOP/s above"),
    Row("GPU_HOURS", {"gpus": 2048, "seconds": 54 * 86_400}, 2_654_208, "2048 x 54 x 24"),
    Row(
        "GPUS_FOR_DEADLINE",
        {"n_flops": 1.8e16 * 86_400 * 7, "days": 7, "peak_flop_per_s": 1e15, "utilization": 0.4, "goodput": 0.91},
        50,
        "49.5 of the GPUs above, which is 50",
    ),
    Row("GPUS_FOR_DEADLINE", {"n_flops": 1e20, "days": 1, "peak_flop_per_s": 1e13, "utilization": 0.5, "goodput": 1},
        232, "one GPU computes 86,400 x 5e12 = 4.32e17 in the day: 231.5"),
    Row(
        "DAYS_TO_SPARE",
        {"n_flops": 1.8e16 * 86_400 * 7, "gpus": 50, "days": 10, "peak_flop_per_s": 1e15, "utilization": 0.4,
         "goodput": 0.9},
        3,
        "ten days less the week above",
        relative=1e-9,
    ),
    Row("PIPELINE_BUBBLE", {"pp": 12, "micro_batches": 20, "interleave": 5}, 0.11,
        f"{NARAYANAN}, section 2.2.2: 11 / (5 x 20)"),
    Row(
        "CLUSTER_MTBF_HOURS",
        {"gpus": 16_384, "gpu_mtbf_hours": 50_677},
        54 * 24 / 419,
        "Llama 3 (arXiv:2407.21783), section 3.3.4: 419 interruptions in 54 days on 16,384 GPUs",
        relative=1e-4,
    ),
    Row(
        "CHECKPOINT_INTERVAL_SECONDS",
        {"checkpoint_seconds": 1, "mtbf_hours": 500},
        sqrt(2 * 1 * 1_800_000),
        "Young 1974: sqrt(2 c M) = 1897.4 s, the limit of short checkpoints",
        relative=0.001,
    ),
    Row(
        "CHECKPOINT_INTERVAL_SECONDS",
        {"checkpoint_seconds": 800, "mtbf_hours": 1},
        2400 * (1 + 1 / 9 + 1 / 81) - 800,
        "Daly 2006: sqrt(2 x 800 x 3600) = 2400, sqrt(800 / 7200) = 1/3, 800 / 64800 = 1/81",
    ),
    Row(
        "GOODPUT",
        {"mtbf_hours": 1, "checkpoint_seconds": 400, "restart_seconds": 900, "interval_seconds": 1400},
        (1400 / 3600) / (exp(0.25) * (exp(0.5) - 1)),
        "Daly 2006 with R/M = 1/4 and (t + c)/M = 1/2: 0.38889 / (1.28403 x 0.64872)",
    ),
    Row(
        "GOODPUT",
        {"mtbf_hours": 1e9, "checkpoint_seconds": 100, "restart_seconds": 0, "interval_seconds": 900},
        0.9,
        "without failures only checkpoints cost time: 900 of 1000 s",
        relative=1e-6,
    ),
    Row("ACTIVATION_BYTES", {**SMALL, "interleave": 1, "sequence_parallel": True, "recompute": "none"},
        2048 * 4 * 48 * (34 * 6144 + 5 * 64 * 2048) / 8, "Korthikanti, equation 4: s b h (34 + 5 a s / h) / t a layer"),
    Row("ACTIVATION_BYTES", {**LARGE, "interleave": 1, "sequence_parallel": True, "recompute": "full"},
        2048 * 96 * 2 * 12288 / 8, "by hand: each rank keeps an eighth of each layer's input, in two bytes"),
    Row("CHECKPOINT_INTERVAL_SECONDS", {"checkpoint_seconds": 7300, "mtbf_hours": 1}, 3600,
        "Daly 2006: checkpoints longer than twice the time between failures are written once in that time"),
    Row("GOODPUT", {"mtbf_hours": 1, "checkpoint_seconds": 800, "restart_seconds": 0, "interval_seconds": None},
        (2400 * 91 / 81 - 800) / 3600 / (exp(2400 * 91 / 81 / 3600) - 1),
        "Daly 2006 at the interval above, 2400 (1 + 1/9 + 1/81) - 800 s"),
)  # fmt: skip
