"""Zamba: Mamba layers, and a transformer block that several places of the stack share.

A hybrid layer is two entries of the stack here: the shared block, stored where it first occurs, and the Mamba layer.
"""

from __future__ import annotations

import math

from sizebook.models.architecture import Architecture, Attention, Brick, FeedForward, Layer, Norm, Projection, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import matrix, stack
from sizebook.models.families.mamba import IGNORED
from sizebook.models.huggingface import model_type
from sizebook.models.mixers import Mamba1, Mamba2

KINDS = ("linear_attention", "mamba", "hybrid")


def shared_block(config: Config) -> tuple[Brick, ...]:
    """Return the transformer block; its attention reads the stream and the embedding side by side."""
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    wide = config.integer("attention_hidden_size", default=2 * d_model)
    width = config.integer("attention_head_dim", default=2 * d_model // n_heads)
    kv_heads = config.integer("num_key_value_heads", default=n_heads)
    if wide != 2 * d_model or n_heads * width != wide:
        raise config.unknown("attention_hidden_size", wide, f"{2 * d_model}: twice the hidden size, split over heads")
    attend = Attention(wide, n_heads, kv_heads, width, d_out=d_model)
    feed = FeedForward(d_model, config.integer("intermediate_size", default=4 * d_model), gated=True)
    return Norm("shared_transf.input_layernorm", wide), attend, Norm("shared_transf.pre_ff_layernorm", d_model), feed


def hybrid_stack(
    config: Config, mixer: Mamba1 | Mamba2, kinds: list[str], adapters: tuple[Brick, ...] = ()
) -> Architecture:
    """Return the stack: shared blocks take turns, every hybrid layer has its own projection, adapters and mixer."""
    if not config.flag("tie_word_embeddings", default=True):
        raise config.unknown("tie_word_embeddings", False, "true: untied, transformers unties the shared block too")
    d_model, n_blocks = config.integer("hidden_size"), config.integer("num_mem_blocks", default=1)
    block, norm = shared_block(config), Norm("input_layernorm", d_model)
    plain = Layer((norm, mixer))
    joined = Layer((Projection("linear", d_model, d_model, bias=False), norm, mixer, *adapters))
    stored, again = [Layer(block) for _ in range(n_blocks)], Layer(block, stored=False)
    layers: list[Layer] = []
    seen = 0
    for kind in kinds:
        if kind == "hybrid":
            layers.append(stored[seen] if seen < n_blocks else again)
            seen += 1
        layers.append(joined if kind == "hybrid" else plain)
    return stack(config, tuple(layers), tied=True)


@model_type("zamba")
def zamba(config: Config) -> Architecture:
    """Zamba: Mamba 1 with two heads and one shared block."""
    config.ignore(*IGNORED)
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    period, offset = config.integer("attn_layer_period", default=6), config.integer("attn_layer_offset", default=4)
    default = ["mamba", "mamba", "hybrid"] + [
        "hybrid" if i % period == offset else "mamba" for i in range(n_layers - 3)
    ]
    config.ignore("mamba_dt_rank")
    automatic = config.values.get("mamba_dt_rank") == "auto"
    mixer = Mamba1(
        d_model,
        config.integer("mamba_expand") * d_model,
        config.integer("mamba_d_state"),
        config.integer("mamba_d_conv"),
        math.ceil(d_model / 16) if automatic else config.integer("mamba_dt_rank"),
        conv_bias=config.flag("mamba_conv_bias", default=True),
        proj_bias=config.flag("mamba_proj_bias", default=False),
        name="mamba",
    )
    config.divides("mamba_expand * hidden_size", mixer.d_inner, "n_mamba_heads", config.integer("n_mamba_heads"))
    return hybrid_stack(config, mixer, config.pattern("layers_block_type", n_layers, KINDS, default))


@model_type("zamba2")
def zamba2(config: Config) -> Architecture:
    """Zamba 2: Mamba 2, shared blocks that take turns, low-rank adapters of their inner matrix in each place."""
    config.ignore(*IGNORED, "kv_channels", "num_query_groups", "hybrid_layer_ids", "use_mem_eff_path")
    config.ignore("use_long_context", "mamba_headdim", "chunk_size")
    if not config.flag("use_conv_bias", default=True):
        raise config.unknown("use_conv_bias", False, "true, which transformers takes anyway")
    for key in ("add_bias_linear", "use_shared_attention_adapter"):
        if config.flag(key, default=False):
            raise config.unknown(key, True, "false: nothing else is described for this type")
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    heads, rank = config.integer("n_mamba_heads"), config.integer("adapter_rank", default=128)
    inner = int(config.number("mamba_expand", default=2) * d_model)
    mixer = Mamba2(
        d_model,
        heads,
        config.divides("mamba_expand * hidden_size", inner, "n_mamba_heads", heads),
        config.integer("mamba_ngroups", default=1),
        config.integer("mamba_d_state"),
        config.integer("mamba_d_conv"),
        name="mamba",
    )
    d_ff = config.integer("intermediate_size", default=4 * d_model)
    name = "gate_up_proj_adapter_list"
    adapters = Tensors(
        (matrix(f"{name}.0.weight", rank, d_model, "mlp"), matrix(f"{name}.1.weight", 2 * d_ff, rank, "mlp"))
    )
    kinds = config.pattern("layers_block_type", n_layers, KINDS)
    return hybrid_stack(config, mixer, kinds, (adapters,))
