"""Encoder-decoders with a structure of their own: Whisper, ProphetNet, FSMT."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    Head,
    Layer,
    Norm,
    Projection,
)
from sizebook.models.config import Config
from sizebook.models.families.audio_towers import whisper_encoder
from sizebook.models.families.encoders import kind_of_class
from sizebook.models.families.seq2seq import MODEL_HEADS, layer, stack, vocabulary
from sizebook.models.huggingface import model_type


@model_type("whisper")
def whisper(config: Config) -> Architecture:
    """Whisper: an audio encoder, counted whole as ``tower``, and a decoder; keys have no bias. Causal: decoder only."""
    words = kind_of_class(config, "Whisper", MODEL_HEADS | {"ForCausalLM": "decoder words"})
    d_model, vocab = config.integer("d_model"), config.integer("vocab_size")
    decoder, tower = stack(config, "decoder", d_model), whisper_encoder(config, ())
    n_ctx = config.integer("max_target_positions", default=448)
    config.ignore("use_weighted_layer_sum", "classifier_proj_size", "num_hidden_layers")
    tied = config.flag("tie_word_embeddings", default=True)
    inputs: list[Brick] = [
        Embedding("decoder.embed_tokens", vocab, d_model),
        Embedding("decoder.embed_positions", n_ctx, d_model),
    ]
    if "decoder" not in words:
        inputs.append(tower)
    return Architecture(
        model_type="whisper",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=tuple(inputs),
        layers=(_keys_without_bias(layer(decoder)),) * decoder.n_layers,
        outputs=(Norm("decoder.layer_norm", d_model, bias=True),),
        head=Head(vocab, d_model, tied=tied, name="proj_out") if "words" in words else None,
    )


def _keys_without_bias(described: Layer) -> Layer:
    changed = (replace(b, key_bias=False) if isinstance(b, Attention) else b for b in described.bricks)
    return Layer(tuple(changed))


@model_type("prophetnet")
def prophetnet(config: Config) -> Architecture:
    """A decoder that predicts several tokens at once, with a projection onto buckets of relative positions a layer."""
    words = kind_of_class(config, "ProphetNet", MODEL_HEADS)
    config.only("add_cross_attention", True)
    config.ignore("relative_max_distance", "disable_ngram_loss", "num_hidden_layers")
    d_model, vocab = config.integer("hidden_size"), config.integer("vocab_size")
    encoder, decoder = (stack(config, side, d_model, prefix="num_") for side in ("encoder", "decoder"))
    n_ctx = config.integer("max_position_embeddings")
    tied = config.flag("tie_word_embeddings", default=True)
    n_buckets = config.integer("num_buckets", default=32) * decoder.n_heads
    positions = Projection("self_attn.relative_pos_embeddings", d_model, n_buckets, part="attention")
    inputs = vocabulary(vocab, d_model, tied=tied, n_stacks=2)
    for name in ("encoder", "decoder"):
        inputs.append(Embedding(f"{name}.position_embeddings", n_ctx, d_model))
        inputs.append(Norm(f"{name}.embeddings_layer_norm", d_model, bias=True))
    inputs.append(Embedding("decoder.ngram_embeddings", config.integer("ngram", default=2), d_model))
    layers = (layer(encoder),) * encoder.n_layers + (layer(decoder, more=(positions,)),) * decoder.n_layers
    return Architecture(
        model_type="prophetnet",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=tuple(inputs),
        layers=layers,
        outputs=(),
        head=Head(vocab, d_model, tied=tied) if words else None,
    )


@model_type("fsmt")
def fsmt(config: Config) -> Architecture:
    """Translation with a vocabulary a side. The decoder's table is counted as embedding, its projection as head."""
    kind_of_class(config, "FSMT", MODEL_HEADS)
    config.ignore("langs", "num_hidden_layers", "decoder")
    d_model, source = config.integer("d_model"), config.integer("src_vocab_size")
    target, n_ctx = config.integer("tgt_vocab_size"), config.integer("max_position_embeddings")
    sides = [stack(config, side, d_model) for side in ("encoder", "decoder")]
    tied = config.flag("tie_word_embeddings", default=False)
    rows = n_ctx + config.integer("pad_token_id", default=1) + 1
    inputs: list[Brick] = [Embedding("encoder.embed_tokens", source, d_model)]
    if tied:
        config.only("tgt_vocab_size", source)
    else:
        inputs.append(Embedding("decoder.embed_tokens", target, d_model))
    inputs += [Embedding(f"{name}.embed_positions", rows, d_model) for name in ("encoder", "decoder")]
    return Architecture(
        model_type="fsmt",
        d_model=d_model,
        vocab=target,
        n_ctx=n_ctx,
        inputs=tuple(inputs),
        layers=tuple(kind for side in sides for kind in (layer(side),) * side.n_layers),
        outputs=(),
        head=Head(target, d_model, tied=tied, name="decoder.output_projection"),
    )
