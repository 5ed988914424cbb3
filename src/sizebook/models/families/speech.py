"""Qwen 2.5 Omni: a language model that sees and hears, and a second one that speaks.

Everything but the first language model (the thinker) counts as towers: audio and vision encoders, the talker, and what
turns its tokens into sound (a diffusion transformer and BigVGAN, arXiv:2206.04658).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sizebook.models.architecture import Architecture, Brick, Embedding, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.audio_towers import whisper_encoder
from sizebook.models.families.blocks import attention, block, feed_forward, vector
from sizebook.models.families.vision_language import text_model
from sizebook.models.families.vision_towers import linear, qwen2_5_vit
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

DIT: dict[str, Any] = {
    "hidden_size": 1024,
    "num_hidden_layers": 22,
    "num_attention_heads": 16,
    "ff_mult": 2,
    "emb_dim": 512,
    "head_dim": 64,
    "mel_dim": 80,
    "num_embeds": 8193,
    "enc_emb_dim": 192,
    "enc_dim": 128,
    "enc_channels": [256, 256, 256, 256, 768],
    "enc_kernel_sizes": [5, 3, 3, 3, 1],
    "enc_attention_channels": 64,
    "enc_res2net_scale": 2,
    "enc_se_channels": 64,
}
BIGVGAN: dict[str, Any] = {
    "mel_dim": 80,
    "upsample_initial_channel": 1536,
    "resblock_kernel_sizes": [3, 7, 11],
    "upsample_kernel_sizes": [11, 7, 4, 4, 4, 4],
}


@model_type("qwen2_5_omni")
def qwen2_5_omni(config: Config) -> Architecture:
    """Qwen 2.5 Omni: thinker, talker and voice."""
    config.ignore("enable_talker", "enable_audio_output_")
    if not config.flag("enable_audio_output", default=True):
        raise config.unknown("enable_audio_output", False, "true: without its voice the model is not described")
    thinker = config.section("thinker_config")
    thinker.ignore("position_id_per_seconds", "seconds_per_chunk", "ignore_index", "user_token_id")
    text = text_model(thinker, "qwen2")
    vision = qwen2_5_vit(thinker.section("vision_config"))
    hears = _hearing(thinker.section("audio_config"), text.d_model)
    talker = _talker(config.section("talker_config"))
    voice = config.section("token2wav_config")
    speaks = _diffusion(voice.section("dit_config", DIT)), _vocoder(voice.section("bigvgan_config", BIGVGAN))
    return replace(text, model_type="qwen2_5_omni", inputs=(*text.inputs, vision, hears, talker, *speaks))


def _hearing(config: Config, d_text: int) -> Tower:
    config.ignore("output_dim")
    d_model = config.integer("d_model")
    ends = Tensors((vector("audio_bos_eos_token", 2, d_text),))
    return whisper_encoder(config, (linear("proj", d_model, d_text), ends), positions=False)


def _talker(config: Config) -> Tower:
    """Return the model that turns the thinker's states into speech tokens, a Qwen 2 with its own head."""
    config.ignore("position_id_per_seconds", "seconds_per_chunk", "spatial_merge_size", "max_window_layers")
    config.ignore("use_sliding_window", "sliding_window", "interleaved", "tts_codec_mask_token_id")
    d_model, width, vocab = (config.integer(k) for k in ("hidden_size", "embedding_size", "vocab_size"))
    mixer, feed = attention(config, qkv_bias=True, kv_required=True), feed_forward(config)
    stem: tuple[Brick, ...] = (
        Embedding("embed_tokens", vocab, width),
        linear("thinker_to_talker_proj", width, d_model),
    )
    last: tuple[Brick, ...] = (Norm("norm", d_model), linear("codec_head", d_model, vocab, bias=False))
    layers = config.integer("num_hidden_layers")
    return Tower("speech", d_model, layers, stem, block(d_model, mixer, feed).bricks, last, "talker")


def _diffusion(config: Config) -> Tower:
    """Return the diffusion transformer from speech tokens to a spectrogram, its speaker encoder included."""
    config.ignore(
        "depth", "dim", "heads", "block_size", "dropout", "look_ahead_layers", "look_backward_layers", "repeats"
    )
    config.ignore("enc_dilations", "enc_global_context", "enc_lin_neurons", "max_position_embeddings")
    d_model, mel, emb = config.integer("hidden_size"), config.integer("mel_dim"), config.integer("emb_dim")
    heads, d_head = config.integer("num_attention_heads"), config.integer("head_dim")
    spoken, speaker = config.integer("enc_dim"), config.integer("enc_emb_dim")
    wide, d_ff = heads * d_head, config.integer("ff_mult") * d_model
    stem: tuple[Brick, ...] = (
        linear("time_mlp.0", 256, d_model),
        linear("time_mlp.1", d_model, d_model),
        Embedding("codec_embed", config.integer("num_embeds") + 1, emb),
        linear("input_embed.proj", mel + spoken + speaker + emb, d_model),
        *_speaker(config, mel, spoken),
    )
    layer: tuple[Brick, ...] = (
        linear("attn_norm", d_model, 6 * d_model),
        *(linear(f"to_{n}", d_model, wide) for n in "qkv"),
        linear("to_out", wide, d_model),
        linear("ff.0", d_model, d_ff),
        linear("ff.1", d_ff, d_model),
    )
    last: tuple[Brick, ...] = (linear("norm_out", d_model, 2 * d_model), linear("proj_out", d_model, mel))
    return Tower("speech", d_model, config.integer("num_hidden_layers"), stem, layer, last, "dit")


def _speaker(config: Config, mel: int, d_out: int) -> tuple[Brick, ...]:
    """Return the speaker encoder (ECAPA-TDNN, arXiv:2005.07143)."""
    channels, kernels = config.integers("enc_channels"), config.integers("enc_kernel_sizes")
    scale, squeezed = config.integer("enc_res2net_scale"), config.integer("enc_se_channels")
    attended, joined = config.integer("enc_attention_channels"), channels[-1]
    found = [linear("blocks.0.conv", mel * kernels[0], channels[0])]
    for before, width, kernel in zip(channels, channels[1:-1], kernels[1:], strict=False):
        part = width // scale
        found += [linear("tdnn1", before, width), linear("tdnn2", width, width)]
        found += [linear("res2net", part * kernel, part)] * (scale - 1)
        found += [linear("se.conv1", width, squeezed), linear("se.conv2", squeezed, width)]
    found.append(linear("mfa", sum(channels[1:-1]) * kernels[-1], joined))
    return (
        *found,
        linear("asp.tdnn", 3 * joined, attended),
        linear("asp.conv", attended, joined),
        linear("fc", 2 * joined, d_out),
    )


def _vocoder(config: Config) -> Tower:
    """Return BigVGAN: convolutions that double the rate and halve the width, residual blocks at every width."""
    config.ignore("upsample_rates", "resblock_dilation_sizes", "use_bias_at_final")
    width, kernels = config.integer("upsample_initial_channel"), config.integers("upsample_kernel_sizes")
    resblocks, n_dilations = config.integers("resblock_kernel_sizes"), 3
    found: list[Brick] = [linear("conv_pre", 7 * config.integer("mel_dim"), width)]
    for kernel in kernels:
        found.append(linear("ups", width * kernel, width // 2))
        width //= 2
        for size in resblocks:
            found += [linear("resblock.conv", width * size, width)] * (2 * n_dilations)
            found.append(Tensors((vector("resblock.activations", 2 * n_dilations, 2, width),)))
    found += [Tensors((vector("activation_post", 2, width),)), linear("conv_post", 7 * width, 1, bias=False)]
    return Tower("speech", width, 0, tuple(found), (), (), "bigvgan")
