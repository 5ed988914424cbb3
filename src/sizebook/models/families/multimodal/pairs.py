"""Two models made one: an encoder of images, sound or words before any decoder that attends to it, TrOCR's included."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from sizebook.models.architecture import Architecture, Attention, Brick, Embedding, FeedForward, Norm, Tensors, Weight
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear, vector
from sizebook.models.huggingface import describe, model_type
from sizebook.models.towers import Tower

# Decoders that transformers builds so, and the class that it builds; each is told itself that it attends.
DECODERS = {
    "trocr": "TrOCRForCausalLM",
    "gpt2": "GPT2LMHeadModel",
    "bert": "BertLMHeadModel",
    "roberta": "RobertaForCausalLM",
    "xlm-roberta": "XLMRobertaForCausalLM",
    "camembert": "CamembertForCausalLM",
    "electra": "ElectraForCausalLM",
    "bart": "BartForCausalLM",
    "mbart": "MBartForCausalLM",
}
HEARERS = {"wav2vec2": "Wav2Vec2Model", "hubert": "HubertModel", "wavlm": "WavLMModel"}
READERS = {
    "bert": "BertModel",
    "roberta": "RobertaModel",
    "xlm-roberta": "XLMRobertaModel",
    "camembert": "CamembertModel",
    "electra": "ElectraModel",
    "distilbert": "DistilBertModel",
}
Encoder = tuple[Tower, int, tuple[Weight, ...]]  # with its width, and what it stores beside its parameters


@model_type("vision-encoder-decoder")
def vision_encoder_decoder(config: Config) -> Architecture:
    """TrOCR, Donut (arXiv:2111.15664), Nougat, ViT with GPT-2: an encoder of images, a decoder that attends to it."""
    text = _pair(config, "VisionEncoderDecoderModel")
    seen = config.section("encoder")
    kind = seen.text("model_type", default="vit")
    if kind not in ENCODERS:
        raise seen.unknown("model_type", kind, " or ".join(sorted(ENCODERS)))
    tower, width, buffers = ENCODERS[kind](seen)
    tower = replace(tower, projector=(*tower.projector, *_joined(config, width, text.d_model)))
    return replace(text, inputs=(*text.inputs, tower), buffers=(*text.buffers, *buffers))


@model_type("speech-encoder-decoder")
def speech_encoder_decoder(config: Config) -> Architecture:
    """Speech translation from pretrained halves (arXiv:2104.06678): wav2vec 2.0 or its kin, a decoder of text."""
    text = _pair(config, "SpeechEncoderDecoderModel")
    heard = config.section("encoder")
    kind = heard.text("model_type", default="wav2vec2")
    if kind not in HEARERS:
        raise heard.unknown("model_type", kind, " or ".join(HEARERS))
    heard.only("add_adapter", False)
    found = _bare(heard, kind, HEARERS[kind])
    tower = replace(
        _tower(found, kind="audio"), projector=(*found.outputs, *_joined(config, found.d_model, text.d_model))
    )
    return replace(text, inputs=(*text.inputs, tower), buffers=(*text.buffers, *found.buffers))


@model_type("encoder-decoder")
def encoder_decoder(config: Config) -> Architecture:
    """Two checkpoints as one sequence-to-sequence model (arXiv:1907.12461): BERT or its kin before one that attends."""
    text = _pair(config, "EncoderDecoderModel")
    config.only("tie_encoder_decoder", False)
    read = config.section("encoder")
    kind = read.text("model_type", default="bert")
    if kind not in READERS:
        raise read.unknown("model_type", kind, " or ".join(READERS))
    read.only("is_decoder", False)
    found = _bare(read, kind, READERS[kind])
    return replace(
        text,
        inputs=(*text.inputs, *found.inputs),
        layers=(*found.layers, *text.layers),
        outputs=(*found.outputs, *_joined(config, found.d_model, text.d_model), *text.outputs),
        buffers=(*text.buffers, *found.buffers),
    )


def _pair(config: Config, name: str) -> Architecture:
    """Return the decoder under the type of the whole, whose class ties nothing: the decoder's own tie holds."""
    config.built_as(name)
    config.ignore("architectures", "tie_word_embeddings")
    config.needs("encoder", "decoder")
    return replace(_decoder(config.section("decoder")), model_type=config.text("model_type"))


def _joined(config: Config, width: int, d_model: int) -> tuple[Brick, ...]:
    """Return the projection from the encoder's width, none where the decoder reads that width or has it itself."""
    decoder = config.section("decoder")
    reads = decoder.size("cross_attention_hidden_size")
    if reads and reads != width:
        raise decoder.unknown("cross_attention_hidden_size", reads, f"{width}, as the encoder is wide")
    return (linear("enc_to_dec_proj", width, d_model),) if not reads and width != d_model else ()


def _bare(section: Config, kind: str, name: str) -> Architecture:
    """Return the encoder of a section as its bare class builds it."""
    section.values = {**section.values, "model_type": kind, "architectures": [name]}
    section.ignore("architectures")
    return describe(section)


def _decoder(section: Config) -> Architecture:
    kind = section.text("model_type", default="bert")
    if kind not in DECODERS:
        raise section.unknown("model_type", kind, " or ".join(DECODERS))
    section.values = {**section.values, "model_type": kind, "architectures": [DECODERS[kind]]}
    section.ignore("architectures", "cross_attention_hidden_size")
    if kind in ("bart", "mbart"):
        section.ignore("is_decoder", "add_cross_attention")  # the layers of these attend whatever is said
    return describe(section)


def _vit(section: Config) -> Encoder:
    """Return a ViT with its pooler; DeiT's (arXiv:2012.12877) has one more token."""
    kind = section.values.get("model_type", "vit")
    found = _bare(section, "vit", "ViTModel")
    more: tuple[Brick, ...] = ()
    if kind == "deit":
        width = found.d_model
        more = (Tensors((vector("distillation_token", width), vector("position_of_distillation", width))),)
    return _tower(found, more), found.d_model, ()


def _dino(section: Config) -> Encoder:
    registers = section.values.get("model_type") == "dinov2_with_registers"
    name = "Dinov2WithRegistersModel" if registers else "Dinov2Model"
    found = _bare(section, "dinov2_with_registers" if registers else "dinov2", name)
    return _tower(found), found.d_model, ()


def _tower(found: Architecture, more: tuple[Brick, ...] = (), kind: Literal["vision", "audio"] = "vision") -> Tower:
    return Tower(
        kind,
        found.d_model,
        found.n_layers,
        stem=(*found.inputs, *more),
        layer=found.layers[0].bricks,
        projector=found.outputs,
        name="encoder",
    )


def _swin(config: Config) -> Encoder:
    """Return a Swin transformer (arXiv:2103.14030), or Donut's, which has no norm at its end."""
    config.ignore("image_size", "num_layers", "encoder_stride", "drop_path_rate", "out_features")
    config.ignore("out_indices", "stage_names", "path_norm")
    config.only("use_absolute_embeddings", False)
    depths, heads = (
        config.integers("depths", default=[2, 2, 6, 2]),
        config.integers("num_heads", default=[3, 6, 12, 24]),
    )
    if not depths or 0 in heads or len(heads) < len(depths):
        raise config.unknown("num_heads", heads, f"a number of 1 or more for each of the {len(depths)} stages")
    window, ratio = config.integer("window_size"), config.number("mlp_ratio")
    channels, first = config.integer("num_channels"), config.integer("embed_dim")
    bias = config.flag("qkv_bias", default=True)
    bricks: list[Brick] = [
        linear("patch_embeddings", channels * config.integer("patch_size") ** 2, first),
        Norm("embeddings.norm", first, bias=True),
    ]
    for stage, (depth, n_heads) in enumerate(zip(depths, heads, strict=False)):
        width = first * 2**stage
        config.divides("embed_dim * 2**stage", width, "num_heads", n_heads)
        d_ff = int(width * ratio)
        layer: tuple[Brick, ...] = (
            Norm("layernorm_before", width, bias=True),
            Attention(
                width, n_heads, n_heads, d_head=width // n_heads, qkv_bias=bias, out_bias=True, bidirectional=True
            ),
            Embedding("relative_position_bias_table", (2 * window - 1) ** 2, n_heads),
            Norm("layernorm_after", width, bias=True),
            FeedForward(width, d_ff, gated=False, bias=True),
        )
        bricks += [*layer] * depth
        if stage < len(depths) - 1:
            bricks += [linear("downsample.reduction", 4 * width, 2 * width, bias=False), Norm("norm", 4 * width, True)]
    last = first * 2 ** (len(depths) - 1)
    if (said := config.integer("hidden_size", default=last)) != last:
        raise config.unknown("hidden_size", said, f"{last}, the width of the last stage")
    tower = Tower("vision", last, 0, stem=tuple(bricks), layer=(), projector=(), name="encoder")
    if config.values.get("model_type") == "swin":
        return replace(tower, projector=(Norm("layernorm", last, bias=True),)), last, ()
    index = Weight("relative_position_index", (window**2, window**2), "other", use="lookup", copies=sum(depths))
    return tower, last, (index,)


ENCODERS: dict[str, Callable[[Config], Encoder]] = {
    "vit": _vit,
    "deit": _vit,
    "dinov2": _dino,
    "dinov2_with_registers": _dino,
    "swin": _swin,
    "donut-swin": _swin,
}
