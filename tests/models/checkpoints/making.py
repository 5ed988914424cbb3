"""Makes small checkpoints by hand, byte by byte, so that tests do not depend on the libraries that read them."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

# Bytes of one element; packed formats are stored in whole numbers.
WIDTH: dict[str, float] = {
    "F64": 8,
    "I64": 8,
    "F32": 4,
    "I32": 4,
    "U32": 4,
    "F16": 2,
    "I16": 2,
    "BF16": 2,
    "U8": 1,
    "I8": 1,
    "F8_E4M3": 1,
    "F8_E8M0": 1,
    "F4": 0.5,
}
Given = Mapping[str, tuple[str, tuple[int, ...]]]  # name -> format and extents


def header(tensors: Given) -> tuple[bytes, int]:
    """Return what stands before the values of a safetensors file, and how many bytes of values follow."""
    listed, end = {}, 0
    for name, (dtype, shape) in tensors.items():
        size = int(WIDTH[dtype] * prod(shape))
        listed[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(listed).encode()
    return struct.pack("<Q", len(text)) + text, end


def safetensors(tensors: Given) -> bytes:
    head, n_bytes = header(tensors)
    return head + bytes(n_bytes)


def folder(path: Path, tensors: Given, config: Mapping[str, Any] | None = None, name: str = "model") -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / f"{name}.safetensors").write_bytes(safetensors(tensors))
    if config is not None:
        (path / "config.json").write_text(json.dumps(config))
    return path


# GGUF -----------------------------------------------------------------------------------------------------------------


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(keys: Mapping[str, Any], tensors: list[tuple[str, tuple[int, ...], int, int]], version: int = 3) -> bytes:
    """Return a GGUF file; tensors are name, extents in ggml's order, the number of the format and the bytes."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    head += b"".join(text(key) + _value(value) for key, value in keys.items())
    offset = 0
    for name, extents, form, n_bytes in tensors:
        head += text(name) + struct.pack("<I", len(extents)) + struct.pack(f"<{len(extents)}Q", *extents)
        head += struct.pack("<IQ", form, offset)
        offset += -(-n_bytes // 32) * 32
    return head + bytes(-len(head) % 32) + bytes(offset)


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        strings = bool(value) and isinstance(value[0], str)
        items = b"".join(text(item) if strings else struct.pack("<I", item) for item in value)
        return struct.pack("<IIQ", 9, 8 if strings else 4, len(value)) + items
    return struct.pack("<II", 4, value)


# PyTorch: the instructions that torch.save writes, without PyTorch ----------------------------------------------------


def word(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def whole(value: int) -> bytes:
    return b"J" + struct.pack("<i", value) if value < 2**31 else b"\x8a\x09" + value.to_bytes(9, "little")


def pickled_tensor(
    storage: str, key: str, size: int, shape: tuple[int, ...], offset: int = 0, strides: tuple[int, ...] = ()
) -> bytes:
    """Return the instructions for one tensor of a storage of ``size`` elements."""
    kind = b"ctorch\n" + storage.encode() + b"\n"
    held = b"(" + word("storage") + kind + word(key) + word("cpu") + whole(size) + b"tQ"
    extents = b"(" + b"".join(map(whole, shape)) + b"t"
    steps = b"(" + b"".join(map(whole, strides)) + b"t"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + held + whole(offset) + extents + steps + b"\x89}tR"


def pickled_table(items: Mapping[str, bytes]) -> bytes:
    return b"}(" + b"".join(word(name) + made for name, made in items.items()) + b"u"


def torch_archive(value: bytes, storages: Mapping[str, int]) -> bytes:
    """Return a checkpoint in the ZIP form of torch.save, storages of so many bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02" + value + b".")
        for key, n_bytes in storages.items():
            archive.writestr(f"archive/data/{key}", bytes(n_bytes))
    return made.getvalue()
