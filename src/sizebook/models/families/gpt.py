"""GPT-2 and its line: learned or rotary positions, layer norms with biases, plain feed-forward blocks."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Layer, Norm
from sizebook.models.config import Config
from sizebook.models.huggingface import model_type


@model_type("gpt2")
def gpt2(config: Config) -> Architecture:
    """GPT-2: learned positions, biases everywhere, tied head."""
    config.ignore("n_ctx", "n_special", "predict_special_tokens", "reorder_and_upcast_attn")
    if config.flag("add_cross_attention", default=False):
        raise config.unknown("add_cross_attention", True, "false: cross-attention is not described for this type")
    d_model = config.integer("n_embd", "hidden_size")
    n_heads = config.integer("n_head", "num_attention_heads")
    vocab, n_ctx = config.integer("vocab_size"), config.integer("n_positions", "max_position_embeddings")
    d_head = config.divides("n_embd", d_model, "n_head", n_heads)
    d_ff = config.integer("n_inner", default=0) or 4 * d_model
    layer = Layer(
        (
            Norm("ln_1", d_model, bias=True),
            Attention(d_model, n_heads, n_heads, d_head, qkv_bias=True, out_bias=True, name="attn"),
            Norm("ln_2", d_model, bias=True),
            FeedForward(d_model, d_ff, gated=False, bias=True),
        )
    )
    return Architecture(
        model_type="gpt2",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=(Embedding("wte", vocab, d_model), Embedding("wpe", n_ctx, d_model)),
        layers=(layer,) * config.integer("n_layer", "num_hidden_layers"),
        outputs=(Norm("ln_f", d_model, bias=True),),
        head=Head(vocab, d_model, tied=config.flag("tie_word_embeddings", default=True)),
    )
