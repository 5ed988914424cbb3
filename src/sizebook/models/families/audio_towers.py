"""Audio encoders, and the language models that listen through them."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, FeedForward, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import vector
from sizebook.models.families.section_defaults import VOXTRAL_AUDIO, WHISPER_LARGE
from sizebook.models.families.vision_language import QWEN2, flat, text_model, with_towers
from sizebook.models.families.vision_towers import linear, siglip
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


def listening_layer(d_model: int, n_heads: int, d_ff: int, *, key_bias: bool) -> tuple[Brick, ...]:
    """Return a layer of Whisper's encoder (arXiv:2212.04356), whose keys have no bias."""
    attend = Attention(
        d_model,
        n_heads,
        n_heads,
        d_model // n_heads,
        qkv_bias=True,
        out_bias=True,
        key_bias=key_bias,
        bidirectional=True,
    )
    feed = FeedForward(d_model, d_ff, gated=False, bias=True)
    return Norm("self_attn_layer_norm", d_model, bias=True), attend, Norm("final_layer_norm", d_model, bias=True), feed


def whisper_encoder(config: Config, projector: tuple[Brick, ...], *, positions: bool = True) -> Tower:
    """Whisper's encoder: two convolutions over three frames each, positions of every frame, one last norm."""
    d_model = config.integer("d_model", "hidden_size")
    n_heads = config.integer("encoder_attention_heads", "num_attention_heads")
    d_ff = config.integer("encoder_ffn_dim", "intermediate_size")
    config.ignore("num_key_value_heads", "head_dim", "vocab_size", "n_window", "num_hidden_layers", "decoder_layers")
    config.divides("d_model", d_model, "encoder_attention_heads", n_heads)
    stem: list[Brick] = [
        linear("conv1", 3 * config.integer("num_mel_bins"), d_model),
        linear("conv2", 3 * d_model, d_model),
    ]
    frames = config.integer("max_source_positions", default=1500)
    if positions:
        stem.append(Embedding("embed_positions", frames, d_model))
    layer = listening_layer(d_model, n_heads, d_ff, key_bias=False)
    n_layers = config.integer("encoder_layers", "num_hidden_layers")
    last = Norm("layer_norm", d_model, bias=True)
    return Tower("audio", d_model, n_layers, tuple(stem), layer, (last, *projector))


@model_type("qwen2_audio")
def qwen2_audio(config: Config) -> Architecture:
    """Qwen 2 Audio: Whisper's encoder and one projection."""
    config.ignore("ignore_index", "vocab_size")
    config.section("text_config", QWEN2).only("model_type", "qwen2")
    text, audio = text_model(config, "qwen2", QWEN2), config.section("audio_config", WHISPER_LARGE)
    projector = (linear("linear", audio.integer("d_model"), text.d_model),)
    return with_towers(config, text, whisper_encoder(audio, projector), tied=False, ties="neither")


VOXTRAL = {"num_key_value_heads": 8, "head_dim": 128}


@model_type("voxtral")
def voxtral(config: Config) -> Architecture:
    """Voxtral: Whisper's encoder, four frames side by side, two projections without biases."""
    config.ignore("hidden_size", "vocab_size")
    config.section("text_config", VOXTRAL).only("model_type", "llama")
    text, audio = text_model(config, "llama", VOXTRAL), config.section("audio_config", VOXTRAL_AUDIO)
    projector = (
        linear("linear_1", audio.integer("intermediate_size"), text.d_model, bias=False),
        linear("linear_2", text.d_model, text.d_model, bias=False),
    )
    return with_towers(config, text, whisper_encoder(audio, projector), tied=False, ties="neither")


QWEN3_ASR_TEXT = {
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
}
QWEN3_ASR_AUDIO = {
    "d_model": 1024,
    "encoder_layers": 24,
    "encoder_attention_heads": 16,
    "encoder_ffn_dim": 4096,
    "num_mel_bins": 128,
    "downsample_hidden_size": 480,
    "output_dim": 3584,
}


@model_type("qwen3_asr")
def qwen3_asr(config: Config) -> Architecture:
    """Qwen 3 ASR: three convolutions over the spectrogram, an encoder, two projections.

    The first published files keep their sizes under ``thinker_config``, which transformers does not read: it builds
    the class's defaults. The count follows transformers and a note says so.
    """
    config.ignore("support_languages", "thinker_config", "token_classification_bias")
    config.only("architectures", ["Qwen3ASRForConditionalGeneration"])
    text = text_model(config, "qwen3", None if config.has("text_config") else QWEN3_ASR_TEXT)
    audio = config.section("audio_config", QWEN3_ASR_AUDIO)
    audio.ignore("n_window", "n_window_infer", "conv_chunksize", "max_position_embeddings", "output_dim")
    d_model, width = audio.integer("d_model"), audio.integer("downsample_hidden_size")
    n_heads, d_ff = audio.integer("encoder_attention_heads"), audio.integer("encoder_ffn_dim")
    bins = ((((audio.integer("num_mel_bins") + 1) // 2) + 1) // 2 + 1) // 2
    stem = (
        linear("conv2d1", 9, width),
        linear("conv2d2", 9 * width, width),
        linear("conv2d3", 9 * width, width),
        linear("conv_out", width * bins, d_model, bias=False),
    )
    d_out = audio.integer("output_dim")
    projector = (
        Norm("ln_post", d_model, bias=True),
        linear("linear_1", d_model, d_model),
        linear("linear_2", d_model, d_out),
    )
    layer = listening_layer(d_model, n_heads, d_ff, key_bias=True)
    tower = Tower("audio", d_model, audio.integer("encoder_layers"), stem, layer, projector)
    whole = with_towers(config, text, tower, tied=True)
    if config.has("thinker_config"):
        note = "the sizes under 'thinker_config' are not read by transformers, which builds its defaults: counted so"
        return noted(whole, note)
    return whole


def noted(described: Architecture, note: str) -> Architecture:
    """Return the architecture with one more note."""
    from dataclasses import replace

    return replace(described, notes=(*described.notes, note))


def gemma4_audio(config: Config, d_text: int) -> Tower:
    """Gemma 4's audio encoder: a conformer (arXiv:2005.08100) with two feed-forward blocks a layer."""
    config.ignore("attention_context_left", "attention_context_right", "attention_chunk_size", "residual_weight")
    config.ignore("attention_invalid_logits_value", "attention_logit_cap", "gradient_clipping", "use_clipped_linears")
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    first, second = config.integers("subsampling_conv_channels")
    d_out = config.integer("output_proj_dims", default=1536)
    stem: tuple[Brick, ...] = (
        linear("layer0.conv", 9, first, bias=False),
        Norm("layer0.norm", first),
        linear("layer1.conv", 9 * first, second, bias=False),
        Norm("layer1.norm", second),
        # 128 mel bins, halved twice.
        linear("input_proj_linear", second * 32, d_model, bias=False),
    )
    blocks = [FeedForward(d_model, 4 * d_model, gated=False, name=f"feed_forward{i}") for i in (1, 2)]
    attend = Attention(d_model, n_heads, n_heads, width, bidirectional=True)
    rest = [
        linear("relative_k_proj", d_model, d_model, bias=False),
        linear("lconv1d.start", d_model, 2 * d_model, False),
    ]
    rest.append(linear("lconv1d.end", d_model, d_model, bias=False))
    kernel = config.integer("conv_kernel_size", default=5)
    own = Tensors((vector("per_dim_scale", width), vector("lconv1d.depthwise", d_model, 1, kernel)))
    norms = tuple(Norm(f"norm{i}", d_model) for i in range(9))
    layer: tuple[Brick, ...] = (*blocks, attend, *rest, own, *norms)
    projector = linear("output_proj", d_model, d_out), linear("embed_audio", d_out, d_text, bias=False)
    return Tower("audio", d_model, config.integer("num_hidden_layers"), stem, layer, projector)


PHI4_VISION = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "image_size": 448,
    "patch_size": 14,
}


@model_type("phi4_multimodal")
def phi4_multimodal(config: Config) -> Architecture:
    """Phi 4 multimodal: SigLIP and a conformer in front of Phi 4 mini; without the checkpoint's adapters."""
    vision, audio = config.section("vision_config", PHI4_VISION), config.section("audio_config")
    vision.ignore("crop_size", "feature_layer")
    config.only("architectures", ["Phi4MultimodalForCausalLM"])
    config.integer("num_key_value_heads")  # left out, it is 8 here and not Phi 3's one a head: required
    text, width = flat(config, "phi3"), vision.integer("hidden_size")
    seen = (
        linear("img_projection_up", width, text.d_model),
        linear("img_projection_down", text.d_model, text.d_model),
        Tensors((vector("global_img_feature_extensor", width), vector("sub_img_feature_extensor", width))),
    )
    buffers = (vector("encoder_embedding.global_mean", audio.integer("input_size", default=80)),) * 2
    towers = siglip(vision, seen), phi4_audio(audio, text.d_model)
    return with_towers(config, text, *towers, tied=False, buffers=buffers)


def phi4_audio(config: Config, d_text: int) -> Tower:
    """Phi 4's audio encoder: convolutions that halve the frames, a conformer, two projectors."""
    config.ignore("chunk_size", "left_chunk", "feature_layer", "conv_glu_type")
    d_model, n_heads = config.integer("hidden_size", default=1024), config.integer("num_attention_heads", default=16)
    d_head = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    d_ff, kernel = config.integer("intermediate_size", default=1536), config.integer("kernel_size", default=3)
    attend = Attention(d_model, n_heads, n_heads, d_head, qkv_bias=True, out_bias=True, bidirectional=True)
    feeds = [FeedForward(d_model, d_ff, gated=True, bias=True, name=f"feed_forward_{place}") for place in ("in", "out")]
    layer: tuple[Brick, ...] = (
        *feeds,
        attend,
        *_phi4_convolutions(config, d_model, kernel),
        *(Norm(f"norm{i}", d_model, bias=True) for i in range(5)),
    )
    d_in = d_model * config.integer("downsample_rate", default=1)
    projector = [
        linear(f"{way}_{what}", width, d_text)
        for what in ("speech", "vision_speech")
        for way, width in (("up", d_in), ("down", d_text))
    ]
    return Tower(
        "audio",
        d_model,
        config.integer("num_blocks", default=24),
        _phi4_stem(config, d_model, n_heads),
        layer,
        tuple(projector),
    )


def _phi4_stem(config: Config, d_model: int, n_heads: int) -> tuple[Brick, ...]:
    """Return the convolutions that each halve the frames, and the biases of relative positions."""
    channels = config.integer("nemo_conv_channels", default=1024)
    halvings = config.integer("time_reduction", default=8).bit_length() - 1
    bins = config.integer("input_size", default=80)
    for _ in range(halvings):
        bins = (bins + 1) // 2
    stem: list[Brick] = [linear("conv0", 9, channels)]
    for _ in range(halvings - 1):
        stem += [linear("conv_depthwise", 9, channels), linear("conv_pointwise", channels, channels)]
    stem.append(linear("out", channels * config.integer("nemo_final_size", default=bins), d_model))
    directions = 1 if config.flag("bias_symmetric", default=False) else 2
    distance = config.integer("bias_max_distance", default=1000)
    stem.append(Embedding("relative_attention_bias_layer", directions * distance, n_heads))
    return tuple(stem)


def _phi4_convolutions(config: Config, d_model: int, kernel: int) -> tuple[Brick, ...]:
    """Return the convolutions of one layer of Phi 4's conformer."""
    d_gated = config.integer("ext_pw_out_channel", default=1024)
    d_deep = d_model * config.integer("depthwise_multiplier", default=1)
    d_out = config.integer("depthwise_separable_out_channel", default=1024)
    return (
        linear("glu.ext_pw_conv_1d", d_model, 2 * d_gated),
        Tensors((vector("glu.b1", d_gated), vector("glu.b2", d_gated))),
        linear("dw_conv", kernel, d_deep),
        linear("pw_conv", d_deep, d_out),
        linear("ext_pw_conv_1d", d_model, d_gated),
    )
