"""Joined types of which a row says nearly all: what a file says in words of its own is read here."""

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.families.decoders.rows import language_model_of
from sizebook.models.families.multimodal.joining import flat, layers_joined, with_note, with_towers
from sizebook.models.families.multimodal.rows import encoder, joined_architecture, row_of
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type

LAYERS_OF_VIP = 5  # what the class joins where a file does not say which layers


@model_type("vipllava")
def vip_llava(config: Config) -> Architecture:
    """ViP-LLaVA: null, of which its class takes the length, is refused as the layers that its projector reads."""
    own, older = "vision_feature_layer", "vision_feature_layers"
    config.ignore(own, older)
    config.agree(own, older)
    config.values = {own: config.values[older], **config.values} if older in config.values else config.values
    if config.values.get(own, 0) is None:
        raise config.unknown(own, None, "the number of a layer, or a list of such numbers")
    features = layers_joined(config) if own in config.values else LAYERS_OF_VIP
    return joined_architecture(row_of("_vipllava"), config, features=features)


@model_type("video_llava")
def video_llava(config: Config) -> Architecture:
    """Video-LLaVA: one encoder for images, another like it for videos, one projector."""
    whole = joined_architecture(row_of("_video_llava"), config)
    again = replace(encoder(row_of("_video_llava"), config.section("vision_config")), name="video_tower")
    return replace(whole, inputs=(*whole.inputs, again))


@model_type("idefics2")
def idefics2(config: Config) -> Architecture:
    """Idefics 2: its perceiver is as wide as the language model and takes its activation function."""
    section, perceiver = config.section("text_config"), config.section("perceiver_config")
    if section.values.get("hidden_act") == "xielu":
        raise section.unknown("hidden_act", "xielu", "a function without weights: the perceiver takes the same one")
    perceiver.ignore("hidden_size")
    keys = ("resampler_n_latents", "resampler_depth", "resampler_n_heads", "num_key_value_heads", "resampler_head_dim")
    names = ("n_latents", "depth", "n_queries", "n_keys", "d_head")
    given = {name: perceiver.integer(key) for name, key in zip(names, keys, strict=True)}
    config.needs("text_config")
    kind = section.text("model_type", default="mistral")
    section.reads_as(kind)
    return joined_architecture(row_of("_idefics2"), config, d_ff=section.integer("intermediate_size"), **given)


@model_type("gemma3")
def gemma3(config: Config) -> Architecture:
    """Gemma 3 with SigLIP; a file of the text model alone gives the same type without a vision section."""
    named = config.values.get("architectures") or [""]
    if not config.has("text_config") and str(named[0]).endswith("ForCausalLM"):
        config.ignore("use_res_clamp")
        return flat(config, "gemma3_text")
    return joined_architecture(row_of("_gemma3"), config)


@model_type("glm4v")
def glm4v(config: Config) -> Architecture:
    """GLM 4.1V: the first file has the text keys at the top level too, where transformers reads none of them."""
    section = config.section("text_config")
    for key, size in section.class_values.items():
        built = section.values.get(key, size)
        if config.has(key) and config.integer(key) != built:
            raise config.unknown(*config.as_written(key), f"{built}: transformers reads 'text_config' only")
    return joined_architecture(row_of("_glm4v"), config)


@model_type("exaone4_5")
def exaone4_5(config: Config) -> Architecture:
    """EXAONE 4.5: the first release names its text type otherwise; it is read as EXAONE 4's."""
    section = config.section("text_config")
    if section.values.get("model_type") == "exaone4_5_text":
        section.values = {**section.values, "model_type": "exaone4"}
    return joined_architecture(row_of("_exaone4_5"), config)


@model_type("glm_ocr")
def glm_ocr(config: Config) -> Architecture:
    """GLM-OCR: GLM 4's text model without biases; its class takes the tie of either level."""
    text = language_model_of("glm_ocr_text", config.section("text_config"))
    seen = tower("glm_ocr_vision", config.section("vision_config"))
    return with_towers(config, text, seen, tied=False, ties="either")


@model_type("ovis2")
def ovis2(config: Config) -> Architecture:
    """Ovis 2: its class builds table and head of the top level's sizes, which must be those of the text section.

    A tied head is the section's own, so that a vocabulary which the top level leaves out is none of its class's.
    """
    vision = config.section("vision_config")
    n_words, indicators = vision.integer("vocab_size"), vision.integer("num_visual_indicator_tokens")
    if indicators >= n_words:
        raise vision.unknown("num_visual_indicator_tokens", indicators, f"fewer than the {n_words} visual words")
    whole = joined_architecture(row_of("_ovis2"), config)
    tied = config.flag("tie_word_embeddings", default=True)
    width = config.integer("hidden_size", default=1536)
    vocab = config.integer("vocab_size", default=whole.vocab if tied else 151643)
    for key, said, built in (("hidden_size", width, whole.d_model), ("vocab_size", vocab, whole.vocab)):
        if said != built:
            raise config.unknown(key, said, f"{built}, as the section of the language model says")
    return whole


@model_type("aria")
def aria(config: Config) -> Architecture:
    """Aria: as many learned queries as the largest image is given."""
    key, largest = "projector_patch_to_query_dict", "max_value_projector_patch_to_query_dict"
    config.ignore(key)
    queries = config.values.get(key, {"": 256})
    if queries is None:
        queries = {"": 256}
    elif key in config.values and not _numbered(queries):
        raise config.unknown(key, queries, "queries by the number of an image's patches, each a whole number from 1 on")
    most = max(queries.values())
    if (said := config.integer(largest, default=most)) != most:
        raise config.unknown(largest, said, f"{most}, the most that '{key}' gives an image")
    return joined_architecture(row_of("_aria"), config, queries=most)


def _numbered(queries: object) -> bool:
    """Return whether an object gives numbers of 1 or more by numbers of patches."""
    if not isinstance(queries, dict) or not all(str(patches).isdecimal() for patches in queries):
        return False
    return bool(queries) and all(n.__class__ is int and n > 0 for n in queries.values())


@model_type("got_ocr2")
def got_ocr2(config: Config) -> Architecture:
    """GOT-OCR 2: every layer of its tower has tables of relative positions, of a window or of the whole image."""
    vision, rows = config.section("vision_config"), 0
    window = vision.integer("window_size")
    looks_far = set(vision.integers("global_attn_indexes"))
    if vision.flag("use_rel_pos", default=True):
        grid = vision.integer("image_size") // vision.integer("patch_size")
        sides = (grid if i in looks_far or not window else window for i in range(vision.integer("num_hidden_layers")))
        rows = sum(2 * (2 * side - 1) for side in sides)
    return joined_architecture(row_of("_got_ocr2"), config, relative_rows=rows)


@model_type("glmasr")
def glmasr(config: Config) -> Architecture:
    """GLM-ASR: a width of heads at odds with the encoder's divided by its heads is refused."""
    audio = config.section("audio_config")
    d_model, n_heads = audio.integer("hidden_size"), audio.integer("num_attention_heads")
    width = audio.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    kv_heads = audio.integer("num_key_value_heads", default=n_heads)
    audio.divides("num_attention_heads", n_heads, "num_key_value_heads", kv_heads)
    if audio.size("head_dim") not in (0, width):
        raise audio.unknown("head_dim", audio.values["head_dim"], f"{width}, the width divided by the heads")
    return joined_architecture(row_of("_glmasr"), config, kv_heads=kv_heads)


@model_type("qwen3_asr")
def qwen3_asr(config: Config) -> Architecture:
    """Qwen 3 ASR: three convolutions over the spectrogram, an encoder, two projections.

    The first published files keep their sizes under ``thinker_config``, which transformers does not read: it builds
    the class's defaults. The count follows the file and a note says so.
    """
    config.ignore("support_languages", "token_classification_bias")
    config.built_as("Qwen3ASRForConditionalGeneration", "Qwen3ASRModel")
    if not config.has("thinker_config"):
        return joined_architecture(row_of("_qwen3_asr"), config)
    thinker, tied = config.section("thinker_config"), config.flag("tie_word_embeddings", default=True)
    thinker.only("tie_word_embeddings", tied)
    thinker.needs("text_config", "audio_config")
    for name in ("text_config", "audio_config"):
        if config.has(name):
            raise config.unknown(name, "an object of keys", f"'{name}' once: it stands under 'thinker_config' too")
    thinker.section("audio_config").ignore("max_source_positions", "scale_embedding")
    thinker.values = {**thinker.values, "tie_word_embeddings": tied, "model_type": "qwen3_asr"}
    note = remark("transformers does not read the sizes under 'thinker_config' and builds its class's defaults")
    return with_note(qwen3_asr(thinker), note)
