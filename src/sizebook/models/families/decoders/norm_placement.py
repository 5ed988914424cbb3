"""Dense decoders that place or build norms otherwise: OLMo, EXAONE 4, GLM 4, StableLM, StarCoder 2, nanochat."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Layer, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    POST_NORMS,
    Around,
    attention,
    block,
    feed_forward,
    layers_of,
    sandwich,
    sliding_pattern,
    stack,
    uniform,
    window_of,
)
from sizebook.models.huggingface import model_type


@model_type("olmo", "nanochat")
def without_gains(config: Config) -> Architecture:
    """OLMo and nanochat: norms without gains store nothing; nanochat's feed-forward block is not gated."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, gated=config.text("model_type") == "olmo")
    layer = Layer((attention(config, qkv_bias=bias, out_bias=bias), feed))
    return stack(config, uniform(config, layer), Around(final_norm=False))


PERIOD = "sliding_window_pattern"  # a file of some types may say every how many layers one sees everything


@model_type("exaone4", "olmo2", "olmo3")
def post_normed(config: Config) -> Architecture:
    """EXAONE 4 and OLMo 2 and 3: norms behind both blocks and on queries and keys (head by head, or all heads)."""
    olmo = config.text("model_type") != "exaone4"
    bias = config.flag("attention_bias", default=False) if olmo else False
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="all" if olmo else "head", kv_required=not olmo)
    norms = [Norm(name, feed.d_model) for name in POST_NORMS]

    def layer(kind: str) -> Layer:
        return Layer((replace(mixer, window=window_of(config, kind)), norms[0], feed, norms[1]))

    if config.window("sliding_window"):
        kinds = sliding_pattern(config, 4, said="" if olmo else PERIOD)
    else:
        kinds = sliding_pattern(config)
    config.ignore(PERIOD)
    return stack(config, layers_of(kinds, layer))


@model_type("glm", "glm4", "glm4v_text")
def glm(config: Config) -> Architecture:
    """GLM 4: biases on query, key and value; the 0414 generation also norms what each block adds."""
    d_model, feed, name = config.integer("hidden_size"), feed_forward(config), config.text("model_type")
    bias = name == "glm4v_text" or config.flag("attention_bias", default=True)
    mixer = attention(config, qkv_bias=bias, d_head=None if name == "glm4v_text" else 128, kv_required=True)
    if name == "glm4v_text" and mixer.n_heads * mixer.d_head != d_model:
        raise config.unknown("head_dim", mixer.d_head, f"heads that are together {d_model} wide")
    if name == "glm":
        return stack(config, uniform(config, block(d_model, mixer, feed)))
    names = ("input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm")
    return stack(config, uniform(config, sandwich(d_model, mixer, feed, names=names)))


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


@model_type("stablelm")
def stablelm(config: Config) -> Architecture:
    """StableLM: layer norms with biases, optional biases on query, key and value, optional norms per head."""
    feed, d_model = feed_forward(config), config.integer("hidden_size")
    normed = "all" if config.flag("qk_layernorm", default=False) else None
    bias = config.flag("use_qkv_bias", default=False)
    mixer = attention(config, qkv_bias=bias, qk_norm=normed, kv_required=True)
    if mixer.n_heads * mixer.d_head != d_model:
        raise config.unknown("head_dim", mixer.d_head, f"heads that are together {d_model} wide")
    layer = block(d_model, mixer, feed, bias=True)
    if config.flag("use_parallel_residual", default=False):
        layer = Layer((Norm("input_layernorm", d_model, bias=True), mixer, feed))
    return stack(config, uniform(config, layer), Around(norm_bias=True))


@model_type("starcoder2")
def starcoder2(config: Config) -> Architecture:
    """StarCoder 2: layer norms, a plain feed-forward block, one flag for the biases."""
    config.ignore("norm_type", "mlp_type", "attention_softmax_in_fp32", "scale_attn_weights")
    bias = config.flag("use_bias", default=True)
    feed = feed_forward(config, bias=bias, gated=False)
    window = config.window("sliding_window")
    mixer = attention(config, qkv_bias=bias, out_bias=bias, kv_required=True, window=window)
    layers = uniform(config, block(feed.d_model, mixer, feed, bias=True))
    return stack(config, layers, Around(tied=True, norm_bias=True))
