"""How a language model and its towers become one: the text model's own mapping, and whether the head is tied."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from sizebook.core.errors import SizebookError
from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Head, Weight
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import describe, modules
from sizebook.models.towers import Tower
from sizebook.models.type_defaults import section_defaults

Ties = Literal["top level", "either", "text", "neither"]
IGNORED = ("vision_feature_select_strategy", "image_seq_length", "mm_tokens_per_image")
FEATURES = "vision_feature_layer"


def text_model(config: Config, kind: str, key: str = "text_config", *, chosen: bool = False) -> Architecture:
    """Return the language model of a section, read as the given type; ``chosen`` says that the file names the type."""
    section = config.section(key)
    if not chosen:  # the class of the whole takes the section for its own type, whatever it says
        section.class_values = section_defaults(config.said_type, key, {}) or section.class_values
    refuse_another_type(section, kind)
    section.values = {**section.values, "model_type": kind}
    section.ignore("tie_word_embeddings")
    return describe(section)


def refuse_another_type(section: Config, kind: str) -> None:
    """Refuse a section that says another type than its model builds, where the two hold other numbers of parameters.

    The class of the whole reads the section's keys as its own type's, whatever type stands there.
    """
    said = section.values.get("model_type")
    if not isinstance(said, str) or said == kind or said not in modules():
        return
    totals: list[int | None] = []
    for name in (said, kind):
        read = Config({**section.values, "model_type": name}, section.where, section.class_values)
        try:
            totals.append(count(replace(describe(read), head=None)).total)  # the whole's own head
        except SizebookError:
            totals.append(None)
    if totals[0] is None or totals[0] != totals[1]:
        raise section.unknown("model_type", said, f"'{kind}', as which the class of the whole model reads this section")


def heads_share_width(config: Config, d_model: int) -> None:
    """Refuse a width of heads at odds with the model's divided by its heads, of types whose classes divide."""
    said, n_heads = config.values.get("head_dim"), config.integer("num_attention_heads")
    if said is not None and said * n_heads != d_model:
        raise config.unknown("head_dim", said, f"{d_model} divided by {n_heads} heads, as the class of this type does")


def patches_a_side(config: Config) -> int:
    """Return how many patches InternVL lays side by side each way, the whole part of one over its ratio."""
    ratio = config.number("downsample_ratio", default=0.5)
    if not 0 < ratio <= 1:
        raise config.unknown("downsample_ratio", ratio, "a number above 0 and up to 1")
    return int(1 / ratio)


def layers_joined(config: Config) -> int:
    """Return how many layers of the encoder a projector reads side by side: one, or as many as the file lists."""
    config.ignore(FEATURES)
    layers = config.values.get(FEATURES)
    if layers is None or layers.__class__ is int:
        return 1
    if not isinstance(layers, list) or not layers or any(layer.__class__ is not int for layer in layers):
        raise config.unknown(FEATURES, layers, "the number of a layer, or a list of such numbers")
    return len(layers)


def tie_notes(levels: dict[str, tuple[Config, bool]], *, followed: bool) -> list[str]:
    """Return a note on each level of a file whose tie flag, said there, is not the one that transformers takes."""
    against = [name for name, (level, said) in levels.items() if level.has("tie_word_embeddings") and said != followed]
    return [
        remark(
            "'tie_word_embeddings' of the {level} is not followed: transformers 5 takes {value}",
            level=name,
            value=followed,
        )
        for name in against
    ]


def with_towers(
    config: Config,
    text: Architecture,
    *towers: Tower,
    tied: bool,
    ties: Ties = "top level",
    buffers: tuple[Weight, ...] = (),
) -> Architecture:
    """Return the whole model; ``tied`` is the type's default, ``ties`` says whose tie flag transformers takes."""
    config.ignore(*IGNORED)
    if FEATURES not in config.read and layers_joined(config) > 1:
        raise config.unknown(FEATURES, config.values[FEATURES], "one layer, as the projector of this type reads one")
    if text.head is None:
        raise config.unknown("text_config", text.model_type, "the section of a language model that generates")
    top, inner = config.flag("tie_word_embeddings", default=tied), config.section("text_config")
    said = inner.flag("tie_word_embeddings", default=text.head.tied)
    result = {"top level": top, "either": top or said, "text": said, "neither": False}[ties]
    notes = tie_notes({"top level": (config, top), "text_config": (inner, said)}, followed=result)
    return replace(
        text,
        model_type=config.text("model_type"),
        inputs=(*text.inputs, *towers),
        head=Head(text.vocab, text.d_model, tied=result),  # the whole's own: no bias, as wide as the model
        buffers=(*text.buffers, *buffers),
        notes=(*text.notes, *notes),
    )


def flat(
    config: Config, kind: str, read: Callable[[Config], Architecture] = describe, ties: bool = True
) -> Architecture:
    """Return the language model of a file that keeps its keys at the top level; ``ties`` says that its tie flag too."""
    kept = {key: value for key, value in config.values.items() if ties or key != "tie_word_embeddings"}
    inner = config.read_as({**kept, "model_type": kind})
    config.without("text_config")
    described = read(inner)
    config.ignore(*inner.read)
    return described


def with_note(described: Architecture, note: str) -> Architecture:
    """Return the architecture with one more note."""
    return replace(described, notes=(*described.notes, note))
