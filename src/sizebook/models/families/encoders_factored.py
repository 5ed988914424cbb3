"""Encoders with an embedding of its own width, tables of their own, or layers that share or rearrange BERT's."""

from __future__ import annotations

from sizebook.errors import RangeError
from sizebook.models.architecture import (
    Architecture,
    Brick,
    Embedding,
    FeedForward,
    Layer,
    Norm,
    Projection,
    Tensors,
    Weight,
)
from sizebook.models.config import Config
from sizebook.models.families.encoders import (
    WordHead,
    block,
    cross_attends,
    encoder,
    factorised,
    kind_of_class,
    sizes,
    tables,
)
from sizebook.models.families.encoders_bert import BERT_HEADS, HASHED_HEADS, ROBERTA_HEADS, UNPOOLED_HEADS
from sizebook.models.huggingface import model_type

ELECTRA_HEADS = {k: v for k, v in UNPOOLED_HEADS.items() if k != "ForMultipleChoice"} | {
    "ForCausalLM": "words",
    "ForPreTraining": "dense one",
}
ALBERT_HEADS = {k: v for k, v in BERT_HEADS.items() if "two" not in v} | {"ForPreTraining": "pool words labels"}
ROFORMER_HEADS = HASHED_HEADS | {"ForCausalLM": "words", "ForMultipleChoice": "one"}
REMBERT_HEADS = {k: v for k, v in BERT_HEADS.items() if "two" not in v} | {"ForCausalLM": "words"}
SUMMARY_KEYS = (
    "summary_type",
    "summary_use_proj",
    "summary_activation",
    "summary_last_dropout",
    "summary_first_dropout",
)


@model_type("albert")
def albert(config: Config) -> Architecture:
    """A narrow embedding, and layers that repeat the weights of their group."""
    words = kind_of_class(config, "Albert", ALBERT_HEADS)
    size = factorised(sizes(config), config.integer("embedding_size", default=128))
    n_groups, n_inner = config.integer("num_hidden_groups", default=1), config.integer("inner_group_num", default=1)
    config.ignore("down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks")
    kind = block(size)
    shared = Layer(kind.bricks, stored=False)
    if size.n_layers < n_groups:
        raise RangeError(
            f"inconsistent keys: got 'num_hidden_groups' = {n_groups} above 'num_hidden_layers' = {size.n_layers} in "
            f"{config.where}, want a layer or more a group. Correct one of them."
        )
    stored = n_groups * n_inner
    layers = (kind,) * stored + (shared,) * (size.n_layers * n_inner - stored)
    inputs = [*tables(config, size), Projection("embedding_hidden_mapping_in", size.d_embed, size.d_model)]
    return encoder(config, size, inputs, layers, [], words)


@model_type("electra")
def electra(config: Config) -> Architecture:
    """BERT whose embedding may be narrower than the layers; no pooler."""
    words = kind_of_class(config, "Electra", ELECTRA_HEADS)
    size = factorised(sizes(config), config.integer("embedding_size", default=128))
    config.ignore(*SUMMARY_KEYS)
    inputs = tables(config, size)
    if size.d_embed != size.d_model:
        inputs.append(Projection("embeddings_project", size.d_embed, size.d_model))
    layers = (block(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, inputs, layers, [], words, WordHead(twin_bias=False))


@model_type("distilbert")
def distilbert(config: Config) -> Architecture:
    """BERT without token types; the key names are its own."""
    words = kind_of_class(config, "DistilBert", HASHED_HEADS)
    size = sizes(config, d_model="dim", n_layers="n_layers", n_heads="n_heads", d_ff="hidden_dim")
    config.ignore("sinusoidal_pos_embds", "tie_weights_")
    inputs: list[Brick] = [
        Embedding("word_embeddings", size.vocab, size.d_model),
        Embedding("position_embeddings", size.n_ctx, size.d_model),
        Norm("embeddings.LayerNorm", size.d_model, bias=True),
    ]
    return encoder(config, size, inputs, (block(size),) * size.n_layers, [], words, WordHead(twin_bias=False))


@model_type("mpnet")
def mpnet(config: Config) -> Architecture:
    """BERT without token types, with one table of relative positions for all layers."""
    words = kind_of_class(config, "MPNet", {k: v for k, v in ROBERTA_HEADS.items() if k != "ForCausalLM"})
    size = sizes(config)
    n_buckets = config.integer("relative_attention_num_buckets", default=32)
    inputs: list[Brick] = [
        Embedding("word_embeddings", size.vocab, size.d_model),
        Embedding("position_embeddings", size.n_ctx, size.d_model),
        Norm("embeddings.LayerNorm", size.d_model, bias=True),
        Tensors((Weight("relative_attention_bias.weight", (n_buckets, size.n_heads), "attention", "lookup"),)),
    ]
    return encoder(config, size, inputs, (block(size),) * size.n_layers, [], words)


@model_type("rembert")
def rembert(config: Config) -> Architecture:
    """A narrow input embedding and a wide output one, never tied."""
    words = kind_of_class(config, "RemBert", REMBERT_HEADS)
    size = factorised(sizes(config), config.integer("input_embedding_size", default=256))
    d_out = config.integer("output_embedding_size", default=1664)
    inputs = [*tables(config, size), Projection("embedding_hidden_mapping_in", size.d_embed, size.d_model)]
    layers = (block(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, factorised(size, d_out), inputs, layers, [], words, WordHead(twin_bias=False, ties=False))


@model_type("fnet")
def fnet(config: Config) -> Architecture:
    """A Fourier transform, which has no parameters, in the place of attention."""
    heads = {k: v if "pool" in v else f"pool {v}" for k, v in BERT_HEADS.items()}
    words = kind_of_class(config, "FNet", heads)
    size = sizes(config, n_heads="hidden_size")  # there are no heads
    d_model = size.d_model
    norms = Norm("fourier.output.LayerNorm", d_model, bias=True), Norm("output.LayerNorm", d_model, bias=True)
    layer = Layer((norms[0], FeedForward(d_model, size.d_ff, gated=False, bias=True), norms[1]))
    config.ignore("use_tpu_fourier_optimizations", "tpu_short_seq_length")
    inputs = [*tables(config, size), Projection("embeddings.projection", d_model, d_model)]
    return encoder(config, size, inputs, (layer,) * size.n_layers, [], words)


@model_type("bert-generation")
def bert_generation(config: Config) -> Architecture:
    """BERT without token types, pooler and transform."""
    words = kind_of_class(config, "BertGeneration", {"Encoder": "", "Decoder": "words"})
    size = sizes(config)
    inputs: list[Brick] = [
        Embedding("word_embeddings", size.vocab, size.d_model),
        Embedding("position_embeddings", size.n_ctx, size.d_model),
        Norm("embeddings.LayerNorm", size.d_model, bias=True),
    ]
    layers = (block(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, inputs, layers, [], words, WordHead(transform=False))


@model_type("roformer")
def roformer(config: Config) -> Architecture:
    """BERT with rotary positions, whose table of sines is stored as a parameter."""
    words = kind_of_class(config, "RoFormer", ROFORMER_HEADS)
    size = sizes(config)
    size = factorised(size, config.integer("embedding_size", default=0) or size.d_model)
    config.ignore("rotary_value", *SUMMARY_KEYS)
    types = config.integer("type_vocab_size")
    inputs: list[Brick] = [
        Embedding("word_embeddings", size.vocab, size.d_embed),
        Embedding("token_type_embeddings", types, size.d_embed),
        Norm("embeddings.LayerNorm", size.d_embed, bias=True),
        Embedding("embed_positions", size.n_ctx, size.d_model // size.n_heads),
    ]
    if size.d_embed != size.d_model:
        inputs.append(Projection("embeddings_project", size.d_embed, size.d_model))
    layers = (block(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, inputs, layers, [], words)


@model_type("esm")
def esm(config: Config) -> Architecture:
    """ESM, for proteins: norms before the blocks, rotary positions in the second generation, a head for contacts."""
    heads = {suffix: ROBERTA_HEADS[suffix] for suffix in ("Model", "ForMaskedLM", "ForTokenClassification")}
    words = kind_of_class(config, "Esm", heads | {"ForSequenceClassification": "dense labels"})
    config.only("is_folding_model", False)
    config.only("add_cross_attention", False)
    config.ignore("token_dropout", "mask_token_id", "esmfold_config", "vocab_list")
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
    buffers = () if stored else (Weight("rotary_embeddings.inv_freq", half, "embedding", "vector"),)
    layers = (block(size),) * size.n_layers
    return encoder(config, size, inputs, layers, outputs, words, WordHead(twin_bias=False), buffers)
