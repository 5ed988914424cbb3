"""Gemma 3n with its towers: MobileNet V5 for images and a conformer for sound, each with tokens of its own."""

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import text_model, with_note, with_towers
from sizebook.models.families.towers.audio import gemma3n_audio
from sizebook.models.families.towers.mobilenet import mobilenet_v5
from sizebook.models.huggingface import model_type


@model_type("gemma3n")
def gemma3n(config: Config) -> Architecture:
    """Gemma 3n: both towers and, for either, a table of tokens, norms of tokens and features, and a projection.

    The published weights store keys and values also of the layers that read an earlier layer's, which transformers
    does not build: a note says how many.
    """
    config.ignore("vision_soft_tokens_per_image", "audio_soft_tokens_per_image")
    config.needs("text_config", "vision_config", "audio_config")
    text = text_model(config, "gemma3n_text")
    vision, audio = config.section("vision_config"), config.section("audio_config")
    vision.only("architecture", "mobilenetv5_300m_enc")
    vision.only("model_args", {})
    vision.ignore("vocab_offset", "num_classes", "label_names", "do_pooling")
    towers = mobilenet_v5(_embedder(vision, text.d_model)), gemma3n_audio(audio, _embedder(audio, text.d_model))
    whole = with_towers(config, text, *towers, tied=True)
    spare = sum(_kv(brick) for layer in text.layers for brick in layer.bricks if isinstance(brick, Attention))
    if not spare:
        return whole
    more = remark("the published weights store {n} more: keys and values of layers that use another's", n=spare)
    return with_note(whole, more)


def _embedder(config: Config, d_text: int) -> tuple[Brick, ...]:
    width = config.integer("hidden_size")
    return (
        Embedding("embedding", config.integer("vocab_size", default=128), width),
        Norm("hard_embedding_norm", width),
        Norm("soft_embedding_norm", width),
        linear("embedding_projection", width, d_text, bias=False),
    )


def _kv(brick: Attention) -> int:
    """Return the parameters of the keys and values that a layer with an earlier layer's leaves out."""
    if not brick.kv_shared:
        return 0
    own, used = replace(brick, kv_shared=False), brick
    return sum(w.size for w in own.weights) - sum(w.size for w in used.weights)
