"""Encoder-decoders and decoders that attend to an encoder: BART and its line, T5 and its copies, TrOCR, Whisper.

An untied T5 1.1, mT5 or UMT5 has a head of its own, as its checkpoints do. The tables of relative positions are counted
as attention.
"""

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Head
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import tie_notes
from sizebook.models.families.towers.rows import tower
from sizebook.models.families.whole_rows import described, registered
from sizebook.models.huggingface import model_type
from sizebook.models.refusals import missing_key
from sizebook.models.towers import Tower

ROWS = registered(__name__, "seq2seq_types.toml")
UNTIED = remark("the head is untied, as the file says and its checkpoints are: transformers 5 ties it nevertheless")


@model_type("fsmt")
def fsmt(config: Config) -> Architecture:
    """FSMT: tied, both vocabularies must be one."""
    if config.flag("tie_word_embeddings", default=False):
        config.only("tgt_vocab_size", config.integer("src_vocab_size"))
    return described(ROWS["_fsmt"], config)


@model_type("whisper")
def whisper(config: Config) -> Architecture:
    """Whisper: an audio encoder, counted whole as ``tower``, and a decoder; causal, the decoder alone."""
    whole, heard = described(ROWS["_whisper"], config), tower("whisper", config)
    alone = (config.class_names() or [""])[0].endswith("ForCausalLM")
    return whole if alone else replace(whole, inputs=(*whole.inputs, heard))


@model_type("t5", "mt5", "umt5", "longt5", "switch_transformers")
def t5(config: Config) -> Architecture:
    """T5, mT5, UMT5, LongT5 and Switch; transformers ties the heads of all but Switch, whatever the file says."""
    kind = config.text("model_type")
    config.agree("num_layers", "num_hidden_layers")
    given = {"gated": _is_gated(config, kind)}
    if kind == "longt5":  # whose encoder may see global tokens
        given["global_tokens"] = config.text("encoder_attention_type", default="local") == "transient-global"
    whole = described(ROWS[f"_{kind}"], config, **given)
    untied = whole.head is not None and not whole.head.tied and kind != "switch_transformers"
    return replace(whole, notes=(UNTIED,)) if untied else whole


def _is_gated(config: Config, kind: str) -> bool:
    activation = config.text("feed_forward_proj", default="gated-gelu" if kind in ("mt5", "umt5") else "relu")
    return config.flag("is_gated_act", default=activation.startswith("gated-"))


@model_type("udop")
def udop(config: Config) -> Architecture:
    """UDOP: T5 over words, their places on a page and the page's patches; its head is tied whatever the file says."""
    if not config.has("num_decoder_layers") and "num_layers" not in config.values:
        raise missing_key("num_decoder_layers", config.where)  # its class takes its own default
    whole = described(ROWS["_udop"], config, gated=_is_gated(config, "udop"))
    pixels = config.integer("num_channels", default=3) * config.integer("patch_size") ** 2
    patches = tuple(linear(f"{side}.embed_patches", pixels, whole.d_model) for side in ("encoder", "decoder"))
    seen = Tower("vision", whole.d_model, 0, stem=patches, layer=(), projector=(), name="embed_patches")
    whole = replace(whole, inputs=(*whole.inputs, seen))
    if whole.head is None:
        return whole
    notes = tie_notes({"top level": (config, whole.head.tied)}, followed=True)
    return replace(whole, head=replace(whole.head, tied=True), notes=tuple(notes))


@model_type("pix2struct")
def pix2struct(config: Config) -> Architecture:
    """Pix2Struct (arXiv:2210.03347), MatCha and DePlot: the decoder's attention is as wide as the model."""
    config.built_as("Pix2StructForConditionalGeneration")
    text, vision = config.section("text_config"), config.section("vision_config")
    text.only("model_type", "pix2struct_text_model")
    vision.only("model_type", "pix2struct_vision_model")
    d_model, n_heads, width = text.integer("hidden_size"), text.integer("num_heads"), text.integer("d_kv")
    if n_heads * width != d_model:
        raise text.unknown("d_kv", width, f"{d_model} divided by {n_heads} heads, as the class of this type multiplies")
    vision.ignore("relative_attention_num_buckets", "relative_attention_max_distance")
    said = described(ROWS["_pix2struct"], text)
    head = Head(said.vocab, said.d_model, tied=config.flag("tie_word_embeddings", default=False))
    return replace(said, model_type="pix2struct", inputs=(*said.inputs, tower("pix2struct", vision)), head=head)
