"""Models that mix tokens through states alone: Mamba, RWKV, xLSTM."""

from __future__ import annotations

import math

from sizebook.models.architecture import Architecture, Brick, Embedding, FeedForward, Head, Layer, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, feed_forward, stack, uniform, vector
from sizebook.models.huggingface import model_type
from sizebook.models.mixers import Mamba1, Mamba2
from sizebook.models.recurrences import MatrixLstm, Rwkv, Rwkv7

IGNORED = (
    "residual_in_fp32",
    "time_step_scale",
    "time_step_min",
    "time_step_max",
    "time_step_floor",
    "time_step_init_scheme",
    "time_step_limit",
    "rms_norm",
    "norm_before_gate",
    "mixer_rms_eps",
)


def time_step_rank(config: Config, key: str) -> int:
    """Return the rank of the projection to time steps: a sixteenth of the width where the file says ``auto``."""
    config.ignore(key)
    automatic = config.values.get(key) == "auto"
    return math.ceil(config.integer("hidden_size") / 16) if automatic else config.integer(key)


@model_type("mamba", "falcon_mamba")
def mamba(config: Config) -> Architecture:
    """Mamba and Falcon Mamba: one norm and one mixer a layer."""
    config.ignore(*IGNORED, "expand")
    d_model = config.integer("hidden_size")
    expanded = int(config.number("expand", default=2) * d_model)
    mixer = Mamba1(
        d_model,
        config.integer("intermediate_size", default=expanded),
        config.integer("state_size"),
        d_conv=config.integer("conv_kernel"),
        dt_rank=time_step_rank(config, "time_step_rank"),
        conv_bias=config.flag("use_conv_bias", default=True),
        proj_bias=config.flag("use_bias", default=False),
    )
    layers = uniform(config, Layer((Norm("norm", d_model), mixer)))
    return stack(config, layers, BesideLayers(tied=True))


@model_type("mamba2")
def mamba2(config: Config) -> Architecture:
    """Mamba 2: heads with one decay each."""
    config.ignore(*IGNORED, "intermediate_size", "time_step_rank")
    d_model, n_heads, d_head = (config.integer(k) for k in ("hidden_size", "num_heads", "head_dim"))
    inner = int(config.number("expand", default=2) * d_model)
    if inner != n_heads * d_head:
        raise config.unknown("num_heads", n_heads, f"heads that are together {inner} wide: expand * hidden_size")
    mixer = Mamba2(
        d_model,
        n_heads,
        d_head,
        n_groups=config.integer("n_groups"),
        d_state=config.integer("state_size"),
        d_conv=config.integer("conv_kernel"),
        conv_bias=config.flag("use_conv_bias", default=True),
        proj_bias=config.flag("use_bias", default=False),
    )
    return stack(config, uniform(config, Layer((Norm("norm", d_model), mixer))))


@model_type("rwkv7")
def rwkv7(config: Config) -> Architecture:
    """RWKV 7 as flash-linear-attention builds it: time mixing by a delta rule, channel mixing by one square."""
    config.ignore("attn_mode", "fuse_norm", "fuse_cross_entropy", "fuse_linear_cross_entropy", "use_l2warp")
    config.only("norm_first", True)
    if config.has("attn"):
        raise config.unknown("attn", config.values["attn"], "null: attention in some layers is not described")
    d_model, n_layers, d_head = (config.integer(key) for key in ("hidden_size", "num_hidden_layers", "head_dim"))
    config.only("num_heads", config.divides("hidden_size", d_model, "head_dim", d_head))
    config.only("value_dim", d_model, [d_model] * n_layers)
    bias, feed = config.flag("norm_bias", default=True), _channel_mixing(config, d_model)
    names = ("decay_low_rank_dim", "a_low_rank_dim", "gate_low_rank_dim", "v_low_rank_dim")
    decay, rate, gate, values = (config.integer(name) for name in names)

    def layer(first: bool) -> Layer:
        value = 0 if first else values
        mixer = Rwkv7(d_model, d_head, decay_rank=decay, rate_rank=rate, gate_rank=gate, value_rank=value)
        shift = Tensors((vector("ffn.x_k", d_model),))
        before = [Norm("pre_norm", d_model, bias)] if first else []
        norms = Norm("attn_norm", d_model, bias), Norm("ffn_norm", d_model, bias)
        bricks: tuple[Brick, ...] = (*before, norms[0], mixer, norms[1], feed, shift)
        return Layer(bricks)

    return stack(config, (layer(True), *(layer(False),) * (n_layers - 1)), BesideLayers(norm_bias=bias))


def _channel_mixing(config: Config, d_model: int) -> FeedForward:
    """Return the channel mixing, whose width a file may leave to the ratio: rounded up to a multiple of 32."""
    ratio = config.number("hidden_ratio", default=4)
    if config.has("intermediate_size"):
        return feed_forward(config, gated=False)
    return FeedForward(d_model, math.ceil(int(d_model * ratio) / 32) * 32, gated=False)


@model_type("rwkv")
def rwkv(config: Config) -> Architecture:
    """RWKV 4: layer norms, time mixing and channel mixing; the first layer norms the embedding too."""
    config.ignore("rescale_every", "context_length")
    d_model, vocab = config.integer("hidden_size"), config.integer("vocab_size")
    inner = config.integer("attention_hidden_size", default=d_model)
    mixer = Rwkv(d_model, inner, config.integer("intermediate_size", default=4 * d_model))
    layer = Layer((Norm("ln1", d_model, bias=True), mixer, Norm("ln2", d_model, bias=True)))
    return Architecture(
        model_type="rwkv",
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("context_length", default=0) or None,
        inputs=(Embedding("embeddings", vocab, d_model), Norm("blocks.0.pre_ln", d_model, bias=True)),
        layers=(layer,) * config.integer("num_hidden_layers"),
        outputs=(Norm("ln_out", d_model, bias=True),),
        head=Head(vocab, d_model, tied=config.flag("tie_word_embeddings", default=False), name="head"),
    )


@model_type("xlstm")
def xlstm(config: Config) -> Architecture:
    """xLSTM: matrix memories and gated feed-forward blocks, whose inner width is rounded up."""
    config.ignore("norm_reduction_force_float32", "chunkwise_kernel", "sequence_kernel", "step_kernel", "mode")
    config.ignore("return_last_states", "max_inference_chunksize")
    d_model, bias = config.integer("hidden_size"), config.flag("use_bias", default=False)
    expected = {
        "weight_mode": "single",
        "embedding_dim": d_model,
        "num_blocks": config.integer("num_hidden_layers"),
        "use_bias": False,
        "add_out_norm": True,
    }
    for key, value in expected.items():
        if config.has(key) and config.values[key] != value:
            raise config.unknown(key, config.values[key], f"{value!r}: nothing else is described for this type")
    n_heads = config.integer("num_heads")
    config.divides("hidden_size", d_model, "num_heads", n_heads)
    d_qk = int(d_model * config.number("qk_dim_factor"))
    d_v = int(d_model * config.number("v_dim_factor", default=1.0))
    for name, width in (("qk_dim_factor", d_qk), ("v_dim_factor", d_v)):
        config.divides(f"{name} * hidden_size", width, "num_heads", n_heads)
    d_ff = _rounded(
        d_model * config.number("ffn_proj_factor"),
        config.integer("ffn_round_up_to_multiple_of"),
    )
    mixer = MatrixLstm(d_model, n_heads, d_qk, d_v=d_v, bias=bias)
    feed = FeedForward(d_model, d_ff, gated=True, bias=bias, name="ffn")
    layer = Layer((Norm("norm_mlstm", d_model), mixer, Norm("norm_ffn", d_model), feed))
    return stack(config, uniform(config, layer), BesideLayers(ties=False, final=Norm("out_norm", d_model)))


def _rounded(width: float, multiple: int) -> int:
    """Return the width rounded up to a multiple."""
    return int((width + multiple - 1) // multiple) * multiple
