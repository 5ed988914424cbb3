"""Names are forgiving but never guessed, and the functions over the catalog give figures worked out elsewhere."""

from pathlib import Path

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import UnknownKeyError
from sizebook.functions import load
from sizebook.models import catalog
from tests.refused import message_of
from tests.row_lists import listed

load()


@pytest.mark.parametrize(*listed("models", "test_a_model_is_found_by_key_name_and_repository"))
def test_a_model_is_found_by_key_name_and_repository(name: str) -> None:
    assert catalog.resolve(name) == "llama-3.1-70b"


def test_a_near_miss_is_suggested_and_not_taken() -> None:
    assert message_of(UnknownKeyError, catalog.resolve, "llama-3.1-71b") == (
        "unknown model: got 'llama-3.1-71b', want a key that 'sizebook models' lists, or the name of a Hugging Face "
        "repository in it. Did you mean 'llama-3.1-70b'?"
    )


def test_every_spelling_leads_to_one_model() -> None:
    claims: dict[str, set[str]] = {}
    for key in catalog.model_keys():
        row = catalog.facts(key)
        for spelling in (*row["aliases"].split("|"), *row["hf_id"].split(";"), row["name"]):
            if spelling:
                claims.setdefault(spelling.casefold(), set()).add(key)
    assert {spelling: keys for spelling, keys in claims.items() if len(keys) > 1} == {}
    assert all(catalog.resolve(spelling) in keys for spelling, keys in claims.items())


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        # Table 2.1 of GPT-3 with biases and norms, by hand: 96 (12 d^2 + 13 d) + 52305 d + 2 d, d = 12288.
        (("PARAMS_MODEL", "gpt-3-175b"), 96 * (12 * 12288**2 + 13 * 12288) + (50257 + 2048 + 2) * 12288),
        (("PARAMS_MODEL", "gpt-3-175b", "mlp"), 96 * 8 * 12288**2),
        (("PARAMS_MODEL", "transformer-base"), 63_082_496),  # seed 003, reconciled
        (("PARAMS_MODEL", "OpenELM-270M"), 271_527_168),  # checkpoint apple/OpenELM-270M
        (("PARAMS_MODEL", "phi-3-small"), 7_392_272_384),  # checkpoint microsoft/Phi-3-small-8k-instruct
        (("PARAMS_MODEL", "qwen2.5-omni-7b"), 10_732_225_408),  # transformers 5.23 on the meta device
        (("PARAMS_MODEL", "mistral-7b"), 7_241_732_096),  # checkpoint mistralai/Mistral-7B-v0.1
        (("PARAMS_ACTIVE", "mixtral-8x7b"), 46_702_792_704 - 32 * 6 * 3 * 4096 * 14336),
        (("MODEL_SPEC", "llama-2-70b", "tco2e"), 291.42),
        (("MODEL_SPEC", "gpt-3-xl", "n_heads"), 24),
        (("MODEL_SPEC", "mistral-7b", "n_kv_heads"), 8),
        (("MODEL_SPEC", "palm-540b", "activation_formula"), "SiLU(x W) * (x V)"),
        (("MODEL_LIST", "llama-3"), [["llama-3-8b"], ["llama-3-70b"]]),
    ],
)
def test_functions_give_known_figures(cells: tuple[str, ...], expected: object) -> None:
    assert call(*cells) == expected


def test_a_column_of_models_spills_and_a_closed_one_spoils_only_itself() -> None:
    large, closed = call("PARAMS_MODEL", [["gpt-3-large"], ["gpt-4o"]])
    assert large == [760_300_032]
    assert closed[0].code == "#N/A"


def test_config_params_reads_a_file_each_time(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    text = (
        '{"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": %d, '
        '"num_attention_heads": 2, "vocab_size": 10}'
    )
    path.write_text(text % 1, encoding="utf-8")
    layer = 4 * 8 * 8 + 3 * 8 * 16 + 2 * 8
    assert call("CONFIG_PARAMS", str(path)) == 2 * 10 * 8 + layer + 8
    path.write_text(text % 3, encoding="utf-8")
    assert call("CONFIG_PARAMS", str(path)) == 2 * 10 * 8 + 3 * layer + 8
    assert call("CONFIG_PARAMS", str(path), "mlp") == 3 * 3 * 8 * 16
