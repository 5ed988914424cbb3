"""Models that see and hear, and in Qwen 2.5 Omni speak.

Qwen's thinker is the language model. Talker and vocoder count whole under ``tower``, as the encoders do: a text token
visits none of them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import flat, text_model, with_towers
from sizebook.models.families.towers.audio import phi4_audio, whisper_encoder
from sizebook.models.families.towers.vision import qwen2_5_vit, siglip
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

TIME_FREQUENCIES = 256  # widths that the class fixes: no key sets them


@model_type("qwen2_5_omni")
def qwen2_5_omni(config: Config) -> Architecture:
    """Qwen 2.5 Omni (arXiv:2503.20215); without talker and vocoder where audio output is switched off."""
    thinker = config.section("thinker_config")
    thinker.ignore("ignore_index", "position_id_per_seconds", "seconds_per_chunk")
    text = text_model(thinker, "qwen2")
    towers = [_vision(thinker.section("vision_config")), _hearing(thinker.section("audio_config"))]
    config.ignore("enable_audio_output_", "enable_talker")
    config.ignore("talker_config", "token2wav_config")
    if config.flag("enable_audio_output", default=True):
        towers += [_talker(config.section("talker_config")), *_vocoder(config.section("token2wav_config"))]
    tied = thinker.flag("tie_word_embeddings", default=False)
    head = replace(text.head, tied=tied) if text.head else None
    return replace(text, model_type="qwen2_5_omni", inputs=(*text.inputs, *towers), head=head)


def _vision(config: Config) -> Tower:
    tower = qwen2_5_vit(config)
    return replace(tower, name="visual")


def _hearing(config: Config) -> Tower:
    """Whisper's encoder without its positions, one projection, and the vectors that begin and end a clip."""
    d_model, d_out = config.integer("d_model"), config.integer("output_dim")
    projector = (linear("proj", d_model, d_out), Embedding("audio_bos_eos_token", 2, d_out))
    config.ignore("max_source_positions")
    return replace(whisper_encoder(config, projector, positions=False), name="audio_tower")


def _talker(config: Config) -> Tower:
    """A Qwen 2 of its own whose table is as wide as the thinker, with a head over codes."""
    d_model, d_in = config.integer("hidden_size"), config.integer("embedding_size")
    n_heads, n_kv_heads = config.integer("num_attention_heads"), config.integer("num_key_value_heads")
    d_head, vocab = config.integer("head_dim"), config.integer("vocab_size")
    config.ignore("position_id_per_seconds", "seconds_per_chunk", "spatial_merge_size")
    config.ignore("use_sliding_window", "max_window_layers", "layer_types")
    layer: tuple[Brick, ...] = (
        Norm("input_layernorm", d_model),
        Attention(d_model, n_heads, n_kv_heads, d_head=d_head, qkv_bias=True),
        Norm("post_attention_layernorm", d_model),
        FeedForward(d_model, config.integer("intermediate_size"), gated=True),
    )
    stem = Embedding("embed_tokens", vocab, d_in), linear("thinker_to_talker_proj", d_in, d_model)
    after = Norm("norm", d_model), linear("codec_head", d_model, vocab, bias=False)
    return Tower(
        "speech", d_model, config.integer("num_hidden_layers"), stem=stem, layer=layer, projector=after, name="talker"
    )


def _vocoder(config: Config) -> tuple[Tower, Tower]:
    return _diffusion(config.section("dit_config")), _bigvgan(config.section("bigvgan_config"))


def _diffusion(config: Config) -> Tower:
    """A diffusion transformer over mel frames: norms take their gain from the time step."""
    d_model, mel = config.integer("hidden_size"), config.integer("mel_dim")
    d_attn = config.integer("num_attention_heads") * config.integer("head_dim")
    codes, emb = config.integer("num_embeds") + 1, config.integer("emb_dim")
    joined = mel + config.integer("enc_dim") + config.integer("enc_emb_dim") + emb
    config.ignore("block_size", "look_ahead_layers", "look_backward_layers", "repeats", "depth", "dim", "heads")
    layer: tuple[Brick, ...] = (
        linear("attn_norm", d_model, 6 * d_model),
        *(linear(name, d_model, d_attn) for name in ("to_q", "to_k", "to_v")),
        linear("to_out", d_attn, d_model),
        FeedForward(d_model, config.integer("ff_mult") * d_model, gated=False, bias=True),
    )
    stem: tuple[Brick, ...] = (
        linear("time_mlp.0", TIME_FREQUENCIES, d_model),
        linear("time_mlp.2", d_model, d_model),
        Embedding("codec_embed", codes, emb),
        linear("input_proj", joined, d_model),
        *_speaker_encoder(config),
    )
    after = linear("norm_out", d_model, 2 * d_model), linear("proj_out", d_model, mel)
    return Tower(
        "speech",
        d_model,
        config.integer("num_hidden_layers"),
        stem=stem,
        layer=layer,
        projector=after,
        name="code2wav_dit",
    )


def _speaker_encoder(config: Config) -> list[Brick]:
    """ECAPA-TDNN (arXiv:2005.07143): convolutions over time in blocks that squeeze and excite, pooled by attention."""
    channels, kernels = config.integers("enc_channels"), config.integers("enc_kernel_sizes")
    if not 2 < len(channels) == len(kernels):
        raise config.unknown("enc_channels", channels, f"3 or more, as many as 'enc_kernel_sizes' ({len(kernels)})")
    if sum(channels[1:-1]) != channels[-1]:
        raise config.unknown("enc_channels", channels, "the last as wide as the blocks together, which it gathers")
    scale, squeezed = config.integer("enc_res2net_scale"), config.integer("enc_se_channels")
    attending, d_out = config.integer("enc_attention_channels"), config.integer("enc_dim")
    config.ignore("enc_dilations", "enc_global_context", "enc_lin_neurons")
    convolutions = [(config.integer("mel_dim"), channels[0], kernels[0])]
    for (before, width), kernel in zip(pairwise(channels[:-1]), kernels[1:-1], strict=True):
        part = width // scale
        convolutions += [(before, width, 1), *[(part, part, kernel)] * (scale - 1), (width, width, 1)]
        convolutions += [(width, squeezed, 1), (squeezed, width, 1)]
    last = channels[-1]
    convolutions += [
        (last, last, kernels[-1]),
        (3 * last, attending, 1),
        (attending, last, 1),
        (2 * last, d_out, 1),
    ]
    return [linear(f"spk_encoder.{i}", d_in * k, width) for i, (d_in, width, k) in enumerate(convolutions)]


def _bigvgan(config: Config) -> Tower:
    """BigVGAN (arXiv:2206.04658): each step widens time and halves the channels, then blocks with trained sines."""
    widths = [config.integer("upsample_initial_channel")]
    bricks: list[Brick] = [linear("conv_pre", config.integer("mel_dim") * 7, widths[0])]
    config.ignore("use_bias_at_final")
    steps = config.integers("upsample_kernel_sizes")
    rates = config.integers("upsample_rates", default=steps)
    if len(rates) != len(steps):
        raise config.unknown("upsample_rates", rates, f"{len(steps)}, one of each of 'upsample_kernel_sizes'")
    kernels = config.integers("resblock_kernel_sizes")
    dilations = config.entries("resblock_dilation_sizes", list, "lists")
    if len(kernels) != len(dilations):
        raise config.unknown("resblock_dilation_sizes", dilations, f"{len(kernels)}, one of each kernel size")
    for step, kernel in enumerate(steps):
        width = widths[-1] // 2
        bricks.append(linear(f"ups.{step}", widths[-1] * kernel, width))
        for size, dilated in zip(kernels, dilations, strict=True):
            block = f"resblocks.{step}.{size}"
            count = 2 * len(dilated)
            bricks += [linear(f"{block}.convs.{i}", width * size, width) for i in range(count)]
            bricks.append(Tensors((vector(f"{block}.activations", count, 2, width),)))
        widths.append(width)
    bricks += [Tensors((vector("activation_post", 2, widths[-1]),)), linear("conv_post", widths[-1] * 7, 1, bias=False)]
    return Tower("speech", widths[0], 0, stem=tuple(bricks), layer=(), projector=(), name="code2wav_bigvgan")


@model_type("phi4_multimodal")
def phi4_multimodal(config: Config) -> Architecture:
    """Phi 4 multimodal: SigLIP and a conformer in front of Phi 4 mini; without the checkpoint's adapters."""
    vision, audio = config.section("vision_config"), config.section("audio_config")
    vision.reads_as("phi4_multimodal_vision")
    vision.ignore("crop_size", "feature_layer")
    vision.only("vision_use_head", True)
    config.built_as("Phi4MultimodalForCausalLM", "Phi4MultimodalModel")
    config.integer("num_key_value_heads")  # left out, it is 8 here and not Phi 3's one a head: required
    text, width = flat(config, "phi3"), vision.integer("hidden_size")
    seen = (
        linear("img_projection_up", width, text.d_model),
        linear("img_projection_down", text.d_model, text.d_model),
        Tensors((vector("global_img_feature_extensor", width), vector("sub_img_feature_extensor", width))),
    )
    n_mels = audio.integer("input_size")
    buffers = tuple(vector(f"encoder_embedding.global_{what}", n_mels) for what in ("mean", "invstd"))
    towers = siglip(vision, seen), phi4_audio(audio, text.d_model)
    return with_towers(config, text, *towers, tied=False, buffers=buffers)
