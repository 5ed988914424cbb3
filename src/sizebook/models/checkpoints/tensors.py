"""One stored tensor, and the number formats of the containers that store them (``data/tensor_formats.csv``)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import NamedTuple

from sizebook.core.errors import InputError, shown
from sizebook.core.tables import table

MOST_EXTENTS = 64  # PyTorch's own limit
_MOST = 2**63
BUFFERS = "_buffers"  # within the name of what a pickled module holds beside its parameters


class Tensor(NamedTuple):
    """One stored tensor; a checkpoint has a hundred thousand, and tuples are made fastest."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    n_bytes: int

    @property
    def size(self) -> int:
        """Elements as the header states them; packed formats hold several weights in one."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Format:
    """A number format of a container: ``block`` elements take ``block_bytes``, scales included."""

    name: str
    block: int
    block_bytes: int

    def n_bytes(self, size: int) -> int | None:
        """Return the bytes of so many elements, None where they do not fill whole blocks."""
        return size // self.block * self.block_bytes if size % self.block == 0 else None


@cache
def formats(container: str) -> dict[str, Format]:
    """Return the formats of a container by the code that its headers use."""
    return {
        row["code"]: Format(row["format"], int(row["block"]), int(row["block_bytes"]))
        for row in table("tensor_formats")
        if row["container"] == container
    }


def check_name(name: str, where: str) -> None:
    """Refuse a tensor's name that would not stand on one line."""
    if not name.isprintable():
        raise InputError(
            f"corrupt name: got {shown(name)} for a tensor of {where}, want letters, digits and signs. "
            "Download the file again."
        )


def extents(value: object) -> tuple[int, ...] | None:
    """Return a short list of whole numbers that a file can have room for, None for anything else."""
    if not isinstance(value, (list, tuple)) or len(value) > MOST_EXTENTS:
        return None
    for item in value:
        if type(item) is not int or not 0 <= item < _MOST:
            return None
    return tuple(value)


def file_by_tensor(by_file: Mapping[str, list[Tensor]]) -> dict[str, str]:
    """Return the file of every tensor, refusing a name that stands twice."""
    place: dict[str, str] = {}
    for file, tensors in by_file.items():
        own = dict.fromkeys([tensor.name for tensor in tensors], file)
        if len(own) == len(tensors) and own.keys().isdisjoint(place.keys()):
            place |= own
            continue
        for tensor in tensors:
            if tensor.name in place:
                raise InputError(
                    f"duplicate tensor: got '{tensor.name}' in {place[tensor.name]} and {file}, want it once. "
                    "Remove the file that belongs to another checkpoint."
                )
            place[tensor.name] = file
    return place


def total_bytes(tensors: Iterable[Tensor]) -> int:
    """Return the bytes that the values of some tensors take."""
    return sum(tensor.n_bytes for tensor in tensors)
