"""Encoders: parts by hand, shared layers, what is seen and cached."""

from typing import Any

from sizebook.models.architecture import Attention
from sizebook.models.config import Config
from sizebook.models.flops import forward
from sizebook.models.huggingface import architecture
from tests.models.counts import counted

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
