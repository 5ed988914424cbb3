"""Models that came with code of their own before transformers knew them: ChatGLM, CPM-Ant, DeepSeek's first experts."""

from __future__ import annotations

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Embedding,
    Experts,
    FeedForward,
    Head,
    Layer,
    Norm,
    Tensors,
)
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, feed_forward, layers_of, stack, vector
from sizebook.models.huggingface import model_type


@model_type("chatglm")
def chatglm(config: Config) -> Architecture:
    """ChatGLM 2, 3 and GLM 4 as first published: grouped attention with biases on query, key and value, gated block."""
    config.only("architectures", ["ChatGLMModel"], ["ChatGLMForConditionalGeneration"])  # both with the language head
    config.ignore("seq_length", "apply_query_key_layer_scaling", "fp32_residual_connection", "original_rope")
    config.ignore("apply_residual_connection_post_layernorm", "attention_softmax_in_fp32", "bias_dropout_fusion")
    config.ignore("rmsnorm", "classifier_dropout", "pre_seq_len", "prefix_projection", "interleaved_qkv")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    d_head = config.integer("kv_channels")
    grouped = config.flag("multi_query_attention", default=False)
    kv_heads = config.integer("multi_query_group_num") if grouped else n_heads
    config.ignore("multi_query_group_num")
    bias = config.flag("add_bias_linear", default=False)
    qkv_bias = config.flag("add_qkv_bias", default=False) or bias
    mixer = Attention(d_model, n_heads, kv_heads, d_head, qkv_bias=qkv_bias, out_bias=bias)
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


@model_type("deepseek")
def deepseek(config: Config) -> Architecture:
    """DeepSeek-MoE: Llama's attention, fine-grained and shared experts behind the first dense layers."""
    config.ignore("moe_layer_freq")
    if config.integer("moe_layer_freq", default=1) != 1:
        raise config.unknown("moe_layer_freq", config.values["moe_layer_freq"], "1: experts in every later layer")
    bias, d_model = config.flag("attention_bias", default=False), config.integer("hidden_size")
    d_ff = config.integer("moe_intermediate_size")
    experts = Experts(
        d_model,
        d_ff,
        config.integer("n_routed_experts"),
        config.integer("num_experts_per_tok"),
        d_ff_shared=d_ff * config.integer("n_shared_experts", default=0),
    )
    dense, mixer = feed_forward(config), attention(config, qkv_bias=bias, out_bias=bias)
    n_dense = config.integer("first_k_dense_replace", default=0)
    kinds = [i < n_dense for i in range(config.integer("num_hidden_layers"))]

    def layer(is_dense: bool) -> Layer:
        return block(d_model, mixer, dense if is_dense else experts)

    return stack(config, layers_of(kinds, layer))


@model_type("cpmant")
def cpmant(config: Config) -> Architecture:
    """CPM-Ant: a bias table over segments and distances, soft prompts in the embedding; the head is never tied."""
    config.ignore("position_bias_max_distance", "tie_word_embeddings", "eps")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    mixer = Attention(d_model, n_heads, n_heads, config.integer("dim_head"), name="self_attention")
    feed = FeedForward(d_model, config.integer("dim_ff"), gated=True, name="ffn")
    vocab, segments = config.integer("vocab_size"), config.integer("segment_types")
    prompts = config.integer("prompt_types") * config.integer("prompt_length")
    distances = segments**2 + config.integer("position_bias_num_buckets")
    table = Tensors((vector("position_bias.relative_attention_bias", distances, n_heads, part="bias"),))
    return Architecture(
        model_type="cpmant",
        d_model=d_model,
        vocab=vocab,
        n_ctx=None,
        inputs=(
            Embedding("input_embedding", vocab + prompts, d_model),
            Embedding("segment_embedding", segments, d_model),
            table,
        ),
        layers=(block(d_model, mixer, feed),) * config.integer("num_hidden_layers"),
        outputs=(Norm("output_layernorm", d_model),),
        head=Head(vocab, d_model, tied=False),
    )
