"""BERT with more beside its layers: rounded copies, adapters, tables of sounds, entities or token values."""

from __future__ import annotations

from dataclasses import replace

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
    Weight,
)
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.blocks import SLIDING, every, layers_of
from sizebook.models.families.encoders.bert import BERT_HEADS, ROBERTA_HEADS
from sizebook.models.families.encoders.cheaper_attention import ENCODER_HEADS
from sizebook.models.families.encoders.stack import Body, Sizes, bert_layer, cross_attends, encoder, sizes, tables
from sizebook.models.huggingface import model_type


@model_type("ibert")
def ibert(config: Config) -> Architecture:
    """RoBERTa in integers: beside every matrix a buffer holds its rounded copy."""
    words = kind_of_class(config, "IBert", ENCODER_HEADS)
    config.ignore("quant_mode", "force_dequant")
    size = sizes(config)
    inputs = tables(config, size)
    layer = bert_layer(size)
    rounded = [weight for brick in inputs for weight in brick.weights if weight.part == "embedding"]
    linear = [weight for weight in layer.weights if weight.part in ("attention", "mlp")]
    # Three entries an activation, one a table and a norm; a linear layer also keeps a scale and a bias an output.
    n_scalars = sum(weight.size for weight in rounded) + 3 + 13
    n_layer = sum(weight.size + 2 * weight.shape[0] for weight in linear) + 44
    buffers = (Weight("quantised copies", (n_scalars + size.n_layers * n_layer,), "other", use="vector"),)
    return encoder(config, size, Body(inputs, (layer,) * size.n_layers), words=words, buffers=buffers)


@model_type("xmod")
def xmod(config: Config) -> Architecture:
    """RoBERTa with an adapter a language in every layer."""
    words = kind_of_class(config, "Xmod", ROBERTA_HEADS)
    config.ignore("adapter_reuse_layer_norm", "ln_before_adapter", "default_language")
    size = sizes(config)
    d_adapter = size.d_model // config.integer("adapter_reduction_factor")
    if config.values.get("languages") == []:
        raise config.unknown("languages", [], "one or more, or no such key for the type's default")
    adapters = tuple(
        FeedForward(size.d_model, d_adapter, gated=False, bias=True, name=f"adapter_modules.{language}")
        for language in dict.fromkeys(config.entries("languages", str, "words") or ["en_XX"])  # said twice, held once
    )
    layer = bert_layer(size, cross=cross_attends(config, size))
    norms = [Norm("adapter_layer_norm", size.d_model, True)] if config.flag("adapter_layer_norm", default=False) else []
    layer = Layer((*layer.bricks, *adapters, *norms))
    last = [Norm("encoder.LayerNorm", size.d_model, bias=True)] if config.flag("pre_norm", default=False) else []
    return encoder(config, size, Body(tables(config, size), (layer,) * size.n_layers, [*last]), words=words)


@model_type("roc_bert")
def roc_bert(config: Config) -> Architecture:
    """BERT with tables of pronunciation and shape, joined to the token's embedding."""
    heads = BERT_HEADS | {"ForPreTraining": "pool words", "ForCausalLM": "words"}
    del heads["ForNextSentencePrediction"]
    words = kind_of_class(config, "RoCBert", heads)
    size = sizes(config)
    d_sound, d_shape = (
        config.integer(f"{n}_embed_dim", default=d) for n, d in (("pronunciation", 768), ("shape", 512))
    )
    inputs = tables(config, size)
    inputs += [
        Embedding("pronunciation_embed", config.integer("pronunciation_vocab_size"), d_sound),
        Embedding("shape_embed", config.integer("shape_vocab_size"), d_shape),
    ]
    joined = size.d_model
    joined += d_sound if config.flag("enable_pronunciation", default=True) else 0
    joined += d_shape if config.flag("enable_shape", default=True) else 0
    if config.flag("concat_input", default=True):
        inputs.append(Projection("map_inputs_layer", joined, size.d_model))
    layers = (bert_layer(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, Body(inputs, layers), words=words)


@model_type("luke")
def luke(config: Config) -> Architecture:
    """RoBERTa with a vocabulary of entities, and queries of their own between words and entities."""
    heads = {
        "Model": "pool",
        "ForMaskedLM": "pool words",
        "ForSequenceClassification": "pool labels",
        "ForEntityClassification": "pool labels",
        "ForTokenClassification": "labels",
        "ForQuestionAnswering": "labels",
        "ForMultipleChoice": "pool one",
    }
    words = kind_of_class(config, "Luke", heads)
    config.ignore("cls_entity_prediction", "bert_model_name")
    size, d_entity = sizes(config), config.integer("entity_emb_size")
    n_entities, d_model = config.integer("entity_vocab_size"), size.d_model
    inputs = tables(config, size) + _entity_tables(config, size, n_entities, d_entity)
    layer = bert_layer(size)
    if config.flag("use_entity_aware_attention", default=True):
        names = ("w2e_query", "e2w_query", "e2e_query")
        extra = (Projection(f"attention.{name}", d_model, d_model, part="attention") for name in names)
        layer = Layer((*layer.bricks, *extra))
    described = encoder(config, size, Body(inputs, (layer,) * size.n_layers), words=words)
    if described.head is None:
        return described
    entities = _entity_head(n_entities, d_model, d_entity, tied=described.head.tied)
    return replace(described, outputs=(*described.outputs, *entities), head=replace(described.head, tied=False))


def _entity_tables(config: Config, size: Sizes, n_entities: int, d_entity: int) -> list[Brick]:
    """Return the tables of entities, of their positions and types, and the projection to the model's width."""
    bricks: list[Brick] = [
        Embedding("entity_embeddings", n_entities, d_entity),
        Embedding("entity_embeddings.position_embeddings", size.n_ctx, size.d_model),
        Embedding("entity_embeddings.token_type_embeddings", config.integer("type_vocab_size"), size.d_model),
        Norm("entity_embeddings.LayerNorm", size.d_model, bias=True),
    ]
    if d_entity != size.d_model:
        bricks.append(Projection("entity_embedding_dense", d_entity, size.d_model, bias=False))
    return bricks


def _entity_head(n_entities: int, d_model: int, d_entity: int, *, tied: bool) -> list[Brick]:
    """Return the prediction of entities, whose matrix is the table of entities unless untied."""
    bricks: list[Brick] = [
        Projection("entity_predictions.transform.dense", d_model, d_entity),
        Norm("entity_predictions.transform.LayerNorm", d_entity, bias=True),
        Tensors((Weight("entity_predictions.bias", (n_entities,), "bias", use="vector"),)),
    ]
    return bricks if tied else [*bricks, Projection("entity_predictions.decoder", d_entity, n_entities, bias=False)]


@model_type("neomme")
def neomme(config: Config) -> Architecture:
    """A factored table, patches of images beside tokens, gated attention and a table of values for every layer."""
    words = kind_of_class(config, "NeoMME", {"Model": "", "ForMaskedLM": "words"})
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    vocab, rank = config.integer("vocab_size"), config.integer("embedding_rank")
    d_patch = 3 * config.integer("patch_size") ** 2
    config.ignore("residual_multiplier", "embedding_dim", "per_layer_config")
    tied = config.flag("tie_word_embeddings", default=True)
    own = _gated_attention(config, d_model)
    inputs: list[Brick] = [
        Embedding("word_embeddings", vocab, rank),
        Projection("embedding_projection", rank, d_model, bias=False),
        Norm("patch_embeddings.norm", d_patch, bias=True),
        Projection("patch_embeddings.up_proj", d_patch, 2 * d_model, bias=False),
        Projection("patch_embeddings.down_proj", 2 * d_model, d_model),
        Embedding("value_embeddings", vocab, own.n_kv_heads * own.d_head),
    ]
    return Architecture(
        model_type="neomme",
        d_model=d_model,
        vocab=vocab,
        n_ctx=config.integer("max_position_embeddings"),
        inputs=tuple(inputs),
        layers=_scaled_layers(config, own, n_layers),
        outputs=() if tied or not words else (Projection("unembedding_projection", rank, d_model, bias=False),),
        head=Head(vocab, rank, tied=tied) if words else None,
    )


def _gated_attention(config: Config, d_model: int) -> Attention:
    n_heads, n_kv = config.integer("num_attention_heads"), config.integer("num_key_value_heads")
    d_head, bias = config.integer("head_dim"), config.flag("attention_bias", default=False)
    brick = Attention(d_model, n_heads, n_kv, d_head=d_head, qkv_bias=bias, out_bias=bias, gate=n_heads * d_head)
    return replace(brick, bidirectional=True)


def _scaled_layers(config: Config, own: Attention, n_layers: int) -> tuple[Layer, ...]:
    """Return layers without norms, in which scalars weigh the input again; every sixth sees everything."""
    bias, window = config.flag("mlp_bias", default=False), config.integer("sliding_window")
    mlp = FeedForward(own.d_model, config.integer("intermediate_size"), gated=False, bias=bias)
    alpha = Weight("self_attn.exclusive_self_attention.alpha", (own.n_heads,), "attention", use="vector")
    scales = Tensors((Weight("lambdas", (2,), "other", use="vector"), alpha))
    kinds = config.pattern("layer_types", n_layers, SLIDING, every(n_layers, 6))
    windows = [None if kind == "full_attention" else window for kind in kinds]
    return layers_of(windows, lambda width: Layer((replace(own, window=width), scales, mlp)))
