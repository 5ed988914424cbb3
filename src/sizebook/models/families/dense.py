"""Dense decoders near Llama: other norms, biases, activations without a gate, windows by pattern."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Layer, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    attention,
    block,
    feed_forward,
    layers_of,
    matrix,
    sandwich,
    sliding_pattern,
    stack,
    vector,
    window_of,
)
from sizebook.models.families.llama import uniform
from sizebook.models.huggingface import model_type

POST_NORMS = ("post_attention_layernorm", "post_feedforward_layernorm")


@model_type("cohere")
def cohere(config: Config) -> Architecture:
    """Command R: attention and feed-forward block side by side after one norm; optional norms over all heads."""
    bias = config.flag("attention_bias", default=False)
    normed = "all" if config.flag("use_qk_norm", default=False) else None
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm=normed)
    layer = Layer((Norm("input_layernorm", feed.d_model), mixer, feed))
    return stack(config, uniform(config, layer), tied=True)


@model_type("cohere2")
def cohere2(config: Config) -> Architecture:
    """Command R7B and A: as Command R; three of four layers slide."""
    config.ignore("sliding_window_pattern", "order_of_interleaved_layers", "layer_switch")
    bias = config.flag("attention_bias", default=False)
    feed, norm = feed_forward(config), Norm("input_layernorm", config.integer("hidden_size"))
    mixer = attention(config, qkv_bias=bias, out_bias=bias)
    layers = layers_of(
        sliding_pattern(config, 4), lambda kind: Layer((norm, replace(mixer, window=window_of(config, kind)), feed))
    )
    return stack(config, layers, tied=True)


@model_type("exaone4", "olmo2", "olmo3")
def post_normed(config: Config) -> Architecture:
    """EXAONE 4 and OLMo 2 and 3: norms behind both blocks and on queries and keys (head by head, or all heads)."""
    olmo = config.text("model_type") != "exaone4"
    bias = config.flag("attention_bias", default=False) if olmo else False
    config.ignore("sliding_window_pattern")
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="all" if olmo else "head", kv_required=not olmo)
    norms = [Norm(name, feed.d_model) for name in POST_NORMS]

    def layer(kind: str) -> Layer:
        return Layer((replace(mixer, window=window_of(config, kind)), norms[0], feed, norms[1]))

    return stack(config, layers_of(sliding_pattern(config, 4 if config.has("sliding_window") else 1), layer))


@model_type("glm", "glm4", "glm4v_text")
def glm(config: Config) -> Architecture:
    """GLM 4: biases on query, key and value; the 0414 generation also norms what each block adds."""
    d_model, feed, name = config.integer("hidden_size"), feed_forward(config), config.text("model_type")
    bias = name == "glm4v_text" or config.flag("attention_bias", default=True)
    mixer = attention(config, qkv_bias=bias, d_head=None if name == "glm4v_text" else 128, kv_required=True)
    if name == "glm":
        return stack(config, uniform(config, block(d_model, mixer, feed)))
    names = ("input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm")
    return stack(config, uniform(config, sandwich(d_model, mixer, feed, names)))


@model_type("gemma", "vaultgemma")
def gemma(config: Config) -> Architecture:
    """Gemma: heads 256 wide unless given, embedding and head tied. VaultGemma adds windows."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=256, kv_required=True)
    period = 1 if config.text("model_type") == "gemma" else 2
    layers = layers_of(
        sliding_pattern(config, period),
        lambda kind: block(feed.d_model, replace(mixer, window=window_of(config, kind)), feed),
    )
    return stack(config, layers, tied=True)


@model_type("gemma2", "gemma3_text")
def gemma2(config: Config) -> Architecture:
    """Gemma 2 and 3: norms before and after both blocks; Gemma 3 norms each query and key head too."""
    config.ignore("sliding_window_pattern", "use_bidirectional_attention")
    config.ignore("sliding_window_attention_size", "global_local_attention_pattern")
    third = config.text("model_type") == "gemma3_text"
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config)
    normed = "head" if third else None
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=256, qk_norm=normed, kv_required=True)
    names = (
        "input_layernorm",
        "post_attention_layernorm",
        "pre_feedforward_layernorm",
        "post_feedforward_layernorm",
    )
    layers = layers_of(
        sliding_pattern(config, 6 if third else 2),
        lambda kind: sandwich(feed.d_model, replace(mixer, window=window_of(config, kind)), feed, names),
    )
    return stack(config, layers, tied=True)


@model_type("olmo", "nanochat")
def without_gains(config: Config) -> Architecture:
    """OLMo and nanochat: norms without gains store nothing; nanochat's feed-forward block is not gated."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, gated=config.text("model_type") == "olmo")
    layer = Layer((attention(config, qkv_bias=bias, out_bias=bias), feed))
    return stack(config, uniform(config, layer), final_norm=False)


@model_type("phi3", "phi4")
def phi3(config: Config) -> Architecture:
    """Phi 3 and 4: Llama with query, key and value, and gate and up, each in one matrix."""
    config.ignore("full_attn_mod", "interpolate_factor")
    window = config.integer("sliding_window", default=0) or None
    feed = feed_forward(config)
    return stack(config, uniform(config, block(feed.d_model, attention(config, window=window), feed)))


@model_type("phi")
def phi(config: Config) -> Architecture:
    """Phi 1 and 2: attention and a plain block side by side after one layer norm, biases everywhere, the head's too."""
    d_model, feed = config.integer("hidden_size"), feed_forward(config, bias=True, gated=False)
    normed = "head" if config.flag("qk_layernorm", default=False) else None
    mixer = attention(config, qkv_bias=True, out_bias=True, qk_norm=normed, qk_norm_bias=True)
    layer = Layer((Norm("input_layernorm", d_model, bias=True), mixer, feed))
    return stack(config, uniform(config, layer), norm_bias=True, head_bias=True)


@model_type("stablelm")
def stablelm(config: Config) -> Architecture:
    """StableLM: layer norms with biases, optional biases on query, key and value, optional norms per head."""
    feed, d_model = feed_forward(config), config.integer("hidden_size")
    normed = "all" if config.flag("qk_layernorm", default=False) else None
    mixer = attention(config, qkv_bias=config.flag("use_qkv_bias", default=False), qk_norm=normed)
    layer = block(d_model, mixer, feed, bias=True)
    if config.flag("use_parallel_residual", default=False):
        layer = Layer((Norm("input_layernorm", d_model, bias=True), mixer, feed))
    return stack(config, uniform(config, layer), norm_bias=True)


@model_type("starcoder2")
def starcoder2(config: Config) -> Architecture:
    """StarCoder 2: layer norms, a plain feed-forward block, one flag for the biases."""
    config.ignore("norm_type", "mlp_type", "attention_softmax_in_fp32", "scale_attn_weights")
    bias = config.flag("use_bias", default=True)
    feed = feed_forward(config, bias=bias, gated=False)
    window = config.integer("sliding_window", default=0) or None
    mixer = attention(config, qkv_bias=bias, out_bias=bias, kv_required=True, window=window)
    layers = uniform(config, block(feed.d_model, mixer, feed, bias=True))
    return stack(config, layers, tied=True, norm_bias=True)


@model_type("granite", "granite_swa", "smollm3", "cwm", "hyperclovax")
def granite(config: Config) -> Architecture:
    """Llama with windows by pattern; sinks in Granite SWA; norms of what each block adds in HyperCLOVA X."""
    name = config.text("model_type")
    config.ignore("no_rope_layers", "no_rope_layer_interval", "use_sliding_window")
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    required = name in ("smollm3", "cwm", "granite_swa")
    mixer = attention(config, qkv_bias=bias, out_bias=bias, kv_required=required, sinks=name == "granite_swa")
    post = name == "hyperclovax" and config.flag("use_post_norm", default=True)
    names = ("input_layernorm", "post_norm1", "post_attention_layernorm", "post_norm2")

    def layer(kind: str) -> Layer:
        slid = replace(mixer, window=window_of(config, kind))
        return sandwich(feed.d_model, slid, feed, names) if post else block(feed.d_model, slid, feed)

    return stack(config, layers_of(sliding_pattern(config), layer), tied=name in ("smollm3", "granite_swa"))


@model_type("helium", "seed_oss")
def helium(config: Config) -> Architecture:
    """Helium and Seed-OSS: heads 128 wide unless given; the output projection has a bias flag of its own."""
    seed = config.text("model_type") == "seed_oss"
    out_bias = config.flag("attention_out_bias", default=False) if seed else False
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(
        config,
        qkv_bias=config.flag("attention_bias", default=seed),
        out_bias=out_bias,
        d_head=128,
        kv_required=True,
    )
    if not seed and mixer.n_heads * mixer.d_head != feed.d_model:
        raise config.unknown("head_dim", mixer.d_head, f"heads that are together {feed.d_model} wide")
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)))


@model_type("apertus")
def apertus(config: Config) -> Architecture:
    """Apertus: norms per head; a plain block whose activation (xIELU) has two trained scalars and two stored ones."""
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, gated=False, bias=config.flag("mlp_bias", default=False))
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head")
    trained = config.text("hidden_act", default="xielu") == "xielu"
    scalars = Tensors(tuple(vector(f"mlp.act_fn.alpha_{s}", 1, part="mlp") for s in "pn") if trained else ())
    norms = Norm("attention_layernorm", feed.d_model), Norm("feedforward_layernorm", feed.d_model)
    layers = uniform(config, Layer((norms[0], mixer, norms[1], feed, scalars)))
    stored = tuple(vector(f"mlp.act_fn.{s}", 1) for s in ("beta", "eps")) if trained else ()
    return stack(config, layers, buffers=stored * len(layers))


@model_type("arcee", "jais2")
def arcee(config: Config) -> Architecture:
    """Arcee and Jais 2: Llama with a plain feed-forward block (squared ReLU); Jais 2 has biases everywhere."""
    jais = config.text("model_type") == "jais2"
    bias = config.flag("attention_bias", default=jais)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=jais), gated=False)
    mixer = attention(config, qkv_bias=bias, out_bias=bias)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed, bias=jais)), norm_bias=jais)


@model_type("bitnet")
def bitnet(config: Config) -> Architecture:
    """BitNet: norms in front of both projections out of a block; the count is of values, whatever their bits."""
    bias, feed = config.flag("attention_bias", default=False), feed_forward(config)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, kv_required=True)
    norms = Norm("self_attn.attn_sub_norm", feed.d_model), Norm("mlp.ffn_sub_norm", feed.d_ff)
    layer = block(feed.d_model, mixer, feed)
    return stack(config, uniform(config, Layer((*layer.bricks, *norms))))


@model_type("ernie4_5")
def ernie(config: Config) -> Architecture:
    """ERNIE 4.5: Llama with heads 128 wide unless given and one flag for all biases."""
    bias = config.flag("use_bias", default=False)
    feed = feed_forward(config, bias=bias)
    mixer = attention(config, qkv_bias=bias, out_bias=bias, d_head=128, kv_required=True)
    return stack(config, uniform(config, block(feed.d_model, mixer, feed)), tied=True)


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
    mixer = attention(config, qkv_bias=bias, out_bias=bias, qk_norm="head")
    d_kv = mixer.n_kv_heads * mixer.d_head
    mask = [vector("self_attn.A", mixer.n_kv_heads, part="attention")]
    mask.append(matrix("self_attn.dt_proj.weight", mixer.n_kv_heads, d_kv, "attention"))
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
    mixer = replace(mixer, gate=mixer.n_heads * mixer.d_head)
    depth, high, low = (config.integer(k) for k in ("num_layers_per_stack", "H_cycles", "L_cycles"))
    config.ignore("num_hidden_layers")
    first = Layer((mixer, feed))
    again = Layer((mixer, feed), stored=False)
    cycle = (again,) * depth
    start = ((first,) * depth + cycle * (low - 1)) + (first,) * depth
    layers = start + (cycle * (low + 1)) * (high - 1)
    state = Tensors((vector("z_L_init", feed.d_model),))
    return stack(config, layers, final_norm=False, inputs=(state,))
