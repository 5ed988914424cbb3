"""Encoders of text: BERT and what departs from it in tables, positions, attention, layers or heads."""

from dataclasses import replace

from sizebook.core.errors import RangeError
from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, FeedForward, Layer
from sizebook.models.config import Config
from sizebook.models.families.whole_rows import described, registered
from sizebook.models.huggingface import model_type

ROWS = registered(__name__, "encoder_types.toml")
GPT2_SIZES = ("n_embd", "n_head", "n_inner", "n_layer", "n_positions")


@model_type("bert")
def bert(config: Config) -> Architecture:
    """BERT, and Jina Embeddings 2, whose type is the same and whose code is the publisher's."""
    if config.values.get("position_embedding_type") != "alibi":
        return described(ROWS["_bert"], config)
    if "qk-post-norm" in str(config.values.get("auto_map")):
        raise config.unknown("auto_map", "qk-post-norm", "the code of jina-embeddings-v2 in English")
    whole = described(ROWS["_jina_v2"], config)
    bare = remark("the published weights hold the model bare, with its pooler")
    return replace(whole, notes=(*whole.notes, bare)) if whole.head else whole


@model_type("albert")
def albert(config: Config) -> Architecture:
    """ALBERT: layers repeat the weights of their group."""
    n_layers, n_groups = config.integer("num_hidden_layers"), config.integer("num_hidden_groups")
    if n_layers < n_groups:
        raise RangeError(
            f"inconsistent keys: got 'num_hidden_groups' = {n_groups} above 'num_hidden_layers' = {n_layers} in "
            f"{config.where}, want a layer or more a group. Correct one of them."
        )
    return described(ROWS["_albert"], config)


@model_type("xmod")
def xmod(config: Config) -> Architecture:
    """X-MOD: an adapter for each language; one said twice is held once."""
    if config.values.get("languages") == []:
        raise config.unknown("languages", [], "one or more, or no such key for the type's default")
    languages = dict.fromkeys(config.entries("languages", str, "words") or ["en_XX"])
    whole = described(ROWS["_xmod"], config)
    d_adapter = whole.d_model // config.integer("adapter_reduction_factor")
    adapters = (
        FeedForward(whole.d_model, d_adapter, gated=False, bias=True, name=f"adapter_modules.{name}")
        for name in languages
    )
    layer = Layer((*whole.layers[0].bricks, *adapters))
    return replace(whole, layers=(layer,) * whole.n_layers)


@model_type("longformer")
def longformer(config: Config) -> Architecture:
    """Longformer: the window of all layers, or one for each."""
    given = config.values.get("attention_window", 512)
    windows = config.integers("attention_window") if isinstance(given, list) else [config.integer("attention_window")]
    built = {width: described(ROWS["_longformer"], config, window=width // 2) for width in dict.fromkeys(windows)}
    whole = built[windows[0]]
    layers = tuple(built[windows[i % len(windows)]].layers[i] for i in range(whole.n_layers))
    return replace(whole, layers=layers)


@model_type("new")
def new(config: Config) -> Architecture:
    """GTE 1.5 and multilingual as first published, whose files name two classes."""
    named = config.values.get("architectures")
    notes: tuple[str, ...] = ()
    if isinstance(named, list) and len(named) == 2 and named[0] == "NewModel":
        config.values = {**config.values, "architectures": named[:1]}
        said = "the file names two classes: {one} is counted, without what {other} adds"
        notes = (remark(said, one=named[0], other=named[1]),)
    whole = described(ROWS["_new"], config)
    return replace(whole, notes=(*whole.notes, *notes))


@model_type("nomic_bert")
def nomic_bert(config: Config) -> Architecture:
    """Nomic's encoders, whose published files spell their sizes as GPT-2 does."""
    whole = described(ROWS["_nomic_bert"], config)
    if not (as_gpt2 := [name for name in GPT2_SIZES if name in config.values]):
        return whole
    said = remark(
        "the sizes under {names} are followed: transformers 5 reads its own names alone", names=", ".join(as_gpt2)
    )
    return replace(whole, notes=(*whole.notes, said))


@model_type("deberta", "deberta-v2")
def deberta(config: Config) -> Architecture:
    """DeBERTa: of relative positions a table of both directions, in the second generation perhaps of buckets."""
    later = config.text("model_type") == "deberta-v2"
    given = {"relative_rows": 0, "content_to_position": False, "position_to_content": False}
    if config.flag("relative_attention", default=False):
        given["relative_rows"] = _relative_rows(config, buckets=later)
        if not (later and config.flag("share_att_key", default=False)):
            kinds = config.values.get("pos_att_type")
            said = kinds.split("|") if isinstance(kinds, str) else config.entries("pos_att_type", str, "words")
            given |= {"content_to_position": "c2p" in said, "position_to_content": "p2c" in said}
    if later:
        given["normed_positions"] = "layer_norm" in config.text("norm_rel_ebd", default="none").lower()
        d_model, n_groups = config.integer("hidden_size"), config.integer("conv_groups", default=1)
        convolves = config.integer("conv_kernel_size", default=0) > 0
        given["d_convolved"] = config.divides("hidden_size", d_model, "conv_groups", n_groups) if convolves else 0
    whole = described(ROWS["_deberta_v2" if later else "_deberta"], config, **given)
    if not config.flag("legacy", default=True):
        config.only("tie_word_embeddings", True)
        if whole.head:  # it multiplies the last state with the table, which must be as wide
            config.only("embedding_size", whole.d_model)
    return whole


def _relative_rows(config: Config, *, buckets: bool) -> int:
    """Return the rows of the table of relative positions: both directions of the farthest distance, or bucket."""
    for key in ("position_buckets", "max_relative_positions") if buckets else ("max_relative_positions",):
        farthest = config.values.get(key, -1)
        if isinstance(farthest, int) and farthest >= 1:
            return 2 * farthest
    return 2 * config.integer("max_position_embeddings")


@model_type("funnel")
def funnel(config: Config) -> Architecture:
    """Funnel: blocks of layers, which may repeat their weights."""
    blocks = config.integers("block_sizes")
    repeats = config.integers("block_repeats", default=[1] * len(blocks))
    if len(repeats) != len(blocks):
        raise config.unknown("block_repeats", repeats, f"{len(blocks)} numbers, one for each of 'block_sizes'")
    again = sum(n_layers * (times - 1) for n_layers, times in zip(blocks, repeats, strict=True))
    return described(ROWS["_funnel"], config, in_blocks=sum(blocks), repeated=again)
