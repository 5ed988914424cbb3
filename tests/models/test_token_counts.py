"""What a token costs and leaves behind, by type: the products and the cache of a model that transformers ran.

`token_counts.jsonl` holds what PyTorch's counter of FLOPs and transformers' own cache said of six tokens through the
small models of `distinct_counts.jsonl` (of ``config`` where those do not run), transformers 5.23 with eager attention.
Left out is a figure that counts something else: convolutions and scans, which PyTorch counts padded; experts that a
class computes all; poolers; attention in padded blocks; key-value heads that Falcon's class caches once a query head.
"""

from typing import Any

from sizebook.models.architecture import Architecture
from sizebook.models.cache_size import INDEX_ELEMENT_BYTES, cache_bytes, state_bytes
from sizebook.models.config import Config
from sizebook.models.flops import forward, matmul_parameters, score_width
from sizebook.models.huggingface import architecture
from sizebook.models.transformer_blocks import MergedCross
from tests.models.counts import small_configs
from tests.models.edits import bases

TOKENS = 6
BASES = bases()
ROWS = small_configs("token_counts.jsonl")


def described(row: dict[str, Any]) -> Architecture:
    return architecture(Config(dict(row.get("config") or BASES[row["type"]][row["row"]]), "config.json"))


def cached_elements(model: Architecture) -> float:
    """Return what is kept of the tokens in elements: bytes, less those that take several or one each.

    Engines leave out the newest input of a convolution, transformers keeps it.
    """
    every = [brick for layer in model.layers for brick in layer.bricks]
    states = sum(state_bytes(brick) - getattr(brick, "state_elements", 0) for brick in every)
    indexed = TOKENS * sum(getattr(brick, "index_width", 0) for brick in every)
    n_bytes = cache_bytes(model, TOKENS, 1)
    return n_bytes - states - (INDEX_ELEMENT_BYTES - 1) * indexed


def test_products_are_those_of_the_model_that_ran() -> None:
    compared = [row for row in ROWS if "flops" in row]
    one = {id(row): forward(described(row), TOKENS, causal=False, windows=False) for row in compared}
    wrong = [
        row for row in compared if TOKENS * (one[id(row)].total - one[id(row)].state) != row["flops"]
    ]  # PyTorch counts no recurrence
    assert wrong == []
    assert len(compared) > 290


def test_the_cache_is_that_of_the_model_that_ran() -> None:
    """T5Gemma 2's decoder kept nothing before, and convolved attention (ZAYA, Inkling) no earlier tokens."""
    compared = [row for row in ROWS if "cached" in row]
    assert [row for row in compared if cached_elements(described(row)) != row["cached"]] == []
    assert len(compared) > 300
    assert {"t5gemma2", "zaya", "inkling_text", "inkling2_text"} <= {row["type"] for row in compared}


def test_t5gemma_2_scores_the_encoder_beside_its_own_tokens() -> None:
    """By hand: ten layers, keys and values of 44 each from tokens 48 wide, scores of 6 heads, 22 and 22 wide."""
    merged = described({"type": "t5gemma2", "row": 0})
    every = [brick for layer in merged.layers for brick in layer.bricks if isinstance(brick, MergedCross)]
    assert sum(matmul_parameters([each]) for each in every) == 10 * 48 * 88
    assert {score_width(each) for each in every} == {6 * (22 + 22)}
    assert cached_elements(merged) == 10 * 2 * TOKENS * 2 * 2 * 22
