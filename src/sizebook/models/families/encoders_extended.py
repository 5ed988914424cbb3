"""BERT with more around or inside its layer: MobileBERT's bottlenecks, LUKE's entities, NeoMME's values."""

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
from sizebook.models.config import Config
from sizebook.models.families.blocks import SLIDING, every, layers_of
from sizebook.models.families.encoders import (
    ProjectedAttention,
    Sizes,
    block,
    encoder,
    kind_of_class,
    sizes,
    tables,
)
from sizebook.models.families.encoders_bert import BERT_HEADS
from sizebook.models.huggingface import model_type


@model_type("mobilebert")
def mobilebert(config: Config) -> Architecture:
    """Wide between layers, narrow inside them; several feed-forward blocks a layer; a narrow embedding."""
    words = kind_of_class(config, "MobileBert", BERT_HEADS)
    config.ignore("normalization_type")
    if "pool" in words:
        config.only("classifier_activation", True)
    size, d_embed = sizes(config), config.integer("embedding_size", default=128)
    n_tokens = 3 if config.flag("trigram_input", default=True) else 1
    inputs: list[Brick] = [
        Embedding("word_embeddings", size.vocab, d_embed),
        *tables(config, size)[1:],
        Projection("embedding_transformation", n_tokens * d_embed, size.d_model),
    ]
    layers = (_bottleneck_layer(config, size.d_model, size.n_heads, size.d_ff),) * size.n_layers
    described = encoder(config, size, inputs, layers, [], words)
    if described.head is None:
        return described
    rest = Projection("predictions.dense", size.vocab, size.d_model - d_embed, bias=False)
    return replace(described, head=replace(described.head, width=d_embed), outputs=(*described.outputs, rest))


def _bottleneck_layer(config: Config, d_model: int, n_heads: int, d_ff: int) -> Layer:
    narrowed = config.flag("use_bottleneck", default=True)
    d_bottleneck = config.integer("intra_bottleneck_size", default=128)
    d_inner = config.integer("true_hidden_size", default=d_bottleneck if narrowed else d_model)
    d_head = config.divides("true_hidden_size", d_inner, "num_attention_heads", n_heads)
    d_value_in = d_inner if config.flag("use_bottleneck_attention", default=False) else d_model
    names = {"query": d_inner, "key": d_inner, "value": d_value_in, "output.dense": d_inner}
    square = tuple(Projection(f"attention.{name}", d_in, d_inner, part="attention") for name, d_in in names.items())
    bricks: list[Brick] = [
        ProjectedAttention(n_heads, d_head, square),
        Norm("attention.output.LayerNorm", d_inner, bias=True),
    ]
    for index in range(config.integer("num_feedforward_networks", default=4)):
        feed = FeedForward(d_inner, d_ff, gated=False, bias=True, name=f"ffn.{index}")
        bricks += [feed, Norm(f"ffn.{index}.LayerNorm", d_inner, bias=True)]
    shared = config.flag("key_query_shared_bottleneck", default=True)
    if narrowed:
        bricks += [
            Projection("bottleneck.input.dense", d_model, d_bottleneck),
            Norm("bottleneck.input.LayerNorm", d_bottleneck, bias=True),
            Projection("output.bottleneck.dense", d_inner, d_model, part="mlp"),
            Norm("output.bottleneck.LayerNorm", d_model, bias=True),
        ]
    if narrowed and shared:
        bricks.append(Projection("bottleneck.attention.dense", d_model, d_bottleneck, part="attention"))
        bricks.append(Norm("bottleneck.attention.LayerNorm", d_bottleneck, bias=True))
    return Layer(tuple(bricks))


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
    size, d_entity = sizes(config), config.integer("entity_emb_size", default=256)
    n_entities, d_model = config.integer("entity_vocab_size", default=500000), size.d_model
    inputs = tables(config, size) + _entity_tables(config, size, n_entities, d_entity)
    layer = block(size)
    if config.flag("use_entity_aware_attention", default=True):
        names = ("w2e_query", "e2w_query", "e2e_query")
        extra = (Projection(f"attention.{name}", d_model, d_model, part="attention") for name in names)
        layer = Layer((*layer.bricks, *extra))
    described = encoder(config, size, inputs, (layer,) * size.n_layers, [], words)
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
        Tensors((Weight("entity_predictions.bias", (n_entities,), "bias", "vector"),)),
    ]
    return bricks if tied else [*bricks, Projection("entity_predictions.decoder", d_entity, n_entities, bias=False)]


@model_type("neomme")
def neomme(config: Config) -> Architecture:
    """A factored table, patches of images beside tokens, gated attention and a table of values for every layer."""
    words = kind_of_class(config, "NeoMME", {"Model": "", "ForMaskedLM": "words"})
    d_model, n_layers = config.integer("hidden_size"), config.integer("num_hidden_layers")
    vocab, rank = config.integer("vocab_size"), config.integer("embedding_rank", default=256)
    d_patch = 3 * config.integer("patch_size", default=32) ** 2
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
    d_head, bias = config.integer("head_dim", default=64), config.flag("attention_bias", default=False)
    brick = Attention(d_model, n_heads, n_kv, d_head, qkv_bias=bias, out_bias=bias, gate=n_heads * d_head)
    return replace(brick, bidirectional=True)


def _scaled_layers(config: Config, own: Attention, n_layers: int) -> tuple[Layer, ...]:
    """Return layers without norms, in which scalars weigh the input again; every sixth sees everything."""
    bias, window = config.flag("mlp_bias", default=False), config.integer("sliding_window", default=256)
    mlp = FeedForward(own.d_model, config.integer("intermediate_size"), gated=False, bias=bias)
    alpha = Weight("self_attn.exclusive_self_attention.alpha", (own.n_heads,), "attention", "vector")
    scales = Tensors((Weight("lambdas", (2,), "other", "vector"), alpha))
    kinds = config.pattern("layer_types", n_layers, SLIDING, every(n_layers, 6))
    windows = [None if kind == "full_attention" else window for kind in kinds]
    return layers_of(windows, lambda width: Layer((replace(own, window=width), scales, mlp)))
