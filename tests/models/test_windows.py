"""Which layers see a window, and how wide it is: as transformers builds a cache for the config.

`window_counts.jsonl` holds what `DynamicCache` of transformers 5.23 makes of edits to the rows of
`distinct_counts.jsonl`: windows left out, null or narrower, other patterns, other numbers of layers.
"""

from typing import Any

import pytest

from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from tests.models.counts import small_configs
from tests.models.edits import apply, bases

BASES = bases()


def windows(model: Architecture) -> list[int | None]:
    """Return the window of every layer that caches keys of its own tokens."""
    found = []
    for layer in model.layers:
        attends = [brick for brick in layer.bricks if getattr(brick, "cache_width", 0)]
        found += [getattr(brick, "window", None) for brick in attends if not getattr(brick, "cross", False)][:1]
    return found


def described(config: dict[str, Any]) -> Architecture:
    return architecture(Config(config, "config.json"))


def test_windows_are_those_of_the_cache() -> None:
    """Wrong in silence before where a file left a window or a pattern to its class."""
    rows = small_configs("window_counts.jsonl")
    wrong = []
    for row in rows:
        got = windows(described(apply(BASES[row["type"]][row["row"]], row["set"])))
        if got != row["windows"]:
            wrong.append((row, got))
    assert wrong == []
    assert len(rows) > 250


GONE = "(dropped)"


@pytest.mark.parametrize(
    ("model_type", "changes", "first"),
    [
        ("mistral", {"sliding_window": GONE}, [4096, 4096]),
        ("mistral", {"sliding_window": None}, [None, None]),
        (
            "qwen2",
            {"use_sliding_window": True, "sliding_window": GONE, "max_window_layers": 1, "layer_types": GONE},
            [None, 4096],
        ),
        ("qwen3_moe", {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 28}, [16, 16]),
        ("qwen2_moe", {"use_sliding_window": True, "sliding_window": 16}, [16, None]),
        ("doge", {"sliding_window": 100}, [100, 100]),
        ("gemma3_text", {"sliding_window": 8, "sliding_window_pattern": 2, "layer_types": GONE}, [8, None]),
        (
            "llama4_text",
            {"attention_chunk_size": GONE, "layer_types": GONE, "no_rope_layers": [1, 0, 1, 1, 1]},
            [8192, None],
        ),
        ("modernbert-decoder", {"sliding_window": 16}, [None, 16]),
        ("cohere2", {"sliding_window": 8, "sliding_window_pattern": 2, "layer_types": GONE}, [8, None]),
    ],
)
def test_a_window_that_the_class_gives(model_type: str, changes: dict[str, Any], first: list[int | None]) -> None:
    assert windows(described(apply(BASES[model_type][0], changes)))[:2] == first


def test_what_the_class_gives_is_said() -> None:
    left_out = described(apply(BASES["mistral"][0], {"sliding_window": GONE})).notes
    assert left_out == (
        "the file leaves out what the class of its model type gives: 'sliding_window' = 4096 in config.json",
    )


def test_a_window_of_the_catalog_is_left_out_where_its_file_says_null() -> None:
    """Rows keep no null; Codestral's published file has one."""
    from sizebook.models import catalog

    assert set(windows(catalog.architecture("codestral-22b"))) == {None}
    assert set(windows(catalog.architecture("mistral-7b"))) == {4096}
