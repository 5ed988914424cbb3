"""Bytes of the cache by kind of layer, each worked out by hand."""

import pytest

from sizebook.serving.cache import kv_cache_bytes


def test_grouped_heads_of_a_published_figure() -> None:
    # Qwen3-0.6B: 28 layers, 8 key-value heads of 128; 40,960 tokens are 4.375 GiB in bf16.
    assert kv_cache_bytes("qwen3-0.6b", 40_960) == 4.375 * 2**30 == 28 * 2 * 8 * 128 * 40_960 * 2


def test_llama_2_7b_keeps_half_a_megabyte_a_token() -> None:
    assert kv_cache_bytes("llama-2-7b", 4096) == 2 * 2**30


def test_a_latent_cache_is_one_vector_a_layer() -> None:
    assert kv_cache_bytes("deepseek-v3", 1000, "fp8") == 61 * (512 + 64) * 1000


def test_a_window_stops_growing() -> None:
    # gpt-oss-120b: 18 of 36 layers see 128 tokens; 8 key-value heads of 64.
    wide = 2 * 8 * 64 * 2
    assert kv_cache_bytes("gpt-oss-120b", 10_000) == 18 * wide * (10_000 + 128)


def test_a_state_space_model_keeps_the_same_whatever_the_length() -> None:
    # falcon-mamba-7b: 64 layers of d_inner 8192 with 16 states in four bytes and 3 inputs of a convolution in two.
    assert kv_cache_bytes("falcon-mamba-7b", 1) == kv_cache_bytes("falcon-mamba-7b", 100_000) == 64 * 8192 * 70


def test_an_indexer_keeps_its_keys_in_one_byte_whatever_the_dtype() -> None:
    # DeepSeek V3.2: 61 layers, each with a latent of 512 + 64 and an indexer's key of 128.
    assert kv_cache_bytes("deepseek-v3.2", 1000) == 61 * (576 * 2 + 128) * 1000
    assert kv_cache_bytes("deepseek-v3.2", 1000, "fp8") == 61 * (576 + 128) * 1000


def test_sequences_and_formats_multiply() -> None:
    one = kv_cache_bytes("llama-3.1-8b", 2048)
    assert kv_cache_bytes("llama-3.1-8b", 2048, "fp8", 3) == pytest.approx(3 * one / 2)
