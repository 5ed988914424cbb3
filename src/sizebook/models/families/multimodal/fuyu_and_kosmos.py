"""Images before a decoder of its own time: Fuyu, which projects bare patches, and Kosmos-2, whose queries read CLIP."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Head, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import flat, text_model, tie_notes, with_towers
from sizebook.models.families.seq2seq.rows import ROWS
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import described
from sizebook.models.huggingface import model_type
from sizebook.models.towers import Tower


@model_type("fuyu")
def fuyu(config: Config) -> Architecture:
    """Fuyu: patches through one projection into Persimmon, whose keys the first files keep at their top."""
    patch, channels = config.integer("patch_size"), config.integer("num_channels")
    nested = config.has("text_config")
    if nested:
        section = config.section("text_config")
        text = text_model(config, section.text("model_type", default="persimmon"), chosen=True)
    else:
        text = flat(config, "persimmon")
    seen = Tower(
        "vision",
        text.d_model,
        0,
        stem=(linear("vision_embed_tokens", channels * patch**2, text.d_model),),
        layer=(),
        projector=(),
        name="vision_embed_tokens",
    )
    if nested:
        return with_towers(config, text, seen, tied=False)
    tied = config.flag("tie_word_embeddings", default=False)
    head = Head(text.vocab, text.d_model, tied=tied)
    return replace(text, model_type="fuyu", inputs=(*text.inputs, seen), head=head)


@model_type("kosmos-2", "kosmos-2.5")
def kosmos(config: Config) -> Architecture:
    """Kosmos-2 and 2.5: queries read the patches of CLIP, or in the second of Pix2Struct's encoder."""
    later = config.text("model_type") == "kosmos-2.5"
    stem = "kosmos_2_5" if later else "kosmos_2"
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", f"{stem}_text_model")
    vision.only("model_type", f"{stem}_vision_model")
    if not later:
        text.only("add_cross_attention", False)
    flags = [level.flag("tie_word_embeddings", default=True) for level in (config, text)]
    tied = flags[1] if later else any(flags)  # Kosmos-2.5's class takes the section's
    side = described(ROWS["_kosmos"], text, tied=tied, later=later)
    n_queries = config.integer("latent_query_num", default=2048 if later else 64)
    asked = _asked(n_queries, vision.integer("hidden_size"), text.integer("attention_heads"), side.d_model)
    seen = tower("pix2struct" if later else "clip", vision, *asked)
    notes = tie_notes({"top level": (config, flags[0]), "text_config": (text, flags[1])}, followed=tied)
    return replace(side, model_type=config.text("model_type"), inputs=(*side.inputs, seen), notes=tuple(notes))


def _asked(n_queries: int, d_vision: int, n_heads: int, d_model: int) -> tuple[Brick, ...]:
    """Return the projection of patches to the model's width, and the queries that attend to them."""
    width = d_model // n_heads
    attend = Attention(d_model, n_heads, n_heads, d_head=width, qkv_bias=True, out_bias=True, cross=True, name="x_attn")
    queries = vector("latent_query", n_queries, d_model)
    return Tensors((queries,)), linear("dense", d_vision, d_model), attend
