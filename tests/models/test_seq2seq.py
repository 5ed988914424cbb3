"""Encoder-decoders: exact against the truth table, against made-up configs, and against published counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.architecture import Attention
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from tests.models.counts import counted, differences, small_configs

FACTS = small_configs("seq2seq_counts.jsonl")
TYPES = sorted({fact["config"]["model_type"] for fact in FACTS})
T5: dict[str, Any] = {
    "model_type": "t5",
    "architectures": ["T5ForConditionalGeneration"],
    "vocab_size": 32128,
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 2048,
    "num_layers": 6,
    "num_heads": 8,
}
T5_LARGE = {"d_model": 1024, "d_ff": 4096, "num_layers": 24, "num_heads": 16}
BART: dict[str, Any] = {
    "model_type": "bart",
    "architectures": ["BartModel"],
    "vocab_size": 50265,
    "max_position_embeddings": 1024,
    "d_model": 1024,
    "encoder_layers": 12,
    "encoder_ffn_dim": 4096,
    "encoder_attention_heads": 16,
    "decoder_layers": 12,
    "decoder_ffn_dim": 4096,
    "decoder_attention_heads": 16,
}
WHISPER_LARGE = {
    "model_type": "whisper",
    "architectures": ["WhisperForConditionalGeneration"],
    "num_mel_bins": 80,
    "vocab_size": 51865,
    "d_model": 1280,
    "encoder_layers": 32,
    "encoder_ffn_dim": 5120,
    "encoder_attention_heads": 20,
    "decoder_layers": 32,
    "decoder_ffn_dim": 5120,
    "decoder_attention_heads": 20,
}


def test_every_row_of_the_truth_table(shared: Path) -> None:
    number, differing = differences(shared, TYPES)
    assert number >= 10
    assert differing == {}


@pytest.mark.parametrize("model_type", TYPES)
def test_made_up_configs(model_type: str) -> None:
    for fact in (fact for fact in FACTS if fact["config"]["model_type"] == model_type):
        got = counted(fact["config"])
        assert {**got, "config": fact["config"]} == {**got, **fact}


@pytest.mark.parametrize(
    ("config", "total"),
    [
        (T5, 60_506_624),
        ({**T5, **T5_LARGE}, 737_668_096),
        ({**T5, **T5_LARGE, "num_heads": 128, "d_kv": 128, "d_ff": 65536}, 11_307_321_344),
        (BART, 406_291_456),
        (WHISPER_LARGE, 1_543_304_960),
    ],
)
def test_published_counts(config: dict[str, Any], total: int) -> None:
    """The counts that the Hub shows for t5-small, t5-large, t5-11b, bart-large and whisper-large-v2."""
    assert counted(config)["total"] == total


def test_an_untied_t5_has_a_head_of_its_own() -> None:
    """mT5-small's checkpoint holds 300,176,768; transformers 5 would tie it and say 172,119,424."""
    small = {"d_ff": 1024, "num_layers": 8, "num_heads": 6, "vocab_size": 250112}
    mt5 = {**T5, **small, "model_type": "mt5", "architectures": ["MT5ForConditionalGeneration"]}
    assert counted({**mt5, "tie_word_embeddings": False})["total"] == 300_176_768
    assert counted(mt5)["total"] == 172_119_424


def test_parts_of_t5_by_hand() -> None:
    got = counted(T5)["parts"]
    assert got["embedding"] == 32128 * 512
    assert got["attention"] == (6 + 2 * 6) * 4 * 512**2 + 2 * 32 * 8
    assert got["mlp"] == 12 * 2 * 512 * 2048
    assert got["norm"] == (2 * 6 + 3 * 6 + 2) * 512
    assert set(got) == {"embedding", "attention", "mlp", "norm"}


def test_experts_of_switch_and_nllb_by_hand() -> None:
    """Switch visits one expert a token, NLLB two; the third layer of six in each stack is theirs."""
    switch = {**T5, "model_type": "switch_transformers", "num_experts": 8, "num_sparse_encoder_layers": 2}
    switch |= {"architectures": ["SwitchTransformersForConditionalGeneration"], "num_sparse_decoder_layers": 2}
    got = counted(switch)
    assert got["total"] - got["active"] == 4 * 7 * 2 * 512 * 2048
    assert got["parts"]["router"] == 4 * 8 * 512
    nllb = {**BART, "model_type": "nllb-moe", "architectures": ["NllbMoeForConditionalGeneration"], "num_experts": 16}
    got = counted({**nllb, "encoder_sparse_step": 6, "decoder_sparse_step": 12})
    assert got["total"] - got["active"] == 3 * 14 * (2 * 1024 * 4096 + 4096 + 1024)


def test_the_decoder_caches_its_own_tokens_and_the_encoders_output() -> None:
    described = architecture(Config(dict(BART), "config.json"))
    first, last = (
        [brick for brick in layer.bricks if isinstance(brick, Attention)]
        for layer in (described.layers[0], described.layers[-1])
    )
    assert [(brick.cross, brick.cache_width) for brick in first] == [(False, 0)]
    assert [(brick.cross, brick.cache_width) for brick in last] == [(False, 2048), (True, 2048)]


def test_where_parts_are_a_matter_of_taste() -> None:
    """Whisper's encoder is a tower; FSMT's projection to the target vocabulary is the head, its table embedding."""
    layer = 4 * 1280**2 + 3 * 1280 + 2 * 1280 * 5120 + 5120 + 1280 + 4 * 1280
    convolutions = 3 * 80 * 1280 + 1280 + 3 * 1280**2 + 1280
    assert counted(WHISPER_LARGE)["parts"]["tower"] == 32 * layer + convolutions + 1500 * 1280 + 2 * 1280
    fsmt = {key: value for key, value in BART.items() if key != "vocab_size"}
    fsmt |= {"model_type": "fsmt", "architectures": ["FSMTModel"], "src_vocab_size": 300, "tgt_vocab_size": 200}
    assert counted(fsmt)["parts"]["lm_head"] == 200 * 1024
    assert counted(fsmt)["parts"]["embedding"] == (300 + 200 + 2 * 1026) * 1024


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {**T5, "architectures": ["T5Stack"]},
            "unknown class: got ['T5Stack'] under 'architectures' in config.json, want one of T5EncoderModel, "
            "T5ForConditionalGeneration, T5ForQuestionAnswering, T5ForSequenceClassification, "
            "T5ForTokenClassification, T5Model, T5WithLMHeadModel. Name the class: its head and pooler are counted.",
        ),
        (
            {**T5, "model_type": "longt5", "architectures": ["LongT5Model"], "encoder_attention_type": "global"},
            "not described: got 'encoder_attention_type' = 'global' in config.json, want 'local' or "
            "'transient-global'.",
        ),
        (
            {**BART, "model_type": "mvp", "architectures": ["MvpModel"], "use_prompt": True},
            "not described: got 'use_prompt' = True in config.json, want False.",
        ),
        (
            {**BART, "adapter_layers": 3},
            "keys not understood: got adapter_layers in config.json, want keys whose effect on the count of model type "
            "'bart' is known. Remove a key only if it changes no tensor.",
        ),
        (
            {**BART, "decoder_ffn_dim": None},
            "missing key: got no 'decoder_ffn_dim' in config.json, want a whole number. Add it, or use the complete "
            "config.json of the model.",
        ),
    ],
)
def test_what_is_not_described_is_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(SizebookError) as error:
        counted(config)
    assert str(error.value) == message


def test_an_untied_head_of_t5_is_noted() -> None:
    """The head of T5 1.1 is its own, 32,128 x 512 more, where transformers would tie it."""
    whole = {**T5, "relative_attention_num_buckets": 32}
    tied, untied = (architecture(Config({**whole, "tie_word_embeddings": tie}, "config.json")) for tie in (True, False))
    assert tied.notes == ()
    assert untied.notes == (
        "the head is untied, as the file says and its checkpoints are: transformers 5 ties it nevertheless",
    )
    assert counted({**T5, "tie_word_embeddings": False})["total"] - counted(T5)["total"] == 32_128 * 512
