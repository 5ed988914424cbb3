"""Encoders with rotary positions, most with gated blocks: ModernBERT, EuroBERT, GTE, Nomic, Jina, RoFormer, ESM."""

from __future__ import annotations

from dataclasses import replace

from sizebook.models.architecture import (
    Architecture,
    Attention,
    Brick,
    Embedding,
    FeedForward,
    Layer,
    Norm,
    Projection,
    Tensors,
    Weight,
)
from sizebook.models.classes import kind_of_class, n_labels
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, attention, block, feed_forward, layers_of, stack
from sizebook.models.families.encoders.bert import HASHED_HEADS, ROBERTA_HEADS
from sizebook.models.families.encoders.narrow_embeddings import SUMMARY_KEYS
from sizebook.models.families.encoders.stack import (
    Body,
    Sizes,
    WordHead,
    bert_layer,
    cross_attends,
    encoder,
    factorised,
    on_top,
    sizes,
    tables,
)
from sizebook.models.huggingface import model_type

FULL, SLIDING = "full_attention", "sliding_attention"


@model_type("modernbert", "modernbert-decoder")
def modernbert(config: Config) -> Architecture:
    """ModernBERT: no positions stored, no norm before the first layer's attention, one layer in three sees all."""
    causal = config.text("model_type") == "modernbert-decoder"
    words = _modernbert_class(config, causal)
    size, norm_bias = replace(sizes(config), causal=causal), config.flag("norm_bias", default=False)
    config.ignore("reference_compile", "repad_logits_with_grad", "global_rope_theta", "local_rope_theta")
    config.ignore("sparse_prediction", "sparse_pred_ignore_index", "deterministic_flash_attn", "embedding_dropout")
    inputs: list[Brick] = [
        Embedding("tok_embeddings", size.vocab, size.d_model),
        Norm("embeddings.norm", size.d_model, norm_bias),
    ]
    outputs: list[Brick] = [Norm("final_norm", size.d_model, norm_bias)]
    outputs += _modernbert_transform(config, size, words, norm_bias)
    head = WordHead(transform=False, twin_bias=False)
    layers = _modernbert_layers(config, size, norm_bias)
    described = encoder(
        config,
        size,
        Body(inputs, layers, outputs),
        words=words.removeprefix("pooled ").removeprefix("transform "),
        head=head,
    )
    bias = config.flag("decoder_bias", default=True)
    return replace(described, head=described.head and replace(described.head, bias=bias))


def _modernbert_layers(config: Config, size: Sizes, norm_bias: bool) -> tuple[Layer, ...]:
    local = config.integer("local_attention", default=128) // 2
    window = (config.window("sliding_window") if size.causal else None) or local
    mixer = size.attention(bias=config.flag("attention_bias", default=False))
    feed = FeedForward(size.d_model, size.d_ff, gated=True, bias=config.flag("mlp_bias", default=False))
    before, after = Norm("attn_norm", size.d_model, norm_bias), Norm("mlp_norm", size.d_model, norm_bias)

    def build(kind: tuple[bool, str]) -> Layer:
        first, pattern = kind
        own = replace(mixer, window=window if pattern == SLIDING else None)
        return Layer((own, after, feed) if first else (before, own, after, feed))

    period = config.integer("global_attn_every_n_layers", default=3)
    kinds = [FULL if i % period == 0 else SLIDING for i in range(size.n_layers)]
    kinds = config.pattern("layer_types", size.n_layers, (FULL, SLIDING), kinds)
    return layers_of([(i == 0, kind) for i, kind in enumerate(kinds)], build)


def _modernbert_class(config: Config, causal: bool) -> str:
    """Return what the class puts on top: a transform comes before every head."""
    labels = "transform labels"
    if causal:
        heads = {"Model": "", "ForCausalLM": "transform words", "ForSequenceClassification": "transform classify"}
        return kind_of_class(config, "ModernBertDecoder", heads)
    heads = {
        "Model": "",
        "ForMaskedLM": "transform words",
        "ForMultipleChoice": "pooled transform one",
        "ForSequenceClassification": f"pooled {labels}",
        "ForTokenClassification": labels,
        "ForQuestionAnswering": labels,
    }
    return kind_of_class(config, "ModernBert", heads)


def _modernbert_transform(config: Config, size: Sizes, words: str, norm_bias: bool) -> list[Brick]:
    bias = config.flag("classifier_bias", default=False)
    if not words:
        return []
    once = words.startswith("pooled")  # the class pools first
    top: list[Brick] = [Projection("head.dense", size.d_model, size.d_model, bias=bias, pooled=once)]
    top.append(Norm("head.norm", size.d_model, norm_bias))
    if words.endswith("classify"):
        top.append(Projection("classifier", size.d_model, n_labels(config), bias=bias, pooled=True))
    return top


@model_type("eurobert")
def eurobert(config: Config) -> Architecture:
    """Llama's block without the causal mask."""
    heads = {
        "Model": "",
        "ForMaskedLM": "words",
        "ForSequenceClassification": "dense labels",
        "ForTokenClassification": "labels",
    }
    words = kind_of_class(config, "EuroBert", heads)
    config.ignore("clf_pooling", "mask_token")
    return _with_top(config, _llama_encoder(config, head_bias=config.flag("mlp_bias", default=False)), words)


@model_type("ultrabert")
def ultrabert(config: Config) -> Architecture:
    """Llama's block without the causal mask, and a transform through a narrower layer before the head."""
    classes = ("ForSequenceClassification", "ForTokenClassification")
    heads = {"Model": "", "ForMaskedLM": "words", "ForQuestionAnswering": "two"} | dict.fromkeys(classes, "labels")
    words = kind_of_class(config, "Ultrabert", heads)
    narrow, described = config.integer("prediction_head_size"), _llama_encoder(config)
    config.ignore("layer_types", "sliding_window")
    if words == "words":
        d_model = described.d_model
        down = Projection("head.linear1", d_model, narrow, bias=False)
        up = Projection("head.linear2", narrow, d_model, bias=False)
        described = replace(described, outputs=(*described.outputs, down, up))
    return _with_top(config, described, words)


def _llama_encoder(config: Config, *, head_bias: bool = False) -> Architecture:
    bias = config.flag("attention_bias", default=False)
    feed = feed_forward(config, bias=config.flag("mlp_bias", default=False))
    mixer = attention(config, qkv_bias=bias, out_bias=bias, bidirectional=True)
    layers = (block(feed.d_model, mixer, feed),) * config.integer("num_hidden_layers")
    return stack(config, layers, BesideLayers(head_bias=head_bias))


def _with_top(config: Config, described: Architecture, words: str) -> Architecture:
    """Return a stack with its head, or without one and with what a classifier needs."""
    if words == "words":
        return described
    n_ctx = described.n_ctx or 0
    size = Sizes(
        described.d_model,
        described.d_model,
        described.n_layers,
        n_heads=1,
        d_ff=0,
        vocab=described.vocab,
        n_ctx=n_ctx,
        causal=False,
    )
    return replace(described, outputs=(*described.outputs, *on_top(config, size, words, head=WordHead())[0]), head=None)


@model_type("gte", "nomic_bert", "jina_embeddings_v3")
def rotary_bert(config: Config) -> Architecture:
    """BERT with rotary positions and norms after the blocks: GTE, Nomic, Jina."""
    kind = config.text("model_type")
    size = sizes(config)
    bias, gated = kind != "nomic_bert", kind != "jina_embeddings_v3"
    d_head = config.size("head_dim") if kind == "nomic_bert" else 0
    mixer: Attention = replace(size.attention(bias=bias), d_head=d_head or size.d_model // size.n_heads)
    down = Weight("mlp.down_proj.bias", (size.d_model,), "bias", use="vector")
    layer = Layer(
        (
            mixer,
            Norm("post_attention_layernorm", size.d_model, bias=True),
            FeedForward(size.d_model, size.d_ff, gated=gated, bias=not gated),
            Tensors((down,) if kind == "gte" else ()),
            Norm("post_mlp_layernorm", size.d_model, bias=True),
        )
    )
    inputs = tables(config, size, positions=False)
    head = WordHead(twin_bias=kind != "gte")
    return encoder(config, size, Body(inputs, (layer,) * size.n_layers), words=_rotary_class(config, kind), head=head)


def _rotary_class(config: Config, kind: str) -> str:
    heads = {
        "Model": "",
        "ForMaskedLM": "words",
        "ForSequenceClassification": "pool labels",
        "ForTokenClassification": "labels",
    }
    if kind == "jina_embeddings_v3":
        left_out = ("ForCausalLM", "ForMultipleChoice")
        jina = {suffix: words for suffix, words in ROBERTA_HEADS.items() if suffix not in left_out}
        return kind_of_class(config, "JinaEmbeddingsV3", jina)
    return kind_of_class(config, "Gte" if kind == "gte" else "NomicBert", heads)


ROFORMER_HEADS = HASHED_HEADS | {"ForCausalLM": "words", "ForMultipleChoice": "one"}


@model_type("roformer")
def roformer(config: Config) -> Architecture:
    """BERT with rotary positions, whose table of sines is stored as a parameter."""
    words = kind_of_class(config, "RoFormer", ROFORMER_HEADS)
    size = sizes(config)
    size = factorised(size, config.size("embedding_size") or size.d_model)
    config.ignore("rotary_value", *SUMMARY_KEYS)
    inputs = tables(config, size, positions=False)
    inputs.append(Embedding("embed_positions", size.n_ctx, size.d_model // size.n_heads))
    if size.d_embed != size.d_model:
        inputs.append(Projection("embeddings_project", size.d_embed, size.d_model))
    layers = (bert_layer(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, Body(inputs, layers), words=words)


@model_type("esm")
def esm(config: Config) -> Architecture:
    """ESM, for proteins: norms before the blocks, rotary positions in the second generation, a head for contacts."""
    heads = {suffix: ROBERTA_HEADS[suffix] for suffix in ("Model", "ForMaskedLM", "ForTokenClassification")}
    words = kind_of_class(config, "Esm", heads | {"ForSequenceClassification": "dense labels"})
    config.only("is_folding_model", False)
    config.only("add_cross_attention", False)
    config.ignore("token_dropout", "mask_token_id", "esmfold_config", "vocab_list")
    if config.values.get("position_embedding_type", "") is None:
        raise config.unknown("position_embedding_type", None, "'absolute' or 'rotary'")
    stored = config.text("position_embedding_type", default="absolute") == "absolute"
    size = sizes(config, positions=("absolute", "rotary"))
    inputs: list[Brick] = [Embedding("word_embeddings", size.vocab, size.d_model)]
    if stored:
        inputs.append(Embedding("position_embeddings", size.n_ctx, size.d_model))
    if config.flag("emb_layer_norm_before", default=False):
        inputs.append(Norm("embeddings.layer_norm", size.d_model, bias=True))
    outputs: list[Brick] = [Norm("emb_layer_norm_after", size.d_model, bias=True)]
    outputs.append(Projection("contact_head.regression", size.n_layers * size.n_heads, 1, pooled=True))
    half = (size.d_model // size.n_heads // 2,)
    buffers = () if stored else (Weight("rotary_embeddings.inv_freq", half, "embedding", use="vector"),)
    layers = (bert_layer(size),) * size.n_layers
    return encoder(
        config, size, Body(inputs, layers, outputs), words=words, head=WordHead(twin_bias=False), buffers=buffers
    )
