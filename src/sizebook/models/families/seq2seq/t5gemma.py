"""T5Gemma: encoder-decoders made of Gemma's layers, and in the second generation of Gemma 3's, with vision."""

from dataclasses import replace

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    FeedForward,
    Head,
    Layer,
    Norm,
    Projection,
    Tensors,
)
from sizebook.models.classes import kind_of_class, n_labels
from sizebook.models.config import Config
from sizebook.models.families.blocks import every, layers_of, linear, vector
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.transformer_blocks import MergedCross

MODEL_HEADS = {"Model": "", "ForConditionalGeneration": "words"}
LABELS = {"ForSequenceClassification": "labels", "ForTokenClassification": "labels"}
FULL, SLIDING = "full_attention", "sliding_attention"


@model_type("t5gemma")
def t5gemma(config: Config) -> Architecture:
    """Two stacks of Gemma 2's layers. The decoder's table, tied to the head, is counted as the head."""
    words = kind_of_class(config, "T5Gemma", MODEL_HEADS | LABELS)
    if words == "labels":  # of the encoder alone the classifier is another, and so is its width
        config.only("is_encoder_decoder", True)
    encoder, decoder = (config.section(name) for name in ("encoder", "decoder"))
    d_encoder, d_model = encoder.integer("hidden_size"), decoder.integer("hidden_size")
    vocab, source = decoder.integer("vocab_size"), encoder.integer("vocab_size")
    tied = config.flag("tie_word_embeddings", default=True)
    inputs: list[Brick] = [Embedding("encoder.embed_tokens", source, d_encoder)]
    if words != "words" or not tied:
        inputs.append(Embedding("decoder.embed_tokens", vocab, d_model))
    return Architecture(
        model_type="t5gemma",
        d_model=d_model,
        vocab=vocab,
        n_ctx=decoder.integer("max_position_embeddings"),
        inputs=tuple(inputs),
        layers=_gemma_layers(encoder, 0) + _gemma_layers(decoder, d_encoder),
        outputs=(Norm("encoder.norm", d_encoder), Norm("decoder.norm", d_model), *_score(config, words, d_model)),
        head=Head(vocab, d_model, tied=False) if words == "words" else None,
    )


def _score(config: Config, words: str, d_model: int) -> tuple[Brick, ...]:
    """Return the classifier over the labels, of the classes that have one."""
    return (Projection("score.out_proj", d_model, n_labels(config), pooled=True),) if words == "labels" else ()


def _gemma_layers(section: Config, d_encoder: int, *, later: bool = False, merged: bool = False) -> tuple[Layer, ...]:
    """Return a stack in which layers slide but every second (``later``: sixth); norms before and after each block.

    ``d_encoder`` is the width of the encoder's output that a decoder's cross-attention reads, 0 without one; ``merged``
    says that a decoder's self-attention reads it beside the decoder's own tokens.
    """
    d_model, n_layers = section.integer("hidden_size"), section.integer("num_hidden_layers")
    kinds = section.pattern("layer_types", n_layers, (SLIDING, FULL), every(n_layers, 6 if later else 2))
    section.ignore("cross_attention_hidden_size", "is_decoder", "tie_word_embeddings")
    feed = FeedForward(d_model, section.integer("intermediate_size"), gated=True)

    def between(name: str, *bricks: Brick) -> list[Brick]:
        return [Norm(f"pre_{name}_layernorm", d_model), *bricks, Norm(f"post_{name}_layernorm", d_model)]

    def build(kind: str) -> Layer:
        own = replace(attend, window=window if kind == SLIDING else None)
        own = replace(own, qk_norm=(own.d_head, own.d_head) if later else None)
        cross = replace(own, cross=True, window=None, d_kv_in=d_encoder, name="cross_attn")
        middle = between("cross_attn", cross) if d_encoder else []
        seen = (own, MergedCross(own)) if merged else (own,)
        return Layer((*between("self_attn", *seen), *middle, *between("feedforward", feed)))

    window, attend = section.integer("sliding_window"), _gemma_attention(section, causal=merged or d_encoder > 0)
    return layers_of(kinds, build)


def _gemma_attention(section: Config, *, causal: bool) -> Attention:
    bias = section.flag("attention_bias", default=False)
    return Attention(
        d_model=section.integer("hidden_size"),
        n_heads=section.integer("num_attention_heads"),
        n_kv_heads=section.integer("num_key_value_heads"),
        d_head=section.integer("head_dim"),
        qkv_bias=bias,
        out_bias=bias,
        bidirectional=not causal,
    )


@model_type("t5gemma2")
def t5gemma2(config: Config) -> Architecture:
    """T5Gemma 2: one attention over both stacks' tokens in the decoder, so both stacks hold the same tensors."""
    words = kind_of_class(config, "T5Gemma2", MODEL_HEADS | LABELS)
    encoder, decoder = config.section("encoder"), config.section("decoder")
    text, vision = encoder.section("text_config"), encoder.section("vision_config")
    encoder.ignore("tie_word_embeddings", "eoi_token_index")
    d_model, d_vision, vocab = text.integer("hidden_size"), vision.integer("hidden_size"), text.integer("vocab_size")
    decoder.only("hidden_size", d_model)
    decoder.only("vocab_size", vocab)
    tied = config.flag("tie_word_embeddings", default=True)
    projector = linear("mm_input_projection", d_vision, d_model, bias=False), Norm("mm_soft_emb_norm", d_vision)
    names = ["encoder"] if tied else ["encoder", "decoder"]
    tables: list[Brick] = []
    for name in names:
        tables.append(Embedding(f"{name}.embed_tokens", vocab, d_model))
        tables.append(Tensors((vector(f"{name}.embed_tokens.eoi_embedding", d_model, part="embedding"),)))
    return Architecture(
        model_type="t5gemma2",
        d_model=d_model,
        vocab=vocab,
        n_ctx=decoder.integer("max_position_embeddings"),
        inputs=(*tables, tower("siglip", vision, *projector)),
        layers=_gemma_layers(text, 0, later=True) + _gemma_layers(decoder, 0, later=True, merged=True),
        outputs=(Norm("encoder.norm", d_model), Norm("decoder.norm", d_model), *_score(config, words, d_model)),
        head=Head(vocab, d_model, tied=tied) if words == "words" else None,
    )
