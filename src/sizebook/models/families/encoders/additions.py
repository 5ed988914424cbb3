"""BERT with more beside its layers: rounded copies, adapters, tables of sounds, entities or token values."""

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
    Weight,
)
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.blocks import SLIDING, every, layers_of
from sizebook.models.huggingface import model_type


@model_type("neomme")
def neomme(config: Config) -> Architecture:
    """A factored table, patches of images beside tokens, gated attention and a table of values for every layer."""
    words = kind_of_class(config, "NeoMME", {"Model": "", "ForMaskedLM": "words"})
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    vocab, rank = config.integer("vocab_size"), config.integer("embedding_rank")
    d_patch = 3 * config.integer("patch_size") ** 2
    config.ignore("residual_multiplier", "embedding_dim", "per_layer_config")
    tied = config.flag("tie_word_embeddings", default=True)
    own = _gated_attention(config, d_model)
    inputs: list[Brick] = [
        Embedding("word_embeddings", vocab, rank),
        Projection("embedding_projection", rank, d_model, bias=False),
        Norm("patch_embeddings.norm", d_patch, bias=True),
        Projection("patch_embeddings.up_proj", d_patch, 2 * d_model, bias=False),
        Projection("patch_embeddings.down_proj", 2 * d_model, d_model),
        Embedding("value_embeddings", vocab, own.n_kv_heads * own.d_head),
    ]
    return Architecture(
        model_type="neomme",
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("max_position_embeddings"),
        inputs=tuple(inputs),
        layers=_scaled_layers(config, own, n_layers),
        outputs=() if tied or not words else (Projection("unembedding_projection", rank, d_model, bias=False),),
        head=Head(vocab, rank, tied=tied) if words else None,
    )


def _gated_attention(config: Config, d_model: int) -> Attention:
    n_heads, n_kv = config.integer("num_attention_heads"), config.integer("num_key_value_heads")
    d_head, bias = config.integer("head_dim"), config.flag("attention_bias", default=False)
    brick = Attention(d_model, n_heads, n_kv, d_head=d_head, qkv_bias=bias, out_bias=bias, gate=n_heads * d_head)
    return replace(brick, bidirectional=True)


def _scaled_layers(config: Config, own: Attention, n_layers: int) -> tuple[Layer, ...]:
    """Return layers without norms, in which scalars weigh the input again; every sixth sees everything."""
    bias, window = config.flag("mlp_bias", default=False), config.integer("sliding_window")
    mlp = FeedForward(own.d_model, config.integer("intermediate_size"), gated=False, bias=bias)
    alpha = Weight("self_attn.exclusive_self_attention.alpha", (own.n_heads,), "attention", use="vector")
    scales = Tensors((Weight("lambdas", (2,), "other", use="vector"), alpha))
    kinds = config.pattern("layer_types", n_layers, SLIDING, every(n_layers, 6))
    windows = [None if kind == "full_attention" else window for kind in kinds]
    return layers_of(windows, lambda width: Layer((replace(own, window=width), scales, mlp)))
