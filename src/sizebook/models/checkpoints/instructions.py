"""Follows the instructions of a pickle with plain values: nothing that it names is imported, and nothing is called.

Only the calls that PyTorch writes for tensors (`torch._utils._rebuild_tensor_v2` and the like) mean anything.
"""

import io
import pickletools
from dataclasses import dataclass
from math import prod
from typing import Any

from sizebook.core.errors import InputError
from sizebook.models.checkpoints.overlaps import covered_extent
from sizebook.models.checkpoints.tensors import extents, formats

_REBUILT = {"_rebuild_tensor_v2": 2, "_rebuild_tensor_v3": 2, "_rebuild_tensor": 2}
_WRAPPED = ("_rebuild_parameter", "_rebuild_parameter_with_state")
ARRAY = "_reconstruct"  # of numpy.core.multiarray


@dataclass(frozen=True)
class Name:
    """Something that the pickle would import: its module and name."""

    module: str
    name: str


@dataclass
class Object:
    """Something that the pickle would make by a call that means no dense tensor; its state may hold some.

    ``made_by`` is the call where it makes numbers of another kind: sparse ones, quantised ones, an array of NumPy.
    """

    state: Any = None
    made_by: str = ""


@dataclass(frozen=True)
class Stored:
    """A tensor as the pickle describes it: where its numbers lie, its extents, 1 where it repeats what is stored."""

    code: str
    key: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    storage_size: int

    @property
    def reach(self) -> int:
        """Elements of the storage from the offset to the last one."""
        return max(covered_extent(self.shape, self.strides), prod(self.shape)) if prod(self.shape) else 0


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
        self.stack.append(Name(module, name))

    def do_stack_global(self, _: Any) -> None:
        module, name = self.stack[-2:]
        self.stack[-2:] = [Name(str(module), str(name))]

    def do_reduce(self, _: Any) -> None:
        called, given = self.stack[-2:]
        self.stack[-2:] = [_result(called, given)]

    do_newobj = do_reduce

    def do_newobj_ex(self, _: Any) -> None:
        self.stack[-3:] = [Object()]

    def do_build(self, _: Any) -> None:
        state = self.stack.pop()
        if isinstance(self.stack[-1], Object):
            self.stack[-1].state = state

    def do_binpersid(self, _: Any) -> None:
        self.stack[-1] = ("storage", self.stack[-1])

    def do_pop(self, _: Any) -> None:
        self.stack.pop()

    def do_pop_mark(self, _: Any) -> None:
        self.since_mark()

    def do_dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])


def values_of_pickle(content: io.BytesIO, where: str) -> Any:
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
    if not isinstance(called, Name) or not isinstance(given, tuple):
        return Object()
    if called == Name("collections", "OrderedDict"):
        return {}
    if called.module == "torch._utils" and called.name in _REBUILT:
        return _tensor(called.name, given)
    if called.module == "torch._utils" and called.name in _WRAPPED and given:
        return given[0]
    if called == Name("torch._tensor", "_rebuild_from_type_v2") and len(given) > 2:
        return _result(given[0], given[2])
    numbers = called.module == "torch._utils" and called.name.startswith("_rebuild_")
    return Object(made_by=called.name if numbers or called.name == ARRAY else "")


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
        strides = tuple(prod(shape[at + 1 :]) for at in range(len(shape)))
    once = tuple(extent if stride else 1 for extent, stride in zip(shape, strides, strict=True))
    return Stored(code, str(key), offset, once, strides, size)
