"""T5 and its copies: what their rows leave to code.

An untied T5 1.1, mT5 or UMT5 has a head of its own, as its checkpoints do. The tables of relative positions are counted
as attention.
"""

from dataclasses import replace

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.families.blocks import linear
from sizebook.models.families.multimodal.joining import tie_notes
from sizebook.models.families.seq2seq.rows import ROWS
from sizebook.models.families.whole_rows import described
from sizebook.models.huggingface import model_type
from sizebook.models.refusals import missing_key
from sizebook.models.towers import Tower

UNTIED = remark("the head is untied, as the file says and its checkpoints are: transformers 5 ties it nevertheless")


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
