"""Reads the shapes in PyTorch checkpoints (.bin, .pt, .pth, .ckpt) without unpickling: no instruction of a file is run.

A pickle is a program, and loading one runs whatever it names. Here its instructions are walked with `pickletools` and
followed on a stack of plain values: what it names stays a name, and only the calls that PyTorch writes for tensors
(`torch._utils._rebuild_tensor_v2` and the like) mean anything. Since 1.6 a checkpoint is a ZIP archive with the pickle
in ``*/data.pkl`` and each storage in ``*/data/KEY``; before, several pickles follow each other.
"""

import io
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any, BinaryIO

from sizebook.core.errors import InputError
from sizebook.intake.archives import DAMAGED
from sizebook.intake.files import refuse_over
from sizebook.intake.limits import limits
from sizebook.models.checkpoints.instructions import ARRAY, Object, Stored, values_of_pickle
from sizebook.models.checkpoints.overlaps import MOST_PIECES, Covered, pieces
from sizebook.models.checkpoints.tensors import BUFFERS, Format, Tensor, check_name, formats

LEGACY = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
_WORDS = ("_modules", "_parameters")  # of a pickled module: not part of a tensor's name


@dataclass
class Pickled:
    """The tensors of a checkpoint, each number once; names that share others' numbers, and of arrays.

    ``packing`` is what modules say of it: their keys and values, of those that state a ``group_size``.
    """

    tensors: list[Tensor] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    packing: dict[str, dict[str, Any]] = field(default_factory=dict)


def read_archive(file: BinaryIO, where: str) -> Pickled:
    """Return the tensors of a checkpoint that is a ZIP archive."""
    try:
        with zipfile.ZipFile(file) as found:
            refuse_over("tensors", len(found.infolist()), f"parts in {where}")
            sizes = {info.filename: info.file_size for info in found.infolist()}
            pickles = [name for name in sizes if name == "data.pkl" or name.endswith("/data.pkl")]
            if len(pickles) != 1:
                raise InputError(
                    f"no checkpoint: got a ZIP archive {where} with {len(pickles)} parts data.pkl, want what "
                    "torch.save writes. Check the file."
                )
            refuse_over("pickle_bytes", sizes[pickles[0]], f"bytes of {pickles[0]} in {where}")
            content = found.read(pickles[0])
    except DAMAGED as error:
        raise InputError(
            f"damaged archive: got {error!s:.120} in {where}, want a checkpoint of torch.save. Download it again."
        ) from error
    folder = pickles[0].removesuffix("data.pkl")
    value = values_of_pickle(io.BytesIO(content), where)
    return _collected(value, where, {name.removeprefix(f"{folder}data/"): size for name, size in sizes.items()})


def read_legacy(file: BinaryIO, where: str) -> Pickled:
    """Return the tensors of a checkpoint older than PyTorch 1.6: the fourth pickle of the file describes them."""
    content = io.BytesIO(file.read(limits().pickle_bytes))
    for _ in range(3):  # magic number, version, byte order
        values_of_pickle(content, where)
    return _collected(values_of_pickle(content, where), where, None)


def _collected(value: Any, where: str, sizes: dict[str, int] | None) -> Pickled:
    found, covered = Pickled(), defaultdict[str, Covered](Covered)
    for name, stored in _named(value, where, found.packing):
        check_name(name, where)
        if isinstance(stored, Object):
            found.arrays.append(_array_name(name, stored, where))
            continue
        form = _form(name, stored, where)
        if sizes is not None:
            _refuse_cut_off(name, sizes.get(stored.key, -1), stored.storage_size * form.block_bytes, where)
        _refuse_beyond(name, stored, where)
        size, fresh = prod(stored.shape), _fresh(name, stored, form, covered[stored.key], where)
        if fresh < size:
            found.shared.append(name)
        if fresh or not size:
            shape = stored.shape if fresh == size else (fresh,)
            found.tensors.append(Tensor(name, form.name, shape, n_bytes=fresh * form.block_bytes))
        refuse_over("tensors", len(found.tensors) + len(found.shared), f"tensors in {where}")
    if not found.tensors:
        raise InputError(f"no tensors: got {where} without one, want a checkpoint of torch.save. Check the file.")
    return found


def _form(name: str, stored: Stored, where: str) -> Format:
    form = formats("pytorch").get(stored.code)
    if form is None:
        raise InputError(
            f"number format not known: got {stored.code} for '{name}' in {where}, want one of "
            "data/tensor_formats.csv. Save the checkpoint in another format."
        )
    return form


def _refuse_cut_off(name: str, got: int, held: int, where: str) -> None:
    """Refuse a storage of more bytes than the archive keeps of it."""
    if got < held:
        raise InputError(
            f"truncated or corrupt: got {'no' if got < 0 else got} bytes for '{name}' in {where}, want {held}. "
            "Download the file again."
        )


def _refuse_beyond(name: str, stored: Stored, where: str) -> None:
    """Refuse a tensor that ends behind its storage."""
    if stored.offset + stored.reach > stored.storage_size:
        raise InputError(
            f"corrupt entry: got {list(stored.shape)} for '{name}' in {where}, want at most the "
            f"{stored.storage_size} elements of its storage. Download the file again."
        )


def _fresh(name: str, stored: Stored, form: Format, covered: Covered, where: str) -> int:
    """Return how many numbers of a tensor no other before it has."""
    if not prod(stored.shape):
        return 0
    found = pieces(stored.offset, stored.shape, stored.strides)
    if found is None:
        raise InputError(
            f"tensor not described: got '{name}' in {where} in more than {MOST_PIECES} pieces of its storage, want it "
            "in one. Save the weights as dense tensors, or in safetensors."
        )
    width = form.block_bytes
    return sum(covered.add((start * width, end * width)) for start, end in found) // width


def _array_name(name: str, made: Object, where: str) -> str:
    """Return the name of an array; refuse what is a tensor and does not lie in a storage number by number."""
    if made.made_by != ARRAY:
        raise InputError(
            f"tensor not described: got one made by {made.made_by} for '{name}' in {where}, want dense tensors. Save "
            "the weights as such, or in safetensors."
        )
    return name


def _named(value: Any, where: str, packing: dict[str, dict[str, Any]]) -> Iterator[tuple[str, Stored | Object]]:
    """Yield the tensors and arrays in nested tables and lists by dotted name; each container is entered once.

    What a table states of packing is put into ``packing``.
    """
    left: list[tuple[str, Any, int]] = [("", value, 0)]
    entered: set[int] = set()
    while left:
        name, each, depth = left.pop()
        if isinstance(each, Stored) or (isinstance(each, Object) and each.made_by):
            yield name or "tensor", each
            continue
        each = each.state if isinstance(each, Object) else each
        if not isinstance(each, (dict, list, tuple)) or id(each) in entered:
            continue
        entered.add(id(each))
        if depth >= limits().depth:
            raise InputError(f"nested too deep: got more than {depth} levels in {where}, want a checkpoint. Check it.")
        if isinstance(each, dict) and "group_size" in each:
            packing[name] = each
        items = each.items() if isinstance(each, dict) else enumerate(each)
        inner = [(_inner_name(name, key, each), item, depth + 1) for key, item in items]
        left.extend(reversed(inner))


def _inner_name(name: str, key: str | int, holder: Any) -> str:
    """Return the name of what a container holds; `BUFFERS` is in that of a module's tensors that are no parameters."""
    if key in _WORDS:
        return name
    aside = isinstance(holder, dict) and "_parameters" in holder and key != BUFFERS
    return f"{name}.{BUFFERS}.{key}".lstrip(".") if aside else f"{name}.{key}".lstrip(".")
