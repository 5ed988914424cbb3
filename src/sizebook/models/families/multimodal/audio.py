"""Language models that listen through Whisper's encoder or one like it: Qwen 2 Audio, Voxtral, Qwen 3 ASR."""

from __future__ import annotations

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import noted, text_model, with_towers
from sizebook.models.families.towers.audio import listening_layer, whisper_encoder
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("qwen2_audio")
def qwen2_audio(config: Config) -> Architecture:
    """Qwen 2 Audio: Whisper's encoder and one projection."""
    config.ignore("ignore_index", "vocab_size")
    config.section("text_config").only("model_type", "qwen2")
    text, audio = text_model(config, "qwen2"), config.section("audio_config")
    audio.only("model_type", "qwen2_audio_encoder")
    projector = (linear("linear", audio.integer("d_model"), text.d_model),)
    return with_towers(config, text, whisper_encoder(audio, projector), tied=False, ties="neither")


@model_type("voxtral")
def voxtral(config: Config) -> Architecture:
    """Voxtral: Whisper's encoder, four frames side by side, two projections without biases."""
    config.ignore("hidden_size", "vocab_size")
    config.section("text_config").only("model_type", "llama")
    text, audio = text_model(config, "llama"), config.section("audio_config")
    audio.only("model_type", "voxtral_encoder")
    projector = (
        linear("linear_1", audio.integer("intermediate_size"), text.d_model, bias=False),
        linear("linear_2", text.d_model, text.d_model, bias=False),
    )
    return with_towers(config, text, whisper_encoder(audio, projector), tied=False, ties="neither")


@model_type("qwen3_asr")
def qwen3_asr(config: Config) -> Architecture:
    """Qwen 3 ASR: three convolutions over the spectrogram, an encoder, two projections.

    The first published files keep their sizes under ``thinker_config``, which transformers does not read: it builds
    the class's defaults. The count follows the file and a note says so.
    """
    config.ignore("support_languages", "token_classification_bias")
    config.built_as("Qwen3ASRForConditionalGeneration", "Qwen3ASRModel")
    if config.has("thinker_config"):
        return _thinking(config)
    config.section("text_config").only("model_type", "qwen3", "qwen3_asr_text")
    text, audio = text_model(config, "qwen3"), config.section("audio_config")
    audio.only("model_type", "qwen3_asr_encoder", "qwen3_asr_audio_encoder")
    audio.ignore("n_window", "n_window_infer", "conv_chunksize", "max_position_embeddings", "output_dim")
    audio.only("num_hidden_layers", audio.integer("encoder_layers"))
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
    tower = Tower("audio", d_model, audio.integer("encoder_layers"), stem=stem, layer=layer, projector=projector)
    return with_towers(config, text, tower, tied=True)


def _thinking(config: Config) -> Architecture:
    """Return the architecture of a file with the sections under ``thinker_config``."""
    thinker, tied = config.section("thinker_config"), config.flag("tie_word_embeddings", default=True)
    thinker.only("tie_word_embeddings", tied)
    thinker.needs("text_config", "audio_config")
    for name in ("text_config", "audio_config"):
        if config.has(name):
            raise config.unknown(name, "an object of keys", f"'{name}' once: it stands under 'thinker_config' too")
    audio = thinker.section("audio_config")
    audio.ignore("max_source_positions", "scale_embedding")
    thinker.values = {**thinker.values, "tie_word_embeddings": tied, "model_type": "qwen3_asr"}
    whole = qwen3_asr(thinker)
    return noted(
        whole, remark("transformers does not read the sizes under 'thinker_config' and builds its class's defaults")
    )
