"""Llama and the types that are Llama's block under other names, with other flags or other biases."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Experts, Layer, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    SLIDING,
    Around,
    attention,
    block,
    feed_forward,
    layers_of,
    sandwich,
    sliding_pattern,
    stack,
    uniform,
    window_of,
)
from sizebook.models.huggingface import describe, model_type


@model_type("llama", "iquestcoder")
def llama(config: Config) -> Architecture:
    """Llama: grouped attention, gated feed-forward block, biases by two flags."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    coder = config.text("model_type") == "iquestcoder"
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=128 if coder else None, kv_required=coder)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("baichuan")
def baichuan(config: Config) -> Architecture:
    """Baichuan's own code: Llama with query, key and value in one matrix."""
    feed = feed_forward(config)
    config.ignore("model_max_length")
    return stack(config, uniform(config, block(feed.d_model, attention(config), feed)))


@model_type("internlm", "internlm2")
def internlm(config: Config) -> Architecture:
    """InternLM's own code: Llama with one bias flag for attention, by default set in the first generation only."""
    bias = config.flag("bias", default=config.text("model_type") == "internlm")
    feed = feed_forward(config)
    return stack(config, uniform(config, block(feed.d_model, attention(config, qkv_bias=bias, out_bias=bias), feed)))


@model_type("internlm3")
def internlm3(config: Config) -> Architecture:
    """InternLM 3: Llama with a flag for the biases of query, key and value, and one for all others."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=128, kv_required=True)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("minicpm")
def minicpm(config: Config) -> Architecture:
    """MiniCPM's own code: Llama with scaled residuals, embedding and head tied unless the file says otherwise."""
    config.ignore("dim_model_base", "scale_depth", "scale_emb", "mup_denominator", "sparse_config")
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)), Around(tied=True))


@model_type("exaone")
def exaone(config: Config) -> Architecture:
    """EXAONE 3 and 3.5 (arXiv:2412.04862): Llama's block; its file says `num_layers`."""
    feed = feed_forward(config)
    return stack(config, uniform(config, block(feed.d_model, attention(config), feed)))


@model_type("mistral", "ministral")
def mistral(config: Config) -> Architecture:
    """Mistral: Llama without biases; all layers slide where a window is given. Ministral 8B lists those that do."""
    window = config.window("sliding_window")
    feed = feed_forward(config)
    mixer = attention(config, kv_required=True, window=window)
    if config.text("model_type") == "mistral":
        return stack(config, uniform(config, block(feed.d_model, mixer, feed)))
    kinds = config.pattern("layer_types", n := config.integer("num_hidden_layers"), SLIDING, [SLIDING[0]] * n)
    windows = [window if kind == SLIDING[0] else None for kind in kinds]
    return stack(config, layers_of(windows, lambda w: block(feed.d_model, replace(mixer, window=w), feed)))


@model_type("nemotron")
def nemotron(config: Config) -> Architecture:
    """Nemotron 4 and Minitron: Llama with layer norms and a block without a gate."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False), gated=False)
    layer = block(feed.d_model, attention(config, qkv_bias=bias, out_bias=bias), feed, bias=True)
    return stack(config, uniform(config, layer), Around(norm_bias=True))


@model_type("phi3", "phi4")
def phi3(config: Config) -> Architecture:
    """Phi 3 and 4: Llama with query, key and value, and gate and up, each in one matrix."""
    config.ignore("full_attn_mod", "interpolate_factor")
    window = config.window("sliding_window")
    feed = feed_forward(config)
    return stack(config, uniform(config, block(feed.d_model, attention(config, window=window), feed)))


@model_type("granite", "granite_swa", "smollm3", "cwm", "hyperclovax")
def granite(config: Config) -> Architecture:
    """Llama with windows by pattern; sinks in Granite SWA; norms of what each block adds in HyperCLOVA X."""
    name = config.text("model_type")
    config.ignore("no_rope_layers", "no_rope_layer_interval", "use_sliding_window", "max_window_layers")
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    required = name in ("smollm3", "cwm", "granite_swa")
    if name == "cwm":
        config.only("attention_bias", False)
    d_head = 128 if name == "cwm" else None
    sinks = name == "granite_swa"
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=d_head, kv_required=required, sinks=sinks)
    post = name == "hyperclovax" and config.flag("use_post_norm", default=True)
    names = ("input_layernorm", "post_norm1", "post_attention_layernorm", "post_norm2")

    def layer(kind: str) -> Layer:
        slid = replace(mixer, window=window_of(config, kind))
        return sandwich(feed.d_model, slid, feed, names=names) if post else block(feed.d_model, slid, feed)

    return stack(config, layers_of(sliding_pattern(config), layer), Around(tied=name in ("smollm3", "granite_swa")))


@model_type("helium", "seed_oss")
def helium(config: Config) -> Architecture:
    """Helium and Seed-OSS: heads 128 wide unless given; the output projection has a bias flag of its own."""
    seed = config.text("model_type") == "seed_oss"
    out_bias = config.flag("attention_out_bias", default=False) if seed else False
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(
        config,
        qkv_bias=config.flag("attention_bias", default=seed),
        out_bias=out_bias,
        d_head=128,
        kv_required=True,
    )
    if not seed and mixer.n_heads * mixer.d_head != feed.d_model:
        raise config.unknown("head_dim", mixer.d_head, f"heads that are together {feed.d_model} wide")
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("arcee", "jais2")
def arcee(config: Config) -> Architecture:
    """Arcee and Jais 2: Llama with a plain feed-forward block (squared ReLU); Jais 2 has biases everywhere."""
    jais = config.text("model_type") == "jais2"
    bias = config.flag("attention_bias", default=jais)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=jais), gated=False)
    mixer = attention(config, qkv_bias=bias, out_bias=bias)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed, bias=jais)), Around(norm_bias=jais))


@model_type("bitnet")
def bitnet(config: Config) -> Architecture:
    """BitNet: norms in front of both projections out of a block; the count is of values, whatever their bits."""
    bias, feed = config.flag("attention_bias", default=False), feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, kv_required=True)
    norms = Norm("self_attn.attn_sub_norm", feed.d_model), Norm("mlp.ffn_sub_norm", feed.d_ff)
    layer = block(feed.d_model, mixer, feed)
    return stack(config, uniform(config, Layer((*layer.bricks, *norms))))


@model_type("ernie4_5")
def ernie(config: Config) -> Architecture:
    """ERNIE 4.5: Llama with heads 128 wide unless given and one flag for all biases."""
    bias = config.flag("use_bias", default=False)
    feed = feed_forward(config, bias=bias)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=128, kv_required=True)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)), Around(tied=True))


@model_type("hunyuan_v1_dense", "hunyuan_v1_moe")
def hunyuan(config: Config) -> Architecture:
    """Hunyuan 0.5B to 7B, and A13B: experts as wide as the dense block and a shared one; how many run may vary."""
    for key in ("use_cla", "use_mla"):
        if config.flag(key, default=False):
            raise config.unknown(key, True, "false: transformers builds neither shared nor latent keys for this type")
    config.only("use_rotary_pos_emb", True)
    config.ignore("cla_share_factor", "use_qk_norm", "norm_type", "org_vocab_size", "attention_head_dim", "class_num")
    bias = config.flag("attention_bias", default=False)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head")
    feed = feed_forward(config)
    if config.text("model_type") == "hunyuan_v1_dense":
        config.only("num_experts", 1)
        return stack(config, uniform(config, block(feed.d_model, mixer, feed)))
    config.ignore("use_mixed_mlp_moe", "num_shared_expert", "moe_intermediate_size", "moe_layer_num_skipped")
    n_layers, n_experts = config.integer("num_hidden_layers"), config.integer("num_experts", "num_local_experts")
    experts = Experts(feed.d_model, feed.d_ff, n_experts, top_k=1, d_ff_shared=feed.d_ff)
    if isinstance(config.values.get("moe_topk"), list):
        config.integers("moe_topk")
        visited = config.per_layer("moe_topk", n_layers)
    else:
        visited = [config.integer("moe_topk", "num_experts_per_tok")] * n_layers

    def layer(top_k: int) -> Layer:
        return block(feed.d_model, mixer, replace(experts, top_k=top_k))

    return stack(config, layers_of(visited, layer))


@model_type("ministral3")
def ministral3(config: Config) -> Architecture:
    """Ministral 3: Mistral's block; a file of the model with vision gives the same type with sections.

    Only the class of the whole reads these: the text model's own builds its defaults from such a file.
    """
    kind = "mistral3" if config.has("text_config") else "mistral"
    named = config.class_names()
    if kind == "mistral3" and named and not named[0].startswith("Mistral3"):
        raise config.unknown("architectures", named, "Mistral3ForConditionalGeneration first beside 'text_config'")
    inner = config.read_as({"head_dim": 128, **config.values, "model_type": kind})
    described = describe(inner)
    config.read |= inner.read
    config.sections |= inner.sections
    return replace(described, model_type="ministral3")
