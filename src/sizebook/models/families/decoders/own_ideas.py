"""Dense decoders with one idea of their own: differential attention, learned masks, trained activations, cycles."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Layer, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, block, feed_forward, matrix, stack, uniform, vector
from sizebook.models.huggingface import model_type


@model_type("apertus")
def apertus(config: Config) -> Architecture:
    """Apertus: norms per head; a plain block whose activation (xIELU) has two trained scalars and two stored ones."""
    config.only("qk_norm", True)
    config.only("mlp_bias", False)
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, gated=False)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head")
    trained = config.text("hidden_act", default="xielu") == "xielu"
    scalars = Tensors(tuple(vector(f"mlp.act_fn.alpha_{s}", 1, part="mlp") for s in "pn") if trained else ())
    norms = Norm("attention_layernorm", feed.d_model), Norm("feedforward_layernorm", feed.d_model)
    layers = uniform(config, Layer((norms[0], mixer, norms[1], feed, scalars)))
    stored = tuple(vector(f"mlp.act_fn.{s}", 1) for s in ("beta", "eps")) if trained else ()
    return stack(config, layers, BesideLayers(buffers=stored * len(layers)))


@model_type("diffllama")
def diffllama(config: Config) -> Architecture:
    """Differential attention: the difference of two maps, weighted by four vectors a layer."""
    bias, feed = config.flag("attention_bias", default=False), feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias)
    names = ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2")
    weighing = Tensors(tuple(vector(f"self_attn.{n}", mixer.d_head, part="attention") for n in names))
    return stack(config, uniform(config, Layer((*block(feed.d_model, mixer, feed).bricks, weighing))))


@model_type("doge")
def doge(config: Config) -> Architecture:
    """Doge: a learned mask from the values, norms per head and a scale on each residual; dense only."""
    config.ignore("keep_window_size", "num_experts", "num_experts_per_tok")
    if config.flag("is_moe", default=False):
        raise config.unknown("is_moe", True, "false: the cross-domain experts of this type are not described")
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    window = config.window("sliding_window")
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head", window=window)
    d_kv = mixer.n_kv_heads * mixer.d_head
    mask = [vector("self_attn.A", mixer.n_kv_heads, part="attention")]
    mask.append(matrix("self_attn.dt_proj.weight", mixer.n_kv_heads, d_kv, part="attention"))
    if bias:
        mask.append(vector("self_attn.dt_proj.bias", mixer.n_kv_heads, part="bias"))
    scales = [vector(name, feed.d_model) for name in ("input_residual", "post_attention_residual")]
    extra = Tensors((*mask, *scales))
    return stack(config, uniform(config, Layer((*block(feed.d_model, mixer, feed).bricks, extra))))


@model_type("hrm_text")
def hierarchical(config: Config) -> Architecture:
    """Hierarchical reasoning: two short stacks run in cycles, so most layers compute with weights already counted."""
    config.ignore("L_bp_cycles", "prefix_lm", "embedding_scale")
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(config)
    config.only("num_key_value_heads", mixer.n_heads)  # its class has no groups
    mixer = replace(mixer, gate=mixer.n_heads * mixer.d_head)
    depth, high, low = (config.integer(k) for k in ("num_layers_per_stack", "H_cycles", "L_cycles"))
    config.ignore("num_hidden_layers")
    first = Layer((mixer, feed))
    again = Layer((mixer, feed), stored=False)
    cycle = (again,) * depth
    start = ((first,) * depth + cycle * (low - 1)) + (first,) * depth
    layers = start + (cycle * (low + 1)) * (high - 1)
    state = Tensors((vector("z_L_init", feed.d_model),))
    return stack(config, layers, BesideLayers(final_norm=False, inputs=(state,)))


@model_type("cpmant")
def cpmant(config: Config) -> Architecture:
    """CPM-Ant: a bias table over segments and distances, soft prompts in the embedding; the head is never tied."""
    config.ignore("position_bias_max_distance", "tie_word_embeddings", "eps")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    mixer = Attention(d_model, n_heads, n_heads, d_head=config.integer("dim_head"), name="self_attention")
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
