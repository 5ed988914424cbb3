"""Reads the headers of GGUF files: metadata and tensors, block-quantised ones with the bytes of their scales.

Versions 2 and 3, the latter in either order of bytes: magic, version, numbers of tensors and of keys, the keys, then
name, extents, type and offset of every tensor; the values begin at the next multiple of ``general.alignment``. Nothing
is believed: every length is checked against the file before it is used. Extents are those of the weights, whatever
format packs them, so a format that is not known here counts all the same, and its bytes reach to the next tensor.
Format: ggml-org/ggml, docs/gguf.md.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from sizebook.core.errors import InputError
from sizebook.core.texts import text as remark
from sizebook.intake.files import refuse_over
from sizebook.intake.limits import limits
from sizebook.models.checkpoints.tensors import Tensor, check_name, formats

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_EXTENTS = 4  # of ggml
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_KEPT = 4096  # of a list's items: a tokenizer's are passed over
_FEWEST_BITS = 1  # of a weight in a format that is not known here; IQ1_S has 1.56
# What llama.cpp's programs write in this container that holds no weights, by general.type or general.architecture.
_NO_MODELS = {"imatrix": "an importance matrix", "controlvector": "a control vector"}


@dataclass(frozen=True)
class Gguf:
    """What the header of one file says: its keys, the long lists among them left out, and its tensors."""

    metadata: Mapping[str, Any]
    tensors: list[Tensor]
    notes: tuple[str, ...] = ()


def read_gguf(file: BinaryIO, file_size: int, where: str) -> Gguf:
    """Return the keys and tensors of one file, read from its beginning."""
    header = _Header(file, file_size, where)
    if header.take(4) != MAGIC:
        raise InputError(f"not GGUF: got {where} without its first four letters, want a GGUF file. Check the path.")
    version = header.version()
    if version not in _VERSIONS:
        raise InputError(
            f"another GGUF: got version {version} in {where}, want {_VERSIONS[0]} or {_VERSIONS[1]}. "
            "Convert the file again with a newer llama.cpp."
        )
    n_tensors, n_keys = header.number("Q"), header.number("Q")
    refuse_over("tensors", n_tensors, f"tensors in {where}")
    refuse_over("keys", n_keys, f"keys in {where}")
    metadata: dict[str, Any] = {}
    for _ in range(n_keys):
        key = header.text()
        if key in metadata:
            raise header.corrupt(f"the key '{key}' twice", "each once")
        metadata[key] = header.value(header.number("I"))
    _refuse_no_model(metadata, where)
    placed: dict[str, tuple[int, Tensor]] = {}
    for _ in range(n_tensors):
        tensor, offset = _tensor(header)
        if tensor.name in placed:
            raise header.corrupt(f"the tensor '{tensor.name}' twice", "each once")
        placed[tensor.name] = (offset, tensor)
    in_order = sorted(placed.values(), key=lambda each: each[0])
    reach = _check_ranges(header, in_order, metadata.get("general.alignment", 32))
    tensors = [tensor if tensor.n_bytes else reach.get(tensor.name, tensor) for _, tensor in placed.values()]
    return Gguf(metadata, tensors, _notes(metadata, reach))


def _refuse_no_model(metadata: Mapping[str, Any], where: str) -> None:
    for key in ("general.type", "general.architecture"):
        if what := _NO_MODELS.get(str(metadata.get(key))):
            raise InputError(f"no model: got {what} in {where}, want weights. Give the GGUF of the model itself.")


def _notes(metadata: Mapping[str, Any], reach: Mapping[str, Tensor]) -> tuple[str, ...]:
    adapter = metadata.get("general.type") == "adapter"
    unknown = sorted({tensor.dtype for tensor in reach.values()})
    return (
        *((remark("an adapter alone, its base model is not counted"),) if adapter else ()),
        *((_not_known(unknown),) if unknown else ()),
    )


def _not_known(unknown: list[str]) -> str:
    names = ", ".join(unknown)
    return remark("bytes of formats that are not known reach to the next tensor: {names}", names=names)


class _Header:
    """Takes fields off the front of a file, never more than it holds nor than the limit of a header."""

    def __init__(self, file: BinaryIO, file_size: int, where: str) -> None:
        self.file = file
        self.file_size = file_size
        self.where = where
        self.taken = 0
        self.order = "<"

    def version(self) -> int:
        """Return the version, from which the order of bytes shows: it is a small number in one of the two."""
        written = self.take(4)
        found = int.from_bytes(written, "little")
        if found > 0xFFFF:
            self.order, found = ">", int.from_bytes(written, "big")
        return found

    def take(self, length: int) -> bytes:
        self._move(length)
        found = self.file.read(length)
        if len(found) < length:
            raise self.corrupt(f"{len(found)} of {length} bytes", "all of them")
        return found

    def skip(self, length: int) -> None:
        self._move(length)
        self.file.seek(length, 1)

    def _move(self, length: int) -> None:
        self.taken += length
        if self.taken > self.file_size:
            raise self.corrupt(f"a field of {length} bytes", f"at most the {self.file_size} of the file")
        refuse_over("text_bytes", self.taken, f"bytes of header in {self.where}")

    def number(self, kind: str) -> Any:
        kind = self.order + kind
        return struct.unpack(kind, self.take(struct.calcsize(kind)))[0]

    def text(self) -> str:
        length = self.number("Q")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError as error:
            raise self.corrupt("a text that is no UTF-8", "UTF-8") from error

    def value(self, kind: int, depth: int = 0) -> Any:
        """Return a value of a kind; of a long list only its length counts, so None."""
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _TEXT:
            return self.text()
        if kind != _LIST or depth >= limits().depth:
            raise self.corrupt(f"the kind of value {kind}", "one of 0 to 12")
        inner, length = self.number("I"), self.number("Q")
        refuse_over("keys", length, f"items of a list in {self.where}")
        if length <= _KEPT:
            return [self.value(inner, depth + 1) for _ in range(length)]
        if inner in _SCALARS:
            self.skip(length * struct.calcsize(f"<{_SCALARS[inner]}"))
        else:
            for _ in range(length):
                self.skip(self.number("Q")) if inner == _TEXT else self.value(inner, depth + 1)
        return None

    def corrupt(self, got: str, want: str) -> InputError:
        return InputError(f"corrupt header: got {got} in {self.where}, want {want}. Download the file again.")


def _tensor(header: _Header) -> tuple[Tensor, int]:
    """Return a tensor, its extents in PyTorch's order, and its offset behind the header."""
    name, n_extents = header.text(), header.number("I")
    check_name(name, header.where)
    if n_extents > _MOST_EXTENTS:
        raise header.corrupt(f"{n_extents} dimensions of '{name}'", f"at most {_MOST_EXTENTS}")
    shape = tuple(reversed([header.number("Q") for _ in range(n_extents)]))
    code, offset = header.number("I"), header.number("Q")
    stored = formats("gguf").get(str(code))
    if stored is None:  # of a fork, or newer than the table
        return Tensor(name, f"number format {code}", shape, n_bytes=0), offset
    tensor = Tensor(name, stored.name, shape, n_bytes=0)
    n_bytes = stored.n_bytes(tensor.size)
    if n_bytes is None or (stored.block > 1 and shape[-1] % stored.block):
        raise header.corrupt(f"{list(shape)} in {stored.name} for '{name}'", f"rows of whole blocks of {stored.block}")
    return Tensor(name, stored.name, shape, n_bytes=n_bytes), offset


def _check_ranges(header: _Header, placed: list[tuple[int, Tensor]], alignment: Any) -> dict[str, Tensor]:
    """Refuse tensors that overlap or reach beyond the file; return those of formats not known, with their bytes."""
    if type(alignment) is not int or not 1 <= alignment <= 1 << 20:
        raise header.corrupt(f"an alignment of {alignment}", "1 to 1048576")
    begin = -(-header.taken // alignment) * alignment
    reached, unknown = 0, dict[str, Tensor]()
    ends = [*(offset for offset, _ in placed[1:]), header.file_size - begin]
    for (offset, tensor), end in zip(placed, ends, strict=False):
        if offset < reached:
            raise header.corrupt(f"'{tensor.name}' at byte {offset}", f"{reached} or more, where another tensor ends")
        if tensor.size and not tensor.n_bytes:
            tensor = _reaching(header, tensor, end - offset)
            unknown[tensor.name] = tensor
        reached = offset + tensor.n_bytes
    if begin + reached > header.file_size:
        raise InputError(
            f"truncated or corrupt: got {header.file_size} bytes in {header.where}, want {begin + reached}. "
            "Download it again."
        )
    return unknown


def _reaching(header: _Header, tensor: Tensor, n_bytes: int) -> Tensor:
    """Return a tensor of a format that is not known, refusing more weights than its bytes have room for."""
    if n_bytes * 8 < tensor.size * _FEWEST_BITS:
        raise header.corrupt(f"{tensor.dtype} of '{tensor.name}' in {n_bytes} bytes", f"room for {tensor.size} weights")
    return Tensor(tensor.name, tensor.dtype, tensor.shape, n_bytes=n_bytes)
