"""Parameter counts in closed form, number formats and bytes of weights."""

from __future__ import annotations

from tests.functions.function_rows.row import Row

BASE = {"n_layers": 6, "d_model": 512, "d_ff": 2048}
GPT_3 = {"n_layers": 96, "d_model": 12288}

ROWS = (
    Row(
        "PARAMS_MHA",
        {"d_model": 640, "bias": True},
        4 * (640 * 640 + 640),
        "four projections of 640 x 640, each with a bias of 640",
    ),
    Row("PARAMS_MHA", {"d_model": 640, "bias": False}, 4 * 640 * 640, "the same without biases"),
    Row(
        "PARAMS_ATTENTION",
        {"d_model": 4096, "n_heads": 32, "d_head": 128, "n_kv_heads": 8, "bias": False},
        41_943_040,
        "Llama-3.1-8B's tensors: q and o 4096 x 4096, k and v 4096 x 1024",
    ),
    Row(
        "PARAMS_ATTENTION",
        {"d_model": 3584, "n_heads": 28, "d_head": 128, "n_kv_heads": 4, "bias": True},
        3584 * (3584 + 512) * 2 + 3584 + 2 * 512 + 3584,
        "Qwen2-7B's tensors with its biases on q, k and v, and one on the output",
    ),
    Row(
        "PARAMS_FFN",
        {"d_model": 4096, "d_ff": 14336, "bias": False, "gated": True, "convention": "exact"},
        176_160_768,
        "Llama-3.1-8B's gate, up and down: 3 x 4096 x 14336",
    ),
    Row(
        "PARAMS_FFN",
        {"d_model": 320, "d_ff": 1000, "bias": True, "gated": False, "convention": "exact"},
        2 * 320 * 1000 + 1000 + 320,
        "up with a bias of 1000, down with a bias of 320",
    ),
    Row("PARAMS_LN", {"d_model": 4096, "bias": False}, 4096, "Llama's RMSNorm is a gain for each of 4096 widths"),
    Row("PARAMS_LN", {"d_model": 768, "bias": True}, 1536, "GPT-2's layer norm: weight [768] and bias [768]"),
    Row(
        "PARAMS_LINEAR",
        {"d_in": 768, "d_out": 3072, "bias": True},
        2_362_368,
        "GPT-2's c_fc: weight [768, 3072] and bias [3072]",
    ),
    Row(
        "PARAMS_EMBEDDING",
        {"n_entries": 50257, "d_model": 768, "n_positions": 1024},
        38_597_376 + 786_432,
        "GPT-2's wte [50257, 768] and wpe [1024, 768] as its checkpoint holds them",
    ),
    Row(
        "PARAMS_ENCODER",
        {**BASE, "convention": "exact"},
        6 * (1_050_624 + 2_099_712 + 2 * 1024),
        "six layers of attention 4 (512^2 + 512), block 2 x 512 x 2048 + 2560 and two norms of 1024",
    ),
    Row(
        "PARAMS_ENCODER",
        {"n_layers": 12, "d_model": 768, "d_ff": 3072, "convention": "exact"},
        109_482_240 - (30522 + 512 + 2) * 768 - 2 * 768 - (768 * 768 + 768),
        "bert-base as the Hub counts it, less its three tables, their norm and the pooler",
    ),
    Row(
        "PARAMS_DECODER",
        {**BASE, "convention": "exact"},
        6 * (2 * 1_050_624 + 2_099_712 + 3 * 1024),
        "as the encoder with a second attention and a third norm a layer",
    ),
    Row(
        "PARAMS_DECODER",
        {"n_layers": 2, "d_model": 100, "d_ff": 350, "convention": "exact"},
        2 * (8 * 100 * 100 + 8 * 100 + 2 * 100 * 350 + 350 + 100 + 3 * 200),
        "by hand: eight projections of 100 x 100 with biases, up and down with theirs, three norms, two layers",
    ),
    Row(
        "PARAMS_TRANSFORMER",
        {**BASE, "vocab": 37000, "n_positions": 0, "convention": "tied"},
        63_082_496,
        "44,138,496 in the layers by hand and one table of 37,000 x 512 for both sides and the head",
    ),
    Row(
        "PARAMS_TRANSFORMER",
        {"n_layers": 6, "d_model": 1024, "d_ff": 4096, "vocab": 37000, "n_positions": 0, "convention": "tied"},
        213_000_000,
        "Vaswani et al. 2017, table 3: the big model has 213 M",
        relative=0.006,
    ),
    Row(
        "PARAMS_NON_EMBEDDING",
        {**GPT_3, "d_attn": 12288, "d_ff": 49152},
        12 * 96 * 12288 * 12288,
        "Kaplan et al. 2020, section 2.1: 12 L d^2 where d_attn = d and d_ff = 4 d",
    ),
    Row(
        "PARAMS_NON_EMBEDDING",
        {"n_layers": 3, "d_model": 100, "d_attn": 60, "d_ff": 350},
        3 * (3 * 100 * 60 + 60 * 100 + 2 * 100 * 350),
        "by hand: q, k and v 100 x 60, output 60 x 100, up and down 100 x 350, three layers",
    ),
    Row(
        "PARAMS_GPT",
        {"n_layers": 24, "d_model": 1536, "n_heads": 16, "d_head": 96, "vocab": 50257, "n_positions": 2048},
        760_000_000,
        "Brown et al. 2020, table 2.1: GPT-3 Large has 760 M",
        relative=0.005,
    ),
    Row(
        "PARAMS_GPT",
        {"n_layers": 2, "d_model": 40, "n_heads": 5, "d_head": 6, "vocab": 70, "n_positions": 9},
        2 * (4 * 40 * 30 + 2 * 40 * 160) + 79 * 40,
        "by hand: four projections of 40 x 30, a block of 4 x 40, tables of 70 and 9 rows",
    ),
    Row(
        "PARAMS_DECODER_ONLY",
        {"n_layers": 12, "d_model": 768, "d_ff": 3072, "vocab": 50257, "n_positions": 1024, "projection_bias": True,
         "tied": True, "final_norm": True},
        124_439_808,
        "GPT-2 small as its checkpoint holds it",
    ),
    Row(
        "PARAMS_DECODER_ONLY",
        {"n_layers": 12, "d_model": 768, "d_ff": 3072, "vocab": 50304, "n_positions": 1024, "projection_bias": False,
         "tied": False, "final_norm": True},
        124_337_664 + 25 * 768 + (50304 - 50257) * 768 + 50304 * 768,
        "nanoGPT's transformer_sizing.ipynb: 124,337,664 without any bias, tied; biases of 25 norms, 47 more tokens "
        "and a head of its own",
    ),
    Row(
        "PARAMS_LORA",
        {"d_model": 4096, "d_out": 1024, "lora_rank": 8},
        8 * 4096 + 1024 * 8,
        "A [8, 4096] and B [1024, 8] on Llama-3.1-8B's key projection",
    ),
    Row("DTYPE_BITS", {"dtype": "mxfp4"}, 136 / 32, "32 weights of 4 bits and a scale of 8: 136 bits for 32"),
    Row("DTYPE_BITS", {"dtype": "q8_0"}, 34 * 8 / 32, "a block of q8_0 is 34 bytes for 32 weights"),
    Row(
        "MODEL_BYTES",
        {"parameters": 8_030_261_248, "dtype": "q4_k_m"},
        4.58 * 2**30,
        "llama.cpp's table: Llama-3.1-8B is 4.58 GiB in Q4_K_M",
        relative=0.002,
    ),
    Row("MODEL_BYTES", {"parameters": 1601, "dtype": "nvfp4"}, 901, "1601 x 4.5 / 8 = 900.56, and a part is a byte"),
    Row(
        "WEIGHT_BYTES",
        {"n_parameters": 32_000, "dtype": "nvfp4"},
        18_000,
        "2000 blocks of 16 weights, each 16 x 4 bits and a scale of 8: 9 bytes a block",
    ),
    Row("PARAMS_ATTENTION", {"d_model": 300, "n_heads": 5, "d_head": 64, "n_kv_heads": None, "bias": False},
        4 * 300 * 320, "by hand: five key-value heads too, four projections of 300 x 320"),
    Row("PARAMS_FFN", {"d_model": 320, "d_ff": 1000, "bias": True, "gated": True, "convention": "dashboard"},
        3 * 320 * 1000 + 3 * 320, "three biases, all of the model's width as the Transformers Dashboard post has them"),
    Row("PARAMS_FFN", {"d_model": 320, "d_ff": 1000, "bias": True, "gated": True, "convention": "exact"},
        3 * 320 * 1000 + 2000 + 320, "gate and up with biases of 1000, down with one of 320"),
    Row("PARAMS_ENCODER", {**BASE, "convention": "dashboard"}, 18_914_304 - 6 * 1536,
        "the Dashboard post: a bias of 512 where 2048 belong, in six layers"),
    Row("PARAMS_DECODER", {**BASE, "convention": "dashboard"}, 25_224_192 - 6 * 1536, "the same in the decoder"),
    Row("PARAMS_TRANSFORMER", {**BASE, "vocab": 37000, "n_positions": 512, "convention": "weights"},
        12 * 6 * 512 * 512 + 4 * 6 * 512 * 2048 + 37_512 * 512, "Kaplan's way: no bias, no norm, one table"),
    Row("PARAMS_TRANSFORMER", {**BASE, "vocab": 37000, "n_positions": 10, "convention": "post"},
        44_138_496 + 37_000 * 512 + 37_000 + 5120, "the layers, a head with a bias, ten positions"),
    Row("PARAMS_TRANSFORMER", {**BASE, "vocab": 37000, "n_positions": 0, "convention": "dashboard"},
        44_138_496 - 12 * 1536 + 37_000 * 512 + 37_000, "the same with the post's short biases and without positions"),
)  # fmt: skip
