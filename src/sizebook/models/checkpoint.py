"""Reads the headers of safetensors files: every tensor's name, format, shape and bytes, without its values.

A file is 8 bytes of header length (little-endian), a JSON header and the values. The header comes from somebody else,
so nothing in it is believed: lengths, shapes and byte ranges are checked against each other and against the file's
size. Format: huggingface/safetensors, README, "Format".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.intake.texts import json_object

# The limit of the format's own reader; a real header of a thousand-shard model stays under 10 MB a file.
LONGEST_HEADER = 100_000_000
BITS = {
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 64),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 16),
    **dict.fromkeys(("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    "F4": 4,
}

_MOST_EXTENTS = 64  # PyTorch's own limit

ReadRange = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Tensor:
    """One stored tensor."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    n_bytes: int

    @property
    def size(self) -> int:
        """Elements as the header states them; packed formats hold several weights in one."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size


def read_checkpoint(path: Path) -> list[Tensor]:
    """Return the tensors of a .safetensors file, or of all such files of a folder.

    Where the folder has an index, its list of files and tensors must agree with the headers.
    """
    files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        raise InputError(
            f"no checkpoint: got {path}, want a .safetensors file or a folder that holds some. Check the path."
        )
    by_file = {file.name: read_file(file) for file in files}
    index = path / "model.safetensors.index.json"
    if path.is_dir() and index.is_file():
        check_index(index.read_bytes(), index.name, by_file)
    return merged(by_file)


def read_file(path: Path) -> list[Tensor]:
    """Return the tensors of one file."""
    with path.open("rb") as file:

        def read(start: int, length: int) -> bytes:
            file.seek(start)
            return file.read(length)

        return read_header(read, path.stat().st_size, path.name)


def read_header(read: ReadRange, file_size: int, where: str) -> list[Tensor]:
    """Return the tensors of one file, given a function that reads ``length`` bytes from ``start``."""
    length = header_length(read(0, 8), where)
    if 8 + length > file_size:
        raise InputError(
            f"truncated or corrupt: got a header of {length} bytes in {where}, want at most the "
            f"{max(file_size - 8, 0)} that follow. Download the file again."
        )
    header = json_object(read(8, length), f"the header of {where}", "a safetensors header")
    header.pop("__metadata__", None)
    tensors, ranges = [], []
    for name, entry in header.items():
        tensor, begin = _tensor(name, entry, where)
        tensors.append(tensor)
        ranges.append((begin, begin + tensor.n_bytes, name))
    _check_ranges(ranges, file_size - 8 - length, where)
    return tensors


def header_length(first: bytes, where: str) -> int:
    """Return the length that a file's first 8 bytes state, refusing one that no honest file has."""
    if len(first) < 8:
        raise InputError(f"not safetensors: got {len(first)} bytes in {where}, want at least 8. Download it again.")
    length = int.from_bytes(first, "little")
    if length > LONGEST_HEADER:
        raise InputError(
            f"header too long: got {length} bytes in {where}, want at most {LONGEST_HEADER}. "
            "The file is corrupt or hostile; do not load it."
        )
    return length


def _tensor(name: str, entry: Any, where: str) -> tuple[Tensor, int]:
    """Return a tensor and where its bytes begin, with format, shape and byte range checked against each other."""
    fields = entry if isinstance(entry, dict) else {}
    dtype, shape, offsets = fields.get("dtype"), _counts(fields.get("shape")), _counts(fields.get("data_offsets"))
    if dtype not in BITS or shape is None or offsets is None or len(offsets) != 2:
        raise InputError(
            f"corrupt entry: got {entry!r:.120} for '{name}' in {where}, want dtype, shape and two data_offsets. "
            "Download the file again."
        )
    tensor = Tensor(name, dtype, shape, offsets[1] - offsets[0])
    if tensor.n_bytes * 8 != tensor.size * BITS[dtype]:
        raise InputError(
            f"corrupt entry: got {tensor.n_bytes} bytes for '{name}' in {where}, want {tensor.size * BITS[dtype] // 8} "
            f"for {dtype} {list(shape)}. Download the file again."
        )
    return tensor, offsets[0]


def _counts(value: Any) -> tuple[int, ...] | None:
    """Return a short list of whole numbers that a file can have room for, None for anything else."""
    if (
        isinstance(value, list)
        and len(value) <= _MOST_EXTENTS
        and all(type(v) is int and 0 <= v < 2**63 for v in value)
    ):
        return tuple(value)
    return None


def _check_ranges(ranges: list[tuple[int, int, str]], available: int, where: str) -> None:
    """Refuse tensors that overlap, leave holes or reach beyond the file."""
    reached = 0
    for begin, end, name in sorted(ranges):
        if begin != reached:
            raise InputError(
                f"corrupt offsets: got '{name}' at byte {begin} in {where}, want {reached}, where the tensor before it "
                "ends. Download the file again."
            )
        reached = end
    if reached != available:
        raise InputError(
            f"truncated or corrupt: got {available} bytes of values in {where}, want {reached}. Download it again."
        )


def check_index(text: bytes, where: str, by_file: dict[str, list[Tensor]]) -> None:
    """Refuse an index whose files or tensors are not what the headers hold."""
    listed = json_object(text, where, "an index of tensors").get("weight_map")
    if not isinstance(listed, dict):
        raise InputError(f"corrupt index: got no 'weight_map' in {where}, want one. Download the file again.")
    found = {tensor.name: file for file, tensors in by_file.items() for tensor in tensors}
    for name, file in listed.items():
        if found.get(name) != file:
            raise InputError(
                f"index and files differ: got '{name}' in {found.get(name, 'no file')}, want it in {file} as {where} "
                "says. Download what is missing."
            )
    if extra := sorted(set(found) - set(listed)):
        raise InputError(
            f"index and files differ: got {len(extra)} tensors that {where} does not list, first '{extra[0]}', "
            "want none. Remove files of another checkpoint from the folder."
        )


def merged(by_file: dict[str, list[Tensor]]) -> list[Tensor]:
    """Return the tensors of several files, refusing a name that two of them hold."""
    place: dict[str, str] = {}
    for file, tensors in by_file.items():
        for tensor in tensors:
            if tensor.name in place:
                raise InputError(
                    f"duplicate tensor: got '{tensor.name}' in {place[tensor.name]} and {file}, want it once. "
                    "Remove the file that belongs to another checkpoint."
                )
            place[tensor.name] = file
    return [tensor for tensors in by_file.values() for tensor in tensors]


def total_bytes(tensors: Iterable[Tensor]) -> int:
    """Return the bytes that the values of some tensors take."""
    return sum(tensor.n_bytes for tensor in tensors)
