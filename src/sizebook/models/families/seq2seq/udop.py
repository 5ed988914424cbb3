"""UDOP: T5 over words, their places on a page and the page's patches."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Brick, Embedding, Head, Norm, Tensors, Weight
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import tie_notes
from sizebook.models.families.seq2seq.t5 import Sizes, t5_layers
from sizebook.models.huggingface import model_type
from sizebook.models.refusals import missing_key
from sizebook.models.towers import Tower

BIASES = [{"type": "1d"}, {"type": "horizontal"}, {"type": "vertical"}]
BIAS_ROWS = 32  # of a table of relative places, whatever number of buckets the file says
CLASSES = {"ForConditionalGeneration": "words", "Model": ""}


@model_type("udop")
def udop(config: Config) -> Architecture:
    """UDOP (arXiv:2212.02623): tables of the places on a page, and of how far apart two of them are each way."""
    words = kind_of_class(config, "Udop", CLASSES)
    config.ignore("relative_attention_max_distance", "add_cross_attention", "is_decoder", "image_size")
    config.only("relative_bias_args", BIASES)
    config.only("is_decoder", False)
    activation = config.text("feed_forward_proj", default="relu")
    size = Sizes(
        kind="udop",
        d_model=config.integer("d_model"),
        n_heads=config.integer("num_heads"),
        d_kv=config.integer("d_kv"),
        d_ff=config.integer("d_ff"),
        n_buckets=config.integer("relative_attention_num_buckets"),
        gated=config.flag("is_gated_act", default=activation.startswith("gated-")),
        global_tokens=False,
    )
    d_model, vocab, n_encoder = size.d_model, config.integer("vocab_size"), config.integer("num_layers")
    if config.has("num_decoder_layers") or "num_layers" in config.values:
        n_decoder = config.integer("num_decoder_layers", default=n_encoder)
    else:  # its class takes its own default, not what the other spelling says
        raise missing_key("num_decoder_layers", config.where)
    sides = ((n_encoder, False), (n_decoder, True))
    tied = config.flag("tie_word_embeddings", default=True)
    names = ["horizontal", "vertical"] if words else ["1d", "horizontal", "vertical"]  # whole, the first is T5's own
    tables = [
        Weight(f"{side}.relative_bias.{name}", (BIAS_ROWS, size.n_heads), "attention", use="lookup")
        for side in ("encoder", "decoder")
        for name in names
    ]
    places = config.integer("max_2d_position_embeddings")
    pixels = config.integer("num_channels", default=3) * config.integer("patch_size") ** 2
    patches = tuple(linear(f"{side}.embed_patches", pixels, d_model) for side in ("encoder", "decoder"))
    inputs: tuple[Brick, ...] = (
        Embedding("shared", vocab, d_model),
        *(Embedding(f"cell_2d_embedding.{axis}_position_embeddings", places, d_model) for axis in "xy"),
        Tensors(tuple(tables)),
        Tower("vision", d_model, 0, stem=patches, layer=(), projector=(), name="embed_patches"),
    )
    layers = [layer for n, decoder in sides for layer in t5_layers(config, size, n, decoder=decoder)]
    return Architecture(
        model_type="udop",
        d_model=d_model,
        vocab=vocab,
        n_ctx=None,
        inputs=inputs,
        layers=tuple(layers),
        outputs=tuple(Norm(f"{side}.final_layer_norm", d_model) for side in ("encoder", "decoder")),
        head=Head(vocab, d_model, tied=True) if words else None,
        notes=tuple(tie_notes({"top level": (config, tied)}, followed=True)) if words else (),
    )
