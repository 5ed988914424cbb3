"""Reads the headers of safetensors files: every tensor's name, format, shape and bytes, without its values.

A file is 8 bytes of header length (little-endian), a JSON header and the values. The header comes from somebody else,
so nothing in it is believed: lengths, shapes and byte ranges are checked against each other and against the file's
size. Format: huggingface/safetensors, README, "Format".
"""

from itertools import accumulate
from math import prod
from typing import Any, BinaryIO

from sizebook.core.errors import InputError
from sizebook.intake.files import refuse_over
from sizebook.intake.limits import limits
from sizebook.intake.text_formats import json_object
from sizebook.models.checkpoints.kinds import other_kind_refused
from sizebook.models.checkpoints.tensors import Tensor, check_name, extents, formats


def read_safetensors(file: BinaryIO, file_size: int, where: str) -> list[Tensor]:
    """Return the tensors of one file, read from its beginning."""
    length = _header_length(file.read(8), where)
    if 8 + length > file_size:
        raise InputError(
            f"truncated or corrupt: got a header of {length} bytes in {where}, want at most the "
            f"{max(file_size - 8, 0)} that follow. Download the file again."
        )
    content = file.read(length)
    header = json_object(content, f"the header of {where}", "a safetensors header", flat=True)
    header.pop("__metadata__", None)
    refuse_over("tensors", len(header), f"tensors in {where}")
    if b"\\" in content or not content.isascii():  # in other text JSON allows no control character
        for name in header:
            check_name(name, where)
    # To a table of shapes true is 1; decimals were left as words.
    truths = b"true" in content or b"false" in content
    tensors, begins, forms = [], [], _Forms()
    for name, entry in header.items():
        try:
            begin, end = entry["data_offsets"]
            shape = tuple(entry["shape"])
            form, wanted = forms[entry["dtype"], shape]
            fits = end - begin == wanted
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits or (truths and bool in {type(begin), type(end), *map(type, shape)}):
            raise _refusal(name, entry, where)
        tensors.append(Tensor(name, form, shape, n_bytes=wanted))
        begins.append(begin)
    _check_ranges(begins, tensors, file_size - 8 - length, where)
    return tensors


def _header_length(first: bytes, where: str) -> int:
    """Return the length that a file's first 8 bytes state, refusing one that no honest file has."""
    if len(first) < 8:
        raise InputError(f"not safetensors: got {len(first)} bytes in {where}, want at least 8. Download it again.")
    length, most = int.from_bytes(first, "little"), limits().text_bytes
    if length > most:
        raise other_kind_refused(first, where) or InputError(
            f"header too long: got {length} bytes in {where}, want at most {most}. "
            "The file is corrupt or hostile; do not load it."
        )
    return length


class _Forms(dict[tuple[str, tuple[int, ...]], tuple[str, int]]):
    """The name of a tensor's format and its bytes, by code and shape: few differ in a file."""

    def __missing__(self, key: tuple[str, tuple[int, ...]]) -> tuple[str, int]:
        code, shape = key
        stored = formats("safetensors")[code]
        if extents(shape) is None or (n_bytes := stored.n_bytes(prod(shape))) is None:
            raise ValueError
        self[key] = stored.name, n_bytes
        return self[key]


def _refusal(name: str, entry: Any, where: str) -> InputError:
    """Return what is wrong with an entry: its kind, or its bytes against its format and shape."""
    fields = entry if isinstance(entry, dict) else {}
    code, shape, offsets = fields.get("dtype"), extents(fields.get("shape")), extents(fields.get("data_offsets"))
    stored = formats("safetensors").get(code) if isinstance(code, str) else None
    if stored is None or shape is None or offsets is None or len(offsets) != 2:
        return InputError(
            f"corrupt entry: got {entry!r:.120} for '{name}' in {where}, want dtype, shape and two data_offsets. "
            "Download the file again."
        )
    wanted = stored.n_bytes(prod(shape))
    return InputError(
        f"corrupt entry: got {offsets[1] - offsets[0]} bytes for '{name}' in {where}, want "
        f"{'whole bytes' if wanted is None else wanted} for {code} {list(shape)}. Download the file again."
    )


def _check_ranges(begins: list[int], tensors: list[Tensor], available: int, where: str) -> None:
    """Refuse tensors that overlap, leave holes or reach beyond the file."""
    *ends, reached = accumulate((tensor.n_bytes for tensor in tensors), initial=0)
    if begins != ends:  # in another order than the header's, or wrong
        reached = 0
        for begin, n_bytes, name in sorted(
            zip(begins, [t.n_bytes for t in tensors], [t.name for t in tensors], strict=True)
        ):
            if begin != reached:
                raise InputError(
                    f"corrupt offsets: got '{name}' at byte {begin} in {where}, want {reached}, where the tensor "
                    "before it ends. Download the file again."
                )
            reached += n_bytes
    if reached != available:
        raise InputError(
            f"truncated or corrupt: got {available} bytes of values in {where}, want {reached}. Download it again."
        )
