"""Encoder-decoders with a structure of their own: Whisper, ProphetNet, FSMT, T5Gemma."""

from __future__ import annotations

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
from sizebook.models.config import Config
from sizebook.models.families.encoders import kind_of_class
from sizebook.models.families.seq2seq import MODEL_HEADS, Stack, layer, stack, vocabulary
from sizebook.models.huggingface import model_type


@model_type("whisper")
def whisper(config: Config) -> Architecture:
    """Whisper: an audio encoder, counted whole as ``tower``, and a decoder; keys have no bias. Causal: decoder only."""
    words = kind_of_class(config, "Whisper", MODEL_HEADS | {"ForCausalLM": "decoder words"})
    d_model, vocab = config.integer("d_model"), config.integer("vocab_size")
    sides = {side: stack(config, side, d_model) for side in ("encoder", "decoder")}
    n_mel, n_source = config.integer("num_mel_bins", default=80), config.integer("max_source_positions", default=1500)
    n_ctx = config.integer("max_target_positions", default=448)
    config.ignore("use_weighted_layer_sum", "classifier_proj_size", "num_hidden_layers")
    tied = config.flag("tie_word_embeddings", default=True)
    inputs: list[Brick] = [
        Embedding("decoder.embed_tokens", vocab, d_model),
        Embedding("decoder.embed_positions", n_ctx, d_model),
    ]
    if "decoder" not in words:
        inputs.append(_audio_tower(sides["encoder"], n_mel, n_source))
    return Architecture(
        model_type="whisper",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=tuple(inputs),
        layers=(_keys_without_bias(layer(sides["decoder"])),) * sides["decoder"].n_layers,
        outputs=(Norm("decoder.layer_norm", d_model, bias=True),),
        head=Head(vocab, d_model, tied=tied, name="proj_out") if "words" in words else None,
    )


def _keys_without_bias(described: Layer) -> Layer:
    changed = (replace(b, key_bias=False) if isinstance(b, Attention) else b for b in described.bricks)
    return Layer(tuple(changed))


def _audio_tower(side: Stack, n_mel: int, n_source: int) -> Tensors:
    """Return two convolutions over three frames each, positions, layers and a norm, all counted as tower."""
    d_model, encoder_layer = side.d_model, _keys_without_bias(layer(side))
    outside: list[Brick] = [
        Projection("encoder.conv1", 3 * n_mel, d_model),
        Projection("encoder.conv2", 3 * d_model, d_model),
        Embedding("encoder.embed_positions", n_source, d_model),
        Norm("encoder.layer_norm", d_model, bias=True),
    ]
    weights = [weight for brick in outside for weight in brick.weights]
    for index in range(side.n_layers):
        weights += [replace(w, name=f"encoder.layers.{index}.{w.name}") for w in encoder_layer.weights]
    return Tensors(tuple(replace(weight, part="tower") for weight in weights))


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
    if not tied:
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


T5GEMMA = {
    "vocab_size": 256000,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "max_position_embeddings": 8192,
    "sliding_window": 4096,
}


@model_type("t5gemma")
def t5gemma(config: Config) -> Architecture:
    """Two stacks of Gemma 2's layers. The decoder's table, tied to the head, is counted as the head."""
    words = kind_of_class(config, "T5Gemma", MODEL_HEADS)
    encoder, decoder = (config.section(name, T5GEMMA) for name in ("encoder", "decoder"))
    d_encoder, d_model = encoder.integer("hidden_size"), decoder.integer("hidden_size")
    vocab, source = decoder.integer("vocab_size"), encoder.integer("vocab_size")
    config.ignore("vocab_size")
    tied = config.flag("tie_word_embeddings", default=True)
    inputs: list[Brick] = [Embedding("encoder.embed_tokens", source, d_encoder)]
    if not words or not tied:
        inputs.append(Embedding("decoder.embed_tokens", vocab, d_model))
    return Architecture(
        model_type="t5gemma",
        d_model=d_model,
        vocab=vocab,
        n_ctx=decoder.integer("max_position_embeddings"),
        inputs=tuple(inputs),
        layers=_gemma_layers(encoder, 0) + _gemma_layers(decoder, d_encoder),
        outputs=(Norm("encoder.norm", d_encoder), Norm("decoder.norm", d_model)),
        head=Head(vocab, d_model, tied=False) if words else None,
    )


def _gemma_layers(section: Config, d_encoder: int) -> tuple[Layer, ...]:
    """Return a stack in which every other layer slides; norms stand before and after each block."""
    d_model, n_layers = section.integer("hidden_size"), section.integer("num_hidden_layers")
    window = section.integer("sliding_window")
    default = ["full_attention" if i % 2 else "sliding_attention" for i in range(n_layers)]
    kinds = section.pattern("layer_types", n_layers, ("sliding_attention", "full_attention"), default)
    section.ignore("cross_attention_hidden_size", "is_decoder", "tie_word_embeddings")
    own = {kind: _gemma_attention(section, window if "sliding" in kind else None, d_encoder) for kind in set(kinds)}
    feed = FeedForward(d_model, section.integer("intermediate_size"), gated=True)

    def between(name: str, *bricks: Brick) -> list[Brick]:
        return [Norm(f"pre_{name}_layernorm", d_model), *bricks, Norm(f"post_{name}_layernorm", d_model)]

    cross = _gemma_attention(section, None, d_encoder, cross=True)
    middle = between("cross_attn", cross) if d_encoder else []
    layers = {k: Layer((*between("self_attn", a), *middle, *between("feedforward", feed))) for k, a in own.items()}
    return tuple(layers[kind] for kind in kinds)


def _gemma_attention(section: Config, window: int | None, d_encoder: int, *, cross: bool = False) -> Attention:
    bias = section.flag("attention_bias", default=False)
    return Attention(
        d_model=section.integer("hidden_size"),
        n_heads=section.integer("num_attention_heads"),
        n_kv_heads=section.integer("num_key_value_heads"),
        d_head=section.integer("head_dim"),
        qkv_bias=bias,
        out_bias=bias,
        window=window,
        cross=cross,
        d_kv_in=d_encoder if cross else 0,
        bidirectional=not d_encoder,
        name="cross_attn" if cross else "self_attn",
    )
