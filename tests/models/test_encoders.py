"""Encoders: exact against the truth table, against made-up configs, and against published counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.architecture import Attention
from sizebook.models.config import Config
from sizebook.models.flops import forward
from sizebook.models.huggingface import architecture
from tests.models.counts import counted, differences, small_configs

BERT: dict[str, Any] = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
}
LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
ROBERTA = {"vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}
DEBERTA_V3 = {
    "vocab_size": 128100,
    "type_vocab_size": 0,
    "position_biased_input": False,
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
}
DISTILBERT = {
    "model_type": "distilbert",
    "architectures": ["DistilBertModel"],
    "vocab_size": 30522,
    "dim": 768,
    "n_layers": 6,
    "n_heads": 12,
    "hidden_dim": 3072,
    "max_position_embeddings": 512,
}


FACTS = small_configs("encoder_counts.jsonl")
TYPES = sorted({fact["config"]["model_type"] for fact in FACTS})


def test_every_row_of_the_truth_table(shared: Path) -> None:
    number, differing = differences(shared, TYPES)
    assert number >= 24
    assert differing == {}


@pytest.mark.parametrize("model_type", TYPES)
def test_made_up_configs(model_type: str) -> None:
    for fact in (fact for fact in FACTS if fact["config"]["model_type"] == model_type):
        got = counted(fact["config"])
        assert {**got, "config": fact["config"]} == {**got, **fact}


@pytest.mark.parametrize(
    ("changed", "total"),
    [
        ({}, 109_482_240),
        ({**LARGE}, 335_141_888),
        ({**ROBERTA, "model_type": "roberta", "architectures": ["RobertaModel"]}, 124_645_632),
        (
            {**ROBERTA, "model_type": "xlm-roberta", "architectures": ["XLMRobertaModel"], "vocab_size": 250002},
            278_043_648,
        ),
        (
            {"model_type": "albert", "architectures": ["AlbertModel"], "vocab_size": 30000, "embedding_size": 128},
            11_683_584,
        ),
    ],
)
def test_published_counts(changed: dict[str, Any], total: int) -> None:
    """The counts that the Hub shows for bert-base, bert-large, roberta-base, xlm-roberta-base and albert-base-v2."""
    assert counted({**BERT, **changed})["total"] == total


def test_published_counts_of_other_key_names() -> None:
    """The counts that the Hub shows for distilbert-base and deberta-v3-base without their heads."""
    assert counted(DISTILBERT)["total"] == 66_362_880
    deberta = {**BERT, **DEBERTA_V3, "model_type": "deberta-v2", "architectures": ["DebertaV2Model"]}
    assert counted(deberta)["total"] == 183_831_552


def test_parts_of_bert_by_hand() -> None:
    got = counted({**BERT, "architectures": ["BertForMaskedLM"]})["parts"]
    assert got["embedding"] == (30522 + 512 + 2) * 768
    assert got["attention"] == 12 * 4 * 768**2
    assert got["mlp"] == 12 * 2 * 768 * 3072
    assert got["norm"] == (2 * 12 + 1 + 1) * 768
    assert got["bias"] == 12 * (4 * 768 + 3072 + 768 + 2 * 768) + 3 * 768 + 30522
    assert got["other"] == 768**2


def test_layers_that_share_weights_run_but_are_stored_once() -> None:
    shared = {**BERT, "model_type": "albert", "architectures": ["AlbertModel"], "embedding_size": 128}
    described = architecture(Config(shared, "config.json"))
    assert described.n_layers == 12
    assert [layer.stored for layer in described.layers] == [True] + [False] * 11
    assert counted({**shared, "num_hidden_layers": 24}) == counted(shared)


def test_an_encoder_sees_everything_and_caches_nothing() -> None:
    encoder = architecture(Config(dict(BERT), "config.json"))
    decoder = architecture(Config({**BERT, "is_decoder": True}, "config.json"))
    assert forward(encoder, 512, causal=True).scores == 2 * forward(decoder, 512, causal=True).scores
    assert [brick.cache_width for brick in encoder.layers[0].bricks if isinstance(brick, Attention)] == [0]
    assert [brick.cache_width for brick in decoder.layers[0].bricks if isinstance(brick, Attention)] == [2 * 768]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"architectures": ["BertForSequenceClasification"]},
            "unknown class: got ['BertForSequenceClasification'] under 'architectures' in config.json, want one of "
            "BertForMaskedLM, BertForMultipleChoice, BertForNextSentencePrediction, BertForPreTraining, "
            "BertForQuestionAnswering, BertForSequenceClassification, BertForTokenClassification, BertLMHeadModel, "
            "BertModel. Name the class: its head and pooler are counted. Did you mean 'BertForSequenceClassification'?",
        ),
        (
            {"model_type": "bert-generation", "architectures": None},
            "unknown class: got nothing under 'architectures' in config.json, want one of BertGenerationDecoder, "
            "BertGenerationEncoder. Name the class: its head and pooler are counted.",
        ),
        (
            {"position_embedding_type": "relative_key"},
            "not described: got 'position_embedding_type' = 'relative_key' in config.json, want 'absolute'.",
        ),
        (
            {"add_cross_attention": True},
            "inconsistent keys: got 'add_cross_attention' = true without 'is_decoder' in config.json, want both or "
            "neither. Correct one of them.",
        ),
        (
            {"adapter_size": 64},
            "keys not understood: got adapter_size in config.json, want keys whose effect on the count of model type "
            "'bert' is known. Remove a key only if it changes no tensor.",
        ),
        (
            {
                **DEBERTA_V3,
                "model_type": "deberta-v2",
                "architectures": ["DebertaV2ForMaskedLM"],
                "embedding_size": 128,
                "legacy": False,
            },
            "not described: got 'embedding_size' = 128 in config.json, want 768.",
        ),
        (
            {
                "model_type": "convbert",
                "architectures": ["ConvBertModel"],
                "num_groups": 8,
                "intermediate_size": 3076,
            },
            "inconsistent keys: got 'intermediate_size' = 3076 and 'num_groups' = 8 in config.json, want the first to "
            "be a multiple of the second. Correct one of them.",
        ),
        (
            {"num_attention_heads": 7},
            "inconsistent keys: got 'hidden_size' = 768 and 'num_attention_heads' = 7 in config.json, want the first "
            "to be a multiple of the second. Correct one of them.",
        ),
    ],
)
def test_what_is_not_described_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(SizebookError) as error:
        counted({**BERT, **changed})
    assert str(error.value) == message
