"""Speech before a language model: Voxtral Realtime, which listens while it writes, and Granite Speech's conformer."""

from __future__ import annotations

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    FeedForward,
    Layer,
    Norm,
    Projection,
    Tensors,
    Weight,
)
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, feed_forward, linear, stack, uniform, vector
from sizebook.models.families.multimodal.joining import text_model, with_towers
from sizebook.models.families.multimodal.querying import querying
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

REALTIME_WINDOW = 8192  # tokens, where the section does not say
DELAY_WIDTH = 32  # of the two projections by which a layer takes the delay into account


@model_type("voxtral_realtime")
def voxtral_realtime(config: Config) -> Architecture:
    """Voxtral Realtime: an encoder with windows that caches its keys, Ministral scaled by the delay asked for."""
    config.ignore("audio_length_per_tok", "default_num_delay_tokens")
    section, audio = config.section("text_config"), config.section("audio_config")
    section.only("model_type", "voxtral_realtime_text")
    section.values = {**section.values, "model_type": "voxtral_realtime_text"}
    section.ignore("tie_word_embeddings", "sliding_window")
    window = REALTIME_WINDOW
    if "sliding_window" in section.values:
        window = section.integer("sliding_window", default=0)
    feed, mixer = feed_forward(section), attention(section, d_head=128, window=window or None)
    d_model = feed.d_model
    delayed = (
        Projection("ada_rms_norm.linear1", d_model, DELAY_WIDTH, bias=False, pooled=True),
        Projection("ada_rms_norm.linear2", DELAY_WIDTH, d_model, bias=False, pooled=True),
    )
    first, second = Norm("input_layernorm", d_model), Norm("post_attention_layernorm", d_model)
    layer = Layer((first, mixer, second, *delayed, feed))
    text = stack(section, uniform(section, layer), BesideLayers(tied=True))
    joined = audio.integer("hidden_size") * config.integer("downsample_factor", default=4)
    projector = (
        linear("linear_1", joined, d_model, bias=False),
        linear("linear_2", d_model, d_model, bias=False),
    )
    return with_towers(config, text, _listening(audio, projector), tied=True)


def _listening(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """Return the encoder: two convolutions, then gated blocks and attention with windows."""
    config.only("model_type", "voxtral_realtime_encoder")
    config.ignore("max_position_embeddings", "sliding_window", "vocab_size")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.integer("head_dim")
    attend = Attention(d_model, n_heads, n_heads, d_head=width, qkv_bias=True, key_bias=False, out_bias=True)
    d_ff, bins = config.integer("intermediate_size"), config.integer("num_mel_bins")
    layer: tuple[Brick, ...] = (
        Norm("self_attn_layer_norm", d_model),
        attend,
        Norm("final_layer_norm", d_model),
        FeedForward(d_model, d_ff, gated=True),
        Tensors((vector("down_proj.bias", d_model, part="bias"),)),
    )
    stem = linear("conv1", 3 * bins, d_model), linear("conv2", 3 * d_model, d_model)
    n_layers = config.integer("num_hidden_layers")
    return Tower("audio", d_model, n_layers, stem=stem, layer=layer, projector=(Norm("norm", d_model), *projector))


@model_type("granite_speech")
def granite_speech(config: Config) -> Architecture:
    """Granite Speech (arXiv:2505.08699): a conformer, a querying transformer over windows of it, Granite."""
    config.needs("text_config", "encoder_config", "projector_config")
    config.ignore("has_lora_adapter")  # a file of its own holds the adapter
    section = config.section("text_config")
    text = text_model(config, section.text("model_type", default="granite"), chosen=True)
    encoder, queries = config.section("encoder_config"), config.section("projector_config")
    encoder.only("model_type", "granite_speech_encoder")
    queries.only("model_type", "blip_2_qformer")
    width, d_audio = queries.integer("hidden_size"), queries.integer("encoder_hidden_size")
    window, rate = config.integer("window_size"), config.integer("downsample_rate")
    reads = queries.flag("use_qformer_text_input", default=False)
    projector: tuple[Brick, ...] = (
        Tensors((vector("query", window // rate, width),)),
        *querying(queries, d_audio, reads=reads, embeds=False),
        linear("linear", width, text.d_model),
    )
    tower, buffers = _conformer(encoder, projector)
    return with_towers(config, text, tower, tied=True, buffers=buffers)


def _conformer(config: Config, projector: tuple[Brick, ...]) -> tuple[Tower, tuple[Weight, ...]]:
    """Return a conformer (arXiv:2005.08100), and what its batch norms store of the batches they saw."""
    config.ignore("context_size")
    d_model, n_heads = config.integer("hidden_dim"), config.integer("num_heads")
    width = config.size("dim_head") or d_model // n_heads
    d_ff = d_model * config.integer("feedforward_mult", default=4)
    inner = d_model * config.integer("conv_expansion_factor")
    kernel, places = config.integer("conv_kernel_size", default=15), config.integer("max_pos_emb")
    n_layers, d_out = config.integer("num_layers"), config.integer("output_dim")
    attend = Attention(d_model, n_heads, n_heads, d_head=width, out_bias=True, bidirectional=True)
    feed: tuple[Brick, ...] = (
        Norm("ff.pre_norm", d_model, bias=True),
        FeedForward(d_model, d_ff, gated=False, bias=True),
    )
    layer: tuple[Brick, ...] = (
        *feed,
        Norm("attn.pre_norm", d_model, bias=True),
        attend,
        Embedding("attn.rel_pos_emb", 2 * places + 1, width),
        Norm("conv.norm", d_model, bias=True),
        linear("conv.up_conv", d_model, 2 * inner),
        linear("conv.depth_conv", kernel, inner, bias=False),
        Norm("conv.batch_norm", inner, bias=True),
        linear("conv.down_conv", inner, d_model),
        *feed,
        Norm("post_norm", d_model, bias=True),
    )
    halfway = linear("out", d_model, d_out), linear("out_mid", d_out, d_model)
    stem = (linear("input_linear", config.integer("input_dim"), d_model),)
    seen = Weight("conv.batch_norm", (2 * inner + 1,), "other", use="vector", copies=n_layers)
    tower = Tower("audio", d_model, n_layers, stem=stem, layer=layer, projector=(*halfway, *projector))
    return tower, (seen,)


@model_type("glmasr")
def glmasr(config: Config) -> Architecture:
    """GLM-ASR: Whisper's encoder with rotary positions, as many frames side by side as a block is wide, Llama."""
    section, audio = config.section("text_config"), config.section("audio_config")
    section.only("model_type", "llama")  # its class gives any other Llama's sizes too
    text = text_model(config, "llama")
    audio.only("model_type", "glmasr_encoder")
    audio.ignore("max_position_embeddings")
    d_model, n_heads = audio.integer("hidden_size"), audio.integer("num_attention_heads")
    kv_heads, d_ff = audio.integer("num_key_value_heads", default=n_heads), audio.integer("intermediate_size")
    width = audio.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    audio.divides("num_attention_heads", n_heads, "num_key_value_heads", kv_heads)
    if audio.size("head_dim") not in (0, width):
        raise audio.unknown("head_dim", audio.values["head_dim"], f"{width}, the width divided by the heads")
    attend = Attention(d_model, n_heads, kv_heads, d_head=width, qkv_bias=True, key_bias=False, out_bias=True)
    layer: tuple[Brick, ...] = (
        Norm("input_layernorm", d_model, bias=True),
        attend,
        Norm("post_attention_layernorm", d_model, bias=True),
        FeedForward(d_model, d_ff, gated=False, bias=True),
    )
    stem = linear("conv1", 3 * audio.integer("num_mel_bins"), d_model), linear("conv2", 3 * d_model, d_model)
    projector = (
        Norm("norm", d_model, bias=True),
        linear("linear_1", d_ff, 2 * text.d_model),
        linear("linear_2", 2 * text.d_model, text.d_model),
    )
    tower = Tower("audio", d_model, audio.integer("num_hidden_layers"), stem=stem, layer=layer, projector=projector)
    return with_towers(config, text, tower, tied=True)
