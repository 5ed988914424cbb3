"""Qwen 3 Omni (arXiv:2509.17765): a thinker that sees and hears, a talker with experts, a vocoder without diffusion.

The thinker is the language model. Talker, code predictor and vocoder count whole under ``tower``, as the encoders do:
a text token visits none of them.
"""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, linear, vector
from sizebook.models.families.experts import routed
from sizebook.models.families.multimodal.joining import text_model
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower

SOUND = ("position_id_per_seconds", "seconds_per_chunk", "spatial_merge_size", "speaker_id", "accept_hidden_layer")


@model_type("qwen3_omni_moe")
def qwen3_omni(config: Config) -> Architecture:
    """Qwen 3 Omni; without talker and vocoder where audio output is switched off."""
    config.needs("thinker_config")
    thinker = config.section("thinker_config")
    talking = config.flag("enable_audio_output", default=True)
    spoken = [config.section("talker_config"), config.section("code2wav_config")] if talking else []
    described = _thinker(thinker)
    speech = (*_talker(spoken[0]), _vocoder(spoken[1])) if talking else ()
    return replace(described, model_type="qwen3_omni_moe", inputs=(*described.inputs, *speech))


@model_type("qwen3_omni_moe_thinker")
def qwen3_omni_thinker(config: Config) -> Architecture:
    """The thinker alone, as the captioner is published."""
    return replace(_thinker(config), model_type="qwen3_omni_moe_thinker")


def _thinker(thinker: Config) -> Architecture:
    thinker.ignore(*SOUND)
    text = text_model(thinker, "qwen3_moe")
    vision = replace(tower("qwen3_vl_deepstack", thinker.section("vision_config")), name="visual")
    tied = thinker.flag("tie_word_embeddings", default=False)
    head = replace(text.head, tied=tied) if text.head else None
    return replace(
        text, inputs=(*text.inputs, vision, tower("qwen3_omni_audio", thinker.section("audio_config"))), head=head
    )


def _talker(config: Config) -> tuple[Tower, Tower]:
    """Return the talker, a decoder of codes that reads text and features, and the predictor of further codes."""
    config.ignore(*SOUND, "num_code_groups")
    config.only("tie_word_embeddings", False)  # the talker's own, which its class follows
    section = config.section("text_config")
    section.ignore("use_sliding_window", "layer_types")
    feed = routed(section, d_ff_shared=section.integer("shared_expert_intermediate_size"), shared_gate=True)
    mixer = attention(section, biased=True, qk_norm="head", kv_required=True)
    section.ignore("mlp_only_layers", "decoder_sparse_step")  # transformers builds experts in every layer
    d_model, vocab = feed.d_model, section.integer("vocab_size")
    d_in, wide = config.integer("thinker_hidden_size"), section.integer("intermediate_size")
    stem: list[Brick] = [Embedding("codec_embedding", vocab, d_model)]
    for name in ("text_projection", "hidden_projection"):
        stem += [linear(f"{name}.linear_fc1", d_in, wide), linear(f"{name}.linear_fc2", wide, d_model)]
    after = Norm("norm", d_model), linear("codec_head", d_model, vocab, bias=False)
    whole = Tower(
        "speech",
        d_model,
        section.integer("num_hidden_layers"),
        stem=tuple(stem),
        layer=block(d_model, mixer, feed).bricks,
        projector=after,
        name="talker",
    )
    return whole, tower("qwen3_omni_predictor", config.section("code_predictor_config"))


def _vocoder(config: Config) -> Tower:
    """Return the vocoder: a small decoder over codes, then convolutions that widen time and halve the channels."""
    d_model, d_ff = config.integer("hidden_size"), config.integer("intermediate_size")
    mixer = attention(config, biased=True, kv_required=True)
    codes = config.integer("codebook_size") * config.integer("num_quantizers")
    scales = Tensors((vector("self_attn_layer_scale", d_model), vector("mlp_layer_scale", d_model)))
    layer = (*block(d_model, mixer, FeedForward(d_model, d_ff, gated=True)).bricks, scales)
    steps = config.integers("upsampling_ratios")
    after: list[Brick] = [Norm("norm", d_model)]
    after += [brick for factor in steps for brick in _convnext(d_model, factor)]
    return Tower(
        "speech",
        d_model,
        config.integer("num_hidden_layers"),
        stem=(Embedding("code_embedding", codes, d_model),),
        layer=layer,
        projector=(*after, *_waves(config, d_model)),
        name="code2wav",
    )


def _convnext(d_model: int, factor: int) -> tuple[Brick, ...]:
    """Return a step that widens time and a ConvNeXt block (arXiv:2201.03545)."""
    return (
        linear("upsample.conv", d_model * factor, d_model),
        linear("dwconv", 7, d_model),
        Norm("norm", d_model, bias=True),
        linear("pwconv1", d_model, 4 * d_model),
        linear("pwconv2", 4 * d_model, d_model),
        Tensors((vector("gamma", d_model),)),
    )


def _waves(config: Config, d_model: int) -> list[Brick]:
    """Return the decoder to waves: trained sines, a transposed convolution and three residual units a step."""
    width = config.integer("decoder_dim")
    bricks: list[Brick] = [linear("decoder.0", 7 * d_model, width)]
    for rate in config.integers("upsample_rates", default=[8, 5, 4, 3]):
        bricks += [Tensors((vector("snake", 2, width),)), linear("conv", width * 2 * rate, width // 2)]
        width //= 2
        for _ in range(3):
            bricks += [linear("conv1", 7 * width, width), linear("conv2", width, width)]
            bricks.append(Tensors((vector("act", 4, width),)))
    return [*bricks, Tensors((vector("snake", 2, width),)), linear("conv", 7 * width, 1)]
