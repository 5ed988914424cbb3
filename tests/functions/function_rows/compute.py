"""FLOPs, scaling choices, and what a budget buys."""

from __future__ import annotations

from math import sqrt

from tests.functions.function_rows.row import Row

H100 = 989.4e12  # dense bf16 FLOP/s
# Llama-3.1-8B: parameters that multiply (all but the embedding and 65 norms), of 8,030,261,248.
LLAMA = 8_030_261_248 - 128_256 * 4096 - 65 * 4096
# Where alpha A / N^alpha = beta B / D^beta with N = 10 B and the coefficients of Besiroglu et al. 2024.
BALANCED_TOKENS = (0.3658 * 2085.43 / (0.3478 * 482.01) * 10**3.478) ** (1 / 0.3658)
GPT_3 = {"seq": 2048, "n_layers": 96, "d_model": 12288, "vocab": 51200}

ROWS = (
    Row(
        "FLOPS_6ND",
        {"n_parameters": 174_600_000_000, "tokens": 300e9},
        3.14e23,
        "Brown et al. 2020, table D.1: 3.14e23 FLOPs for GPT-3 and 300 B tokens",
        relative=0.002,
    ),
    Row(
        "FLOPS_PER_TOKEN_PALM",
        {"n_parameters": 6_658_859_008, "n_layers": 32, "n_heads": 32, "d_head": 128, "seq": 2048},
        0.422 * H100 / 9670,
        "llm-foundry's benchmark page: MPT-7B at 9,670 tokens/s on an H100 is an MFU of 42.2 %",
        relative=0.005,
    ),
    Row(
        "FLOPS_PER_STEP_GPT",
        {"batch": 1536, **GPT_3, "recompute": "full"},
        84 * 86_400 * 384 * 153e12 / (300e9 / (1536 * 2048)),
        "Narayanan et al. 2021, table 2: 300 B tokens take 84 days on 384 GPUs at 153 TFLOP/s each",
        relative=0.015,
    ),
    Row(
        "FLOPS_PER_STEP_GPT",
        {"batch": 64, **GPT_3, "recompute": "none"},
        0.514 * 13.75 * 64 * 312e12,
        "Korthikanti et al. 2022, table 5: 13.75 s on 64 A100 are an MFU of 51.4 %",
        relative=0.01,
    ),
    Row(
        "FLOPS_PER_STEP_GPT",
        {"batch": 2, "seq": 30, "n_layers": 3, "d_model": 10, "vocab": 70, "recompute": "selective"},
        60 * (3 * (3 * 2400 + 3 * 1200 + 1400) + 3 * 1200),
        "by hand a token: 3 layers x (24 x 100 + scores 4 x 30 x 10), head 2 x 10 x 70, three passes, scores once more",
    ),
    Row("TRAIN_FLOPS", {"flops_per_token": 449e9, "tokens": 15.6e12}, 7.0044e24, "449 x 15.6 = 7004.4"),
    Row(
        "MFU",
        {"tokens_per_s_per_gpu": 3679, "flops_per_token": 6 * 6_658_859_008 + 12 * 32 * 4096 * 2048,
         "peak_flop_per_s": 312e12},
        0.5092,
        "llm-foundry's benchmark page: MPT-7B at 3,679 tokens/s on an A100",
        relative=0.001,
    ),
    Row(
        "TRAIN_TOKENS_PER_S",
        {"utilization": 0.422, "flops_per_token": 6 * 6_658_859_008 + 12 * 32 * 4096 * 2048, "peak_flop_per_s": H100},
        9670,
        "llm-foundry's benchmark page, the MFU of 42.2 % on an H100 turned round",
        relative=0.001,
    ),
    Row(
        "FLOPS_FORWARD",
        {"model": "gpt-2-small", "seq": 1024, "sequences": 1},
        291_648_307_200,
        "nanoGPT's transformer_sizing.ipynb counts the same",
    ),
    Row(
        "FLOPS_FORWARD",
        {"model": "llama-3.1-8b", "seq": 128, "sequences": 3},
        3 * 1_929_782_493_184,
        "torch.utils.flop_counter over the real modules: 1,929,782,493,184 for one sequence of 128",
    ),
    Row(
        "FLOPS_PER_TOKEN",
        {"model": "llama-3-70b", "seq": 8192, "flops_convention": "megatron", "recompute": "none"},
        449e9,
        "Megatron-Bridge's performance page: model TFLOP/s over tokens/s",
        relative=0.002,
    ),
    Row(
        "FLOPS_PER_TOKEN",
        {"model": "qwen3-30b-a3b", "seq": 8192, "flops_convention": "torchtitan", "recompute": "none"},
        37_578_559_488,
        "torchtitan pull request 4300 prints it",
    ),
    Row(
        "FLOPS_PER_TOKEN",
        {"model": "llama-3.1-8b", "seq": 1000, "flops_convention": "matmul", "recompute": "none"},
        6 * LLAMA + 3 * 32 * 4 * 4096 * 500,
        "by hand: 6 x what multiplies, and three times 4 x 4096 FLOPs a layer for each of 500 keys on average",
    ),
    Row(
        "FLOPS_PER_TOKEN_LORA",
        {"model": "llama-3.1-8b", "seq": 4096, "lora_rank": 8, "lora_on": "attention"},
        4 * LLAMA + 6 * 32 * 4096 * 4096 + 6 * 8 * 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024)),
        "by hand: 4 x what multiplies, causal scores three times, 6 x adapters on q, k, v and o of 32 layers",
    ),
    Row(
        "OPTIMAL_PARAMS",
        {"n_flops": 5.76e23, "approach": "approach-1"},
        67e9,
        "Hoffmann et al. 2022, table 3: 5.76e23 FLOPs are best spent on 67 B",
        relative=0.01,
    ),
    Row(
        "OPTIMAL_PARAMS",
        {"n_flops": 6 * 1e9 * 20e9, "approach": "20-tokens"},
        1e9,
        "1 B parameters on 20 B tokens cost 6 x 1e9 x 20e9",
        relative=1e-9,
    ),
    Row(
        "OPTIMAL_PARAMS",
        {"n_flops": 6e10 * BALANCED_TOKENS, "approach": "epoch"},
        1e10,
        "Besiroglu et al. 2024: of 10 B parameters a little more saves what a little more of those tokens does",
        relative=1e-9,
    ),
    Row(
        "OPTIMAL_TOKENS",
        {"n_parameters": 10_000_000_000, "approach": "approach-1"},
        205.1e9,
        "Hoffmann et al. 2022, table 3: 205.1 B tokens for 10 B",
        relative=0.045,
    ),
    Row(
        "OPTIMAL_TOKENS",
        {"n_parameters": 67_000_000_000, "approach": "20-tokens"},
        1.34e12,
        "twenty tokens a parameter",
    ),
    Row(
        "TRAINING_LOSS",
        {"n_parameters": 10**12, "tokens": 10**12, "loss_law": "approach-3"},
        1.69 + 406.4 / 12_022.6443 + 410.7 / 2_290.8677,
        "Hoffmann et al. 2022, equation 10: 10^(12 x 0.34) = 10^4.08 and 10^(12 x 0.28) = 10^3.36 from a table of logs",
        relative=1e-7,
    ),
    Row(
        "TRAINING_LOSS",
        {"n_parameters": 10**10, "tokens": 10**10, "loss_law": "epoch"},
        1.8172 + 482.01 / 3_006.0763 + 2085.43 / 4_549.8806,
        "Besiroglu et al. 2024: 10^3.478 and 10^3.658",
        relative=1e-7,
    ),
    Row(
        "TOKENS_FOR_BUDGET",
        {"budget_usd": 5000, "flops_per_token": 50e9, "price_usd_per_gpu_hour": 2.5, "peak_flop_per_s": 1e15,
         "utilization": 0.4},
        57.6e9,
        "2,000 GPU-hours are 7.2e6 s x 4e14 FLOP/s = 2.88e21 FLOPs, over 5e10 a token",
    ),
    Row(
        "PARAMS_FOR_BUDGET",
        {"budget_usd": 5000, "price_usd_per_gpu_hour": 2.5, "peak_flop_per_s": 1e15, "utilization": 0.4,
         "approach": "20-tokens"},
        sqrt(2.88e21 / 120),
        "the 2.88e21 FLOPs above are 120 N^2",
        relative=1e-9,
    ),
    Row("FLOPS_FORWARD", {"model": "mistral-7b", "seq": 8192, "sequences": 1},
        8192 * (2 * (7_241_732_096 - 32_000 * 4096 - 65 * 4096) + 32 * 4 * 4096 * 8192),
        "Mistral 7B sees 4,096 tokens, but a counter sees the full square: the Hub's count less table and norms"),
    Row("FLOPS_PER_TOKEN_LORA", {"model": "llama-3.1-8b", "seq": 4096, "lora_rank": 8, "lora_on": "all"},
        4 * LLAMA + 6 * 32 * 4096 * 4096
        + 6 * 8 * 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14_336)),
        "by hand as on attention, with adapters on gate, up and down too"),
    Row("OPTIMAL_PARAMS", {"n_flops": 6.88e23, "approach": "approach-2"}, 67e9,
        "Hoffmann et al. 2022, table A3: 67 B for 6.88e23 FLOPs", relative=0.01),
)  # fmt: skip
