"""Headers of checkpoints: what an honest file says, and what a corrupt or hostile one is refused for."""

import json
from pathlib import Path

import pytest

from sizebook.core.errors import InputError
from sizebook.models.checkpoints.contents import contents_at
from sizebook.models.checkpoints.tensors import Tensor, total_bytes
from tests.models.made_checkpoints import TINY_PARAMETERS, file_bytes, tiny_tensors, write
from tests.refused import message_of
from tests.row_lists import listed


def read_checkpoint(path: Path) -> list[Tensor]:
    return list(contents_at(path).parts[0].checkpoint.tensors)


def test_an_honest_file(tmp_path: Path) -> None:
    tensors = read_checkpoint(write(tmp_path, tiny_tensors()))
    assert len(tensors) == 2 * 9 + 3
    assert total_bytes(tensors) == 2 * TINY_PARAMETERS


def sharded(folder: Path, index: dict[str, str]) -> None:
    (folder / "a.safetensors").write_bytes(file_bytes({"x": (2,)}))
    (folder / "b.safetensors").write_bytes(file_bytes({"y": (3,)}))
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))


def test_shards_with_their_index(tmp_path: Path) -> None:
    sharded(tmp_path, {"x": "a.safetensors", "y": "b.safetensors"})
    assert [tensor.name for tensor in read_checkpoint(tmp_path)] == ["x", "y"]


@pytest.mark.parametrize(*listed("models", "test_an_index_that_lies"))
def test_an_index_that_lies(tmp_path: Path, index: dict[str, str], message: str) -> None:
    sharded(tmp_path, index)
    assert message_of(InputError, read_checkpoint, tmp_path) == message.replace("FOLDER", tmp_path.name)


def test_an_index_that_leaves_a_tensor_of_its_files_out(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(file_bytes({"x": (2,), "y": (3,)}))
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"x": "a.safetensors"}}))
    assert message_of(InputError, read_checkpoint, tmp_path) == (
        "index and files differ: got 1 tensors that model.safetensors.index.json does not list, first 'y', want none. "
        "Download the index again."
    )


def test_files_that_the_index_does_not_list_are_left_aside_and_named(tmp_path: Path) -> None:
    sharded(tmp_path, {"x": "a.safetensors"})
    found = contents_at(tmp_path).parts[0].checkpoint
    assert [tensor.name for tensor in found.tensors] == ["x"]
    assert found.notes == ("b.safetensors of the folder are not in its index and were not counted",)


def test_the_same_tensor_in_two_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.safetensors").write_bytes(file_bytes({"x": (2,)}))
    assert message_of(InputError, read_checkpoint, tmp_path) == (
        "duplicate tensor: got 'x' in a.safetensors and b.safetensors, want it once. "
        "Remove the file that belongs to another checkpoint."
    )
