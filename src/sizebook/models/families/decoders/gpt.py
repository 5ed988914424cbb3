"""GPT-2 and its line: learned or rotary positions, layer norms with biases, plain feed-forward blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from sizebook.models.families.blocks import vector
from sizebook.models.huggingface import model_type


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes that every type of this line has, under whatever names."""

    d_model: int
    n_heads: int
    n_layers: int
    vocab: int
    n_ctx: int

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads

    def attention(self, n_kv_heads: int = 0, *, bias: bool = True, out_bias: bool | None = None) -> Attention:
        """Return attention whose heads are together as wide as the model."""
        kv = n_kv_heads or self.n_heads
        closing = bias if out_bias is None else out_bias
        return Attention(
            self.d_model, self.n_heads, kv, d_head=self.d_head, qkv_bias=bias, out_bias=closing, name="attn"
        )

    def feed_forward(self, d_ff: int, *, bias: bool = True) -> FeedForward:
        return FeedForward(self.d_model, d_ff or 4 * self.d_model, gated=False, bias=bias)

    def norm(self, name: str) -> Norm:
        return Norm(name, self.d_model, bias=True)

    def positions(self, offset: int = 0) -> Embedding:
        return Embedding("wpe", self.n_ctx + offset, self.d_model)


def sizes(config: Config, *keys: str) -> Sizes:
    """Read width, heads, layers and positions under the given names, or under those of transformers' common scheme."""
    usual = ("hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
    spellings = [tuple(dict.fromkeys(pair)) for pair in zip(keys, usual, strict=True)]
    d_model, n_heads, n_layers, n_ctx = (config.integer(*names) for names in spellings)
    config.divides(keys[0], d_model, keys[1], n_heads)
    return Sizes(d_model, n_heads, n_layers, config.integer("vocab_size"), n_ctx)


def no_cross_attention(config: Config) -> None:
    """Refuse cross-attention, which these decoders can be given but none is published with."""
    if config.flag("add_cross_attention", default=False):
        raise config.unknown("add_cross_attention", True, "false: cross-attention is not described for this type")


def decoder(
    config: Config,
    size: Sizes,
    layers: tuple[Layer, ...],
    *,
    tied: bool,
    inputs: tuple[Brick, ...] = (),
    final: bool = True,
) -> Architecture:
    """Return the decoder; ``tied`` is the type's default where the config does not say."""
    return Architecture(
        model_type=config.text("model_type"),
        d_model=size.d_model,
        vocab=size.vocab,
        n_ctx=size.n_ctx or None,
        inputs=(Embedding("wte", size.vocab, size.d_model), *inputs),
        layers=layers,
        outputs=(size.norm("ln_f"),) if final else (),
        head=Head(size.vocab, size.d_model, tied=config.flag("tie_word_embeddings", default=tied), bias=False),
    )


def two_norms(size: Sizes, mixer: Brick, feed: Brick) -> Layer:
    """Return a layer with one norm for attention and one for the feed-forward block."""
    return Layer((size.norm("ln_1"), mixer, size.norm("ln_2"), feed))


@model_type("gpt2", "gpt-sw3", "gpt_bigcode", "openai-gpt")
def gpt2(config: Config) -> Architecture:
    """GPT-2: learned positions, biases everywhere, tied head. StarCoder has one key-value head, GPT-1 no last norm.

    GPT-SW3 is GPT-2 under a type of its own.
    """
    config.ignore("n_ctx", "n_special", "predict_special_tokens", "reorder_and_upcast_attn", "afn", "inference_runner")
    config.ignore("validate_runner_input", "max_batch_size", "max_sequence_length", "attention_softmax_in_fp32")
    name = config.text("model_type")
    crosses = name in ("gpt2", "gpt-sw3")
    if not crosses:
        no_cross_attention(config)
    size = sizes(config, "n_embd", "n_head", "n_layer", "n_positions")
    shared = name == "gpt_bigcode" and config.flag("multi_query", default=True)
    if name == "gpt_bigcode":
        config.ignore("num_key_value_heads")  # written by transformers, not read
    d_ff = config.size("n_inner") if name != "openai-gpt" else 0
    layer = two_norms(size, size.attention(1 if shared else 0), size.feed_forward(d_ff))
    if crosses and config.flag("add_cross_attention", default=False):  # as the decoder behind an encoder
        looks = replace(size.attention(), cross=True, name="crossattention")
        layer = Layer((*layer.bricks, size.norm("ln_cross_attn"), looks))
    layers = (layer,) * size.n_layers
    return decoder(config, size, layers, tied=True, inputs=(size.positions(),), final=name != "openai-gpt")


@model_type("gptj", "codegen")
def gptj(config: Config) -> Architecture:
    """GPT-J and CodeGen: attention without biases beside the feed-forward block, one norm, a head with bias."""
    config.ignore("n_ctx", "rotary", "rotary_dim")
    size = sizes(config, "n_embd", "n_head", "n_layer", "n_positions")
    feed = size.feed_forward(config.size("n_inner"))
    layer = Layer((size.norm("ln_1"), size.attention(bias=False), feed))
    described = decoder(config, size, (layer,) * size.n_layers, tied=False)
    return replace(
        described,
        head=Head(size.vocab, size.d_model, tied=config.flag("tie_word_embeddings", default=False), bias=True),
    )


@model_type("gpt_neo")
def gpt_neo(config: Config) -> Architecture:
    """GPT-Neo: GPT-2 without biases on query, key and value; every second layer sees a window."""
    size = sizes(config, "hidden_size", "num_heads", "num_layers", "max_position_embeddings")
    window = config.integer("window_size", default=256)
    feed = size.feed_forward(config.size("intermediate_size"))
    kinds = _neo_kinds(config, size.n_layers)
    plain = size.attention(bias=False, out_bias=True)
    local = Attention(
        size.d_model, size.n_heads, size.n_heads, d_head=size.d_head, out_bias=True, window=window, name="attn"
    )
    built = {"global": two_norms(size, plain, feed), "local": two_norms(size, local, feed)}
    return decoder(config, size, tuple(built[kind] for kind in kinds), tied=True, inputs=(size.positions(),))


def _neo_kinds(config: Config, n_layers: int) -> list[str]:
    """Return global or local for each layer from ``attention_types``: pairs of a pattern and its repetitions."""
    config.ignore("attention_types", "attention_layers")
    types = config.values.get("attention_types", [[["global", "local"], n_layers // 2]])
    try:
        kinds = [kind for pattern, times in types for _ in range(times) for kind in pattern]
    except (TypeError, ValueError):
        kinds = []
    if len(kinds) != n_layers or not set(kinds) <= {"global", "local"}:
        raise config.unknown("attention_types", types, f"patterns of global and local for {n_layers} layers in all")
    return kinds


@model_type("gpt_neox", "gpt_neox_japanese")
def gpt_neox(config: Config) -> Architecture:
    """GPT-NeoX: rotary positions, two norms; the Japanese one has a single bias, on the last layer's attention."""
    config.ignore("use_parallel_residual")
    size = sizes(config, "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
    if config.text("model_type") == "gpt_neox":
        mixer = size.attention(bias=config.flag("attention_bias", default=True))
        layer = two_norms(size, mixer, size.feed_forward(config.integer("intermediate_size")))
        return decoder(config, size, (layer,) * size.n_layers, tied=False)
    d_ff = config.integer("intermediate_multiple_size") * size.d_model
    layer = two_norms(size, size.attention(bias=False), size.feed_forward(d_ff, bias=False))
    last = Layer((*layer.bricks, Tensors((vector("attention.dense_bias", size.d_model, part="bias"),))))
    return decoder(config, size, (*((layer,) * (size.n_layers - 1)), last), tied=True)


@model_type("bloom")
def bloom(config: Config) -> Architecture:
    """BLOOM: linear position biases (nothing stored), a norm behind the embedding."""
    config.ignore("apply_residual_connection_post_layernorm", "slow_but_exact", "seq_length", "offset_alibi")
    config.ignore("attention_softmax_in_fp32", "skip_bias_add", "skip_bias_add_qkv", "masked_softmax_fusion")
    config.ignore("bias_dropout_fusion", "unk_token_id", "n_inner")
    d_model, n_heads = config.integer("hidden_size", "n_embed"), config.integer("n_head", "num_attention_heads")
    config.divides("hidden_size", d_model, "n_head", n_heads)
    size = Sizes(d_model, n_heads, config.integer("n_layer", "num_hidden_layers"), config.integer("vocab_size"), 0)
    layer = two_norms(size, size.attention(), size.feed_forward(0))
    return decoder(config, size, (layer,) * size.n_layers, tied=True, inputs=(size.norm("word_embeddings_layernorm"),))


@model_type("mpt")
def mpt(config: Config) -> Architecture:
    """MPT: no biases, norms with gains only, linear position biases."""
    config.ignore("init_config", "init_device", "learned_pos_emb", "embedding_fraction", "norm_type", "verbose")
    inner = config.section("attn_config")
    inner.ignore("alibi", "alibi_bias_max", "attn_impl", "attn_uses_sequence_id", "prefix_lm", "softmax_scale")
    inner.ignore("clip_qkv", "attn_type", "kv_n_heads")
    if inner.text("attn_type", default="multihead_attention") != "multihead_attention" or inner.has("kv_n_heads"):
        raise config.unknown("attn_config.attn_type", inner.values.get("attn_type"), "multihead_attention")
    if not config.flag("no_bias", default=True):
        raise config.unknown("no_bias", False, "true: biases are not described for this type")
    d_model, n_heads = config.integer("d_model"), config.integer("n_heads")
    d_head = config.divides("d_model", d_model, "n_heads", n_heads)
    if config.integer("expansion_ratio", default=4) != 4:
        raise config.unknown("expansion_ratio", config.values["expansion_ratio"], "4, which transformers takes anyway")
    feed = FeedForward(d_model, 4 * d_model, gated=False)
    mixer = Attention(d_model, n_heads, n_heads, d_head=d_head, name="attn")
    layer = Layer((Norm("norm_1", d_model), mixer, Norm("norm_2", d_model), feed))
    vocab = config.integer("vocab_size")
    return Architecture(
        model_type="mpt",
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("max_seq_len", default=0) or None,
        inputs=(Embedding("wte", vocab, d_model),),
        layers=(layer,) * config.integer("n_layers"),
        outputs=(Norm("norm_f", d_model),),
        head=Head(vocab, d_model, tied=config.flag("tie_word_embeddings", default=True)),
    )


@model_type("falcon")
def falcon(config: Config) -> Architecture:
    """Falcon: one, grouped or all key-value heads; attention beside or before the feed-forward block."""
    config.ignore("apply_residual_connection_post_layernorm", "alibi", "n_head", "n_layer")
    config.ignore("num_kv_heads", "n_head_kv")  # read by the second generation alone
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    n_layers = config.integer("num_hidden_layers")
    size = Sizes(d_model, n_heads, n_layers, config.integer("vocab_size"), 0)
    new = config.flag("new_decoder_architecture", default=False)
    shared = config.flag("multi_query", default=True)
    kv = config.size("num_kv_heads", "n_head_kv") or n_heads if new else 1 if shared else n_heads
    bias = config.flag("bias", default=False)
    mixer = size.attention(kv, bias=bias)
    feed = size.feed_forward(config.size("ffn_hidden_size"), bias=bias)
    parallel = config.flag("parallel_attn", default=True)
    single = parallel and config.integer("num_ln_in_parallel_attn", default=2 if new else 1) != 2
    layer = Layer((size.norm("ln_attn"), mixer, feed)) if single else two_norms(size, mixer, feed)
    return decoder(config, size, (layer,) * n_layers, tied=True)


@model_type("opt", "biogpt")
def opt(config: Config) -> Architecture:
    """OPT and BioGPT: GPT-2 with two spare positions; OPT-350M embeds in a narrower space and has no last norm."""
    size = sizes(config, "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
    biogpt = config.text("model_type") == "biogpt"
    bias = True if biogpt else config.flag("enable_bias", default=True)
    d_ff = config.integer("intermediate_size" if biogpt else "ffn_dim")
    feed = FeedForward(size.d_model, d_ff, gated=False, bias=bias)
    layer = two_norms(size, size.attention(bias=bias), feed)
    if biogpt:
        return decoder(config, size, (layer,) * size.n_layers, tied=True, inputs=(size.positions(2),))
    if not (gains := config.flag("layer_norm_elementwise_affine", default=True)):
        layer = replace(layer, bricks=tuple(brick for brick in layer.bricks if not isinstance(brick, Norm)))
    config.ignore("_remove_final_layer_norm")
    removed = bool(config.values.get("_remove_final_layer_norm"))
    narrow = config.integer("word_embed_proj_dim", default=size.d_model)
    into = (Projection("project_in", narrow, size.d_model, bias=False),) if narrow != size.d_model else ()
    back = (Projection("project_out", size.d_model, narrow, bias=False),) if narrow != size.d_model else ()
    final = config.flag("do_layer_norm_before", default=True) and not removed and gains
    described = decoder(config, size, (layer,) * size.n_layers, tied=True, inputs=(size.positions(2),), final=final)
    return replace(
        described,
        inputs=(Embedding("wte", size.vocab, narrow), size.positions(2), *into),
        outputs=(*described.outputs, *back),
        head=Head(size.vocab, narrow, tied=config.flag("tie_word_embeddings", default=True)),
    )


@model_type("xglm")
def xglm(config: Config) -> Architecture:
    """XGLM: sinusoidal positions, which are not stored."""
    no_cross_attention(config)
    size = sizes(config, "d_model", "attention_heads", "num_layers", "max_position_embeddings")
    layer = two_norms(size, size.attention(), size.feed_forward(config.integer("ffn_dim")))
    return decoder(config, size, (layer,) * size.n_layers, tied=True)


@model_type("persimmon")
def persimmon(config: Config) -> Architecture:
    """Persimmon: biases everywhere, layer norms on queries and keys of each head, a head without bias."""
    size = sizes(config, "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
    normed = (size.d_head, size.d_head) if config.flag("qk_layernorm", default=True) else None
    mixer = Attention(
        size.d_model,
        size.n_heads,
        size.n_heads,
        d_head=size.d_head,
        qkv_bias=True,
        out_bias=True,
        qk_norm=normed,
        qk_norm_bias=True,
    )
    layer = two_norms(size, mixer, size.feed_forward(config.integer("intermediate_size")))
    return decoder(config, size, (layer,) * size.n_layers, tied=False)
