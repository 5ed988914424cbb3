"""Models with vision and their own code: InternVL, Phi 3.5 vision, Kimi-VL, DeepSeek-VL2, Step-3."""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.multimodal.joining import flat, patches_a_side, text_model, with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type


@model_type("internvl_chat")
def internvl_chat(config: Config) -> Architecture:
    """InternVL 1.5 to 3.5 as first published: InternViT, neighbouring patches side by side, two projections."""
    config.needs("llm_config", "vision_config")
    config.only("architectures", ["InternVLChatModel"])
    for key in ("use_backbone_lora", "use_llm_lora"):
        config.only(key, 0)
    section, vision = config.section("llm_config"), config.section("vision_config")
    text = text_model(config, section.text("model_type"), key="llm_config", chosen=True)
    vision.only("norm_type", "layer_norm", "rms_norm")
    layer_normed = vision.text("norm_type", default="rms_norm") == "layer_norm"
    joined = vision.integer("hidden_size") * patches_a_side(config) ** 2
    projector = (
        Norm("mlp1.0", joined, bias=True),
        linear("mlp1.1", joined, text.d_model),
        linear("mlp1.3", text.d_model, text.d_model),
    )
    # The language model is loaded as a model of its own, so its own flag ties it.
    tied = section.flag("tie_word_embeddings", default=False)
    head = replace(text.head, tied=tied) if text.head else None
    seen = tower("internvit", vision, *projector, layer_normed=layer_normed)
    return replace(text, model_type="internvl_chat", inputs=(*text.inputs, seen), head=head)


@model_type("phi3_v")
def phi3_v(config: Config) -> Architecture:
    """Phi 3 and 3.5 vision: CLIP's large ViT at 336 pixels, which its code fixes, and two learned separators."""
    layer, vision = config.section("embd_layer"), config.section("img_processor")
    for key in ("use_hd_transform", "with_learnable_separator"):
        if not layer.flag(key, default=False):
            raise layer.unknown(key, False, "true: without it the projector is not described")
    layer.only("projection_cls", "mlp")
    layer.only("embedding_cls", "image")
    layer.ignore("hd_transform_order")
    vision.only("name", "clip_vision_model")
    vision.only("model_name", "openai/clip-vit-large-patch14-336")
    vision.ignore("num_img_tokens", "layer_idx", "type_feature")
    joined = 4 * vision.integer("image_dim_out", default=1024)
    text = flat(config, "phi3")
    projector = (
        linear("img_projection.0", joined, text.d_model),
        linear("img_projection.2", text.d_model, text.d_model),
        Tensors((vector("glb_GN", joined), vector("sub_GN", joined))),
    )
    seen = tower("clip_of_phi3_v", Config({}, config.where), *projector)
    return replace(text, model_type="phi3_v", inputs=(*text.inputs, seen))


@model_type("kimi_vl")
def kimi_vl(config: Config) -> Architecture:
    """Kimi-VL (arXiv:2504.07491): MoonViT in front of Moonlight, which has DeepSeek V3's shape."""
    config.needs("text_config", "vision_config")
    text, vision = text_model(config, "kimi_k2"), config.section("vision_config")
    vision.only("merge_kernel_size", [2, 2])
    names = {"pos_emb_height": "init_pos_emb_height", "pos_emb_width": "init_pos_emb_width"}
    vision.values = {names.get(key, key): value for key, value in vision.values.items()}
    return with_towers(config, text, tower("moonvit", vision, text=text.d_model), tied=False, ties="text")


@model_type("deepseek_vl_v2")
def deepseek_vl2(config: Config) -> Architecture:
    """DeepSeek-VL2 (arXiv:2412.10302): SigLIP with its pooling head, DeepSeekMoE with or without latent attention."""
    config.needs("language_config", "vision_config", "projector_config")
    config.only("tile_tag", "2D")
    section = config.section("language_config")
    section.ignore("use_mla", "lm_head", "rm_head", "topk_method")
    kind = "deepseek_v3" if section.values.get("topk_method") == "noaux_tc" else "deepseek_v2"
    if not section.flag("use_mla", default=True):
        kind = "deepseek"
        section.ignore("kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    text = text_model(config, kind, key="language_config")
    vision = config.section("vision_config")
    vision.only("model_name", "siglip_large_patch16_384", "siglip_so400m_patch14_384")
    seen = tower("siglip_of_deepseek", vision, *_projector(config, text.d_model))
    return replace(text, model_type="deepseek_vl_v2", inputs=(*text.inputs, seen))


def _projector(config: Config, d_text: int) -> tuple[Brick, ...]:
    section = config.section("projector_config")
    section.only("projector_type", "downsample_mlp_gelu")
    section.only("token_pooling", False)
    section.only("depth", 2)
    d_out, wide = section.integer("n_embed", default=2048), section.integer("mlp_ratio", default=1)
    d_in = section.integer("input_dim", default=1152) * section.integer("downsample_ratio", default=2) ** 2
    if d_out != d_text:
        raise section.unknown("n_embed", d_out, f"{d_text}, the width of the language model")
    separators = Tensors((vector("image_newline", d_out), vector("view_seperator", d_out)))
    return linear("layers.0", d_in, wide * d_out), linear("layers.2", wide * d_out, d_out), separators
