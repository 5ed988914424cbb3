"""IDEFICS: Llama with gated layers between its own that attend to an image, as Flamingo's do."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Embedding, Layer, Projection, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import block, feed_forward, layers_of, stack, vector
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type

RESAMPLER = (
    "resampler_n_latents",
    "resampler_depth",
    "resampler_n_heads",
    "resampler_head_dim",
    "qk_layer_norms_perceiver",
)


@model_type("idefics")
def idefics(config: Config) -> Architecture:
    """IDEFICS (arXiv:2306.16527): tokens and head in two tables, the second trained with the image."""
    config.built_as("IdeficsForVisionText2Text", "IdeficsModel")
    bare = (config.class_names() or [""])[0] == "IdeficsModel"
    vision = config.section("vision_config")
    vision.only("model_type", "idefics_vision")
    vision.values = {**vision.values, "model_type": "idefics_vision"}
    vision.ignore("image_num_channels")
    feed, n_heads, n_layers = (
        feed_forward(config),
        config.integer("num_attention_heads"),
        config.integer("num_hidden_layers"),
    )
    d_model, d_vision = feed.d_model, vision.integer("hidden_size")
    width, period = (
        config.divides("hidden_size", d_model, "num_attention_heads", n_heads),
        config.integer("cross_layer_interval"),
    )
    config.divides("num_hidden_layers", n_layers, "cross_layer_interval", period)
    attend = Attention(d_model, n_heads, n_heads, d_head=width)
    normed = config.flag("qk_layer_norms", default=False)
    looks = replace(attend, cross=True, d_kv_in=d_vision, name="cross_attn", qk_norm=(width, width) if normed else None)
    kind = config.text("alpha_type", default="float")
    config.only("alpha_type", "float", "vector")
    n_gates = d_model if kind == "vector" else 1
    gates = Tensors((vector("alpha_cross_attn", n_gates), vector("alpha_dense", n_gates)))

    def layer(looking: bool) -> Layer:
        own = block(d_model, attend, feed).bricks
        return Layer((*block(d_model, looks, feed).bricks, gates, *own) if looking else own)

    perceiver = config.section("perceiver_config")
    perceiver.only("model_type", "idefics_perciever")
    perceiver.ignore("use_resampler", *RESAMPLER)
    projector = (
        tower("idefics_resampler", perceiver, d_vision=d_vision).stem
        if config.flag("use_resampler", default=False)
        else ()
    )
    text = stack(config, layers_of([i % period == 0 for i in range(n_layers)], layer))
    more = config.integer("additional_vocab_size", default=0)
    added = (Embedding("additional_embedding", more, d_model),) if more else ()
    own_head = more and not bare and not (text.head and text.head.tied)
    head = (Projection("additional_fc", d_model, more, bias=False, part="lm_head"),) if own_head else ()
    return replace(
        text,
        vocab=text.vocab,
        inputs=(*text.inputs, *added, tower("clip", vision, *projector)),
        outputs=(*text.outputs, *head),
    )
