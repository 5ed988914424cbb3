"""Encoders of sound alone: wav2vec 2.0, HuBERT and WavLM. A token is a frame; there is no table of tokens."""

from __future__ import annotations

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    FeedForward,
    Head,
    Layer,
    Norm,
    Projection,
    Tensors,
)
from sizebook.models.classes import kind_of_class, n_labels
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.huggingface import model_type

HEADS = {"Model": "", "ForCTC": "letters", "ForSequenceClassification": "labels"}
FRAMES = {"ForAudioFrameClassification": "frames"}
PREFIXES = {"wav2vec2": "Wav2Vec2", "hubert": "Hubert", "wavlm": "WavLM"}
# Seven convolutions that read 20 ms of sound at 16 kHz.
KERNELS = [10, 3, 3, 3, 3, 2, 2]


@model_type("wav2vec2", "hubert", "wavlm")
def speech(config: Config) -> Architecture:
    """Convolutions over the wave, positions by a grouped convolution, an encoder (arXiv:2006.11477, 2106.07447).

    WavLM (arXiv:2110.13900) gates relative positions, whose table stands in the first layer.
    """
    name = config.text("model_type")
    heads = (
        HEADS | (FRAMES if name != "hubert" else {}) | ({"ForPreTraining": "quantized"} if name == "wav2vec2" else {})
    )
    kind = kind_of_class(config, PREFIXES[name], heads)
    _undescribed(config)
    d_model = config.integer("hidden_size")
    vocab, labels = config.integer("vocab_size"), n_labels(config)
    heard, d_heard = _convolutions(config)
    n_layers = config.integer("num_hidden_layers")
    return Architecture(
        model_type=name,
        d_model=d_model,
        vocab=vocab if kind == "letters" else 0,
        n_ctx=None,
        inputs=(*heard, *_projected(config, d_heard), *_positions(config)),
        layers=_layers(config, n_layers),
        outputs=(Norm("encoder.layer_norm", d_model, bias=True), *_top(config, kind, labels, d_heard)),
        head=Head(vocab, d_model, tied=False, bias=True, name="lm_head") if kind == "letters" else None,
    )


def _undescribed(config: Config) -> None:
    config.only("add_adapter", False)
    config.only("conv_pos_batch_norm", False)
    if config.size("adapter_attn_dim"):
        raise config.unknown("adapter_attn_dim", config.values["adapter_attn_dim"], "null: adapters are not described")
    config.ignore(
        "conv_stride", "do_stable_layer_norm", "num_negatives", "num_feat_extract_layers", "num_adapter_layers"
    )
    config.ignore("adapter_kernel_size", "adapter_stride", "output_hidden_size", "tdnn_dim", "tdnn_kernel")
    config.ignore(
        "tdnn_dilation",
        "xvector_output_dim",
        "num_ctc_classes",
        "max_bucket_distance",
        "contrastive_logits_temperature",
    )
    config.ignore("num_codevectors_per_group", "num_codevector_groups", "codevector_dim", "proj_codevector_dim")
    config.ignore("classifier_proj_size", "num_buckets", "use_weighted_layer_sum", "feat_quantizer_dropout")


def _convolutions(config: Config) -> tuple[list[Brick], int]:
    """Return the convolutions over the wave with their norms, and how wide the last is."""
    widths, kernels = config.integers("conv_dim", [512] * 7), config.integers("conv_kernel", KERNELS)
    if not widths or len(kernels) < len(widths) or not all((*widths, *kernels)):
        raise config.unknown("conv_kernel", kernels, f"{len(widths)} sizes, one for each of 'conv_dim'")
    bias, norms = config.flag("conv_bias", default=False), config.text("feat_extract_norm", default="group")
    config.only("feat_extract_norm", "group", "layer")
    bricks: list[Brick] = []
    for nth, (width, kernel) in enumerate(zip(widths, kernels, strict=False)):
        before = widths[nth - 1] if nth else 1
        bricks.append(linear(f"conv_layers.{nth}.conv", before * kernel, width, bias=bias))
        if norms == "layer" or not nth:
            bricks.append(Norm(f"conv_layers.{nth}.layer_norm", width, bias=True))
    return bricks, widths[-1]


def _projected(config: Config, d_heard: int) -> list[Brick]:
    """Return the projection of the features, and the vector that masks some in training."""
    bricks: list[Brick] = []
    d_model = config.integer("hidden_size")
    if config.text("model_type") != "hubert" or config.flag("feat_proj_layer_norm", default=True):
        bricks.append(Norm("feature_projection.layer_norm", d_heard, bias=True))
    bricks.append(linear("feature_projection.projection", d_heard, d_model))
    masks = config.number("mask_time_prob"), config.number("mask_feature_prob", default=0.0)
    return [*bricks, *([Tensors((vector("masked_spec_embed", d_model),))] if any(masks) else [])]


def _positions(config: Config) -> tuple[Brick, ...]:
    """Return the grouped convolution that stands for positions, its weight split in length and direction."""
    d_model, kernel = config.integer("hidden_size"), config.integer("num_conv_pos_embeddings")
    groups = config.integer("num_conv_pos_embedding_groups")
    width = config.divides("hidden_size", d_model, "num_conv_pos_embedding_groups", groups)
    return (
        linear("pos_conv_embed.conv", width * kernel, d_model),
        Tensors((vector("pos_conv_embed.conv.weight_g", kernel),)),
    )


def _layers(config: Config, n_layers: int) -> tuple[Layer, ...]:
    d_model, n_heads = config.integer("hidden_size"), config.integer("num_attention_heads")
    width = config.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    attend = Attention(d_model, n_heads, n_heads, d_head=width, qkv_bias=True, out_bias=True, bidirectional=True)
    feed = FeedForward(d_model, config.integer("intermediate_size"), gated=False, bias=True)
    norms = Norm("layer_norm", d_model, bias=True), Norm("final_layer_norm", d_model, bias=True)
    if config.text("model_type") != "wavlm":
        return (Layer((attend, norms[0], feed, norms[1])),) * n_layers
    gate = linear("gru_rel_pos_linear", width, 8), Tensors((vector("gru_rel_pos_const", n_heads),))
    table = Embedding("rel_attn_embed", config.integer("num_buckets"), n_heads)
    later = Layer((attend, *gate, norms[0], feed, norms[1]))
    return (Layer((*later.bricks, table)), *(later,) * (n_layers - 1))


def _top(config: Config, kind: str, labels: int, d_heard: int) -> list[Brick]:
    """Return what a class puts on the encoder; letters are its head."""
    d_model = config.integer("hidden_size")
    if kind == "quantized":
        return _quantizer(config, d_heard)
    if kind not in ("labels", "frames"):
        return []
    width = config.integer("classifier_proj_size") if kind == "labels" else d_model
    top: list[Brick] = [Projection("projector", d_model, width)] if kind == "labels" else []
    top.append(Projection("classifier", width, labels, pooled=kind == "labels"))
    if config.flag("use_weighted_layer_sum", default=False):
        top.append(Tensors((vector("layer_weights", config.integer("num_hidden_layers") + 1),)))
    return top


def _quantizer(config: Config, d_heard: int) -> list[Brick]:
    """Return the code book against which wav2vec 2.0 is trained."""
    groups = config.integer("num_codevector_groups")
    entries = groups * config.integer("num_codevectors_per_group")
    d_code, d_joint = config.integer("codevector_dim"), config.integer("proj_codevector_dim")
    width = config.divides("codevector_dim", d_code, "num_codevector_groups", groups)
    return [
        Embedding("quantizer.codevectors", entries, width),
        linear("quantizer.weight_proj", d_heard, entries),
        linear("project_hid", config.integer("hidden_size"), d_joint),
        linear("project_q", d_code, d_joint),
    ]
