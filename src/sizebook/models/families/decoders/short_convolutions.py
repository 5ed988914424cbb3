"""LFM 2 and 3: gated short convolutions in most layers, attention in some, dense or with experts."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, FeedForward, Layer, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, feed_forward, layers_of, stack, window_of
from sizebook.models.families.experts import correction, routed
from sizebook.models.huggingface import model_type
from sizebook.models.mixers import ShortConvolution


@model_type("lfm2", "lfm3")
def lfm2(config: Config) -> Architecture:
    """LFM 2 and 3: short gated convolutions, some layers of attention with norms per head."""
    third = config.text("model_type") == "lfm3"
    config.ignore("block_dim", "conv_dim", "conv_dim_out", "block_use_swiglu", "num_heads", "full_attn_idxs")
    config.ignore("block_norm_eps", "theta", "block_mlp_init_scale", "block_out_init_scale", "use_pos_enc")
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    mixer = ShortConvolution(d_model, config.integer("conv_L_cache"), config.flag("conv_bias", default=False))
    feed = FeedForward(d_model, config.integer("intermediate_size") if third else _lfm2_width(config), gated=True)
    bias = config.flag("attention_bias", default=False) if third else False
    attend = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head")
    gated = third and config.flag("use_attention_gate", default=True)
    attend = replace(attend, gate=attend.n_heads if gated else 0)
    norms = [Norm(n, d_model) for n in ("operator_norm", "ffn_norm", "post_operator_norm", "post_ffn_norm")]
    norms = norms if third and config.flag("use_sandwich_norm", default=True) else norms[:2]
    full = config.integers("full_attn_idxs", default=list(range(n_layers)))
    default = _lfm3_pattern(n_layers) if third else ["full_attention" if i in full else "conv" for i in range(n_layers)]
    kinds = config.pattern("layer_types", n_layers, ("conv", "full_attention", "sliding_attention"), default)

    def layer(kind: str) -> Layer:
        which = mixer if kind == "conv" else replace(attend, window=window_of(config, kind))
        return Layer((which, feed, *norms))

    tied = config.flag("tie_embedding", default=True)
    return stack(config, layers_of(kinds, layer), BesideLayers(tied=tied, final=Norm("embedding_norm", d_model)))


def _lfm3_pattern(n_layers: int) -> list[str]:
    """Return LFM 3's own pattern: of four layers one sees everything and one slides, but for the first."""
    words = ("sliding_attention", "conv", "full_attention", "conv")
    return ["conv" if i == 0 else words[i % 4] for i in range(n_layers)]


def _lfm2_width(config: Config) -> int:
    """Return the inner width: two thirds of the given one, scaled and rounded up, where adjusting is switched on."""
    width = config.integer("block_ff_dim" if config.has("block_ff_dim") else "intermediate_size")
    config.ignore("intermediate_size")
    multiple, factor = (
        config.integer("block_multiple_of"),
        config.number("block_ffn_dim_multiplier", default=1),
    )
    if not config.flag("block_auto_adjust_ff_dim", default=True):
        return width
    width = int(factor * int(2 * width / 3))
    return multiple * ((width + multiple - 1) // multiple)


@model_type("lfm2_moe")
def lfm2_moe(config: Config) -> Architecture:
    """LFM 2 with experts: dense blocks in the first layers, a stored bias that balances the experts of the others."""
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    mixer = ShortConvolution(d_model, config.integer("conv_L_cache"), config.flag("conv_bias", default=False))
    attend = attention(config, qk_norm="head")
    feed, n_dense = routed(config, name="feed_forward"), config.integer("num_dense_layers")
    config.ignore("intermediate_size")
    norms = [Norm(name, d_model) for name in ("operator_norm", "ffn_norm")]
    kinds = config.pattern("layer_types", n_layers, ("conv", "full_attention"))
    mlps = ["dense" if i < n_dense else "sparse" for i in range(n_layers)]

    def layer(kind: tuple[str, str]) -> Layer:
        which = feed_forward(config) if kind[1] == "dense" else feed
        return Layer((mixer if kind[0] == "conv" else attend, which, *norms))

    balanced = config.flag("use_expert_bias", default=True)
    return stack(
        config,
        layers_of(zip(kinds, mlps, strict=True), layer),
        BesideLayers(
            tied=config.flag("tie_embedding", default=True),
            final=Norm("embedding_norm", d_model),
            buffers=correction(feed.n_experts, mlps) if balanced else (),
        ),
    )
