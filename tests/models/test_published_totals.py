"""Models on code of their own, held against what is known of their weights; what a count leaves out is added back.

RWKV-7: flash-linear-attention 0.6.0 builds models of these sizes, without weights. Kimi K3: the published name and
shape of every tensor. ERNIE 4.5 VL: the total that a copy of it states.
"""

from __future__ import annotations

from typing import Any

import pytest

from sizebook.models.cached import cache_bytes
from sizebook.models.config import Config
from sizebook.models.flops import train_flops_per_token
from sizebook.models.huggingface import architecture
from tests.models.counts import counted

RWKV7_WORLD = {
    # layers, width, ranks of decay, rate, values, gate: the total
    (12, 768, 64, 64, 32, 128): 191_034_624,
    (24, 1024, 64, 64, 32, 128): 450_767_872,
    (24, 2048, 96, 96, 64, 256): 1_527_404_544,
    (32, 2560, 96, 96, 64, 320): 2_947_735_040,
}


def _rwkv7(sizes: tuple[int, ...]) -> dict[str, Any]:
    n_layers, width, decay, rate, values, gate = sizes
    return {
        "model_type": "rwkv7",
        "architectures": ["RWKV7ForCausalLM"],
        "vocab_size": 65536,
        "head_dim": 64,
        "num_heads": width // 64,
        "hidden_ratio": 4.0,
        "intermediate_size": 4 * width,
        "value_dim": [width] * n_layers,
        "num_hidden_layers": n_layers,
        "hidden_size": width,
        "decay_low_rank_dim": decay,
        "a_low_rank_dim": rate,
        "v_low_rank_dim": values,
        "gate_low_rank_dim": gate,
        "attn": None,
        "norm_first": True,
    }


@pytest.mark.parametrize("sizes", sorted(RWKV7_WORLD))
def test_rwkv7_world(sizes: tuple[int, ...]) -> None:
    assert counted(_rwkv7(sizes))["total"] == RWKV7_WORLD[sizes]


def test_rwkv7_keeps_matrices_and_two_shifted_inputs_whatever_the_context() -> None:
    """World 1.5B: 32 heads of 64 x 64 and the last inputs of both mixings, in 24 layers; no scores, no cache."""
    read = architecture(Config(_rwkv7((24, 2048, 96, 96, 64, 256)), "config.json"))
    matrices = 32 * 64 * 64
    for tokens in (1, 100_000):
        assert cache_bytes(read, tokens, 2) == 24 * (matrices + 2 * 2048) * 4
    each = 2048 * (4 * 2048 + 2 * (96 + 96 + 256) + 2 * 4 * 2048)  # products; values are mixed but in the first layer
    products = 24 * each + 23 * 2 * 2048 * 64 + 65536 * 2048
    # a matrix decays, is asked for what to take out, loses it, gains what is written, and is read
    assert train_flops_per_token(read, 4096) == 6 * products + 3 * 24 * 5 * 2 * matrices


def test_ernie_vl_424b_as_first_published() -> None:
    """The total of its header. Of 55 billion active at most, the experts for images are not visited by a text token."""
    vision = {
        "depth": 32,
        "embed_dim": 1280,
        "hidden_size": 1280,
        "in_channels": 3,
        "mlp_ratio": 4,
        "num_heads": 16,
        "patch_size": 14,
        "spatial_merge_size": 2,
    }
    config = {
        "model_type": "ernie4_5_moe_vl",
        "architectures": ["Ernie4_5_VLMoeForConditionalGeneration"],
        "hidden_size": 8192,
        "intermediate_size": 28672,
        "num_hidden_layers": 54,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "vocab_size": 103424,
        "moe_num_experts": [64, 64],
        "moe_intermediate_size": [3584, 1536],
        "moe_k": 8,
        "moe_layer_start_index": [3, 3],
        "moe_layer_end_index": [53, 53],
        "moe_layer_interval": 1,
        "moe_num_shared_experts": 0,
        "spatial_conv_size": 2,
        "temporal_conv_size": 2,
        "pixel_hidden_size": 1280,
        "vision_config": vision,
    }
    assert counted(config)["total"] == 423_526_285_184


def _kimi_k3() -> dict[str, Any]:
    full = [*range(4, 93, 4), 93]
    attention = {
        "full_attn_layers": full,
        "kda_layers": [layer for layer in range(1, 94) if layer not in full],
        "num_heads": 96,
        "head_dim": 128,
        "short_conv_kernel_size": 4,
        "gate_lower_bound": -5.0,
        "use_full_rank_gate": True,
    }
    text = {
        "model_type": "kimi_linear",
        "attn_res_block_size": 12,
        "first_k_dense_replace": 1,
        "hidden_size": 7168,
        "intermediate_size": 33792,
        "kv_lora_rank": 512,
        "latent_moe_use_norm": True,
        "linear_attn_config": attention,
        "mla_use_nope": True,
        "mla_use_output_gate": True,
        "moe_intermediate_size": 3072,
        "moe_layer_freq": 1,
        "num_attention_heads": 96,
        "num_experts": 896,
        "num_experts_per_token": 16,
        "num_hidden_layers": 93,
        "num_nextn_predict_layers": 0,
        "num_shared_experts": 2,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "routed_expert_hidden_size": 3584,
        "tie_word_embeddings": False,
        "v_head_dim": 128,
        "vocab_size": 163840,
    }
    vision = {
        "attn_bias": False,
        "init_pos_emb_height": 64,
        "init_pos_emb_width": 64,
        "linear_bias": False,
        "merge_kernel_size": [2, 2],
        "merge_type": "sd2_tpool",
        "mlp_type": "mlp2",
        "mm_hidden_size": 1024,
        "mm_projector_type": "patchmergerv2",
        "norm_type": "rmsnorm",
        "patch_embed_proj_bias": False,
        "patch_size": 14,
        "pos_emb_type": "divided_fixed",
        "qkv_hidden_size": 1536,
        "text_hidden_size": 7168,
        "vt_hidden_size": 1024,
        "vt_intermediate_size": 4096,
        "vt_num_attention_heads": 12,
        "vt_num_hidden_layers": 27,
    }
    sections = {"text_config": text, "vision_config": vision}
    return {"model_type": "kimi_k3", "architectures": ["KimiK3ForConditionalGeneration"], **sections}


def test_kimi_k3_at_4096_tokens() -> None:
    """24 layers keep a latent vector of 512 + 64, 69 a matrix for each of 96 heads and 4 inputs of convolutions."""
    read = architecture(Config(_kimi_k3(), "config.json"))
    kept = 96 * 128 * 128 + 3 * 96 * 128 * 4
    assert cache_bytes(read, 4096, 2) == 24 * 4096 * (512 + 64) * 2 + 69 * kept * 4
    d, inner = 7168, 96 * 128
    delta = 4 * d * inner + d * 96 + 3 * inner * 4 + (d + inner) * 128 + d * inner
    latent = d * 1536 + 1536 * 96 * 192 + d * (512 + 64) + 512 * 96 * 256 + 2 * inner * d
    feed = (16 * 3584 + 2 * d) * 3 * 3072 + 2 * d * 3584 + d * 896
    products = 69 * delta + 24 * latent + 92 * feed + 3 * 33792 * d + (2 * 93 + 1) * d + 163840 * d
    scores = 24 * 2 * 96 * (128 + 64 + 128) * 4096 / 2
    assert train_flops_per_token(read, 4096) == 6 * products + 3 * (scores + 69 * 8 * 96 * 128 * 128)


def test_kimi_k3() -> None:
    """Its weights hold 1,503,647,073,024 elements, 92 x 896 experts packed two to a byte with a scale per 32."""
    got, experts = counted(_kimi_k3()), 92 * 896
    routed = experts * 3 * 3072 * 3584
    packed = routed // 2 + routed // 32
    padding = 69 * (128 - 96)  # decays of 96 heads, stored as 128
    assert got["buffers"] == experts
    assert got["total"] - routed + packed + padding + got["buffers"] == 1_503_647_073_024
    assert got["total"] == 2_779_931_752_544
