"""PyTorch checkpoints: shapes without running an instruction of them, and programs that mean harm."""

import io
import pickle
import zipfile
from pathlib import Path

import pytest

from sizebook.models.checkpoints.contents import Part, contents_at
from sizebook.models.checkpoints.pickles import LEGACY
from tests.intake.test_files import refusal
from tests.models.checkpoints.making import pickled_table, pickled_tensor, torch_archive, word

A = pickled_tensor("FloatStorage", "0", 12, (3, 4))
B = pickled_tensor("BFloat16Storage", "1", 5, (5,))
STORAGES = {"0": 48, "1": 10}


def held(folder: Path, content: bytes, name: str = "x.pt") -> Part:
    (folder / name).write_bytes(content)
    return contents_at(folder / name).parts[0]


def test_shapes_names_and_bytes(tmp_path: Path) -> None:
    part = held(tmp_path, torch_archive(pickled_table({"model": pickled_table({"a": A, "b": B})}), STORAGES))
    assert [(t.name, t.dtype, t.shape, t.n_bytes) for t in part.checkpoint.tensors] == [
        ("model.a", "F32", (3, 4), 48), ("model.b", "BF16", (5,), 10),
    ]  # fmt: skip
    assert (part.checkpoint.kind, part.weighed.parameters, part.weighed.n_bytes) == ("PyTorch", 17, 58)


def test_tensors_that_share_numbers_count_once(tmp_path: Path) -> None:
    part = held(tmp_path, torch_archive(pickled_table({"embed": A, "head": A, "b": B}), STORAGES))
    assert part.weighed.parameters == 17
    assert part.checkpoint.notes == ("1 tensor shares the numbers of others and counts once",)


def test_an_expanded_tensor_counts_what_it_stores(tmp_path: Path) -> None:
    """Four times the same row, every second column of a table: the first was refused as corrupt."""
    rows = pickled_tensor("FloatStorage", "0", 12, (4, 12), strides=(0, 1))
    columns = pickled_tensor("BFloat16Storage", "1", 5, (3,), strides=(2,))
    part = held(tmp_path, torch_archive(pickled_table({"rows": rows, "columns": columns}), STORAGES))
    assert [(t.name, t.shape, t.n_bytes) for t in part.checkpoint.tensors] == [
        ("rows", (1, 12), 48),
        ("columns", (3,), 6),
    ]
    assert part.weighed.parameters == 15


def test_the_form_before_1_6_is_pickles_one_after_the_other(tmp_path: Path) -> None:
    others = b"\x80\x02M\xe9\x03." + b"\x80\x02}."
    part = held(tmp_path, LEGACY + others + b"\x80\x02" + pickled_table({"a": A}) + b"." + bytes(60), "x.bin")
    assert (part.weighed.parameters, part.weighed.n_bytes) == (12, 48)


class Harm:
    """Unpickled, it would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (Path.write_text, (self.path, "harm"))


def test_nothing_that_a_pickle_names_is_run(tmp_path: Path) -> None:
    target = tmp_path / "harm.txt"
    body = pickle.dumps({"w": Harm(target)}, protocol=2)[2:-1]
    content = torch_archive(b"}(" + word("code") + body + word("a") + A + b"u", STORAGES)
    assert held(tmp_path, content).weighed.parameters == 12
    assert not target.exists()
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(Harm(target)))
    assert refusal(lambda: contents_at(tmp_path / "x.pkl")) == (
        "no checkpoint: got a pickle that torch.save did not write in x.pkl, want safetensors, GGUF or torch.save. "
        "Do not load it if you do not know where it is from."
    )
    assert not target.exists()


AGAIN = "Download the file again"
PROGRAM = "want what torch.save writes. Download the file again; do not load it."
HOSTILE = {
    "a shape of 2^62": (
        torch_archive(pickled_table({"a": pickled_tensor("FloatStorage", "0", 12, (2**62, 2**62))}), STORAGES),
        "corrupt entry: got [4611686018427387904, 4611686018427387904] for 'a' in x.pt, want at most the 12 elements "
        f"of its storage. {AGAIN}.",
    ),
    "steps beyond the storage": (
        torch_archive(pickled_table({"a": pickled_tensor("FloatStorage", "0", 12, (3,), strides=(6,))}), STORAGES),
        f"corrupt entry: got [3] for 'a' in x.pt, want at most the 12 elements of its storage. {AGAIN}.",
    ),
    "windows that overlap": (
        torch_archive(pickled_table({"a": pickled_tensor("FloatStorage", "0", 12, (4, 4), strides=(1, 1))}), STORAGES),
        f"corrupt entry: got [4, 4] for 'a' in x.pt, want at most the 12 elements of its storage. {AGAIN}.",
    ),
    "a storage longer than its part": (
        torch_archive(pickled_table({"a": pickled_tensor("FloatStorage", "0", 2**40, (2**40,))}), STORAGES),
        f"truncated or corrupt: got 48 bytes for 'a' in x.pt, want {2**42}. {AGAIN}.",
    ),
    "an unknown format": (
        torch_archive(pickled_table({"a": pickled_tensor("QUInt4x2Storage", "0", 12, (12,))}), STORAGES),
        "number format not known: got QUInt4x2Storage for 'a' in x.pt, want one of data/tensor_formats.csv. "
        "Save the checkpoint in another format.",
    ),
    "100,000 dimensions": (
        torch_archive(pickled_table({"a": pickled_tensor("FloatStorage", "0", 12, (1,) * 100_000)}), STORAGES),
        f"not a checkpoint: got a tensor without storage or extents in the pickle of x.pt, {PROGRAM}",
    ),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_programs_that_lie(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.pt").write_bytes(content)
    assert refusal(lambda: contents_at(tmp_path / "x.pt")) == message


def test_lists_within_themselves_end(tmp_path: Path) -> None:
    # q0: a list; 30 times a list of the one before twice: 2^30 tensors to whoever follows each path.
    body = (
        b"]("
        + A
        + b"eq\x00"
        + b"".join(b"](h" + bytes([n]) + b"h" + bytes([n]) + b"eq" + bytes([n + 1]) for n in range(30))
    )
    assert held(tmp_path, torch_archive(body, STORAGES)).weighed.parameters == 12
    assert held(tmp_path, torch_archive(b"]q\x00(" + A + b"h\x00e", STORAGES)).weighed.parameters == 12


def test_numbers_that_tensors_share_in_part_count_once(tmp_path: Path) -> None:
    """Numbers 0 to 8, 6 to 12 and 2 to 4 of twelve; three columns of a table and all of it, transposed."""
    parts = {name: pickled_tensor("FloatStorage", "0", 12, (end - start,), start, (1,))
             for name, start, end in (("a", 0, 8), ("b", 6, 12), ("c", 2, 4))}  # fmt: skip
    part = held(tmp_path, torch_archive(pickled_table(parts), STORAGES))
    assert [(t.name, t.shape, t.n_bytes) for t in part.checkpoint.tensors] == [("a", (8,), 32), ("b", (4,), 16)]
    assert part.checkpoint.notes == ("2 tensors share the numbers of others and count once",)
    columns = {name: pickled_tensor("FloatStorage", "0", 12, (4, 1), at, (3, 1)) for at, name in enumerate("qkv")}
    fused = pickled_tensor("FloatStorage", "0", 12, (3, 4), 0, (1, 3))
    part = held(tmp_path, torch_archive(pickled_table({**columns, "t": fused}), STORAGES))
    assert [(t.name, t.shape) for t in part.checkpoint.tensors] == [(name, (4, 1)) for name in "qkv"]
    many = pickled_tensor("FloatStorage", "0", 2**20, (2**19,), 0, (2,))
    assert refusal(lambda: held(tmp_path, torch_archive(pickled_table({"many": many}), {"0": 2**22}))) == (
        "tensor not described: got 'many' in x.pt in more than 100000 pieces of its storage, want it in one. Save the "
        "weights as dense tensors, or in safetensors."
    )


def pickled_module(**state: bytes) -> bytes:
    return b"ctorch.nn\nModule\n)\x81" + pickled_table(state) + b"b"


def test_parameters_of_a_whole_module_are_those_it_calls_so(tmp_path: Path) -> None:
    """torch.save(model): running means, masks and what else an attribute holds counted as parameters."""
    inner = pickled_module(_parameters=pickled_table({"weight": A}), _buffers=pickled_table({"mask": B}))
    model = pickled_module(
        _parameters=pickled_table({}), _modules=pickled_table({"layer": inner}),
        scale=pickled_tensor("FloatStorage", "2", 3, (3,)),
    )  # fmt: skip
    part = held(tmp_path, torch_archive(model, {**STORAGES, "2": 12}))
    assert [tensor.name for tensor in part.checkpoint.tensors] == [
        "layer.weight",
        "layer._buffers.mask",
        "_buffers.scale",
    ]
    assert (part.weighed.parameters, part.weighed.buffers.tensors, part.weighed.buffers.n_bytes) == (12, 2, 22)


@pytest.mark.parametrize(
    "made_by",
    ["_rebuild_sparse_tensor", "_rebuild_qtensor", "_rebuild_meta_tensor_no_storage", "_rebuild_wrapper_subclass"],
)
def test_tensors_of_another_kind_are_not_passed_over(tmp_path: Path, made_by: str) -> None:
    """Sparse and quantised tensors were left out of a count that was said to be exact."""
    other = b"ctorch._utils\n" + made_by.encode() + b"\n(" + A + b"tR"
    assert refusal(lambda: held(tmp_path, torch_archive(pickled_table({"a": A, "s": other}), STORAGES))) == (
        f"tensor not described: got one made by {made_by} for 's' in x.pt, want dense tensors. Save the weights as "
        "such, or in safetensors."
    )


def test_arrays_and_what_an_optimizer_keeps_are_no_parameters(tmp_path: Path) -> None:
    array = b"cnumpy.core.multiarray\n_reconstruct\n(K\x01K\x02tR"
    kept = pickled_table({"exp_avg": B, "step": pickled_tensor("FloatStorage", "2", 1, ())})
    optimizer = pickled_table({"state": pickled_table({"0": kept})})
    whole = pickled_table({"model": pickled_table({"w": A}), "optimizer": optimizer, "x": array})
    part = held(tmp_path, torch_archive(whole, {**STORAGES, "2": 4}))
    assert (part.weighed.parameters, part.weighed.buffers.tensors, part.weighed.buffers.n_bytes) == (12, 2, 14)
    assert part.checkpoint.notes == ("1 array of NumPy is not counted",)


def test_a_part_that_does_not_unpack_is_refused_by_name(tmp_path: Path) -> None:
    """Parts of these archives are stored as they are; a damaged one may say that it is packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("x/data.pkl", b"\x07" * 40)
    content = bytearray(packed.getvalue())
    content[8:10] = b"\x08\x00"  # the method of the part, and of its entry in the directory
    at = content.index(b"PK\x01\x02")
    content[at + 10 : at + 12] = b"\x08\x00"
    assert refusal(lambda: held(tmp_path, bytes(content))) == (
        "damaged archive: got Error -3 while decompressing data: invalid block type in x.pt, want a checkpoint of "
        "torch.save. Download it again."
    )
