"""Published models, accelerators, grids and prices: facts of the tables against their sources."""

from __future__ import annotations

from pathlib import Path

from tests.functions.function_rows.row import Row

# DeepSeek-V3 (arXiv:2412.19437), section 4.2: attention, norms of its two ranks, and what a layer of experts holds.
ATTENTION = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168 + 1536 + 512
EXPERTS = (256 + 1) * 3 * 7168 * 2048 + 256 * 7168

HAND = str(Path(__file__).with_name("hand.safetensors"))

ROWS = (
    Row("PARAMS_MODEL", {"model": "llama-3.1-8b", "part": "total"}, 8_030_261_248, "the count that the Hub shows"),
    Row("PARAMS_MODEL", {"model": "gpt-2-small", "part": "embedding"}, (50257 + 1024) * 768,
        "the tables [50257, 768] and [1024, 768] of its checkpoint"),
    Row("PARAMS_MODEL", {"model": "llama-3.1-8b", "part": "mlp"}, 32 * 3 * 4096 * 14336,
        "gate, up and down in 32 layers"),
    Row("PARAMS_MODEL", {"model": "deepseek-v3", "part": "mtp"}, ATTENTION + EXPERTS + 2 * 7168 * 7168 + 5 * 7168,
        "DeepSeek-V3's prediction layer by hand: a layer of the model, two inputs joined, five norms"),
    Row("PARAMS_MODEL", {"model": "deepseek-v3", "part": "buffers"}, 58 * 256, "a routing bias for each expert"),
    Row("PARAMS_ACTIVE", {"model": "deepseek-v3"}, 37e9,
        "DeepSeek-V3 (arXiv:2412.19437), abstract: 37 B of 671 B are active, without the embedding's 0.93 B",
        relative=0.03),
    Row("PARAMS_ACTIVE", {"model": "mixtral-8x7b"}, 46_702_792_704 - 6 * 32 * 3 * 4096 * 14336,
        "the Hub's 46,702,792,704 less six of eight experts, 3 x 4096 x 14336 each, in 32 layers"),
    Row("PARAMS_ACTIVE", {"model": "llama-2-7b"}, 6_738_415_616, "dense: all that the Hub shows"),
    Row("CHECKPOINT_PARAMS", {"path": HAND}, 128 * 24 + 24,
        "16 words of eight 4-bit weights for each of 24 outputs, and a norm; scales and zeros are no parameters"),
    Row("CHECKPOINT_BYTES", {"path": HAND}, 16 * 24 * 4 + 2 * 3 * 4 + 2 * 24 * 2 + 24 * 2,
        "words, packed zeros and 16-bit scales of two groups, a norm in 16 bits"),
    Row("MODEL_NOTES", {"model": "qwen3-asr-0.6b"},
        "transformers does not read the sizes under 'thinker_config' and builds its class's defaults",
        "what transformers 5.23 builds from the published file is larger than its checkpoint"),
    Row("CONFIG_PARAMS", {"path": "sample", "part": "mlp"}, 4 * 3 * 128 * 384,
        "the sample's four layers of gate, up and down between 128 and 384"),
    Row("CONFIG_PARAMS", {"path": "sample", "part": "attention"}, 4 * (2 * 128 * 128 + 2 * 128 * 64),
        "q and o 128 x 128, k and v 128 x 64, as two of four heads are stored"),
    Row("MODEL_SPEC", {"model": "llama-2-70b", "field": "n_kv_heads"}, 8,
        "Touvron et al. 2023 (arXiv:2307.09288), appendix A.2.1: eight key-value heads"),
    Row("MODEL_SPEC", {"model": "llama-3.1-405b", "field": "d_ff"}, 53_248, "Llama 3 (arXiv:2407.21783), table 3"),
    Row("MODEL_SPEC", {"model": "llama-2-7b", "field": "gpu_hours"}, 184_320, "Llama 2 model card"),
    Row("MODEL_LIST", {"family": "chinchilla"}, [["chinchilla-70b"]], "Hoffmann et al. 2022 published one"),
    Row("MODEL_LIST", {"family": "llama-1"}, [["llama-1-7b"], ["llama-1-13b"], ["llama-1-33b"], ["llama-1-65b"]],
        "Touvron et al. 2023 (arXiv:2302.13971), table 2: four sizes"),
    Row("GPU_SPEC", {"gpu": "h100-sxm", "field": "peak_bf16_flop_per_s"}, 989.4e12,
        "NVIDIA H100 data sheet: 1,979 TFLOP/s with sparsity, half of it dense", relative=1e-4),
    Row("GPU_SPEC", {"gpu": "a100-sxm-80gb", "field": "memory_bandwidth_bytes_per_s"}, 2.039e12,
        "NVIDIA A100 data sheet: 2,039 GB/s"),
    Row("GPU_SPEC", {"gpu": "mi300x", "field": "tdp_watts"}, 750, "AMD Instinct MI300X data sheet"),
    Row("GPU_LIST", {"maker": "AWS"}, [["trainium1"], ["trainium2"], ["trainium3"], ["inferentia2"]],
        "the accelerators that AWS builds and rents by name"),
    Row("GRID_G_PER_KWH", {"grid": "gcp:europe-north1", "basis": "location"}, 39.32,
        "Google's region-carbon-info, yearly/2024.csv: Finland 39.32"),
    Row("GRID_G_PER_KWH", {"grid": "gcp:europe-north1", "basis": "market"}, 39.32 * 0.02,
        "the same file: 98 % of the hours carbon-free", relative=1e-9),
    Row("GRID_G_PER_KWH", {"grid": "aws:us-east-1", "basis": "location"}, 415.755,
        "cloud-carbon-coefficients: 0.000415755 metric tons a kWh in SERC"),
    Row("PRICE_USD_PER_GPU_HOUR", {"gpu": "h100-sxm", "provider": "azure", "region": None, "term": "on_demand"},
        (98.32 + 122.9) / 2 / 8,
        "ND96isr H100 v5 by the hour on 2026-10-10: 98.32 twice, 122.90, 127.816; the median over 8 GPUs",
        relative=1e-6),
    Row("PRICE_USD_PER_GPU_HOUR", {"gpu": "a100-sxm-40gb", "provider": "aws", "region": "us-east-1",
                                   "term": "reserved_1y"}, 13.921094 / 8, "p4d.24xlarge for a year, over 8 GPUs",
        relative=1e-6),
)  # fmt: skip
