"""Every model type has configs in which no two sizes are the same: a mapping that takes one key for another miscounts.

They need nothing outside the checkout. One config of a type has its switches at the defaults; where switches change the
count, a second one has them the other way. transformers 5.23 counted them on the meta device; rows of types that it
does not know say under ``how`` what did.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from sizebook.models.huggingface import mappings, modules
from tests.models.counts import counted, small_configs

ROWS: dict[str, list[dict[str, Any]]] = defaultdict(list)
for row in small_configs("distinct_counts.jsonl"):
    ROWS[row["config"]["model_type"]].append(row)

# Sizes that these types build only as large as another one.
EQUAL = {
    "deepseek_vl_v2": ("projector_config.n_embed",),  # as wide as the language model
    "dots3_note_text": ("num_key_value_heads", "per_layer_config.02.num_key_value_heads"),  # keys for every head
    "ernie4_5_moe_vl": ("vision_config.embed_dim", "vision_config.spatial_merge_size"),  # said twice
    "kimi_k3": ("vision_config.mm_hidden_size", "vision_config.text_hidden_size"),  # said twice
    "kimi_k25": ("projection_hidden_size",),  # the projector's norm is as wide as the tower
    "nvembed": ("latent_attention_config.latent_dim",),  # as wide as the language model
    "ovis2": ("hidden_size", "vocab_size"),  # the language model's, said twice
    "phimoe": ("num_experts_per_tok",),  # two, whatever the file says, as many as the row's key-value heads
    "squeezebert": ("embedding_size",),  # no projection behind the tables
    "vision-encoder-decoder": ("decoder.cross_attention_hidden_size",),  # the encoder's width
    "t5gemma2": ("decoder.hidden_size", "decoder.vocab_size"),  # one table for both stacks
}
AS_WIDE_AS_THE_MODEL = {"helium"}  # its heads are together as wide as the model


def _sizes(config: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, int]]:
    """Yield every whole number above 1 of a config and its sections."""
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _sizes(value, f"{prefix}{key}.")
        elif isinstance(value, int) and value > 1:
            yield prefix + key, value


def _sections(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield config
    for value in config.values():
        if isinstance(value, dict):
            yield from _sections(value)


def test_a_type_is_looked_for_in_its_own_module_alone() -> None:
    """The table that says where is what the mappings themselves say."""
    said = {name: getattr(mapping, "func", mapping).__module__ for name, mapping in mappings().items()}
    assert {name: f"sizebook.models.families.{module}" for name, module in modules().items()} == said


def test_every_type_has_a_row() -> None:
    assert sorted(mappings().keys() - ROWS.keys()) == []
    assert sorted(ROWS.keys() - mappings().keys()) == []


@pytest.mark.parametrize("model_type", sorted(ROWS))
def test_rows_are_counted_exactly(model_type: str) -> None:
    for row in ROWS[model_type]:
        got = counted(row["config"])
        assert {**got, **{key: row[key] for key in ("total", "active", "buffers")}} == got, row["config"]


@pytest.mark.parametrize("model_type", sorted(ROWS))
def test_no_two_sizes_are_the_same(model_type: str) -> None:
    for row in ROWS[model_type]:
        sizes = {key: size for key, size in _sizes(row["config"]) if key not in EQUAL.get(model_type, ())}
        often = {size for size, times in Counter(sizes.values()).items() if times > 1}
        assert {key: size for key, size in sizes.items() if size in often} == {}


@pytest.mark.parametrize("model_type", sorted(ROWS.keys() - AS_WIDE_AS_THE_MODEL))
def test_heads_are_not_as_wide_as_the_model_by_chance(model_type: str) -> None:
    """Where a config names the width of a head, the width of the model does not follow from it."""
    for section in (section for row in ROWS[model_type] for section in _sections(row["config"])):
        heads, width = section.get("num_attention_heads", 0), section.get("head_dim", 0)
        assert not heads or not width or heads * width != section.get("hidden_size")
