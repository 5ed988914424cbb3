"""What bricks say of themselves beside their tensors: caches, scores, states, towers, by hand from the papers."""

from typing import Any

from sizebook.models.architecture import Architecture, Attention, Experts
from sizebook.models.compressed import CompressedIndexer, Compressor
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from sizebook.models.latent import Indexer, LatentAttention
from sizebook.models.mixers import DeltaNet, Mamba1, Mamba2
from sizebook.models.towers import Tower
from tests.models.test_decoders import DEEPSEEK_V3, LLAMA


def _described(config: dict[str, Any], **changed: Any) -> Architecture:
    return architecture(Config({**config, **changed}, "config.json"))


def test_a_latent_cache_is_one_vector_a_token() -> None:
    """DeepSeek-V2 (arXiv:2405.04434), table 1: (d_c + d_R) per layer = 4.5 d_head; here 512 + 64."""
    layers = _described(DEEPSEEK_V3).layers
    mixers = [brick for brick in layers[0].bricks if isinstance(brick, LatentAttention)]
    assert [(brick.cache_width, brick.d_head, brick.n_kv_heads) for brick in mixers] == [(576, 192, 1)]


def test_an_indexer_caches_a_key_and_limits_the_keys_seen() -> None:
    described = _described(
        DEEPSEEK_V3, model_type="deepseek_v32", index_n_heads=64, index_head_dim=128, index_topk=2048
    )
    bricks = described.layers[5].bricks
    assert [b.index_width for b in bricks if isinstance(b, Indexer)] == [128]
    assert [b.selected_keys for b in bricks if isinstance(b, LatentAttention)] == [2048]


def test_compressed_history_caches_a_fraction_of_a_vector_per_token() -> None:
    keep = ("hidden_size", "vocab_size", "moe_intermediate_size", "n_routed_experts", "n_shared_experts")
    config = {key: DEEPSEEK_V3[key] for key in (*keep, "num_experts_per_tok", "q_lora_rank")}
    described = _described(
        config,
        model_type="deepseek_v4",
        num_hidden_layers=3,
        compress_ratios=[0, 4, 128],
        num_attention_heads=64,
        head_dim=512,
        o_groups=8,
        o_lora_rank=1024,
        index_n_heads=64,
        index_head_dim=128,
        index_topk=512,
        sliding_window=128,
    )
    found = [[b for b in layer.bricks if isinstance(b, Compressor)] for layer in described.layers]
    assert [[(b.cache_width, b.selected_keys) for b in bricks] for bricks in found] == [[], [(128, 2048)], [(4, None)]]
    keys = [[b.index_width for b in layer.bricks if isinstance(b, CompressedIndexer)] for layer in described.layers]
    assert keys == [[], [32], []]


def test_windows_follow_the_pattern() -> None:
    gemma = _described(
        LLAMA, model_type="gemma3_text", num_hidden_layers=12, head_dim=256, sliding_window=1024, num_key_value_heads=4
    )
    windows = [next(b.window for b in layer.bricks if isinstance(b, Attention)) for layer in gemma.layers]
    assert windows == ([1024] * 5 + [None]) * 2
    assert len({id(layer) for layer in gemma.layers}) == 2


def test_states_do_not_grow_with_the_context() -> None:
    """Mamba (arXiv:2312.00752): d_inner x d_state; the convolution keeps its last inputs beside it."""
    assert Mamba1(4096, 8192, 16, 4, 256).state_elements == 8192 * 16 + 8192 * 4
    assert Mamba2(4096, 128, 64, 8, 128, 4).state_elements == 8192 * 128 + (8192 + 2 * 8 * 128) * 4
    assert DeltaNet(2048, 16, 32, 128, 128, 4).state_elements == 32 * 128 * 128 + (2 * 2048 + 4096) * 4


def test_a_token_visits_its_experts_only() -> None:
    experts = Experts(64, 32, n_experts=8, top_k=2, bias=True, router_bias=True)
    sizes = {weight.name: (weight.copies, weight.active) for weight in experts.weights}
    assert sizes["mlp.experts.*.up_proj.weight"] == sizes["mlp.experts.*.up_proj.bias"] == (8, 2)
    assert sizes["mlp.gate.weight"] == (1, 1)


def test_a_tower_counts_whole_and_under_one_name() -> None:
    config = {
        "model_type": "llava",
        "text_config": {**LLAMA, "num_hidden_layers": 2},
        "vision_config": {
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 3,
            "num_attention_heads": 4,
            "image_size": 28,
            "patch_size": 14,
        },
    }
    described = _described(config)
    towers = [brick for brick in described.inputs if isinstance(brick, Tower)]
    layer = 4 * 64 * 64 + 4 * 64 + 2 * 64 * 128 + 128 + 64 + 4 * 64
    stem = 64 + 3 * 14 * 14 * 64 + (4 + 1) * 64 + 2 * 64
    projector = 2 * 64 + 64 * 4096 + 4096 + 4096 * 4096 + 4096
    assert count(described).parts["tower"] == stem + 3 * layer + projector
    assert [(tower.kind, tower.n_layers) for tower in towers] == [("vision", 3)]
