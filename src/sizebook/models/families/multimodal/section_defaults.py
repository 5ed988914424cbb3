"""What the classes of transformers 5.23 give to sizes that a section of a config leaves out.

Nested sections are saved without the values that are their class's own, so a published file may lack any of these.
"""

from __future__ import annotations

QWEN2_VL_TEXT = {
    "hidden_size": 8192,
    "intermediate_size": 29568,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 152064,
}
QWEN2_5_VISION = {
    "hidden_size": 3584,
    "intermediate_size": 3420,
    "depth": 32,
    "num_heads": 16,
    "out_hidden_size": 3584,
    "patch_size": 14,
}
QWEN3_VL_TEXT = {
    "hidden_size": 4096,
    "intermediate_size": 22016,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 151936,
}
QWEN3_VISION = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "depth": 27,
    "num_heads": 16,
    "out_hidden_size": 3584,
    "patch_size": 16,
    "num_position_embeddings": 2304,
}
GLM4V_VISION = {
    "hidden_size": 1536,
    "intermediate_size": 13696,
    "depth": 24,
    "num_heads": 12,
    "out_hidden_size": 4096,
    "image_size": 336,
    "patch_size": 14,
}
PIXTRAL = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 1024,
    "patch_size": 16,
}
SIGLIP = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "image_size": 224,
    "patch_size": 16,
}
WHISPER_LARGE = {
    "d_model": 1280,
    "encoder_layers": 32,
    "encoder_attention_heads": 20,
    "encoder_ffn_dim": 5120,
    "num_mel_bins": 128,
}
VOXTRAL_AUDIO = {
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_attention_heads": 20,
    "num_mel_bins": 128,
}
LLAMA = {
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "vocab_size": 32000,
}
QWEN2 = {**LLAMA, "intermediate_size": 22016, "num_key_value_heads": 32, "vocab_size": 151936}
GEMMA3 = {
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "vocab_size": 262208,
}
GLM4V = {
    "hidden_size": 4096,
    "intermediate_size": 13696,
    "num_hidden_layers": 40,
    "num_attention_heads": 32,
    "num_key_value_heads": 2,
    "vocab_size": 151552,
}
CLIP = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "image_size": 224,
    "patch_size": 32,
    "num_channels": 3,
}
OVIS2_VISION = {
    "hidden_size": 1024,
    "intermediate_size": 2816,
    "num_hidden_layers": 24,
    "num_attention_heads": 8,
    "image_size": 224,
    "patch_size": 14,
    "vocab_size": 16384,
}
GOT_OCR2_VISION = {
    "hidden_size": 768,
    "output_channels": 256,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "image_size": 1024,
    "patch_size": 16,
    "mlp_dim": 3072,
}
EXAONE4_5_VISION = {**QWEN2_5_VISION, "num_key_value_heads": 8}
CHAMELEON_VQ = {"embed_dim": 256, "num_embeddings": 8192, "latent_channels": 256, "base_channels": 128}
GLM_OCR_VISION = {
    "depth": 24,
    "hidden_size": 1024,
    "num_heads": 16,
    "image_size": 336,
    "patch_size": 14,
    "out_hidden_size": 1536,
    "intermediate_size": 4096,
}
BLIP2_VISION = {
    "hidden_size": 1408,
    "intermediate_size": 6144,
    "num_hidden_layers": 39,
    "num_attention_heads": 16,
    "image_size": 224,
    "patch_size": 14,
}
BLIP2_QUERIES = {
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
}
