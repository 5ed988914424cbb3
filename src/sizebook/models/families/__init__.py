"""The mappings from config.json to `Architecture`, a module a family.

`sizebook.models.huggingface` imports them one after the other until a model type is found, so the commonest come
first. A new module is added to this list.
"""

MODULES = (
    "llama",
    "gpt",
    "dense",
    "experts",
    "sparse",
    "latent",
    "hybrid",
    "linear_attention",
    "audio_towers",
    "blt",
    "compressed",
    "described",
    "encoders",
    "encoders_bert",
    "encoders_extended",
    "encoders_factored",
    "encoders_gated",
    "encoders_rearranged",
    "encoders_relative",
    "gemma_later",
    "hunyuan",
    "inkling",
    "mamba",
    "omni",
    "originals",
    "seq2seq",
    "seq2seq_bart",
    "seq2seq_gemma",
    "seq2seq_own",
    "seq2seq_t5",
    "vision_aligned",
    "vision_language",
    "vision_more",
    "vision_towers",
    "zamba",
    "zaya",
)
