"""Language models that see, read from files of several forms: Qwen VL, Gemma 4, Llama 3.2, Kimi K2.5."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Embedding, Layer, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import attention, block, feed_forward, layers_of, stack, vector
from sizebook.models.families.multimodal.joining import flat, heads_share_width, text_model, with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type


@model_type("qwen2_vl", "qwen2_5_vl")
def flat_with_vision(config: Config) -> Architecture:
    """Qwen 2 VL and 2.5 VL: text keys at the top level, or in a section of newer files."""
    nested = config.has("text_config")
    text = text_model(config, "qwen2") if nested else flat(config, "qwen2")
    heads_share_width(config.section("text_config") if nested else config, text.d_model)
    seen = tower(config.text("model_type"), config.section("vision_config"))
    return with_towers(config, text, seen, tied=False, ties="either")


@model_type("gemma4", "gemma4_unified")
def gemma4(config: Config) -> Architecture:
    """Gemma 4: a ViT, and in the small models an audio encoder; either may be left out."""
    unified = config.text("model_type") == "gemma4_unified"
    config.ignore("vision_soft_tokens_per_image")
    text = text_model(config, "gemma4_unified_text" if unified else "gemma4_text")
    sections = {key: config.section(key) for key in ("vision_config", "audio_config") if config.has(key)}
    if unified and sections:
        raise config.unknown(next(iter(sections)), "an object", "null: towers of this type are not described")
    towers, buffers = [], []
    if vision := sections.get("vision_config"):
        vision.only("num_channels", 3)
        vision.only("in_channels", 3)
        towers.append(tower("gemma4", vision, text=text.d_model))
        if vision.flag("standardize", default=False):
            buffers += [vector(f"vision_tower.std_{n}", towers[0].d_model) for n in ("bias", "scale")]
        buffers += _clips(vision, towers[0].n_layers * 7, default=False)
    if audio := sections.get("audio_config"):
        channels = audio.integers("subsampling_conv_channels")
        if len(channels) != 2:
            raise audio.unknown(
                "subsampling_conv_channels", channels, "two numbers: the tower has two such convolutions"
            )
        towers.append(tower("gemma4_audio", audio, text=text.d_model, first=channels[0], second=channels[1]))
        buffers += _clips(audio, towers[-1].n_layers * 10, default=True)
    return with_towers(config, text, *towers, tied=True, buffers=tuple(buffers))


def _clips(section: Config, n_linears: int, *, default: bool) -> list[Weight]:
    """Return the four bounds that every clipped projection stores."""
    clipped = section.flag("use_clipped_linears", default=default)
    bounds = [vector(f"{side}_{end}") for side in ("input", "output") for end in ("min", "max")]
    return bounds * n_linears if clipped else []


# The keys that transformers reads, those of the published files, which it does not, and what both stand for.
KIMI_VISION = {
    "hidden_size": ("vt_hidden_size", 1152),
    "intermediate_size": ("vt_intermediate_size", 4304),
    "num_attention_heads": ("vt_num_attention_heads", 16),
    "num_hidden_layers": ("vt_num_hidden_layers", 27),
    "pos_emb_height": ("init_pos_emb_height", 64),
    "pos_emb_width": ("init_pos_emb_width", 64),
}


@model_type("kimi_k25")
def kimi_k25(config: Config) -> Architecture:
    """Kimi K2.5: DeepSeek V3's shape behind MoonViT, whose positions are a learned grid."""
    config.section("text_config").only("model_type", "kimi_k2", "deepseek_v3")
    text, vision = text_model(config, "kimi_k2"), config.section("vision_config")
    vision.ignore(
        "merge_type", "mm_projector_type", "pos_emb_type", "video_attn_type", "mm_hidden_size", "text_hidden_size"
    )
    vision.ignore("init_pos_emb_time", "pos_emb_time", "merge_kernel_size", "projector_ln_eps")
    built = {new: vision.integer(new, default=size) for new, (_, size) in KIMI_VISION.items()}
    for new, (old, _) in KIMI_VISION.items():
        if vision.integer(old, default=built[new]) != built[new]:
            raise vision.unknown(old, vision.values[old], f"{built[new]}: transformers reads '{new}' only")
    if (width := config.integer("projection_hidden_size", default=1152)) != built["hidden_size"]:
        raise config.unknown("projection_hidden_size", width, f"{built['hidden_size']}, as wide as the tower")
    if vision.values.get("merge_kernel_size", [2, 2]) != [2, 2]:
        raise config.unknown("merge_kernel_size", vision.values["merge_kernel_size"], "[2, 2]")
    vision.values = {**vision.values, **built}
    return with_towers(config, text, tower("moonvit", vision, text=text.d_model), tied=True)


@model_type("mllama")
def mllama(config: Config) -> Architecture:
    """Llama 3.2 Vision: some layers attend to the image through gated cross-attention; eight more tokens embedded."""
    section = config.section("text_config")
    section.values = {**section.values, "model_type": "mllama"}
    section.ignore("tie_word_embeddings")
    n_layers, vocab = section.integer("num_hidden_layers"), section.integer("vocab_size")
    crossed = section.integers("cross_attention_layers")
    feed, attend = feed_forward(section), attention(section, kv_required=True)
    heads_share_width(section, feed.d_model)
    looks = replace(attend, cross=True, qk_norm=(attend.d_head, attend.d_head), name="cross_attn")
    gates = Tensors((vector("cross_attn_attn_gate", 1), vector("cross_attn_mlp_gate", 1)))

    def layer(crosses: bool) -> Layer:
        if not crosses:
            return block(feed.d_model, attend, feed)
        return Layer((*block(feed.d_model, looks, feed).bricks, gates))

    text = stack(section, layers_of([i in crossed for i in range(n_layers)], layer))
    text = replace(text, inputs=(Embedding("embed_tokens", vocab + 8, feed.d_model),))
    vision = config.section("vision_config")
    shapes = vision.values.get("supported_aspect_ratios")
    if not isinstance(shapes, list):
        raise vision.unknown("supported_aspect_ratios", shapes, "a list: each has a table")
    seen = tower("mllama", vision, text=feed.d_model, ratios=len(shapes) + 1)
    return with_towers(config, text, seen, tied=False, ties="neither")
