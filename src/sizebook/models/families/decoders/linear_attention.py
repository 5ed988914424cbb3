"""Decoders that alternate attention with linear attention: Qwen 3 Next and 3.5, OLMo Hybrid, Kimi Linear, MiniMax."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Layer, Norm, Tensors
from sizebook.models.config import MISSING, Config
from sizebook.models.families.blocks import (
    BesideLayers,
    attention,
    block,
    every,
    feed_forward,
    layers_of,
    prediction,
    stack,
    vector,
)
from sizebook.models.families.decoders.latent_attention import latent
from sizebook.models.families.experts import correction, fine_grained, mlp_kinds, routed
from sizebook.models.huggingface import model_type
from sizebook.models.mixers import DeltaNet
from sizebook.models.recurrences import LightningAttention


@model_type("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text")
def qwen3_next(config: Config) -> Architecture:
    """Qwen 3 Next and 3.5: gated delta rule in three of four layers, gated attention in the fourth."""
    name, n_layers = config.text("model_type"), config.integer("num_hidden_layers")
    config.ignore("output_gate_type", "mtp_use_dedicated_embeddings", "mtp_num_hidden_layers", "intermediate_size")
    config.only("attn_output_gate", True)
    bias = config.flag("attention_bias", default=False)
    attend = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head")
    attend = replace(attend, gate=attend.n_heads * attend.d_head)
    mixer = delta(config)
    period = config.integer("full_attention_interval", default=4)
    default = ["full_attention" if (i + 1) % period == 0 else "linear_attention" for i in range(n_layers)]
    kinds = config.pattern("layer_types", n_layers, MIXED, default)
    step, dense_layers = (
        config.integer("decoder_sparse_step", default=1),
        config.integers("mlp_only_layers", default=[]),
    )
    experts = None
    if name == "qwen3_5_moe_text":  # its class builds experts in every layer, whatever is said
        config.only("decoder_sparse_step", 1)
        config.only("mlp_only_layers", [])
    if name != "qwen3_5_text":
        shared = config.integer("shared_expert_intermediate_size")
        experts = routed(config, d_ff_shared=shared, shared_gate=True)

    def layer(kind: tuple[str, bool]) -> Layer:
        feed: Brick = experts if experts and not kind[1] else feed_forward(config)
        if kind[0] == MIXED[0]:
            return block(attend.d_model, mixer, feed)
        gate_bias = (Tensors((vector("self_attn.g_proj.bias", attend.gate, part="bias"),)),) if bias else ()
        return Layer((*block(attend.d_model, attend, feed).bricks, *gate_bias))

    is_dense = [i in dense_layers or not step or (i + 1) % step != 0 for i in range(n_layers)]
    n_mtp = config.integer("mtp_num_hidden_layers", default=0)
    return stack(
        config,
        layers_of(zip(kinds, is_dense, strict=True), layer),
        BesideLayers(mtp=prediction(attend.d_model, layer((MIXED[1], False)), n_mtp) if n_mtp else ()),
    )


def delta(config: Config, name: str = "linear_attn") -> DeltaNet:
    """Return the gated delta rule from the usual keys."""
    return DeltaNet(
        config.integer("hidden_size"),
        config.integer("linear_num_key_heads"),
        config.integer("linear_num_value_heads"),
        d_key=config.integer("linear_key_head_dim"),
        d_value=config.integer("linear_value_head_dim"),
        d_conv=config.integer("linear_conv_kernel_dim"),
        name=name,
    )


@model_type("olmo_hybrid")
def olmo_hybrid(config: Config) -> Architecture:
    """OLMo Hybrid: delta layers normed in front, attention layers behind, as OLMo 2 does."""
    config.ignore("linear_allow_neg_eigval", "linear_a_log_min", "linear_a_log_max", "linear_dt_min", "linear_dt_max")
    config.ignore("linear_dt_init_floor")
    n_layers = config.integer("num_hidden_layers")
    feed, mixer = feed_forward(config), delta(config)
    attend = attention(config, biased=True, qk_norm="all")
    names = ("post_attention_layernorm", "post_feedforward_layernorm")
    norms = [Norm(name, feed.d_model) for name in names]
    built = {MIXED[0]: block(feed.d_model, mixer, feed), MIXED[1]: Layer((attend, norms[0], feed, norms[1]))}
    usual = every(n_layers, 4, last=MIXED[1], other=MIXED[0])
    if MIXED[1] not in usual:
        usual[-1] = MIXED[1]
    kinds = config.pattern("layer_types", n_layers, MIXED, usual)
    return stack(config, tuple(built[kind] for kind in kinds))


@model_type("kimi_linear", "bailing_hybrid")
def kimi_linear(config: Config) -> Architecture:
    """Kimi Linear and Ling 3: delta rule with a decay per channel, latent attention in every n-th layer."""
    kimi = config.text("model_type") == "kimi_linear"
    config.ignore("kda_safe_gate", "kda_lower_bound", "layer_group_size", "num_expert_group", "short_conv_kernel_size")
    feed, mlps = fine_grained(config), mlp_kinds(config, first_dense=1)
    config.ignore("use_grouped_topk", "moe_router_activation_func")
    config.only("moe_layer_freq", 1)
    if not kimi:
        config.none("linear_attn_config", "q_lora_rank")
    own = config.section("linear_attn_config")  # spellings of the published file, which go first
    kinds = kimi_kinds(config, own, kimi)
    heads = own.size("num_heads") or config.integer("linear_num_heads")
    width = own.size("head_dim") or config.integer("linear_head_dim")
    conv = own.size("short_conv_kernel_size") or config.integer("linear_conv_kernel_dim")
    rank = width if kimi else 0
    mixer = DeltaNet(
        feed.d_model,
        heads,
        heads,
        d_key=width,
        d_value=width,
        d_conv=conv,
        channel_decay=True,
        decay_rank=rank,
        gate_rank=rank,
        name="self_attn",
    )
    attend = latent(config)
    if not kimi:
        attend = replace(attend, gate=attend.n_heads)

    def layer(kind: tuple[str, str]) -> Layer:
        which: Brick = feed_forward(config) if kind[0] == "dense" else feed
        return block(feed.d_model, mixer if kind[1] == MIXED[0] else attend, which)

    n_mtp = config.integer("num_nextn_predict_layers", default=0)
    return stack(
        config,
        layers_of(zip(mlps, kinds, strict=True), layer),
        BesideLayers(
            ties=False,
            buffers=correction(feed.n_experts, mlps),
            mtp=prediction(feed.d_model, layer(("sparse", MIXED[1])), n_mtp) if n_mtp else (),
        ),
    )


def kimi_kinds(config: Config, own: Config, kimi: bool) -> list[str]:
    """Return which layers have full attention: listed by type, or by number from 1; else as Kimi's class has it."""
    n_layers = config.integer("num_hidden_layers")
    full, linear = own.integers("full_attn_layers", default=[]), own.integers("kda_layers", default=[])
    if full or linear:
        if sorted((*full, *linear)) != list(range(1, n_layers + 1)):
            raise own.unknown("full_attn_layers", full, f"each of {n_layers} layers in it or in 'kda_layers' once")
        default = [MIXED[1] if i + 1 in full else MIXED[0] for i in range(n_layers)]
    else:
        default = [MIXED[1] if i and i % 4 == 0 else MIXED[0] for i in range(n_layers)]
    return config.pattern("layer_types", n_layers, MIXED, default if kimi else MISSING)


@model_type("minimax")
def minimax(config: Config) -> Architecture:
    """MiniMax-01: lightning attention and softmax attention by pattern, experts in every layer."""
    config.ignore("full_attn_alpha_factor", "full_attn_beta_factor", "linear_attn_alpha_factor", "mlp_beta_factor")
    config.ignore("linear_attn_beta_factor", "mlp_alpha_factor")
    n_layers, feed = config.integer("num_hidden_layers"), routed(config, "intermediate_size", name="block_sparse_moe")
    attend = attention(config, window=config.window("sliding_window"))
    mixer = LightningAttention(feed.d_model, attend.n_heads, attend.d_head)
    kinds = config.pattern("layer_types", n_layers, MIXED, [MIXED[(i + 1) % 2] for i in range(n_layers)])
    size, heads = config.integer("block_size", default=256), attend.n_heads
    shapes = {"slope_rate": (heads, 1, 1), "query_decay": (heads, size, 1), "key_decay": (heads, size, 1)}
    stored = [vector(f"self_attn.{name}", *shape) for name, shape in shapes.items()]
    stored.append(vector("self_attn.diagonal_decay", 1, heads, size, size))
    layers = layers_of(kinds, lambda kind: block(feed.d_model, mixer if kind == MIXED[0] else attend, feed))
    return stack(config, layers, BesideLayers(buffers=tuple(stored) * kinds.count(MIXED[0])))


MIXED = ("linear_attention", "full_attention")
