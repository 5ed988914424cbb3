"""What people hand over by mistake: a folder without a config, and another file under the name of weights."""

import json
from pathlib import Path

import pytest

from sizebook.core.errors import InputError
from sizebook.sources.model_sources import source_of
from tests.refused import message_of
from tests.row_lists import listed

PARAMS = {"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 96, "head_dim": 16, "vocab_size": 100}


@pytest.mark.parametrize(*listed("models", "test_a_folder_without_a_model_says_what_it_holds"))
def test_a_folder_without_a_model_says_what_it_holds(tmp_path: Path, names: list[str], got: str, fix: str) -> None:
    for name in names:
        (tmp_path / name).write_text("{}")
    assert message_of(InputError, lambda: source_of(str(tmp_path))) == (
        f"no model: got {got} in {tmp_path}, want a config.json, a params.json or weights. {fix}"
    )


def test_a_folder_of_mistral_is_read_by_its_params(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text(json.dumps(PARAMS))
    source = source_of(str(tmp_path))
    assert (source.name, source.config.values["dim"]) == (tmp_path.name, 64)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    assert "dim" not in source_of(str(tmp_path)).config.values
