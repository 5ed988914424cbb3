"""GGUF: what headers say of block-quantised tensors, and what lying ones are refused for."""

import struct
from pathlib import Path

import pytest

from sizebook.models.checkpoints.contents import contents_at
from sizebook.models.checkpoints.store import Folder
from tests.intake.test_files import refusal
from tests.models.checkpoints.making import gguf, text

AGAIN = "Download the file again."
# Experts in Q8_0 (34 bytes for 32), F16, Q4_0 (18 for 32), Q6_K (210 for 256), F32, and a table of factors.
TENSORS = [
    ("blk.0.ffn_gate_exps.weight", (256, 64, 8), 8, 256 * 64 * 8 // 32 * 34),
    ("blk.0.attn_q.weight", (256, 64), 1, 256 * 64 * 2),
    ("token_embd.weight", (256, 100), 2, 25_600 // 32 * 18),
    ("output.weight", (256, 100), 14, 25_600 // 256 * 210),
    ("output_norm.weight", (256,), 0, 1024),
    ("rope_freqs.weight", (16,), 0, 64),
]
KEYS = {
    "general.architecture": "qwen3moe",
    "general.name": "Tiny",
    "qwen3moe.expert_count": 8,
    "qwen3moe.expert_used_count": 2,
    "tokenizer.ggml.tokens": [f"t{at}" for at in range(5000)],
    "small": [1, 2, 3],
}


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_blocks_count_as_weights_with_their_bytes(tmp_path: Path) -> None:
    part = contents_at(written(tmp_path / "t.gguf", gguf(KEYS, TENSORS))).parts[0]
    weighed = part.weighed
    assert weighed.parameters == 131_072 + 16_384 + 25_600 + 25_600 + 256
    assert weighed.n_bytes == 139_264 + 32_768 + 14_400 + 21_000 + 1_024 + 64
    assert [(mix.label, mix.n_bytes) for mix in weighed.mixes] == [
        ("Q8_0", 139_264), ("F16", 32_768), ("Q6_K", 21_000), ("Q4_0", 14_400), ("F32", 1_024),
    ]  # fmt: skip
    assert (weighed.buffers.tensors, weighed.buffers.n_bytes) == (1, 64)
    assert part.checkpoint.tensors[0].shape == (8, 64, 256)  # PyTorch's order
    assert part.checkpoint.metadata["small"] == [1, 2, 3]
    assert part.checkpoint.metadata["tokenizer.ggml.tokens"] is None  # of a long list nothing is kept


def test_a_model_in_pieces_is_read_whole_from_any_of_them(tmp_path: Path) -> None:
    for number, tensors in enumerate((TENSORS[:2], TENSORS[2:]), 1):
        written(tmp_path / f"t-{number:05d}-of-00002.gguf", gguf(KEYS, tensors))
    whole = contents_at(tmp_path).parts[0]
    one = contents_at(tmp_path / "t-00002-of-00002.gguf").parts[0]
    assert whole.weighed.parameters == one.weighed.parameters == 198_912
    (tmp_path / "t-00002-of-00002.gguf").unlink()
    assert refusal(lambda: contents_at(tmp_path)) == (
        "piece missing: got no t-00002-of-00002.gguf, want all 2 pieces. Download what is missing."
    )


def test_a_header_without_tensors_is_refused_a_first_piece_without_any_is_not(tmp_path: Path) -> None:
    vocabulary = written(tmp_path / "vocab.gguf", gguf(KEYS, []))
    assert refusal(lambda: contents_at(vocabulary)) == (
        "no tensors: got vocab.gguf with a header that lists none, want a checkpoint's weights. "
        "Give the file that holds them."
    )
    vocabulary.unlink()
    for number, tensors in enumerate(([], TENSORS), 1):
        written(tmp_path / f"t-{number:05d}-of-00002.gguf", gguf(KEYS, tensors))
    assert contents_at(tmp_path).parameters == 198_912


def test_a_neighbour_that_vanishes_while_the_folder_is_listed_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "t.gguf", gguf(KEYS, TENSORS))
    written(tmp_path / "other.tmp", b"1")
    real = Folder.sizes

    def then_gone(store: Folder) -> dict[str, int]:
        found = real(store)
        (tmp_path / "other.tmp").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Folder, "sizes", then_gone)
    assert contents_at(path).parameters == 198_912


def test_several_quantisations_in_a_folder_are_not_added_up(tmp_path: Path) -> None:
    for name in ("t-Q4_K_M", "t-Q8_0"):
        written(tmp_path / f"{name}.gguf", gguf(KEYS, TENSORS))
    assert refusal(lambda: contents_at(tmp_path)) == (
        f"several models: got t-Q4_K_M.gguf, t-Q8_0.gguf in {tmp_path.name}, want one. Give the path of one file."
    )


def _head(n_tensors: int, n_keys: int, order: str = "<") -> bytes:
    return b"GGUF" + struct.pack(f"{order}IQQ", 3, n_tensors, n_keys)


def _named(name: str, extents: tuple[int, ...], form: int, offset: int = 0, order: str = "<") -> bytes:
    length = struct.pack(f"{order}Q", len(name.encode()))
    fields = struct.pack(f"{order}I{len(extents)}QIQ", len(extents), *extents, form, offset)
    return length + name.encode() + fields


def test_files_in_the_other_order_of_bytes_are_read(tmp_path: Path) -> None:
    """Of machines that write the high byte first: they were refused as of an unknown version."""
    long = struct.pack(">Q", 1) + b"k" + struct.pack(">IIQ", 9, 4, 5000) + bytes(20_000)  # a list that is passed over
    head = _head(2, 1, ">") + long + _named("w", (64, 100), 2, 0, ">") + _named("norm", (64,), 0, 3_616, ">")
    weighed = contents_at(written(tmp_path / "b.gguf", head + bytes(-len(head) % 32) + bytes(3_872))).parts[0].weighed
    assert (weighed.parameters, weighed.n_bytes) == (6_400 + 64, 3_600 + 256)


def test_formats_of_forks_count_by_their_extents(tmp_path: Path) -> None:
    """IQ4_K (139) of a fork, Q4_0_4_4 (31), gone since 2024: 64 rows of 144 bytes, and 16 bytes up to the next."""
    tensors = [("a", (256, 64), 139, 9_216), ("b", (48, 3), 31, 88), ("c", (8,), 0, 32), ("d", (256,), 139, 144)]
    part = contents_at(written(tmp_path / "f.gguf", gguf({"general.architecture": "llama"}, tensors))).parts[0]
    assert part.weighed.parameters == 16_384 + 144 + 8 + 256
    assert [(mix.label, mix.n_bytes) for mix in part.weighed.mixes] == [
        ("number format 139", 9_216 + 160), ("number format 31", 96), ("F32", 32),
    ]  # fmt: skip
    assert part.checkpoint.notes == (
        "bytes of formats that are not known reach to the next tensor: number format 139, number format 31",
    )


def test_an_adapter_says_so(tmp_path: Path) -> None:
    keys = {"general.architecture": "llama", "general.type": "adapter"}
    part = contents_at(
        written(tmp_path / "l.gguf", gguf(keys, [("blk.0.attn_q.weight.lora_a", (256, 8), 0, 8192)]))
    ).parts[0]
    assert part.checkpoint.notes == ("an adapter alone, its base model is not counted",)


HOSTILE = {
    "version 1 in the other order of bytes": (
        b"GGUF" + struct.pack(">III", 1, 0, 0),
        "another GGUF: got version 1 in x.gguf, want 2 or 3. Convert the file again with a newer llama.cpp.",
    ),
    "an importance matrix": (
        gguf({"general.type": "imatrix"}, [("blk.0.attn_q.weight.in_sum2", (256, 1), 0, 1024)]),
        "no model: got an importance matrix in x.gguf, want weights. Give the GGUF of the model itself.",
    ),
    "a control vector": (
        gguf({"general.architecture": "controlvector"}, [("direction.1", (256,), 0, 1024)]),
        "no model: got a control vector in x.gguf, want weights. Give the GGUF of the model itself.",
    ),
    "an endless list of lists": (
        _head(0, 1) + text("k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 200,
        f"corrupt header: got the kind of value 9 in x.gguf, want one of 0 to 12. {AGAIN}",
    ),
    "a shape of 2^62": (
        _head(1, 0) + _named("w", (2**62, 2**62), 0),
        f"truncated or corrupt: got 65 bytes in x.gguf, want {96 + 2**124 * 4}. Download it again.",
    ),
    "100,000 dimensions": (
        _head(1, 0) + text("w") + struct.pack("<I", 100_000),
        f"corrupt header: got 100000 dimensions of 'w' in x.gguf, want at most 4. {AGAIN}",
    ),
    "half a block": (
        _head(1, 0) + _named("w", (48, 2), 2),
        f"corrupt header: got [2, 48] in Q4_0 for 'w' in x.gguf, want rows of whole blocks of 32. {AGAIN}",
    ),
    "an unknown format without room": (
        _head(1, 0) + _named("w", (1024,), 99) + bytes(64),
        f"corrupt header: got number format 99 of 'w' in 57 bytes in x.gguf, want room for 1024 weights. {AGAIN}",
    ),
    "an unknown format of 2^62 weights": (
        _head(2, 0) + _named("w", (2**62,), 99) + _named("v", (32,), 0, 64) + bytes(256),
        f"corrupt header: got number format 99 of 'w' in 64 bytes in x.gguf, want room for {2**62} weights. {AGAIN}",
    ),
    "a name on two lines": (
        _head(1, 0) + _named("w\nERROR", (1,), 0),
        rf"corrupt name: got 'w\nERROR' for a tensor of x.gguf, want letters, digits and signs. {AGAIN}",
    ),
    "a name twice": (
        _head(2, 0) + _named("w", (1,), 0) * 2,
        f"corrupt header: got the tensor 'w' twice in x.gguf, want each once. {AGAIN}",
    ),
    "overlap": (
        _head(2, 0) + _named("v", (8,), 0) + _named("w", (8,), 0, 4) + bytes(100),
        f"corrupt header: got 'w' at byte 4 in x.gguf, want 32 or more, where another tensor ends. {AGAIN}",
    ),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_lying_headers(tmp_path: Path, content: bytes, message: str) -> None:
    path = written(tmp_path / "x.gguf", content)
    assert refusal(lambda: contents_at(path)) == message
