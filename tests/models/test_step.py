"""Step 3.5 and 3.7 in the words of their published files: the same model, or a refusal where words contradict."""

from typing import Any

from sizebook.core.errors import UnknownKeyError
from tests.models.counts import counted, small_configs
from tests.models.edits import apply
from tests.refused import message_of

PUBLISHED = next(row for row in small_configs("distinct_counts.jsonl") if row["config"]["model_type"] == "step3p5")


def test_the_words_of_the_class_say_the_same() -> None:
    """Layers of experts as a list, heads of sliding layers as a number, no layers of prediction behind the stack."""
    changes: dict[str, Any] = {
        "moe_layers_enum": "(dropped)",
        "mlp_layer_types": ["dense", "sparse", "sparse", "dense", "sparse"],
        "attention_other_setting": "(dropped)",
        "num_sliding_attention_heads": 9,
        "num_nextn_predict_layers": "(dropped)",
        "layer_types": PUBLISHED["config"]["layer_types"][:5],
    }
    assert counted(apply(PUBLISHED["config"], changes)) == counted(PUBLISHED["config"])
    listed = apply(PUBLISHED["config"], {"moe_layers_enum": [1, 2, 4]})
    assert counted(listed) == counted(PUBLISHED["config"])


def test_words_of_the_published_file_that_say_no_more() -> None:
    """Step 3.5 Flash numbers its sparse layers and says besides, for engines that read no numbers, that all are so."""
    said = {
        "use_qk_norm": True,
        "moe_every_n_layer": 1,
        "moe_layer_offset": 0,
        "attention_other_setting.head_dim": 24,
        "attention_other_setting.true_head_dim": 24,
    }
    assert counted(apply(PUBLISHED["config"], said)) == counted(PUBLISHED["config"])


def test_a_size_beside_the_section_is_refused_in_the_words_of_the_file() -> None:
    rows = (row["config"] for row in small_configs("distinct_counts.jsonl"))
    seeing = next(config for config in rows if config["model_type"] == "step3p7" and "width" in config["vision_config"])
    assert message_of(UnknownKeyError, counted, {**seeing, "moe_top_k": 9}) == (
        "not described: got 'moe_top_k' = 9 in config.json, want sizes of the text model once: there is a "
        "'text_config'."
    )
