"""Vision encoders, each built from the keys of a ``vision_config``; their projectors are the callers'."""

from __future__ import annotations

from sizebook.models.architecture import Attention, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.towers import Tower


def layer_normed(d_model: int, n_heads: int, d_ff: int, *, attention_bias: bool = True) -> tuple[Brick, ...]:
    """Return the usual layer of an encoder: layer norms, attention, a plain block, biases everywhere."""
    biased = attention_bias
    attend = Attention(
        d_model, n_heads, n_heads, d_head=d_model // n_heads, qkv_bias=biased, out_bias=biased, bidirectional=True
    )
    feed = FeedForward(d_model, d_ff, gated=False, bias=True)
    return Norm("layer_norm1", d_model, bias=True), attend, Norm("layer_norm2", d_model, bias=True), feed


def rms_gated(
    d_model: int, n_heads: int, d_ff: int, *, attention_bias: bool = False, mlp_bias: bool = False
) -> tuple[Brick, ...]:
    """Return a layer with gains only, and a gated block."""
    width = d_model // n_heads
    attend = Attention(
        d_model, n_heads, n_heads, d_head=width, qkv_bias=attention_bias, out_bias=attention_bias, bidirectional=True
    )
    feed = FeedForward(d_model, d_ff, gated=True, bias=mlp_bias)
    return Norm("norm1", d_model), attend, Norm("norm2", d_model), feed


def patches(config: Config, *, size: str = "image_size") -> int:
    """Return the patches of one image."""
    return (config.integer(size) // config.integer("patch_size")) ** 2


def pixels(config: Config, *, frames: int = 1, key: str = "num_channels") -> int:
    """Return the numbers in one patch; ``key`` is the word for channels that the class of the type reads."""
    channels, other = config.integer(key, default=3), "in_channels" if key == "num_channels" else "num_channels"
    if (said := config.integer(other, default=channels)) != channels:
        raise config.unknown(other, said, f"{channels}: the class of this type reads '{key}' only")
    return channels * config.integer("patch_size") ** 2 * frames


def encoder(config: Config) -> tuple[int, tuple[Brick, ...], int]:
    """Return width, layer and layers of a ViT from the usual keys."""
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    layer = layer_normed(d_model, n_heads, config.integer("intermediate_size"))
    return d_model, layer, config.integer("num_hidden_layers")


def encoder_of_depth(config: Config) -> tuple[int, tuple[Brick, ...]]:
    """Return width and layer of a ViT that names its heads and layers as Qwen's do."""
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_heads", "num_attention_heads")
    config.divides("hidden_size", d_model, "num_heads", n_heads)
    return d_model, layer_normed(d_model, n_heads, config.integer("intermediate_size"))


def stem_with_class(config: Config, d_model: int, *, bias: bool, name: str = "position_embedding") -> tuple[Brick, ...]:
    """Return a class token, the product that reads a patch, and a learned position of each and of the token."""
    return (
        Tensors((vector("class_embedding", d_model),)),
        linear("patch_embedding", pixels(config), d_model, bias=bias),
        Embedding(name, patches(config) + 1, d_model),
    )


def siglip(config: Config, projector: tuple[Brick, ...], *, positions: int = 0) -> Tower:
    """SigLIP (arXiv:2303.15343): learned positions, no class token, an optional head that pools."""
    d_model, layer, n_layers = encoder(config)
    config.ignore("projection_dim", "vocab_size", "image_size")
    stem: list[Brick] = [linear("patch_embedding", pixels(config), d_model)]
    stem.append(Embedding("position_embedding", positions or patches(config), d_model))
    last: list[Brick] = [Norm("post_layernorm", d_model, bias=True)]
    if config.flag("vision_use_head", default=True):
        last += [*layer[1:], Tensors((vector("head.probe", d_model),))]
    return Tower("vision", d_model, n_layers, stem=tuple(stem), layer=layer, projector=(*last, *projector))


def clip_vit(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """CLIP's ViT (arXiv:2103.00020): a class token, norms before and after the layers."""
    d_model, layer, n_layers = encoder(config)
    config.ignore("projection_dim", "vocab_size")
    stem = (*stem_with_class(config, d_model, bias=False), Norm("pre_layrnorm", d_model, bias=True))
    return Tower(
        "vision",
        d_model,
        n_layers,
        stem=stem,
        layer=layer,
        projector=(Norm("post_layernorm", d_model, bias=True), *projector),
    )


def pixtral(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """Pixtral's ViT (arXiv:2410.07073): rotary positions, gains only, gated blocks."""
    config.ignore("image_size", "head_dim", "vocab_size", "projection_dim")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    layer = rms_gated(d_model, n_heads, config.integer("intermediate_size"))
    stem = linear("patch_conv", pixels(config), d_model, bias=False), Norm("ln_pre", d_model)
    return Tower("vision", d_model, config.integer("num_hidden_layers"), stem=stem, layer=layer, projector=projector)


def merger(d_model: int, merge: int, d_out: int, *, bias: bool = True, wide: bool = False) -> tuple[Brick, ...]:
    """Return Qwen's projector: norm, ``merge`` squared neighbours side by side, two projections."""
    joined = d_model * merge**2
    norm = Norm("merger.norm", joined if wide else d_model, bias)
    return norm, linear("merger.fc1", joined, joined), linear("merger.fc2", joined, d_out)


def _merge(config: Config) -> tuple[int, int]:
    config.ignore("spatial_patch_size", "tokens_per_second", "window_size", "fullatt_block_indexes")
    if config.integer("in_chans", "in_channels", default=3) != config.integer("in_channels", default=3):
        raise config.unknown("in_chans", config.values["in_chans"], "3, or the same as 'in_channels'")
    return config.integer("spatial_merge_size", default=2), config.integer("temporal_patch_size")


def qwen2_vit(config: Config) -> Tower:
    """Qwen 2 VL's ViT: patches of two frames, rotary positions, layer norms."""
    merge, frames = _merge(config)
    d_model, n_heads = config.integer("embed_dim"), config.integer("num_heads", default=16)
    config.divides("embed_dim", d_model, "num_heads", n_heads)
    d_ff = int(config.number("mlp_ratio") * d_model)
    stem = (linear("patch_embed", 3 * config.integer("patch_size") ** 2 * frames, d_model, bias=False),)
    if config.integer("in_channels", default=3) != 3:
        raise config.unknown("in_channels", config.values["in_channels"], "3")
    layer = layer_normed(d_model, n_heads, d_ff)
    projector = merger(d_model, merge, config.integer("hidden_size"))
    return Tower("vision", d_model, config.integer("depth"), stem=stem, layer=layer, projector=projector)


def qwen2_5_vit(config: Config) -> Tower:
    """Qwen 2.5 VL's ViT: gains only, gated blocks, windows in most layers."""
    merge, frames = _merge(config)
    config.ignore("embed_dim")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_heads")
    config.divides("hidden_size", d_model, "num_heads", n_heads)
    layer = rms_gated(d_model, n_heads, config.integer("intermediate_size"), attention_bias=True, mlp_bias=True)
    stem = (linear("patch_embed", pixels(config, frames=frames, key="in_channels"), d_model, bias=False),)
    projector = merger(d_model, merge, config.integer("out_hidden_size"), bias=False)
    return Tower("vision", d_model, config.integer("depth"), stem=stem, layer=layer, projector=projector)


def qwen3_vit(config: Config, *, deepstack: bool) -> Tower:
    """Qwen 3 VL's ViT: learned positions, and mergers that feed inner layers to the language model (DeepStack)."""
    merge, frames = _merge(config)
    d_model, layer = encoder_of_depth(config)
    d_out = config.integer("out_hidden_size")
    stem: tuple[Brick, ...] = (
        linear("patch_embed", pixels(config, frames=frames, key="in_channels"), d_model),
        Embedding("pos_embed", config.integer("num_position_embeddings"), d_model),
    )
    deep = config.integers("deepstack_visual_indexes", default=[8, 16, 24])
    projector = [*merger(d_model, merge, d_out)]
    for _ in deep if deepstack else ():
        projector += merger(d_model, merge, d_out, wide=True)
    return Tower("vision", d_model, config.integer("depth"), stem=stem, layer=layer, projector=tuple(projector))


def glm_vit(config: Config) -> Tower:
    """GLM 4.1V's ViT: gains only, gated blocks as wide as the output, a convolution that merges, a gated projector."""
    merge, frames = _merge(config)
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_heads")
    config.divides("hidden_size", d_model, "num_heads", n_heads)
    d_out, d_ff = config.integer("out_hidden_size"), config.integer("intermediate_size")
    bias = config.flag("attention_bias", default=False)
    if bias:
        raise config.unknown("attention_bias", True, "false: these biases are not described")
    layer = rms_gated(d_model, n_heads, d_out)
    stem: tuple[Brick, ...] = (
        linear("patch_embed", pixels(config, frames=frames, key="in_channels"), d_model),
        Embedding("position_embedding", patches(config), d_model),
        Norm("post_conv_layernorm", d_model),
    )
    projector: tuple[Brick, ...] = (
        Norm("post_layernorm", d_model),
        linear("downsample", d_model * merge**2, d_out),
        linear("merger.proj", d_out, d_out, bias=False),
        Norm("merger.post_projection_norm", d_out, bias=True),
        FeedForward(d_out, d_ff, gated=True, name="merger"),
    )
    return Tower("vision", d_model, config.integer("depth"), stem=stem, layer=layer, projector=projector)


def gemma4_vit(config: Config, d_text: int) -> Tower:
    """Gemma 4's ViT: factorised positions, norms around both blocks and on each head."""
    config.ignore(
        "pooling_kernel_size", "standardize", "use_clipped_linears", "global_head_dim", "default_output_length"
    )
    config.ignore("image_seq_length", "video_seq_length")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    kv_heads, width = config.integer("num_key_value_heads"), config.integer("head_dim")
    if config.flag("attention_bias", default=False):
        raise config.unknown("attention_bias", True, "false, which transformers takes anyway")
    attend = Attention(d_model, n_heads, kv_heads, d_head=width, qk_norm=(width, width), bidirectional=True)
    feed = FeedForward(d_model, config.integer("intermediate_size"), gated=True)
    norms = tuple(Norm(f"norm{i}", d_model) for i in range(4))
    stem: tuple[Brick, ...] = (
        Tensors((vector("position_embedding_table", 2, config.integer("position_embedding_size"), d_model),)),
        linear("input_proj", pixels(config), d_model, bias=False),
    )
    n_layers = config.integer("num_hidden_layers")
    return Tower(
        "vision",
        d_model,
        n_layers,
        stem=stem,
        layer=(attend, feed, *norms),
        projector=(linear("embed", d_model, d_text, bias=False),),
    )


def llama4_vit(config: Config, d_text: int) -> Tower:
    """Llama 4's ViT: a class token, norms before and after, pixel shuffle and a small adapter."""
    config.ignore("vision_feature_layer", "vision_feature_select_strategy", "pixel_shuffle_ratio", "vision_output_dim")
    config.ignore("projector_input_dim", "projector_output_dim", "multi_modal_projector_bias")
    d_model, layer, n_layers = encoder(config)
    d_ff, width = config.integer("intermediate_size"), config.integer("projector_input_dim")
    d_out = config.integer("projector_output_dim")
    positioned = stem_with_class(config, d_model, bias=False, name="positional_embedding_vlm")
    stem = (*positioned, Norm("layernorm_pre", d_model, bias=True))
    projector: tuple[Brick, ...] = (
        Norm("layernorm_post", d_model, bias=True),
        linear("vision_adapter.mlp.fc1", d_ff, width, bias=False),
        linear("vision_adapter.mlp.fc2", d_out, d_out, bias=False),
        linear("linear_1", config.integer("vision_output_dim"), d_text, bias=False),
    )
    return Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=projector)


def moon_vit(config: Config, d_text: int) -> Tower:
    """MoonViT (arXiv:2504.07491): positions of a learned grid, four neighbours side by side, two projections."""
    d_model, layer, n_layers = encoder(config)
    positions = config.integer("pos_emb_height", "init_pos_emb_height") * config.integer(
        "pos_emb_width", "init_pos_emb_width"
    )
    stem: tuple[Brick, ...] = (
        linear("patch_embed", pixels(config), d_model),
        Embedding("pos_emb", positions, d_model),
    )
    projector: tuple[Brick, ...] = (
        Norm("final_layernorm", d_model, bias=True),
        Norm("pre_norm", d_model, bias=True),
        linear("in_proj", 4 * d_model, 4 * d_model),
        linear("out_proj", 4 * d_model, d_text),
    )
    return Tower("vision", d_model, n_layers, stem=stem, layer=layer, projector=projector)
