"""Dense decoders that place or build norms otherwise: OLMo, EXAONE 4, GLM 4, StableLM, StarCoder 2, nanochat."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    block,
)
from sizebook.models.huggingface import model_type


@model_type("chatglm")
def chatglm(config: Config) -> Architecture:
    """ChatGLM 2, 3 and GLM 4 as first published: grouped attention with biases on query, key and value, gated block."""
    config.only("architectures", ["ChatGLMModel"], ["ChatGLMForConditionalGeneration"])  # both with the language head
    config.ignore("seq_length", "apply_query_key_layer_scaling", "fp32_residual_connection", "original_rope")
    config.ignore("apply_residual_connection_post_layernorm", "attention_softmax_in_fp32", "bias_dropout_fusion")
    config.ignore("classifier_dropout", "prefix_projection", "interleaved_qkv")
    config.only("rmsnorm", True)
    config.only("pre_seq_len", 0)
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    d_head = config.integer("kv_channels")
    grouped = config.flag("multi_query_attention", default=False)
    kv_heads = config.integer("multi_query_group_num") if grouped else n_heads
    config.ignore("multi_query_group_num")
    bias = config.flag("add_bias_linear", default=False)
    qkv_bias = config.flag("add_qkv_bias", default=False) or bias
    mixer = Attention(d_model, n_heads, kv_heads, d_head=d_head, qkv_bias=qkv_bias, out_bias=bias)
    feed = FeedForward(d_model, config.integer("ffn_hidden_size"), gated=True, bias=bias)
    vocab = config.integer("padded_vocab_size", "vocab_size")
    final = (Norm("final_layernorm", d_model),) if config.flag("post_layer_norm", default=True) else ()
    return Architecture(
        model_type="chatglm",
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("seq_length", default=0) or None,
        inputs=(Embedding("word_embeddings", vocab, d_model),),
        layers=(block(d_model, mixer, feed),) * config.integer("num_layers", "num_hidden_layers"),
        outputs=final,
        head=Head(vocab, d_model, tied=config.flag("tie_word_embeddings", default=False)),
    )
