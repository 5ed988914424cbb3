"""BERT, RoBERTa and the encoders that share their layer and differ in tables, norms and heads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from sizebook.models.architecture import Architecture, Embedding, Norm
from sizebook.models.classes import kind_of_class
from sizebook.models.config import Config
from sizebook.models.families.encoders.own_code import jina_v2
from sizebook.models.families.encoders.stack import (
    Body,
    WordHead,
    bert_layer,
    cross_attends,
    encoder,
    position_ids,
    sizes,
    tables,
)
from sizebook.models.huggingface import model_type

BERT_HEADS = {
    "Model": "pool",
    "ForMaskedLM": "words",
    "ForPreTraining": "pool words two",
    "ForNextSentencePrediction": "pool two",
    "ForSequenceClassification": "pool labels",
    "ForTokenClassification": "labels",
    "ForQuestionAnswering": "labels",
    "ForMultipleChoice": "pool one",
}
ROBERTA_HEADS = {
    "Model": "pool",
    "ForMaskedLM": "words",
    "ForCausalLM": "words",
    "ForSequenceClassification": "dense labels",
    "ForTokenClassification": "labels",
    "ForQuestionAnswering": "labels",
    "ForMultipleChoice": "pool one",
}
UNPOOLED_HEADS = {
    "Model": "",
    "ForMaskedLM": "words",
    "ForSequenceClassification": "dense labels",
    "ForTokenClassification": "labels",
    "ForQuestionAnswering": "labels",
    "ForMultipleChoice": "dense one",
}
HASHED_HEADS = UNPOOLED_HEADS | {"ForQuestionAnswering": "two"}
YOSO_HASHING = ("use_expectation", "hash_code_len", "num_hash", "use_fast_hash", "lsh_backward")
MRA_BLOCKS = ("block_per_row", "approx_mode", "initial_prior_first_n_blocks", "initial_prior_diagonal_n_blocks")


@dataclass(frozen=True, slots=True)
class Family:
    """One copy of BERT: how its classes are called, what they put on top, and how it departs from BERT."""

    prefix: str
    heads: dict[str, str]
    position_offset: int = 0
    norm_after_tables: bool = True
    norm_at_end: bool = False
    crosses: bool = True
    stores_position_ids: bool = False
    ignored: tuple[str, ...] = ()


FAMILIES = {
    "bert": Family("Bert", BERT_HEADS | {"LMHeadModel": "words"}),
    "megatron-bert": Family(
        "MegatronBert", BERT_HEADS | {"ForCausalLM": "words"}, norm_after_tables=False, norm_at_end=True
    ),
    "roberta": Family("Roberta", ROBERTA_HEADS),
    "xlm-roberta": Family("XLMRoberta", ROBERTA_HEADS),
    "camembert": Family("Camembert", ROBERTA_HEADS),
    "data2vec-text": Family("Data2VecText", ROBERTA_HEADS),
    "roberta-prelayernorm": Family("RobertaPreLayerNorm", ROBERTA_HEADS, norm_at_end=True),
    "xlm-roberta-xl": Family("XLMRobertaXL", ROBERTA_HEADS, norm_after_tables=False, norm_at_end=True),
    "yoso": Family("Yoso", HASHED_HEADS, position_offset=2, crosses=False, ignored=YOSO_HASHING),
    "mra": Family("Mra", HASHED_HEADS, position_offset=2, crosses=False, stores_position_ids=True, ignored=MRA_BLOCKS),
}


def bert_like(family: Family, config: Config) -> Architecture:
    """Read BERT or a copy of it."""
    if family.prefix == "Bert" and config.values.get("position_embedding_type") == "alibi":
        return jina_v2(config)
    words = kind_of_class(config, family.prefix, family.heads)
    size = sizes(config)
    config.ignore(*family.ignored, *(() if family.crosses else ("add_cross_attention",)))
    layers = (bert_layer(size, cross=family.crosses and cross_attends(config, size)),) * size.n_layers
    inputs = tables(config, size, position_offset=family.position_offset, norm=family.norm_after_tables)
    outputs = [Norm("encoder.LayerNorm", size.d_model, bias=True)] if family.norm_at_end else []
    buffers = position_ids(size) if family.stores_position_ids else ()
    return encoder(config, size, Body(inputs, layers, [*outputs]), words=words, buffers=buffers)


@model_type("ernie")
def ernie(config: Config) -> Architecture:
    """BERT with a table of tasks."""
    words = kind_of_class(config, "Ernie", BERT_HEADS | {"ForCausalLM": "words"})
    size = sizes(config)
    n_tasks = config.integer("task_type_vocab_size")
    tasks = [Embedding("task_type_embeddings", n_tasks, size.d_model)]
    inputs = tables(config, size) + (tasks if config.flag("use_task_id", default=False) else [])
    layers = (bert_layer(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, Body(inputs, layers), words=words)


for _name, _family in FAMILIES.items():
    model_type(_name)(partial(bert_like, _family))


@model_type("distilbert")
def distilbert(config: Config) -> Architecture:
    """BERT without token types; the key names are its own."""
    words = kind_of_class(config, "DistilBert", HASHED_HEADS)
    size = sizes(config, d_model="dim", n_layers="n_layers", n_heads="n_heads", d_ff="hidden_dim")
    config.ignore("sinusoidal_pos_embds", "tie_weights_")
    inputs = tables(config, size, types=False)
    return encoder(
        config, size, Body(inputs, (bert_layer(size),) * size.n_layers), words=words, head=WordHead(twin_bias=False)
    )


@model_type("bert-generation")
def bert_generation(config: Config) -> Architecture:
    """BERT without token types, pooler and transform."""
    words = kind_of_class(config, "BertGeneration", {"Encoder": "", "Decoder": "words"})
    size = sizes(config)
    inputs = tables(config, size, types=False)
    layers = (bert_layer(size, cross=cross_attends(config, size)),) * size.n_layers
    return encoder(config, size, Body(inputs, layers), words=words, head=WordHead(transform=False))
