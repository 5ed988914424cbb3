"""Reads the headers of safetensors files: every tensor's name, format, shape and bytes, without its values.

A file is 8 bytes of header length (little-endian), a JSON header and the values. The header comes from somebody else,
so nothing in it is believed: lengths, shapes and byte ranges are checked against each other and against the file's
size. Format: huggingface/safetensors, README, "Format".
"""

from __future__ import annotations

from typing import Any, BinaryIO

from sizebook.core.errors import InputError
from sizebook.intake.files import refuse_over
from sizebook.intake.limits import limits
from sizebook.intake.texts import json_object
from sizebook.models.checkpoints.tensors import Format, Tensor, extents, formats


def read_safetensors(file: BinaryIO, file_size: int, where: str) -> list[Tensor]:
    """Return the tensors of one file, read from its beginning."""
    length = _header_length(file.read(8), where)
    if 8 + length > file_size:
        raise InputError(
            f"truncated or corrupt: got a header of {length} bytes in {where}, want at most the "
            f"{max(file_size - 8, 0)} that follow. Download the file again."
        )
    header = json_object(file.read(length), f"the header of {where}", "a safetensors header", flat=True)
    header.pop("__metadata__", None)
    refuse_over("tensors", len(header), f"tensors in {where}")
    tensors, ranges, known = [], [], formats("safetensors")
    for name, entry in header.items():
        tensor, begin = _tensor(name, entry, known, where)
        tensors.append(tensor)
        ranges.append((begin, begin + tensor.n_bytes, name))
    _check_ranges(ranges, file_size - 8 - length, where)
    return tensors


def _header_length(first: bytes, where: str) -> int:
    """Return the length that a file's first 8 bytes state, refusing one that no honest file has."""
    if len(first) < 8:
        raise InputError(f"not safetensors: got {len(first)} bytes in {where}, want at least 8. Download it again.")
    length, most = int.from_bytes(first, "little"), limits().text_bytes
    if length > most:
        raise InputError(
            f"header too long: got {length} bytes in {where}, want at most {most}. "
            "The file is corrupt or hostile; do not load it."
        )
    return length


def _tensor(name: str, entry: Any, known: dict[str, Format], where: str) -> tuple[Tensor, int]:
    """Return a tensor and where its bytes begin, with format, shape and byte range checked against each other."""
    fields = entry if isinstance(entry, dict) else {}
    code, shape, offsets = fields.get("dtype"), extents(fields.get("shape")), extents(fields.get("data_offsets"))
    stored = known.get(code) if isinstance(code, str) else None
    if stored is None or shape is None or offsets is None or len(offsets) != 2:
        raise InputError(
            f"corrupt entry: got {entry!r:.120} for '{name}' in {where}, want dtype, shape and two data_offsets. "
            "Download the file again."
        )
    tensor = Tensor(name, stored.name, shape, n_bytes=offsets[1] - offsets[0])
    wanted = stored.n_bytes(tensor.size)
    if tensor.n_bytes != wanted:
        raise InputError(
            f"corrupt entry: got {tensor.n_bytes} bytes for '{name}' in {where}, want {wanted or 'whole bytes'} "
            f"for {code} {list(shape)}. Download the file again."
        )
    return tensor, offsets[0]


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
