"""Encoders published with their own code: GTE's ``new``, Jina Embeddings 2, NV-Embed."""

from __future__ import annotations

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    FeedForward,
    Layer,
    Norm,
    Projection,
    Tensors,
)
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.blocks import vector
from sizebook.models.families.encoders.stack import Body, Sizes, WordHead, encoder, sizes, tables
from sizebook.models.huggingface import describe, model_type

NEW_HEADS = {"Model": "", "ForMaskedLM": "words", "ForTokenClassification": "labels"}
JINA_HEADS = {"Model": "pool", "ForMaskedLM": "words"}


def _gated_layer(size: Sizes) -> Layer:
    """Return BERT's layer with a gated block, of whose biases only the last is left."""
    attend = Norm("attn_ln", size.d_model, bias=True), Norm("mlp_ln", size.d_model, bias=True)
    feed = FeedForward(size.d_model, size.d_ff, gated=True)
    down = Tensors((vector("mlp.down_proj.bias", size.d_model, part="bias"),))
    return Layer((size.attention(), attend[0], feed, down, attend[1]))


@model_type("new")
def new(config: Config) -> Architecture:
    """GTE 1.5 and multilingual as first published: BERT with rotary positions, a gated block, perhaps no types."""
    named = config.values.get("architectures")
    notes: tuple[str, ...] = ()
    if isinstance(named, list) and len(named) == 2 and named[0] == "NewModel":
        config.values = {**config.values, "architectures": named[:1]}
        said = remark(
            "the file names two classes: {one} is counted, without what {other} adds", one=named[0], other=named[1]
        )
        notes = (said,)
    config.only("layer_norm_type", "layer_norm")
    config.ignore("pack_qkv", "unpad_inputs", "use_memory_efficient_attention", "logn_attention_clip1")
    config.ignore("logn_attention_scale")
    words, size = kind_of_class(config, "New", NEW_HEADS), sizes(config, ("rope",))
    n_types = config.integer("type_vocab_size", default=1)
    inputs: list[Brick] = [Embedding("word_embeddings", size.vocab, size.d_model)]
    inputs += [Embedding("token_type_embeddings", n_types, size.d_model)] if n_types else []
    inputs.append(Norm("embeddings.LayerNorm", size.d_model, bias=True))
    body = Body(inputs, (_gated_layer(size),) * size.n_layers)
    whole = encoder(config, size, body, words=words, head=WordHead(twin_bias=False))
    return replace(whole, notes=(*whole.notes, *notes))


def jina_v2(config: Config) -> Architecture:
    """Jina Embeddings 2 (arXiv:2310.19923), whose type is ``bert``: ALiBi in place of positions, a gated block."""
    config.only("feed_forward_type", "geglu")
    config.ignore("emb_pooler")
    if "qk-post-norm" in str(config.values.get("auto_map")):
        raise config.unknown("auto_map", "qk-post-norm", "the code of jina-embeddings-v2 in English")
    words, size = kind_of_class(config, "JinaBert", JINA_HEADS), sizes(config, ("alibi",))
    inputs = tables(config, size, positions=False)
    whole = encoder(config, size, Body(inputs, (_gated_layer(size),) * size.n_layers), words=words)
    bare = remark("the published weights hold the model bare, with its pooler") if words == "words" else ""
    return replace(whole, notes=(*whole.notes, bare)) if bare else whole


@model_type("nvembed")
def nv_embed(config: Config) -> Architecture:
    """NV-Embed (arXiv:2405.17428): Mistral that sees both ways, its tokens pooled through latents they attend to."""
    config.only("architectures", ["NVEmbedModel"])
    config.needs("text_config", "latent_attention_config")
    config.ignore("add_eos", "add_pad_token", "is_mask_instruction", "mask_type", "padding_side", "hidden_size")
    section = config.section("text_config")
    section.values = {**section.values, "model_type": "mistral"}
    text = describe(section)
    seen = tuple(Layer(tuple(_both_ways(brick) for brick in layer.bricks)) for layer in text.layers)
    return replace(
        text,
        model_type="nvembed",
        layers=seen,
        outputs=(*text.outputs, *_latents(config.section("latent_attention_config"), text.d_model)),
        head=None,
    )


def _both_ways(brick: Brick) -> Brick:
    return replace(brick, bidirectional=True) if isinstance(brick, Attention) else brick


def _latents(config: Config, d_text: int) -> tuple[Brick, ...]:
    """Return the latents, the attention of tokens to them and a gated block, each normed before."""
    config.ignore("output_normalize", "num_latents")
    config.only("mult", 4)
    d_model, d_hidden = config.integer("latent_dim", default=4096), config.integer("hidden_dim", default=4096)
    if d_model != d_text:
        raise config.unknown("latent_dim", d_model, f"{d_text}, the width of the language model")
    heads, width = config.integer("num_cross_heads", default=8), config.integer("cross_dim_head", default=4096)
    n_latents = config.integer("num_latents_value", "num_latents", default=512)
    return (
        Tensors((vector("latents", n_latents, d_model),)),
        Norm("cross_attend.norm", d_model, bias=True),
        Norm("cross_attend.norm_context", d_hidden, bias=True),
        Projection("cross_attend.to_q", d_model, heads * width, bias=False),
        Projection("cross_attend.to_kv", d_hidden, 2 * heads * width, bias=False),
        Projection("cross_attend.to_out", heads * width, d_model, bias=False),
        Norm("feed.norm", d_model, bias=True),
        Projection("feed.0", d_model, 2 * 4 * d_model),
        Projection("feed.2", 4 * d_model, d_model),
    )
