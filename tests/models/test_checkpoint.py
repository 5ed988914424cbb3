"""Headers of checkpoints: what an honest file says, and what a corrupt or hostile one is refused for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sizebook.core.errors import InputError
from sizebook.models.checkpoints.held import held_at
from sizebook.models.checkpoints.tensors import Tensor, total_bytes
from tests.models.made_checkpoints import TINY_PARAMETERS, file_bytes, framed, tiny_tensors, write


def read_checkpoint(path: Path) -> list[Tensor]:
    return list(held_at(path).parts[0].checkpoint.tensors)


ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
SCALAR = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


def test_an_honest_file(tmp_path: Path) -> None:
    tensors = read_checkpoint(write(tmp_path, tiny_tensors()))
    assert len(tensors) == 2 * 9 + 3
    assert total_bytes(tensors) == 2 * TINY_PARAMETERS


def header(entries: dict[str, object], values: int) -> bytes:
    return framed(json.dumps(entries).encode()) + bytes(values)


HOSTILE = {
    "empty": (b"", "not safetensors: got 0 bytes in x.safetensors, want at least 8. Download it again."),
    "beyond the file": (
        (1000).to_bytes(8, "little") + b"{}",
        "truncated or corrupt: got a header of 1000 bytes in x.safetensors, want at most the 2 that follow. "
        "Download the file again.",
    ),
    "100 MB header": (
        (100_000_001).to_bytes(8, "little"),
        "header too long: got 100000001 bytes in x.safetensors, want at most 100000000. "
        "The file is corrupt or hostile; do not load it.",
    ),
    "duplicate key": (
        framed(b'{"a": {"dtype":"U8","shape":[0],"data_offsets":[0,0]}, "a": {}}'),
        "duplicate key: got 'a' twice in the header of x.safetensors, want each once. "
        "Correct the file, or download it again.",
    ),
    "not JSON": (
        framed(b"{]"),
        "not JSON: got Expecting property name enclosed in double quotes: line 1 column 2 (char 1) in the header of "
        "x.safetensors, want a safetensors header. Correct the file, or download it again.",
    ),
    "a list": (
        framed(b"[]"),
        "not an object: got a list in the header of x.safetensors, want a safetensors header. "
        "Correct the file, or download it again.",
    ),
    "no shape": (
        header({"a": {"dtype": "F32", "data_offsets": [0, 8]}}, 8),
        "corrupt entry: got {'dtype': 'F32', 'data_offsets': [0, 8]} for 'a' in x.safetensors, want dtype, shape and "
        "two data_offsets. Download the file again.",
    ),
    "shape against bytes": (
        header({"a": {**ONE, "shape": [3]}}, 8),
        "corrupt entry: got 8 bytes for 'a' in x.safetensors, want 12 for F32 [3]. Download the file again.",
    ),
    "a decimal shape behind an equal whole one": (
        header({"a": ONE, "b": {**ONE, "shape": [2.0], "data_offsets": [8, 16]}}, 16),
        "corrupt entry: got {'dtype': 'F32', 'shape': ['2.0'], 'data_offsets': [8, 16]} for 'b' in x.safetensors, want "
        "dtype, shape and two data_offsets. Download the file again.",
    ),
    "a true shape behind an equal whole one": (
        header({"a": SCALAR, "b": {**SCALAR, "shape": [True], "data_offsets": [4, 8]}}, 8),
        "corrupt entry: got {'dtype': 'F32', 'shape': [True], 'data_offsets': [4, 8]} for 'b' in x.safetensors, want "
        "dtype, shape and two data_offsets. Download the file again.",
    ),
    "a true offset": (
        header({"a": {"dtype": "U8", "shape": [1], "data_offsets": [False, True]}}, 1),
        "corrupt entry: got {'dtype': 'U8', 'shape': [1], 'data_offsets': [False, True]} for 'a' in x.safetensors, "
        "want dtype, shape and two data_offsets. Download the file again.",
    ),
    "a name on two lines": (
        header({"a\nERROR: all is well": ONE}, 8),
        r"corrupt name: got 'a\nERROR: all is well' for a tensor of x.safetensors, want letters, digits and signs. "
        "Download the file again.",
    ),
    "a shape of too many digits": (
        framed(b'{"a":{"dtype":"F32","shape":[' + b"9" * 5000 + b'],"data_offsets":[0,4]}}'),
        "number too long: got 5000 digits in the header of x.safetensors, want at most 309. Correct it.",
    ),
    "overlap": (
        header({"a": ONE, "b": {**ONE, "data_offsets": [4, 12]}}, 12),
        "corrupt offsets: got 'b' at byte 4 in x.safetensors, want 8, where the tensor before it ends. "
        "Download the file again.",
    ),
    "truncated values": (
        header({"a": ONE}, 4),
        "truncated or corrupt: got 4 bytes of values in x.safetensors, want 8. Download it again.",
    ),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_and_broken_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_checkpoint(path)
    assert str(caught.value) == message


def test_deep_nesting_is_refused_and_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(framed(b'{"a":' + b"[" * 200_000))
    with pytest.raises(InputError, match=r"^nested too deep: got more than 100 levels in the header of x"):
        read_checkpoint(path)


def sharded(folder: Path, index: dict[str, str]) -> None:
    (folder / "a.safetensors").write_bytes(file_bytes({"x": (2,)}))
    (folder / "b.safetensors").write_bytes(file_bytes({"y": (3,)}))
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))


def test_shards_with_their_index(tmp_path: Path) -> None:
    sharded(tmp_path, {"x": "a.safetensors", "y": "b.safetensors"})
    assert [tensor.name for tensor in read_checkpoint(tmp_path)] == ["x", "y"]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ({"x": "a.safetensors", "y": "b.safetensors", "z": "c.safetensors"},
         "files missing: got no c.safetensors in FOLDER, want the 3 files of model.safetensors.index.json (3 tensors). "
         "Download what is missing."),
        ({"x": "a.safetensors", "z": "b.safetensors"},
         "index and files differ: got 'z' in no file, want it in b.safetensors as model.safetensors.index.json says. "
         "Download what is missing."),
        ({"y": "b.safetensors", "w": "../b.safetensors"},
         "corrupt index: got no 'weight_map' of files in model.safetensors.index.json, want one. "
         "Download the file again."),
    ],
)  # fmt: skip
def test_an_index_that_lies(tmp_path: Path, index: dict[str, str], message: str) -> None:
    sharded(tmp_path, index)
    with pytest.raises(InputError) as caught:
        read_checkpoint(tmp_path)
    assert str(caught.value) == message.replace("FOLDER", tmp_path.name)


@pytest.mark.parametrize("weight_map", [None, 1, [], ["a.bin"], {}, {"x": {}}, {"x": ["a.bin"]}, {"x": 1}, {"x": None}])
def test_an_index_of_no_files(tmp_path: Path, weight_map: object) -> None:
    """A table in the place of a file was an unforeseen problem."""
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    with pytest.raises(InputError) as caught:
        read_checkpoint(tmp_path)
    assert str(caught.value) == (
        "corrupt index: got no 'weight_map' of files in model.safetensors.index.json, want one. "
        "Download the file again."
    )


def test_an_index_that_leaves_a_tensor_of_its_files_out(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(file_bytes({"x": (2,), "y": (3,)}))
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"x": "a.safetensors"}}))
    with pytest.raises(InputError) as caught:
        read_checkpoint(tmp_path)
    assert str(caught.value) == (
        "index and files differ: got 1 tensors that model.safetensors.index.json does not list, first 'y', want none. "
        "Download the index again."
    )


def test_files_that_the_index_does_not_list_are_left_aside_and_named(tmp_path: Path) -> None:
    sharded(tmp_path, {"x": "a.safetensors"})
    found = held_at(tmp_path).parts[0].checkpoint
    assert [tensor.name for tensor in found.tensors] == ["x"]
    assert found.notes == ("b.safetensors of the folder are not in its index and were not counted",)


def test_the_same_tensor_in_two_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.safetensors").write_bytes(file_bytes({"x": (2,)}))
    with pytest.raises(InputError) as caught:
        read_checkpoint(tmp_path)
    assert str(caught.value) == (
        "duplicate tensor: got 'x' in a.safetensors and b.safetensors, want it once. "
        "Remove the file that belongs to another checkpoint."
    )
