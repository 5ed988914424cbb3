"""What is kept of a model: a config.json that was edited counts at once, in every function that takes a model."""

import json
from pathlib import Path

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.functions import load
from sizebook.intake import allowed_files
from sizebook.serving.shape import shape_of

LLAMA = {
    "model_type": "llama", "hidden_size": 1024, "intermediate_size": 2816, "num_attention_heads": 16,
    "num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 131072,
}  # fmt: skip
# Of a small Llama: it fits, on one GPU, has no notes and no recurrent state, with 8 layers as with 4.
ALIKE = {
    "FITS",
    "FINE_TUNING_FITS",
    "MIN_GPUS_TRAIN",
    "MODEL_NOTES",
    "SERVING_COMMITMENTS",
    "STATE_BYTES",
}


def test_every_function_sees_that_a_config_was_edited(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    asked = [each for each in load().values() if any(argument.name == "model" for argument in each.arguments)]
    assert len(asked) > 30
    alike = set()
    for function in asked:
        given = {**function.example[0], "model": str(path)}
        cells = [given.get(argument.name) for argument in function.arguments]
        found = []
        for n_layers in (8, 4):
            path.write_text(json.dumps({**LLAMA, "num_hidden_layers": n_layers}))
            found.append(call(function.name, *cells))
        if found[0] == found[1]:
            alike.add(function.name)
    assert alike == ALIKE


def test_what_one_workbook_may_read_the_next_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "num_hidden_layers": 8}))
    (tmp_path / "inner").mkdir()
    monkeypatch.delenv(allowed_files.SETTING, raising=False)
    try:
        with allowed_files.asked_by_a_cell():
            allowed_files.set_workbook_folder(str(tmp_path))
            assert shape_of(str(path)).n_layers == 8
            allowed_files.set_workbook_folder(str(tmp_path / "inner"))
            with pytest.raises(SizebookError) as error:
                shape_of(str(path))
    finally:
        allowed_files.set_workbook_folder("")
    assert str(error.value).startswith(
        f"file outside the allowed folders: got '{path}', want a file below {tmp_path / 'inner'}."
    )
