"""Molmo 2: a ViT of which some layers are pooled side by side, and a language model whose table has rows of its own."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, feed_forward, linear, stack, uniform
from sizebook.models.families.multimodal.joining import with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("molmo2")
def molmo2(config: Config) -> Architecture:
    """Molmo 2, in transformers' spelling or that of its first files, whose ViT ends at the last layer that is read."""
    text, adapter = _language_model(config.section("text_config")), config.section("adapter_config")
    first = config.has("vit_config")
    if first and config.has("vision_config"):
        raise config.unknown("vit_config", "an object of keys", "it or 'vision_config', not both")
    vision = config.section("vit_config" if first else "vision_config")
    if not first:
        vision.only("model_type", "molmo2_vision")
        adapter.only("model_type", "molmo2_adapter")
    vision.ignore("model_type")
    adapter.ignore("model_type")
    n_layers, reads = vision.integer("num_hidden_layers"), _layers_read(adapter)
    if any(not -n_layers <= layer < n_layers for layer in reads):
        raise adapter.unknown("vision_feature_layer", reads, f"numbers of the {n_layers} layers of the ViT")
    if first:
        n_layers = max(layer % n_layers for layer in reads) + 1
    seen = _vit(vision, n_layers, _pooled(adapter, len(reads)))
    return with_towers(config, text, seen, tied=False, ties="neither")


def _language_model(section: Config) -> Architecture:
    section.only("model_type", "molmo2_text")
    section.values = {**section.values, "model_type": "molmo2_text"}
    section.ignore("tie_word_embeddings", "norm_after", "rope_scaling_layers")  # norm_after moves the norms alone
    kind = section.text("qk_norm_type", default="qwen3")
    section.only("qk_norm_type", "qwen3", "olmo")
    feed = feed_forward(section)
    mixer = attention(
        section,
        qk_norm="head" if kind == "qwen3" else "all",
        d_head=128,
        qkv_bias=section.flag("attention_bias", default=False),
    )
    text = stack(section, uniform(section, block(feed.d_model, mixer, feed)))
    rows = text.vocab + section.integer("additional_vocab_size")
    return replace(text, inputs=(Embedding("embed_tokens", rows, feed.d_model),))


def _layers_read(adapter: Config) -> list[int]:
    adapter.ignore("vision_feature_layer", "vit_layers")
    adapter.agree("vision_feature_layer", "vit_layers")
    layers = adapter.values.get("vit_layers", adapter.values.get("vision_feature_layer"))
    if layers is None:
        return [24, 18]
    if not isinstance(layers, list) or not layers or any(layer.__class__ is not int for layer in layers):
        raise adapter.unknown("vision_feature_layer", layers, "a list of numbers of layers")
    return layers


def _attention(config: Config, d_in: int) -> Attention:
    n_heads, kv_heads = config.integer("num_attention_heads"), config.integer("num_key_value_heads")
    config.divides("num_attention_heads", n_heads, "num_key_value_heads", kv_heads)
    bias = config.flag("attention_bias", default=True)
    return Attention(
        d_in,
        n_heads,
        kv_heads,
        d_head=config.integer("head_dim"),
        qkv_bias=bias,
        out_bias=bias,
        bidirectional=True,
        d_out=config.integer("hidden_size"),
    )


def _vit(config: Config, n_layers: int, projector: tuple[Brick, ...]) -> Tower:
    for older, own in (
        ("image_default_input_size", "image_size"),
        ("image_patch_size", "patch_size"),
        ("image_num_pos", "num_position_embeddings"),
    ):
        config.ignore(older)
        config.agree(own, older)
        if older in config.values:
            config.values = {**config.values, own: config.values[older]}
    patch, extents = config.integer("patch_size"), config.integers("image_size", default=[378, 378])
    if len(extents) != 2:
        raise config.unknown("image_size", extents, "a list of height and width")
    places = config.size("num_position_embeddings") or (extents[0] // patch) * (extents[1] // patch)
    return tower("molmo2", config, *projector, places=places, n_layers=n_layers)


def _pooled(config: Config, n_read: int) -> tuple[Brick, ...]:
    """Return the attention that pools neighbouring patches of all layers read, and a gated projection."""
    d_model, d_ff, d_text = (config.integer(key) for key in ("hidden_size", "intermediate_size", "text_hidden_size"))
    bias = config.flag("mlp_bias", default=False)
    return (
        _attention(config, d_model * n_read),
        *(linear(f"image_projector.{name}", d_model, d_ff, bias=bias) for name in ("gate_proj", "up_proj")),
        linear("image_projector.down_proj", d_ff, d_text, bias=False),
    )
