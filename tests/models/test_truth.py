"""The whole truth table: every row exact, total, active, buffers and parts."""

from pathlib import Path

from sizebook.core.errors import SizebookError
from sizebook.core.tables import toml_tables
from sizebook.models.config import Config, load
from sizebook.models.huggingface import architecture, mappings
from tests.csv_files import rows_of
from tests.models.counts import counted, differences
from tests.refused import message_of

# What published files say where transformers, by which the table was counted, does not follow them: it builds
# its class's defaults beside sizes under 'thinker_config' (Qwen3-ASR of 0.6 B, which it takes for 1.7 B) and at the
# top level of a planner's file of Step 3.7 (a vocabulary of 128,896), and allocates matrices for LongCat's experts
# without weights (560 B by its name).
FILE_NOT_FOLLOWED = {
    "configs/real/Qwen__Qwen3-ASR.json": 782_426_112,
    "configs/real/stepfun-ai__Step-3.7-Flash.json": 197_825_511_424,
    "configs/defaults/longcat_flash.json": 560_664_958_976,
}


def test_every_row_is_exact(shared: Path) -> None:
    types = {row["model_type"] for row in rows_of(shared / "truth" / "params.csv")}
    number, differing = differences(shared, types)
    assert number == 214
    assert {config: got["total"] for config, (got, _) in differing.items()} == FILE_NOT_FOLLOWED


def test_every_config_is_counted_or_refused_by_name(shared: Path) -> None:
    """All 334 files: a count that is at hand, or an error that names the type or the key."""
    refused = {}
    files = sorted((shared / "configs").glob("*/*.json"))
    for file in files:
        config = load(file)
        try:
            architecture(config)
        except SizebookError as error:
            refused[str(config.values.get("model_type"))] = str(error)
    assert len(files) == 334
    assert len(refused) <= 10
    for model_type, message in refused.items():
        assert message.startswith((f"unknown model type: got '{model_type}'", "not described:", "unknown class:"))


def test_at_least_ninety_defaults_are_counted(shared: Path) -> None:
    counts = 0
    for file in (shared / "configs" / "defaults").glob("*.json"):
        try:
            architecture(load(file))
        except SizebookError:
            continue
        counts += 1
    assert counts >= 145


def test_a_type_that_is_nearly_another_is_refused() -> None:
    assert message_of(SizebookError, counted, {"model_type": "lama"}) == (
        f"unknown model type: got 'lama' in config.json, want one of the {len(mappings())} types in "
        "docs/architectures.md. Count it with --engine transformers, or add a mapping. Did you mean 'llama'?"
    )


def test_keys_that_cannot_matter_are_listed_and_the_others_read() -> None:
    config = Config(
        {
            "model_type": "llama",
            "vocab_size": 100,
            "hidden_size": 64,
            "intermediate_size": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "bos_token_id": 1,
            "note": "mine",
        },
        "config.json",
    )
    architecture(config)
    assert config.unread() == ["bos_token_id", "note"]
    assert "num_key_value_heads" in config.read


def test_keys_are_ignored_of_types_that_there_are() -> None:
    """A misspelt type in the table would ignore nothing."""
    assert toml_tables("ignored_keys").keys() <= mappings().keys()
