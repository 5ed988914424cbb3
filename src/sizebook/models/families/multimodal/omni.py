"""Models that see and hear, and in Qwen 2.5 Omni speak.

Qwen's thinker is the language model. Talker and vocoder count whole under ``tower``, as the encoders do: a text token
visits none of them.
"""

from dataclasses import replace
from itertools import pairwise

from sizebook.models.architecture import Architecture, Brick, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import flat, text_model, with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("qwen2_5_omni")
def qwen2_5_omni(config: Config) -> Architecture:
    """Qwen 2.5 Omni (arXiv:2503.20215); without talker and vocoder where audio output is switched off."""
    thinker = config.section("thinker_config")
    thinker.ignore("ignore_index", "position_id_per_seconds", "seconds_per_chunk")
    text = text_model(thinker, "qwen2")
    towers = [replace(tower("qwen2_5_vl", thinker.section("vision_config")), name="visual")]
    towers.append(tower("qwen2_5_omni_audio", thinker.section("audio_config")))
    if config.flag("enable_audio_output", default=True):
        towers.append(tower("qwen2_5_omni_talker", config.section("talker_config")))
        towers += _vocoder(config.section("token2wav_config"))
    tied = thinker.flag("tie_word_embeddings", default=False)
    head = replace(text.head, tied=tied) if text.head else None
    return replace(text, model_type="qwen2_5_omni", inputs=(*text.inputs, *towers), head=head)


def _vocoder(config: Config) -> tuple[Tower, Tower]:
    diffusion = config.section("dit_config")
    speaker = _speaker_encoder(diffusion)
    found = tower("qwen2_5_omni_diffusion", diffusion)
    return replace(found, stem=(*found.stem, *speaker)), _bigvgan(config.section("bigvgan_config"))


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
    towers = tower("siglip", vision, *seen), _phi4_audio(audio, text.d_model)
    return with_towers(config, text, *towers, tied=False, buffers=buffers)


def _phi4_audio(config: Config, d_text: int) -> Tower:
    """Return the conformer, before which convolutions halve the frames as often as the file says."""
    halvings, bins = config.integer("time_reduction").bit_length() - 1, config.integer("input_size")
    for _ in range(halvings):
        bins = (bins + 1) // 2
    size = config.integer("nemo_final_size", default=bins)
    return tower("phi4_audio", config, text=d_text, halvings=halvings, final_size=size)
