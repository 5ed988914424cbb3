"""Models that only a paper describes: counts by hand, and dimensions that contradict themselves refused."""

from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from tests.refused import message_of
from tests.row_lists import listed

D, L, H, FF, V = 8, 3, 2, 20, 50
PLAIN: dict[str, Any] = {
    "model_type": "transformer",
    "d_model": D,
    "n_layers": L,
    "n_heads": H,
    "d_ff": FF,
    "vocab": V,
    "positions": "rotary",
    "norm": "rms",
    "bias": False,
    "tied": True,
}
ATTENTION = 4 * D * D


def total(**changes: Any) -> int:
    return count(architecture(Config(PLAIN | changes, "here"))).total


def test_the_plain_decoder() -> None:
    assert total() == V * D + L * (ATTENTION + 2 * D * FF + 2 * D) + D


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({"tied": False}, V * D),
        ({"final_norm": False}, -D),
        ({"norm": "layer"}, (2 * L + 1) * D),
        ({"norms_per_layer": 1}, -L * D),
        ({"gated": True}, L * D * FF),
        ({"bias": True}, L * (4 * D + FF + D)),
        ({"n_kv_heads": 1}, -L * 2 * D * (D // H)),
        ({"d_head": 16}, L * 4 * D * (H * 16 - D)),
        ({"qk_norm": True}, L * 2 * (D // H)),
        ({"positions": "learned", "n_ctx": 100}, 100 * D),
        # Transformer-XL: W_kR of d_model x n_heads d_head, and the vectors u and v.
        ({"positions": "relative", "d_head": 4}, L * (D * 8 + 2 * 8)),
        ({"d_ff": [20, 30, 40]}, 2 * D * (10 + 20)),
        ({"n_heads": [2, 4, 4], "d_head": 4}, 2 * 4 * D * 2 * 4),
        # Every second layer is of experts: one of three layers here, four experts and a router in place of the block.
        (
            {"n_experts": 4, "top_k": 1, "d_ff_expert": 20, "expert_every": 2},
            4 * 2 * D * FF + 4 * D - 2 * D * FF,
        ),
    ],
)
def test_each_dimension_counts(changes: dict[str, Any], more: int) -> None:
    assert total(**changes) - total() == more


def test_an_encoder_adds_its_layers_and_a_cross_attention_to_each_of_the_decoder() -> None:
    encoder = 2 * (ATTENTION + 2 * D * FF + 2 * D)
    assert total(n_encoder_layers=2) - total() == encoder + L * (ATTENTION + D)


def test_a_token_visits_its_experts_only() -> None:
    counted = count(
        architecture(Config(PLAIN | {"n_experts": 4, "top_k": 1, "d_ff_expert": 20, "expert_every": 1}, "here"))
    )
    assert counted.total - counted.active == L * 3 * 2 * D * FF


@pytest.mark.parametrize(*listed("models/catalog", "test_contradictions_are_refused"))
def test_contradictions_are_refused(changes: dict[str, Any], message: str) -> None:
    assert message_of(InputError, total, **changes) == message
