"""Pages and screens of any shape: Pix2Struct, whose patches say their row and column, before T5's decoder."""

from __future__ import annotations

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Embedding,
    FeedForward,
    Head,
    Layer,
    Norm,
    Tensors,
    Weight,
)
from sizebook.models.config import Config
from sizebook.models.families.blocks import layers_of
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type


@model_type("pix2struct")
def pix2struct(config: Config) -> Architecture:
    """Pix2Struct (arXiv:2210.03347), MatCha and DePlot: the decoder's attention is as wide as the model."""
    config.built_as("Pix2StructForConditionalGeneration")
    config.ignore("is_vqa")
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "pix2struct_text_model")
    vision.only("model_type", "pix2struct_vision_model")
    text.ignore("relative_attention_max_distance", "add_cross_attention", "is_decoder")
    vision.ignore("relative_attention_num_buckets", "relative_attention_max_distance")
    d_model, n_heads, width = text.integer("hidden_size"), text.integer("num_heads"), text.integer("d_kv")
    if n_heads * width != d_model:
        raise text.unknown("d_kv", width, f"{d_model} divided by {n_heads} heads, as the class of this type multiplies")
    vocab, buckets = text.integer("vocab_size"), text.integer("relative_attention_num_buckets")
    attend = Attention(d_model, n_heads, n_heads, d_head=width)
    looks = Attention(d_model, n_heads, n_heads, d_head=width, cross=True, name="encoder_decoder_attention")
    table = Tensors((Weight("relative_attention_bias.weight", (buckets, n_heads), "attention", use="lookup"),))
    feed = FeedForward(d_model, text.integer("d_ff"), gated=True)

    def layer(first: bool) -> Layer:
        norms = [Norm(f"{name}.layer_norm", d_model) for name in ("self_attention", "encoder_decoder_attention", "mlp")]
        return Layer((norms[0], attend, *((table,) if first else ()), norms[1], looks, norms[2], feed))

    n_layers = text.integer("num_layers")
    return Architecture(
        model_type="pix2struct",
        d_model=d_model,
        vocab=vocab,
        n_ctx=None,
        inputs=(Embedding("embed_tokens", vocab, d_model), tower("pix2struct", vision)),
        layers=layers_of([i == 0 for i in range(n_layers)], layer),
        outputs=(Norm("final_layer_norm", d_model),),
        head=Head(vocab, d_model, tied=config.flag("tie_word_embeddings", default=False)),
    )
