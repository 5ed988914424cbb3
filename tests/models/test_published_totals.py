"""Models on code of their own, held against what is known of their weights; what a count leaves out is added back.

RWKV-7: flash-linear-attention 0.6.0 builds models of these sizes, without weights. Kimi K3: the published name and
shape of every tensor. ERNIE 4.5 VL: the total that a copy of it states.
"""

from typing import Any

from sizebook.models.cache_size import cache_bytes
from sizebook.models.config import Config
from sizebook.models.flops import train_flops_per_token
from sizebook.models.huggingface import architecture
from tests.models.counts import counted, small_configs


def _published(name: str) -> dict[str, Any]:
    return next(row["config"] for row in small_configs("published.jsonl") if row["of"].startswith(name))


def test_rwkv7_keeps_matrices_and_two_shifted_inputs_whatever_the_context() -> None:
    """World 1.5B: 32 heads of 64 x 64 and the last inputs of both mixings, in 24 layers; no scores, no cache."""
    read = architecture(Config(_published("RWKV-7 World of 24 layers, 2048 wide"), "config.json"))
    matrices = 32 * 64 * 64
    for tokens in (1, 100_000):
        assert cache_bytes(read, tokens, 2) == 24 * (matrices + 2 * 2048) * 4
    each = 2048 * (4 * 2048 + 2 * (96 + 96 + 256) + 2 * 4 * 2048)  # products; values are mixed but in the first layer
    products = 24 * each + 23 * 2 * 2048 * 64 + 65536 * 2048
    # a matrix decays, is asked for what to take out, loses it, gains what is written, and is read
    assert train_flops_per_token(read, 4096) == 6 * products + 3 * 24 * 5 * 2 * matrices


def test_kimi_k3_at_4096_tokens() -> None:
    """24 layers keep a latent vector of 512 + 64; 69 a matrix of 4 bytes for each of 96 heads, and of a convolution
    over 4 inputs the 3 before the newest, at 2 bytes."""
    read = architecture(Config(_published("Kimi K3"), "config.json"))
    kept = 96 * 128 * 128 * 4 + 3 * 96 * 128 * 3 * 2
    assert cache_bytes(read, 4096, 2) == 24 * 4096 * (512 + 64) * 2 + 69 * kept
    d, inner = 7168, 96 * 128
    delta = 4 * d * inner + d * 96 + 3 * inner * 4 + (d + inner) * 128 + d * inner
    latent = d * 1536 + 1536 * 96 * 192 + d * (512 + 64) + 512 * 96 * 256 + 2 * inner * d
    feed = (16 * 3584 + 2 * d) * 3 * 3072 + 2 * d * 3584 + d * 896
    products = 69 * delta + 24 * latent + 92 * feed + 3 * 33792 * d + (2 * 93 + 1) * d + 163840 * d
    scores = 24 * 2 * 96 * (128 + 64 + 128) * 4096 / 2
    assert train_flops_per_token(read, 4096) == 6 * products + 3 * (scores + 69 * 8 * 96 * 128 * 128)


def test_kimi_k3() -> None:
    """Its weights hold 1,503,647,073,024 elements, 92 x 896 experts packed two to a byte with a scale per 32."""
    got, experts = counted(_published("Kimi K3")), 92 * 896
    routed = experts * 3 * 3072 * 3584
    packed = routed // 2 + routed // 32
    padding = 69 * (128 - 96)  # decays of 96 heads, stored as 128
    assert got["buffers"] == experts
    assert got["total"] - routed + packed + padding + got["buffers"] == 1_503_647_073_024
    assert got["total"] == 2_779_931_752_544
