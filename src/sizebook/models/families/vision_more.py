"""More models with vision: CLIP itself, Kimi K2.5, MiniCPM-V, MiniMax M3, Llama 3.2 Vision, Step 3.7."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, Layer, Norm, Projection, Tensors
from sizebook.models.config import Config
from sizebook.models.families.audio_towers import noted
from sizebook.models.families.blocks import (
    attention,
    block,
    correction,
    feed_forward,
    layers_of,
    mlp_kinds,
    sliding_pattern,
    stack,
    vector,
    window_of,
)
from sizebook.models.families.experts import routed
from sizebook.models.families.vision_language import CLIP, text_model, with_towers
from sizebook.models.families.vision_towers import clip_vit, encoder, layer_normed, linear, patches, pixels
from sizebook.models.huggingface import describe, model_type
from sizebook.models.towers import Tower

CLIP_TEXT = {**CLIP, "hidden_size": 512, "intermediate_size": 2048, "num_attention_heads": 8, "vocab_size": 49408}


@model_type("clip")
def clip(config: Config) -> Architecture:
    """CLIP: a text encoder and a ViT, each projected into one space; the text side counts as the model.

    Where older files repeat a section under a name with 'dict', transformers takes that one.
    """
    config.only("architectures", ["CLIPModel"])
    config.ignore("text_config", "vision_config")
    names = [f"{name}_dict" if config.has(f"{name}_dict") else name for name in ("text_config", "vision_config")]
    text, vision = config.section(names[0], CLIP_TEXT), config.section(names[1], CLIP)
    text.ignore("projection_dim")
    d_model, layer, n_layers = encoder(text)
    layer = tuple(replace(b, bidirectional=False) if isinstance(b, Attention) else b for b in layer)
    vocab, n_ctx = text.integer("vocab_size"), text.integer("max_position_embeddings", default=77)
    d_joint = config.integer("projection_dim", default=512)
    tower = clip_vit(vision, (linear("visual_projection", vision.integer("hidden_size"), d_joint, bias=False),))
    return Architecture(
        model_type="clip",
        d_model=d_model,
        vocab=vocab,
        n_ctx=n_ctx,
        inputs=(Embedding("token_embedding", vocab, d_model), Embedding("position_embedding", n_ctx, d_model), tower),
        layers=(Layer(layer),) * n_layers,
        outputs=(
            Norm("final_layer_norm", d_model, bias=True),
            Projection("text_projection", d_model, d_joint, bias=False, pooled=True),
            Tensors((vector("logit_scale"),)),
        ),
        head=None,
    )


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
    config.ignore("use_unified_vision_chunk", "video_placeholder", "ignore_index", "projection_hidden_size")
    text, vision = text_model(config, "kimi_k2"), config.section("vision_config")
    vision.ignore(
        "merge_type", "mm_projector_type", "pos_emb_type", "video_attn_type", "mm_hidden_size", "text_hidden_size"
    )
    vision.ignore("init_pos_emb_time", "pos_emb_time", "merge_kernel_size", "projector_ln_eps")
    built = {new: vision.integer(new, default=size) for new, (_, size) in KIMI_VISION.items()}
    for new, (old, _) in KIMI_VISION.items():
        if vision.integer(old, default=built[new]) != built[new]:
            raise vision.unknown(old, vision.values[old], f"{built[new]}: transformers reads '{new}' only")
    d_model, n_layers = built["hidden_size"], built["num_hidden_layers"]
    layer = layer_normed(d_model, built["num_attention_heads"], built["intermediate_size"])
    if config.integer("projection_hidden_size", default=d_model) != d_model:
        raise config.unknown("projection_hidden_size", config.values["projection_hidden_size"], str(d_model))
    if vision.values.get("merge_kernel_size", [2, 2]) != [2, 2]:
        raise config.unknown("merge_kernel_size", vision.values["merge_kernel_size"], "[2, 2]")
    stem: tuple[Brick, ...] = (
        linear("patch_embed", pixels(vision), d_model),
        Embedding("pos_emb", built["pos_emb_height"] * built["pos_emb_width"], d_model),
    )
    projector: tuple[Brick, ...] = (
        Norm("final_layernorm", d_model, bias=True),
        Norm("pre_norm", d_model, bias=True),
        linear("in_proj", 4 * d_model, 4 * d_model),
        linear("out_proj", 4 * d_model, text.d_model),
    )
    return with_towers(config, text, Tower("vision", d_model, n_layers, stem, layer, projector), tied=True)


@model_type("minicpmv4_6")
def minicpmv(config: Config) -> Architecture:
    """MiniCPM-V 4.6: Qwen 3.5 behind SigLIP with a merger inside the tower and one after it."""
    config.ignore("drop_vision_last_layer", "insert_layer_id", "image_size", "patch_size", "downsample_mode")
    config.ignore("merge_kernel_size")
    text, vision = text_model(config, "qwen3_5_text"), config.section("vision_config")
    vision.ignore("insert_layer_id", "window_kernel_size")
    kernels = config.values.get("merge_kernel_size", [2, 2]), vision.values.get("window_kernel_size", [2, 2])
    if kernels != ([2, 2], [2, 2]) or config.integer("merger_times", default=1) != 1:
        raise config.unknown("merge_kernel_size", kernels[0], "[2, 2], merged once")
    d_model, layer, n_layers = encoder(vision)
    joined, wide = 4 * d_model, 4 * vision.integer("intermediate_size")
    stem: tuple[Brick, ...] = (
        linear("patch_embedding", pixels(vision), d_model),
        Embedding("position_embedding", patches(vision), d_model),
    )
    inside: tuple[Brick, ...] = (
        layer[1],
        Norm("vit_merger.layer_norm1", d_model, bias=True),
        Norm("vit_merger.pre_norm", joined, bias=True),
        linear("vit_merger.linear_1", joined, wide),
        linear("vit_merger.linear_2", wide, d_model),
    )
    after: tuple[Brick, ...] = (
        Norm("post_layernorm", d_model, bias=True),
        Norm("merger.pre_norm", joined, bias=True),
        linear("merger.linear_1", joined, joined),
        linear("merger.linear_2", joined, text.d_model),
    )
    return with_towers(config, text, Tower("vision", d_model, n_layers, stem, layer, (*inside, *after)), tied=False)


@model_type("minimax_m3_vl")
def minimax_m3(config: Config) -> Architecture:
    """MiniMax M3 behind a ViT with rotary positions; patches of two frames, merged in two steps."""
    config.ignore("num_reward_heads", "process_image_mode", "image_grid_pinpoints", "img_token_compression_config")
    text, vision = text_model(config, "minimax_m3_vl_text"), config.section("vision_config")
    vision.ignore("position_embedding_type", "projection_dim", "vision_segment_max_frames", "image_size", "vocab_size")
    vision.ignore("img_token_compression_config")
    d_model, layer, n_layers = encoder(vision)
    bias = config.flag("multimodal_projector_bias", default=True)
    if not bias:
        raise config.unknown("multimodal_projector_bias", False, "true, which transformers takes anyway")
    inner, d_text = config.integer("projector_hidden_size", default=text.d_model), text.d_model
    frames, merge = vision.integer("temporal_patch_size", default=2), vision.integer("spatial_merge_size", default=2)
    config.ignore("merged_hidden_size")  # written by transformers, not read
    stem: tuple[Brick, ...] = (
        linear("proj", pixels(vision, frames=frames), d_model, bias=False),
        Norm("pre_layrnorm", d_model, bias=True),
    )
    projector = (
        linear("linear_1", d_model, inner, bias),
        linear("linear_2", inner, d_text, bias),
        linear("merge_linear_1", d_text * merge**2, inner, bias),
        linear("merge_linear_2", inner, d_text, bias),
    )
    return with_towers(
        config, text, Tower("vision", d_model, n_layers, stem, layer, projector), tied=False, ties="either"
    )


@model_type("mllama")
def mllama(config: Config) -> Architecture:
    """Llama 3.2 Vision: some layers attend to the image through gated cross-attention; eight more tokens embedded."""
    section = config.section("text_config")
    section.values = {**section.values, "model_type": "mllama"}
    section.ignore("tie_word_embeddings")
    n_layers, vocab = section.integer("num_hidden_layers"), section.integer("vocab_size")
    crossed = section.integers("cross_attention_layers")
    feed, attend = feed_forward(section), attention(section, kv_required=True)
    looks = replace(attend, cross=True, qk_norm=(attend.d_head, attend.d_head), name="cross_attn")
    gates = Tensors((vector("cross_attn_attn_gate", 1), vector("cross_attn_mlp_gate", 1)))

    def layer(crosses: bool) -> Layer:
        if not crosses:
            return block(feed.d_model, attend, feed)
        return Layer((*block(feed.d_model, looks, feed).bricks, gates))

    text = stack(section, layers_of([i in crossed for i in range(n_layers)], layer))
    text = replace(text, inputs=(Embedding("embed_tokens", vocab + 8, feed.d_model),))
    return with_towers(
        config, text, _mllama_vit(config.section("vision_config"), feed.d_model), tied=False, ties="neither"
    )


def _mllama_vit(config: Config, d_text: int) -> Tower:
    """Return the tower: tiles with gated position tables, plain layers and gated global ones."""
    config.ignore("intermediate_layers_indices", "supported_aspect_ratios", "max_aspect_ratio_id")
    d_model, n_heads = config.integer("hidden_size"), config.integer("attention_heads", "num_attention_heads")
    layer = layer_normed(d_model, n_heads, config.integer("intermediate_size"), attention_bias=False)
    n_global, tiles = config.integer("num_global_layers"), config.integer("max_num_tiles")
    shapes = config.values.get("supported_aspect_ratios")
    if not isinstance(shapes, list):
        raise config.unknown("supported_aspect_ratios", shapes, "a list: each has a table")
    n_patches, ratios = patches(config) + 1, len(shapes) + 1
    stem: tuple[Brick, ...] = (
        linear("patch_embedding", pixels(config), d_model, bias=False),
        Embedding("gated_positional_embedding", n_patches, d_model),
        Embedding("tile_embedding", ratios, tiles * n_patches * d_model),
        *(Embedding(f"{side}_tile_positional_embedding", ratios, tiles * d_model) for side in ("pre", "post")),
        Tensors((vector("class_embedding", d_model), vector("gates", 3))),
        Norm("layernorm_pre", d_model, bias=True),
        Norm("layernorm_post", d_model, bias=True),
    )
    gated = (*layer, Tensors((vector("gate_attn", 1), vector("gate_ffn", 1))))
    joined = linear("multi_modal_projector", config.integer("vision_output_dim", default=7680), d_text)
    return Tower("vision", d_model, config.integer("num_hidden_layers"), stem, layer, (*(gated * n_global), joined))


STEP_TEXT = {
    "hidden_size": 4096,
    "intermediate_size": 11264,
    "num_hidden_layers": 45,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 128815,
    "n_routed_experts": 288,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 1280,
    "share_expert_dim": 1280,
}
STEP_VISION = {
    "hidden_size": 1536,
    "intermediate_size": 8960,
    "num_hidden_layers": 47,
    "num_attention_heads": 16,
    "num_channels": 3,
    "image_size": 728,
    "patch_size": 14,
}


@model_type("step3p7")
def step3p7(config: Config) -> Architecture:
    """Step 3.7: attention gated per head, experts from the fourth layer on, a ViT with scaled residuals.

    The first published file keeps the text model's sizes at the top level, which transformers does not read: it
    builds the class's defaults. The count follows transformers and a note says so.
    """
    section = config.section("text_config", STEP_TEXT)
    section.values = {**section.values, "model_type": "step3p7"}
    config.only("architectures", ["Step3p7FlashForCausalLM"], ["Step3p7ForConditionalGeneration"])
    vision = config.section("vision_config", STEP_VISION)
    bias = section.flag("attention_bias", default=False)
    mixer = attention(section, qkv_bias=bias, out_bias=bias, qk_norm="head", kv_required=True)
    feed = routed(section, d_ff_shared=section.integer("share_expert_dim"))
    mlps, slides = mlp_kinds(section, first_dense=3), sliding_pattern(section)
    n_sliding = section.integer("num_sliding_attention_heads", default=mixer.n_heads)

    def layer(kind: tuple[str, str]) -> Layer:
        window, n_heads = window_of(section, kind[1]), mixer.n_heads if kind[1] == "full_attention" else n_sliding
        slid = replace(mixer, window=window, n_heads=n_heads, gate=n_heads)
        return block(feed.d_model, slid, feed_forward(section) if kind[0] == "dense" else feed)

    if config.flag("projector_bias", default=False):
        raise config.unknown("projector_bias", True, "false: this bias is not described")
    text = stack(section, layers_of(zip(mlps, slides, strict=True), layer), buffers=correction(feed.n_experts, mlps))
    whole = with_towers(config, text, _step_vit(vision, feed.d_model), tied=False)
    stray = [key for key in STEP_TEXT if config.has(key)]
    if not stray:
        return whole
    config.ignore(*config.values)
    return noted(whole, "sizes at the top level are not read by transformers, which builds its defaults: counted so")


def _step_vit(config: Config, d_text: int) -> Tower:
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    config.ignore("intermediate_size", "layer_scale_init_value")
    layer = layer_normed(d_model, n_heads, int(d_model * config.number("mlp_ratio", default=8960 / 1536)))
    scales = Tensors((vector("lambda_1", d_model), vector("lambda_2", d_model)))
    stem: tuple[Brick, ...] = (
        linear("patch_embedding", pixels(config), d_model, bias=False),
        Embedding("position_embedding", patches(config), d_model),
        Norm("pre_layernorm", d_model, bias=True),
    )
    projector = (
        linear("downsampler1", 9 * d_model, 2 * d_model),
        linear("downsampler2", 9 * 2 * d_model, 4 * d_model),
        linear("multi_modal_projector", 4 * d_model, d_text, bias=False),
    )
    n_layers = config.integer("num_hidden_layers")
    return Tower("vision", d_model, n_layers, stem, (*layer, scales), projector)


@model_type("ministral3")
def ministral3(config: Config) -> Architecture:
    """Ministral 3: Mistral's block; a file of the model with vision gives the same type with sections."""
    kind = "mistral3" if config.has("text_config") else "mistral"
    inner = Config({"head_dim": 128, **config.values, "model_type": kind}, config.where)
    described = describe(inner)
    config.read |= inner.read
    config.sections |= inner.sections
    return replace(described, model_type="ministral3")
