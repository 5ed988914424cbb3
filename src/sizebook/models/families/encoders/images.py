"""Encoders of images alone: ViT and DINOv2. A token is a patch; nothing is looked up, so there is no vocabulary."""

from __future__ import annotations

from sizebook.models.architecture import Architecture, Attention, Brick, FeedForward, Layer, Norm, Projection, Tensors
from sizebook.models.classes import kind_of_class, n_labels
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.families.row_bricks import patches, pixels
from sizebook.models.huggingface import model_type


def _attention(config: Config) -> Attention:
    """Return the attention of a ViT, whose queries, keys and values may do without biases."""
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    bias = config.flag("qkv_bias", default=True)
    return Attention(d_model, n_heads, n_heads, d_head=width, qkv_bias=bias, out_bias=True, bidirectional=True)


def _described(
    config: Config, stem: tuple[Brick, ...], layer: Layer, top: tuple[Brick, ...], n_ctx: int
) -> Architecture:
    d_model = config.integer("hidden_size")
    return Architecture(
        model_type=config.text("model_type"),
        d_model=d_model,
        vocab=0,
        n_ctx=n_ctx,
        inputs=stem,
        layers=(layer,) * config.integer("num_hidden_layers"),
        outputs=(Norm("layernorm", d_model, bias=True), *top),
        head=None,
    )


@model_type("vit")
def vit(config: Config) -> Architecture:
    """ViT (arXiv:2010.11929): a class token, learned positions, norms before both blocks."""
    heads = {"Model": "pool", "ForImageClassification": "labels", "ForMaskedImageModeling": "pixels"}
    kind, attend = kind_of_class(config, "ViT", heads), _attention(config)
    config.ignore("pooler_act")
    d_model, n_ctx = attend.d_model, patches(config) + 1
    feed = FeedForward(d_model, config.integer("intermediate_size"), gated=False, bias=True)
    layer = Layer(
        (Norm("layernorm_before", d_model, bias=True), attend, Norm("layernorm_after", d_model, bias=True), feed)
    )
    masked = (vector("mask_token", d_model),) if kind == "pixels" else ()
    stem = (
        Tensors((vector("cls_token", d_model), vector("position_embeddings", n_ctx, d_model), *masked)),
        linear("patch_embeddings", pixels(config), d_model),
    )
    return _described(config, stem, layer, (_vit_head(config, kind, d_model),), n_ctx)


def _vit_head(config: Config, kind: str, d_model: int) -> Projection:
    """Return the pooler, the classifier, or the projection back to pixels."""
    d_pooled, stride = config.size("pooler_output_size"), config.integer("encoder_stride", default=16)
    labels = n_labels(config)
    if kind == "pixels":
        return linear("decoder", d_model, stride**2 * config.integer("num_channels"))
    if kind == "labels":
        return Projection("classifier", d_model, labels, pooled=True)
    return Projection("pooler.dense", d_model, d_pooled or d_model, pooled=True)


DINOV2_HEADS = {"Model": "", "Backbone": "", "ForImageClassification": "labels"}


@model_type("dinov2", "dinov2_with_registers")
def dinov2(config: Config) -> Architecture:
    """DINOv2 (arXiv:2304.07193): ViT with scaled residuals; registers beside the class token (arXiv:2309.16588)."""
    registers = config.text("model_type") == "dinov2_with_registers"
    prefix = "Dinov2WithRegisters" if registers else "Dinov2"
    kind, attend = kind_of_class(config, prefix, DINOV2_HEADS), _attention(config)
    config.ignore(
        "layerscale_value", "apply_layernorm", "reshape_hidden_states", "stage_names", "out_features", "out_indices"
    )
    d_model, n_ctx = attend.d_model, patches(config) + 1
    scales = Tensors((vector("layer_scale1.lambda1", d_model), vector("layer_scale2.lambda1", d_model)))
    first, second = Norm("norm1", d_model, bias=True), Norm("norm2", d_model, bias=True)
    layer = Layer((first, attend, second, *_dinov2_feed(config, d_model), scales))
    n_registers = config.integer("num_register_tokens") if registers else 0
    masks = registers or config.flag("use_mask_token", default=True)
    tokens = ("cls_token", *(("mask_token",) if masks else ()), *(("register_tokens",) * n_registers))
    stem = (
        Tensors((*(vector(name, d_model) for name in tokens), vector("position_embeddings", n_ctx, d_model))),
        linear("patch_embeddings", pixels(config), d_model),
    )
    labels = n_labels(config)
    top = (Projection("classifier", 2 * d_model, labels, pooled=True),) if kind else ()
    return _described(config, stem, layer, top, n_ctx + n_registers)


def _dinov2_feed(config: Config, d_model: int) -> tuple[Brick, ...]:
    """Return the block of a layer: plain, or gated by one joint projection and narrowed to two thirds."""
    d_ff = int(d_model * config.number("mlp_ratio"))
    if not config.flag("use_swiglu_ffn", default=False):
        return (FeedForward(d_model, d_ff, gated=False, bias=True),)
    narrowed = (int(d_ff * 2 / 3) + 7) // 8 * 8
    return (FeedForward(d_model, narrowed, gated=True, bias=True),)
