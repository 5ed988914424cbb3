"""Encoder-decoders: parts, experts and caches by hand."""

from typing import Any

from sizebook.models.architecture import Attention
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from tests.models.counts import counted

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


def test_an_untied_head_of_t5_is_noted() -> None:
    """The head of T5 1.1 is its own, 32,128 x 512 more, where transformers would tie it."""
    whole = {**T5, "relative_attention_num_buckets": 32}
    tied, untied = (architecture(Config({**whole, "tie_word_embeddings": tie}, "config.json")) for tie in (True, False))
    assert tied.notes == ()
    assert untied.notes == (
        "the head is untied, as the file says and its checkpoints are: transformers 5 ties it nevertheless",
    )
    assert counted({**T5, "tie_word_embeddings": False})["total"] - counted(T5)["total"] == 32_128 * 512
