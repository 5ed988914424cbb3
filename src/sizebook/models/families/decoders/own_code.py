"""Decoders published with their own code: Llama-Nemotron, Ling, MiniMax-Text-01 and M1, Arctic, Step-3's text model."""

from dataclasses import replace
from typing import Any

from sizebook.models.architecture import Architecture, Attention, Brick, FeedForward, Layer, Norm, Projection
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, feed_forward, layers_of, stack
from sizebook.models.families.decoders.linear_attention import MIXED
from sizebook.models.families.experts import routed
from sizebook.models.huggingface import describe, model_type
from sizebook.models.latent import SharedQueryAttention

BLOCK_KEYS = {
    "attention": {
        "n_heads_in_group",
        "no_op",
        "replace_with_linear",
        "sparsify",
        "num_sink_tokens",
        "window_length",
        "use_prefill_window_in_sink_attention",
        "unshifted_sink",
    },
    "ffn": {"ffn_mult", "no_op", "replace_with_linear", "sparsify"},
}


@model_type("nemotron-nas")
def nemotron_nas(config: Config) -> Architecture:
    """Llama-Nemotron (arXiv:2505.00949): blocks chosen by search, some without attention or feed-forward block."""
    n_layers = config.integer("num_hidden_layers")
    config.none("intermediate_size", "num_key_value_heads")
    blocks = config.per_layer("block_configs", n_layers)
    return stack(config, tuple(_searched(config, blocks, i) for i in range(n_layers)))


def _searched(config: Config, blocks: list[Any], index: int) -> Layer:
    """Return a layer of a searched model; a block left out has no norm either."""
    d_model = config.integer("hidden_size")
    kinds = {key: _block(config, blocks[index], key) for key in BLOCK_KEYS}
    bias = {"attention": config.flag("attention_bias", default=False), "ffn": config.flag("mlp_bias", default=False)}
    bricks: list[Brick] = []
    for key, norm in (("attention", "input_layernorm"), ("ffn", "post_attention_layernorm")):
        said = kinds[key]
        if said.get("no_op"):
            continue
        build = _grouped if key == "attention" else _widened
        one = Projection(f"{key}.linear", d_model, d_model, bias=bias[key], part="mlp" if key == "ffn" else "attention")
        bricks += [Norm(norm, d_model), one if said.get("replace_with_linear") else build(config, said)]
    return Layer(tuple(bricks))


def _block(config: Config, blocks: Any, key: str) -> dict[str, Any]:
    said = blocks.get(key) if isinstance(blocks, dict) and blocks.keys() == BLOCK_KEYS.keys() else None
    if not isinstance(said, dict) or said.keys() - BLOCK_KEYS[key] or said.get("sparsify"):
        raise config.unknown(
            "block_configs", said, f"an object 'attention' and 'ffn', each of {sorted(BLOCK_KEYS[key])}"
        )
    return said


def _grouped(config: Config, said: dict[str, Any]) -> Attention:
    n_heads, group = config.integer("num_attention_heads"), _positive(config, said, "n_heads_in_group")
    kv_heads = config.divides("num_attention_heads", n_heads, "n_heads_in_group", group)
    window = None if said.get("window_length") is None else _positive(config, said, "window_length")
    inner = config.read_as({**config.values, "num_key_value_heads": kv_heads})
    bias = config.flag("attention_bias", default=False)
    found = attention(inner, qkv_bias=bias, out_bias=bias, window=window)
    config.ignore(*inner.read)
    return found


def _positive(config: Config, said: dict[str, Any], key: str) -> int:
    value = said.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise config.unknown(f"block_configs.attention.{key}", value, "a whole number of 1 or more")
    return value


def _widened(config: Config, said: dict[str, Any]) -> FeedForward:
    """Return a block of ffn_mult two thirds of twice the width, rounded up to 256."""
    mult = said.get("ffn_mult")
    if isinstance(mult, bool) or not isinstance(mult, int | float) or not 0 < mult < 1000:
        raise config.unknown("block_configs.ffn.ffn_mult", mult, "a number above 0")
    d_model = config.integer("hidden_size")
    width = -(-int(2 * mult * d_model / 3) // 256) * 256
    return FeedForward(d_model, width, gated=True, bias=config.flag("mlp_bias", default=False))


@model_type("minimax_text_01", "minimax_m1")
def minimax_text(config: Config) -> Architecture:
    """MiniMax-Text-01 and M1 (arXiv:2501.08313) as first published: the type ``minimax`` with a list of numbers."""
    config.only("shared_intermediate_size", 0)
    config.only("postnorm", True, False)
    for key in ("attention", "linear_attention", "mlp"):
        config.ignore(f"layernorm_{key}_alpha", f"layernorm_{key}_beta", f"layernorm_full_{key}_alpha")
    for kind in ("full", "linear"):
        config.ignore(f"layernorm_{kind}_attention_alpha", f"layernorm_{kind}_attention_beta")
    kinds = config.per_layer("attn_type_list", config.integer("num_hidden_layers"))
    if set(kinds) - {0, 1}:
        raise config.unknown("attn_type_list", kinds, "0 for linear attention, 1 for the usual")
    inner = config.read_as({**config.values, "layer_types": [MIXED[kind] for kind in kinds], "model_type": "minimax"})
    described = describe(inner)
    config.ignore(*inner.read)
    return replace(described, model_type=config.text("model_type"), buffers=())


@model_type("arctic")
def arctic(config: Config) -> Architecture:
    """Snowflake Arctic: a dense residual block as wide as the model beside the experts of every n-th layer."""
    config.only("enable_expert_tensor_parallelism", False)
    mixer, feed = (
        attention(config, kv_required=True),
        routed(config, "intermediate_size"),
    )
    config.agree("parallel_attn_mlp_res", "use_residual")
    residual = config.flag("parallel_attn_mlp_res", "use_residual", default=False)
    every, n_layers = config.integer("moe_layer_frequency", default=2), config.integer("num_hidden_layers")
    beside = (
        Norm("residual_layernorm", feed.d_model),
        FeedForward(feed.d_model, feed.d_model, True, name="residual_mlp"),
    )

    def layer(sparse: bool) -> Layer:
        whole = block(feed.d_model, mixer, feed if sparse else feed_forward(config))
        return Layer((*whole.bricks, *(beside if sparse and residual else ())))

    return stack(config, layers_of([(i + 1) % every == 0 for i in range(n_layers)], layer))


@model_type("step3_text")
def step3_text(config: Config) -> Architecture:
    """Step-3's language model (arXiv:2507.19427): low-rank queries, one key-value head, experts but in some layers."""
    config.only("num_attention_groups", 1)
    config.only("num_key_value_heads", 1)
    mixer = SharedQueryAttention(
        config.integer("hidden_size"),
        config.integer("num_attention_heads"),
        d_head=config.integer("head_dim", default=256),
        q_rank=config.integer("share_q_dim"),
    )
    feed = routed(config, d_ff_shared=config.integer("share_expert_dim"))
    n_layers = config.integer("num_hidden_layers")
    sparse = _listed(config, n_layers)

    def layer(has_experts: bool) -> Layer:
        return block(feed.d_model, mixer, feed if has_experts else feed_forward(config))

    return stack(config, layers_of([i in sparse for i in range(n_layers)], layer))


def _listed(config: Config, n_layers: int) -> set[int]:
    """Return the layers with experts: listed as numbers with commas, all but the first where they are not."""
    said = config.values.get("moe_layers_enum")
    if said is None:
        return set(range(1, n_layers))
    words = said.split(",") if isinstance(said, str) else []
    if not words or not all(word.strip().isdecimal() for word in words):
        raise config.unknown("moe_layers_enum", said, "numbers of layers with commas between them")
    return {int(word) for word in words}
