"""Decoders that alternate attention with linear attention: Qwen 3 Next and 3.5, OLMo Hybrid, Kimi Linear, MiniMax."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Layer
from sizebook.models.config import MISSING, Config
from sizebook.models.families.blocks import BesideLayers, block, feed_forward, layers_of, prediction, stack
from sizebook.models.families.decoders.latent_attention import latent
from sizebook.models.families.experts import correction, fine_grained, mlp_kinds
from sizebook.models.huggingface import model_type
from sizebook.models.mixers import DeltaNet


@model_type("kimi_linear", "bailing_hybrid")
def kimi_linear(config: Config) -> Architecture:
    """Kimi Linear and Ling 3: delta rule with a decay per channel, latent attention in every n-th layer."""
    kimi = config.text("model_type") == "kimi_linear"
    feed, mlps = fine_grained(config), mlp_kinds(config, first_dense=1)
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


MIXED = ("linear_attention", "full_attention")
