"""Gemma 1 to 4, 3n, VaultGemma and RecurrentGemma: norms around both blocks, windows, per-layer embeddings."""

from dataclasses import replace
from typing import Any

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    Experts,
    FeedForward,
    Layer,
    Norm,
    Projection,
    Tensors,
)
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    SLIDING,
    BesideLayers,
    attention,
    block,
    every,
    feed_forward,
    layers_of,
    matrix,
    sandwich,
    stack,
    vector,
    window_of,
)
from sizebook.models.huggingface import model_type
from sizebook.models.recurrences import GatedRecurrence

NORMS = ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")


@model_type("recurrent_gemma")
def recurrent_gemma(config: Config) -> Architecture:
    """RecurrentGemma: two recurrent blocks, then one of sliding attention; the inner width is given for both halves."""
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    pattern = config.values.get("block_types") or ["recurrent", "recurrent", "attention"]
    if not isinstance(pattern, list) or any(kind not in ("recurrent", "attention") for kind in pattern):
        raise config.unknown("block_types", pattern, "a list of recurrent and attention")
    bias = config.flag("attention_bias", default=False)
    attend = attention(config, qkv_bias=bias, out_bias=True, window=config.integer("attention_window_size", default=0))
    width = config.integer("lru_width", default=d_model)
    mixer = GatedRecurrence(d_model, width, attend.n_heads, d_conv=config.integer("conv1d_width"))
    config.divides("lru_width", width, "num_attention_heads", attend.n_heads)
    d_ff = config.divides("intermediate_size", config.integer("intermediate_size"), "2", 2)
    feed = FeedForward(d_model, d_ff, gated=True, bias=True)
    kinds = [pattern[i % len(pattern)] for i in range(n_layers)]
    layers = layers_of(kinds, lambda kind: block(d_model, attend if kind == "attention" else mixer, feed))
    return stack(config, layers, BesideLayers(tied=True))


@model_type("gemma4_text", "gemma4_unified_text")
def gemma4(config: Config) -> Architecture:
    """Gemma 4: wider heads where a layer sees everything, keys as values there, experts beside the dense block."""
    n_layers, d_model = config.integer("num_hidden_layers"), config.integer("hidden_size")
    config.ignore("use_bidirectional_attention", "expert_intermediate_size", "vocab_size_per_layer_input")
    kinds = config.pattern("layer_types", n_layers, SLIDING, every(n_layers, 6))
    kinds = [*kinds[:-1], "full_attention"]
    shared = _shared(config, kinds, default=0)
    slides = attention(config, biased=True, qk_norm="head")
    sees_all = _global_attention(config, slides, kinds)
    wide = config.flag("use_double_wide_mlp", default=False)
    unified = config.text("model_type") == "gemma4_unified_text"
    d_extra = 0 if unified else config.integer("hidden_size_per_layer_input")
    feed, experts = feed_forward(config), _experts(config)

    def layer(kind: tuple[str, bool]) -> Layer:
        mixer = replace(sees_all if kind[0] == "full_attention" else slides, kv_shared=kind[1])
        mixer = replace(mixer, window=window_of(config, kind[0]))
        dense = replace(feed, d_ff=2 * feed.d_ff) if wide and kind[1] else feed
        return Layer(
            (*sandwich(d_model, mixer, dense, names=NORMS).bricks, *experts, *per_layer_input(d_model, d_extra))
        )

    layers = layers_of([(kind, i >= n_layers - shared) for i, kind in enumerate(kinds)], layer)
    scalars = (vector("layer_scalar", 1),) * n_layers
    return stack(
        config, layers, BesideLayers(tied=True, inputs=per_layer_tables(config, n_layers, d_extra), buffers=scalars)
    )


def _shared(config: Config, kinds: list[str], *, default: int) -> int:
    """Return how many of the last layers use the keys and values of an earlier one of their kind."""
    shared = config.integer("num_kv_shared_layers", default=default)
    if shared and set(kinds[: max(len(kinds) - shared, 0)]) != set(kinds):
        raise config.unknown("num_kv_shared_layers", shared, "a layer of each kind with keys and values of its own")
    return shared


def _global_attention(config: Config, slides: Attention, kinds: list[str]) -> Attention:
    """Return the attention of layers that see everything; their sizes may stand in ``per_layer_config``."""
    keys_serve = config.flag("attention_k_eq_v", default=False)
    width = config.integer("global_head_dim", default=512)
    kv_heads = config.integer("num_global_key_value_heads", default=slides.n_kv_heads)
    kv_heads = kv_heads if keys_serve else slides.n_kv_heads
    config.ignore("per_layer_config")
    given: Any = config.values.get("per_layer_config") or {}
    if given == {} and config.values.get("per_layer_config") == {}:  # said to be empty: no layer differs
        width, kv_heads = slides.d_head, slides.n_kv_heads
    elif "per_layer_config" in config.values:
        full = [i for i, kind in enumerate(kinds) if kind == "full_attention"]
        entries = [entry for entry in given.values() if isinstance(entry, dict)] if isinstance(given, dict) else []
        alike = all(entry == entries[0] and set(entry) <= {"head_dim", "num_key_value_heads"} for entry in entries)
        numbered = {int(key) for key in given if str(key).isdecimal()} if entries else set()
        if not alike or len(entries) != len(numbered) or numbered != set(full):
            raise config.unknown("per_layer_config", "differing entries", "the same sizes for every full layer")
        own = Config(entries[0] if entries else {}, f"{config.where}, 'per_layer_config'")
        width = own.integer("head_dim", default=slides.d_head)
        kv_heads = own.integer("num_key_value_heads", default=slides.n_kv_heads)
    return replace(slides, d_head=width, n_kv_heads=kv_heads, qk_norm=(width, width), values_are_keys=keys_serve)


def _experts(config: Config) -> tuple[Brick, ...]:
    """Return the experts that run beside the dense block, with their norms and the router's scales."""
    config.ignore("num_experts", "top_k_experts", "moe_intermediate_size")
    if not config.flag("enable_moe_block", default=False):
        return ()
    d_model, n_experts = config.integer("hidden_size"), config.integer("num_experts")
    feed = Experts(
        d_model,
        config.integer("moe_intermediate_size", "expert_intermediate_size"),
        n_experts,
        top_k=config.integer("top_k_experts"),
        name="experts",
    )
    scales = vector("router.scale", d_model, part="router"), vector("router.per_expert_scale", n_experts, part="router")
    names = ("post_feedforward_layernorm_1", "post_feedforward_layernorm_2", "pre_feedforward_layernorm_2")
    return (feed, Tensors(scales), *(Norm(name, d_model) for name in names))


def per_layer_input(d_model: int, width: int) -> tuple[Brick, ...]:
    """Return what mixes a layer's own embedding of the token into the stream."""
    if not width:
        return ()
    return (
        Projection("per_layer_input_gate", d_model, width, bias=False),
        Projection("per_layer_projection", width, d_model, bias=False),
        Norm("post_per_layer_input_norm", d_model),
    )


def per_layer_tables(config: Config, n_layers: int, width: int) -> tuple[Brick, ...]:
    """Return the table with an embedding per layer and the projection beside it."""
    config.ignore("vocab_size_per_layer_input")
    if not width:
        return ()
    rows = config.integer("vocab_size_per_layer_input")
    return (
        Embedding("embed_tokens_per_layer", rows, n_layers * width),
        Projection("per_layer_model_projection", config.integer("hidden_size"), n_layers * width, bias=False),
        Norm("per_layer_projection_norm", width),
    )


@model_type("gemma3n_text")
def gemma3n(config: Config) -> Architecture:
    """Gemma 3n: per-layer embeddings, several residual streams (AltUp), low-rank residuals (LAuReL)."""
    config.ignore("altup_correct_scale", "activation_sparsity_pattern", "altup_active_idx", "altup_coef_clip")
    n_layers, d_model = config.integer("num_hidden_layers"), config.integer("hidden_size")
    widths = config.values.get("intermediate_size")
    config.ignore("intermediate_size")
    inner = widths if isinstance(widths, list) else [config.integer("intermediate_size")] * n_layers
    if len(inner) != n_layers:
        raise config.unknown("intermediate_size", f"{len(inner)} entries", f"{n_layers}, one a layer")
    mixer = attention(config, biased=True, qk_norm="head")
    if config.integer("hidden_size_per_layer_input") == 0:
        raise config.unknown("hidden_size_per_layer_input", 0, "1 or more: every layer of this type has them")
    width = config.integer("hidden_size_per_layer_input")
    extra = (*_altup(config, d_model), *_laurel(config, d_model), *per_layer_input(d_model, width))

    def layer(kind: tuple[str, bool, int]) -> Layer:
        slid = replace(mixer, window=window_of(config, kind[0]), kv_shared=kind[1])
        feed = FeedForward(d_model, kind[2], gated=True)
        return Layer((*sandwich(d_model, slid, feed, names=NORMS).bricks, *extra))

    patterns = config.pattern("layer_types", n_layers, SLIDING, every(n_layers, 5))
    shared = _shared(config, patterns, default=15)
    kinds = [(kind, i >= n_layers - shared, inner[i]) for i, kind in enumerate(patterns)]
    n_streams = config.integer("altup_num_inputs") - 1
    streams = Tensors(
        tuple(
            matrix(f"{name}.*.weight", d_model, d_model, part="other", copies=n_streams)
            for name in ("altup_projections", "altup_unembed_projections")
        )
    )
    tables = per_layer_tables(config, n_layers, width)
    return stack(config, layers_of(kinds, layer), BesideLayers(tied=True, inputs=tables, outputs=(streams,)))


def _altup(config: Config, d_model: int) -> tuple[Brick, ...]:
    """Return what predicts and corrects the residual streams around a layer (arXiv:2301.13310)."""
    n = config.integer("altup_num_inputs")
    found = [matrix("altup.modality_router.weight", n, d_model, part="router")]
    found += [vector("altup.correction_coefs.weight", n, n), vector("altup.prediction_coefs.weight", n * n, n)]
    found.append(vector("altup.correct_output_scale", d_model))
    return Tensors(tuple(found)), Norm("altup.router_norm", d_model)


def _laurel(config: Config, d_model: int) -> tuple[Brick, ...]:
    """Return the low-rank residual (arXiv:2411.07501)."""
    rank = config.integer("laurel_rank")
    left = Projection("laurel.linear_left", d_model, rank, bias=False)
    return left, Projection("laurel.linear_right", rank, d_model, bias=False), Norm("laurel.post_laurel_norm", d_model)
