"""Reads the shapes in PyTorch checkpoints (.bin, .pt, .pth, .ckpt) without unpickling: no instruction of a file is run.

A pickle is a program, and loading one runs whatever it names. Here its instructions are walked with `pickletools` and
followed on a stack of plain values: what it names stays a name, and only the calls that PyTorch writes for tensors
(`torch._utils._rebuild_tensor_v2` and the like) mean anything. Since 1.6 a checkpoint is a ZIP archive with the pickle
in ``*/data.pkl`` and each storage in ``*/data/KEY``; before, several pickles follow each other.
"""

from __future__ import annotations

import io
import pickletools
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any, BinaryIO

from sizebook.core.errors import InputError
from sizebook.intake.archives import DAMAGED
from sizebook.intake.files import refuse_over
from sizebook.intake.limits import limits
from sizebook.models.checkpoints.tensors import Tensor, check_name, extents, formats

LEGACY = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
_REBUILT = {"_rebuild_tensor_v2": 2, "_rebuild_tensor_v3": 2, "_rebuild_tensor": 2}
_WRAPPED = ("_rebuild_parameter", "_rebuild_parameter_with_state")
_ARRAY = "_reconstruct"  # of numpy.core.multiarray
_WORDS = ("_modules", "_parameters", "_buffers")  # of a pickled module: not part of a tensor's name


@dataclass(frozen=True)
class _Name:
    """Something that the pickle would import: its module and name."""

    module: str
    name: str


@dataclass
class _Object:
    """Something that the pickle would make by a call that means no dense tensor; its state may hold some.

    ``made_by`` is the call where it makes numbers of another kind: sparse ones, quantised ones, an array of NumPy.
    """

    state: Any = None
    made_by: str = ""


@dataclass(frozen=True)
class _Stored:
    """A tensor as the pickle describes it: where its numbers lie, its extents, 1 where it repeats what is stored."""

    code: str
    key: str
    offset: int
    shape: tuple[int, ...]
    storage_size: int
    reach: int  # elements of the storage from the offset to the last one


@dataclass
class Pickled:
    """The tensors of a checkpoint, each storage region once; names that share another's numbers, and of arrays."""

    tensors: list[Tensor] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)


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
    value = _followed(io.BytesIO(content), where)
    return _collected(value, where, {name.removeprefix(f"{folder}data/"): size for name, size in sizes.items()})


def read_legacy(file: BinaryIO, where: str) -> Pickled:
    """Return the tensors of a checkpoint older than PyTorch 1.6: the fourth pickle of the file describes them."""
    content = io.BytesIO(file.read(limits().pickle_bytes))
    for _ in range(3):  # magic number, version, byte order
        _followed(content, where)
    return _collected(_followed(content, where), where, None)


def _collected(value: Any, where: str, sizes: dict[str, int] | None) -> Pickled:
    found, seen = Pickled(), set()
    for name, stored in _named(value, where):
        check_name(name, where)
        if isinstance(stored, _Object):
            found.arrays.append(_array_name(name, stored, where))
            continue
        form = formats("pytorch").get(stored.code)
        if form is None:
            raise InputError(
                f"number format not known: got {stored.code} for '{name}' in {where}, want one of "
                "data/tensor_formats.csv. Save the checkpoint in another format."
            )
        tensor = Tensor(name, form.name, stored.shape, n_bytes=0)
        n_bytes = tensor.size * form.block_bytes
        held = stored.storage_size * form.block_bytes
        if sizes is not None and sizes.get(stored.key, -1) < held:
            raise InputError(
                f"truncated or corrupt: got {sizes.get(stored.key, 'no')} bytes for '{name}' in {where}, want {held}. "
                "Download the file again."
            )
        if stored.offset + stored.reach > stored.storage_size:
            raise InputError(
                f"corrupt entry: got {list(stored.shape)} for '{name}' in {where}, want at most the "
                f"{stored.storage_size} elements of its storage. Download the file again."
            )
        region = (stored.key, stored.offset, stored.reach)
        if region in seen and tensor.size:
            found.shared.append(name)
        else:
            seen.add(region)
            found.tensors.append(Tensor(name, form.name, stored.shape, n_bytes=n_bytes))
        refuse_over("tensors", len(found.tensors) + len(found.shared), f"tensors in {where}")
    if not found.tensors:
        raise InputError(f"no tensors: got {where} without one, want a checkpoint of torch.save. Check the file.")
    return found


def _array_name(name: str, made: _Object, where: str) -> str:
    """Return the name of an array; refuse what is a tensor and does not lie in a storage number by number."""
    if made.made_by != _ARRAY:
        raise InputError(
            f"tensor not described: got one made by {made.made_by} for '{name}' in {where}, want dense tensors. Save "
            "the weights as such, or in safetensors."
        )
    return name


def _named(value: Any, where: str) -> Iterator[tuple[str, _Stored | _Object]]:
    """Yield the tensors and arrays in nested tables and lists by dotted name; each container is entered once."""
    left: list[tuple[str, Any, int]] = [("", value, 0)]
    entered: set[int] = set()
    while left:
        name, each, depth = left.pop()
        if isinstance(each, _Stored) or (isinstance(each, _Object) and each.made_by):
            yield name or "tensor", each
            continue
        each = each.state if isinstance(each, _Object) else each
        if not isinstance(each, (dict, list, tuple)) or id(each) in entered:
            continue
        entered.add(id(each))
        if depth >= limits().depth:
            raise InputError(f"nested too deep: got more than {depth} levels in {where}, want a checkpoint. Check it.")
        items = each.items() if isinstance(each, dict) else enumerate(each)
        inner = [(name if key in _WORDS else f"{name}.{key}".lstrip("."), item, depth + 1) for key, item in items]
        left.extend(reversed(inner))


# Instructions of a pickle ---------------------------------------------------------------------------------------------

_WITH_VALUES = """
INT BININT BININT1 BININT2 LONG LONG1 LONG4 STRING BINSTRING SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8
BYTEARRAY8 UNICODE SHORT_BINUNICODE BINUNICODE BINUNICODE8 FLOAT BINFLOAT
"""
_VALUES = frozenset(_WITH_VALUES.split())
_CONSTANTS: dict[str, Any] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_NOTHING = frozenset({"PROTO", "FRAME"})
_MADE = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_SET": list}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_PUTS, _GETS = frozenset({"PUT", "BINPUT", "LONG_BINPUT"}), frozenset({"GET", "BINGET", "LONG_BINGET"})


class _Machine:
    """Follows the instructions of one pickle on plain values; nothing is imported and nothing is called."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def since_mark(self) -> list[Any]:
        at = self.marks.pop()
        items, self.stack[at:] = self.stack[at:], []
        return items

    def step(self, name: str, argument: Any) -> None:
        stack = self.stack
        if name in _VALUES:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _MADE:
            stack.append(_MADE[name]())
        elif name in _PUTS:
            self.memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            self.memo[len(self.memo)] = stack[-1]
        elif name in _GETS:
            stack.append(self.memo[argument])
        elif name == "MARK":
            self.marks.append(len(stack))
        elif name in _TUPLES:
            stack[-_TUPLES[name] :] = [tuple(stack[-_TUPLES[name] :])]
        elif name not in _NOTHING:
            getattr(self, f"do_{name.lower()}")(argument)

    def do_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self.since_mark()))

    def do_list(self, _: Any) -> None:
        self.stack.append(self.since_mark())

    def do_dict(self, _: Any) -> None:
        items = self.since_mark()
        self.stack.append({})
        self._set(items)

    def do_append(self, _: Any) -> None:
        item = self.stack.pop()
        self._extend([item])

    def do_appends(self, _: Any) -> None:
        self._extend(self.since_mark())

    do_additems = do_appends

    def do_setitem(self, _: Any) -> None:
        items, self.stack[-2:] = self.stack[-2:], []
        self._set(items)

    def do_setitems(self, _: Any) -> None:
        self._set(self.since_mark())

    def _extend(self, items: list[Any]) -> None:
        if isinstance(self.stack[-1], list):
            self.stack[-1].extend(items)

    def _set(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if isinstance(target, dict):
            target.update((k, v) for k, v in zip(items[::2], items[1::2], strict=True) if isinstance(k, (str, int)))

    def do_global(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self.stack.append(_Name(module, name))

    def do_stack_global(self, _: Any) -> None:
        module, name = self.stack[-2:]
        self.stack[-2:] = [_Name(str(module), str(name))]

    def do_reduce(self, _: Any) -> None:
        called, given = self.stack[-2:]
        self.stack[-2:] = [_result(called, given)]

    do_newobj = do_reduce

    def do_newobj_ex(self, _: Any) -> None:
        self.stack[-3:] = [_Object()]

    def do_build(self, _: Any) -> None:
        state = self.stack.pop()
        if isinstance(self.stack[-1], _Object):
            self.stack[-1].state = state

    def do_binpersid(self, _: Any) -> None:
        self.stack[-1] = ("storage", self.stack[-1])

    def do_pop(self, _: Any) -> None:
        self.stack.pop()

    def do_pop_mark(self, _: Any) -> None:
        self.since_mark()

    def do_dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])


def _followed(content: io.BytesIO, where: str) -> Any:
    """Return what one pickle would make, as plain values; the reading position is then behind it."""
    machine = _Machine()
    try:
        for instruction, argument, _ in pickletools.genops(content):
            if instruction.name == "STOP":
                return machine.stack[-1]
            machine.step(instruction.name, argument)
    except (ValueError, IndexError, KeyError, AttributeError, TypeError, OverflowError, MemoryError) as error:
        said = str(error).partition(";")[0] or type(error).__name__
        raise InputError(
            f"not a checkpoint: got {said} in the pickle of {where}, want what torch.save writes. "
            "Download the file again; do not load it."
        ) from error
    raise InputError(f"truncated: got a pickle without an end in {where}, want a whole one. Download the file again.")


def _result(called: Any, given: Any) -> Any:
    """Return what a call would make: a tensor for PyTorch's own, a table for an ordered one, else an unknown object."""
    if not isinstance(called, _Name) or not isinstance(given, tuple):
        return _Object()
    if called == _Name("collections", "OrderedDict"):
        return {}
    if called.module == "torch._utils" and called.name in _REBUILT:
        return _tensor(called.name, given)
    if called.module == "torch._utils" and called.name in _WRAPPED and given:
        return given[0]
    if called == _Name("torch._tensor", "_rebuild_from_type_v2") and len(given) > 2:
        return _result(given[0], given[2])
    numbers = called.module == "torch._utils" and called.name.startswith("_rebuild_")
    return _Object(made_by=called.name if numbers or called.name == _ARRAY else "")


def _tensor(how: str, given: tuple[Any, ...]) -> Any:
    """Return a tensor from the arguments of its call: storage, offset, extents, strides and so on."""
    pinned, offset, shape = given[0], given[1], extents(given[2])
    kind, named, key, _, size = pinned[1][:5]
    if kind != "storage" or pinned[0] != "storage" or shape is None or extents((offset, size)) is None:
        raise ValueError("a tensor without storage or extents")
    code = named.name
    if how == "_rebuild_tensor_v3":  # its storage counts bytes, the format is an argument of its own
        code = given[6].name
        form = formats("pytorch").get(code)
        size = size // form.block_bytes if form else size
    strides = extents(given[3]) or ()
    if len(strides) != len(shape) or not all(shape):
        return _Stored(code, str(key), offset, shape, size, prod(shape))
    once = tuple(extent if stride else 1 for extent, stride in zip(shape, strides, strict=True))
    reach = 1 + sum((extent - 1) * stride for extent, stride in zip(once, strides, strict=True))
    return _Stored(code, str(key), offset, once, size, max(reach, prod(once)))
