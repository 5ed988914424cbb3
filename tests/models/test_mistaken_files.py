"""What people hand over by mistake: a folder without a config, and another file under the name of weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sizebook.core.errors import InputError
from sizebook.models.checkpoints.held import held_at
from sizebook.sources.model_sources import source_of

PARAMS = {"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 96, "head_dim": 16, "vocab_size": 100}


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9976576152\n",
            "a pointer of Git LFS, not the file itself in model.safetensors, want a safetensors header. "
            "Run 'git lfs pull', or download it.",
        ),
        (
            b"<!DOCTYPE html><html><body>Access to this model is restricted",
            "a web page in model.safetensors, want a safetensors header. Download the file itself, not its page.",
        ),
        (
            b"GGUF\x03\x00\x00\x00\x00\x00\x00\x00",
            "a GGUF file in model.safetensors, want a safetensors header. Give it a name that ends in .gguf.",
        ),
        (
            b"PK\x03\x04\x00\x00\x08\x08 and so on",
            "an archive, as torch.save writes them in model.safetensors, want a safetensors header. "
            "Give it a name that ends in .pt.",
        ),
    ],
)
def test_another_file_under_the_name_of_weights_is_named(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(InputError) as refused:
        held_at(tmp_path / "model.safetensors")
    assert str(refused.value) == f"not safetensors: got {what}"


@pytest.mark.parametrize(
    ("names", "got", "fix"),
    [
        ((), "nothing", "Download them, or check the path."),
        (("tokenizer.json",), "tokenizer.json", "Download them, or check the path."),
        (
            ("model.safetensors.index.json", "a.txt", "b.txt", "c.txt"),
            "a.txt, b.txt, c.txt and 1 more",
            "Download the files that the index lists.",
        ),
    ],
)
def test_a_folder_without_a_model_says_what_it_holds(
    tmp_path: Path, names: tuple[str, ...], got: str, fix: str
) -> None:
    for name in names:
        (tmp_path / name).write_text("{}")
    with pytest.raises(InputError) as refused:
        source_of(str(tmp_path))
    assert str(refused.value) == (
        f"no model: got {got} in {tmp_path}, want a config.json, a params.json or weights. {fix}"
    )


def test_a_folder_of_mistral_is_read_by_its_params(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text(json.dumps(PARAMS))
    source = source_of(str(tmp_path))
    assert (source.name, source.config.values["dim"]) == (tmp_path.name, 64)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    assert "dim" not in source_of(str(tmp_path)).config.values
