"""Gemma 3n with its towers: MobileNet V5 for images and a conformer for sound, each with tokens of its own."""

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, Norm
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import text_model, with_note, with_towers
from sizebook.models.families.towers.mobilenet import mobilenet_v5
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


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
    towers = mobilenet_v5(_embedder(vision, text.d_model)), _audio(audio, _embedder(audio, text.d_model))
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


def _audio(config: Config, projector: tuple[Brick, ...]) -> Tower:
    """Gemma 3n's audio encoder: two convolutions over time and frequency, then the conformer of Gemma 4."""
    d_model, channels = config.integer("hidden_size"), config.integers("sscp_conv_channel_size")
    kernels, strides = (_pairs(config, f"sscp_conv_{key}_size", usual) for key, usual in (("kernel", 3), ("stride", 2)))
    if len(channels) != 2:
        raise config.unknown("sscp_conv_channel_size", channels, "two numbers: the tower has two such convolutions")
    stem: list[Brick] = []
    d_in, bins = 1, config.integer("input_feat_size")
    for i, d_out in enumerate(channels):
        stem += [linear(f"conv_{i}", d_in * kernels[i][0] * kernels[i][1], d_out, bias=False), Norm(f"norm_{i}", d_out)]
        d_in, bins = d_out, (bins + 2 - kernels[i][1]) // strides[i][1] + 1
    stem.append(linear("input_proj_linear", d_in * bins, d_model, bias=False))
    return replace(tower("gemma3n_audio", config, *projector), stem=tuple(stem))


def _pairs(config: Config, key: str, usual: int) -> list[list[int]]:
    """Return height and width of both convolutions' kernels or strides."""
    pairs = config.entries(key, list, "pairs") or [[usual, usual]] * 2
    whole = [n for pair in pairs if isinstance(pair, list) for n in pair if isinstance(n, int) and n > 0]
    if len(pairs) != 2 or len(whole) != 4 or any(len(pair) != 2 for pair in pairs):
        raise config.unknown(key, pairs, "two pairs of whole numbers of 1 or more")
    return pairs
