"""Whisper: an encoder of sound and a decoder of text whose keys have no bias."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, Head, Layer, Norm
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.seq2seq.stack import MODEL_HEADS, layer, stack
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type


@model_type("whisper")
def whisper(config: Config) -> Architecture:
    """Whisper: an audio encoder, counted whole as ``tower``, and a decoder; keys have no bias. Causal: decoder only."""
    words = kind_of_class(config, "Whisper", MODEL_HEADS | {"ForCausalLM": "decoder words"})
    d_model, vocab = config.integer("d_model"), config.integer("vocab_size")
    decoder, heard = stack(config, "decoder", d_model), tower("whisper", config)
    n_ctx = config.integer("max_target_positions")
    config.ignore("use_weighted_layer_sum", "classifier_proj_size", "num_hidden_layers")
    tied = config.flag("tie_word_embeddings", default=True)
    inputs: list[Brick] = [
        Embedding("decoder.embed_tokens", vocab, d_model),
        Embedding("decoder.embed_positions", n_ctx, d_model),
    ]
    if "decoder" not in words:
        inputs.append(heard)
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
