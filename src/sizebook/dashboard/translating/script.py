"""A program: functions with everything that they call, and tables in place of those that read what a page has not."""

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from typing import Any
from weakref import WeakKeyDictionary

from sizebook.core.errors import InputError, SizebookError
from sizebook.dashboard.translating.statements import (
    base_of,
    class_source,
    fields_of,
    function_source,
    member_source,
    members_of,
)

Tables = Mapping[Callable[..., Any], Sequence[Any]]


class Script:
    """A program under way.

    ``tables`` are functions of one name, such as a model's, and the names that they know: they are not translated but
    worked out for each name, a refusal kept as its message. Functions without arguments are worked out once.
    ``supplied`` are in python.js under their own names; ``classes`` are known even where no table holds one.
    """

    def __init__(
        self, tables: Tables, supplied: Sequence[Callable[..., Any]] = (), classes: Sequence[type[Any]] = ()
    ) -> None:
        self._tables = {inspect.unwrap(python): tuple(names) for python, names in tables.items()}
        self._named: dict[Any, str] = {inspect.unwrap(python): python.__name__ for python in supplied}
        self._sources: dict[str, str] = {}
        self._members: dict[type[Any], dict[str, str]] = {}
        self._constants: dict[int, tuple[str, Any]] = {}
        self._asked: set[str] = set()
        self.data: dict[str, Any] = {}
        for cls in classes:
            self.kind(cls)

    def function(self, python: Callable[..., Any]) -> str:
        """Return the name of a function, translated with all that it calls."""
        raw = inspect.unwrap(python)
        if raw not in self._named:
            name = self._name(raw, raw.__name__)
            if raw in self._tables:
                self.data[name] = {str(key): self.plain(call_result(python, key)) for key in self._tables[raw]}
                self._sources[name] = f'function {name}(key) {{ return tabulated("{name}", key); }}'
            elif not inspect.signature(raw).parameters:
                self.data[name] = self.plain(python())
                self._sources[name] = f'function {name}() {{ return held("{name}"); }}'
            else:
                self._sources[name] = function_source(self, name, raw)
        return self._named[raw]

    def kind(self, cls: type[Any]) -> str:
        """Return the name of a class; every refusal is one in the page."""
        if issubclass(cls, BaseException):
            return "refused"
        if cls not in self._named:
            if base := base_of(cls):
                self.kind(base)
            self._members[cls] = {}
            self._name(cls, cls.__name__)
            fields_of(cls)  # refused here where it is no class of fields
        return self._named[cls]

    def value(self, name: str, value: Any) -> str:
        """Return a constant: as it stands, or the name under which the page's data hold it."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return json.dumps(value)
        if id(value) not in self._constants:
            name = name if name not in self.data else f"{name}_{len(self.data)}"
            self._constants[id(value)] = (name, value)
            self.data[name] = self.plain(value)
        return f'held("{self._constants[id(value)][0]}")'

    def asks(self, name: str) -> None:
        """Note that some class must have an attribute or method of this name."""
        self._asked.add(name)

    def plain(self, value: Any) -> Any:
        """Return a value as JSON holds it; python.js makes it again from that."""
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return int(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, WeakKeyDictionary):
            return {"kind": "weak"}
        if isinstance(value, Mapping):
            return {"kind": "dict", "of": [[self.plain(key), self.plain(each)] for key, each in value.items()]}
        if isinstance(value, (set, frozenset)):
            return {"kind": "set", "of": [self.plain(each) for each in sorted(value)]}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            kind = type(value)
            return {"kind": self.kind(kind), "of": [self.plain(getattr(value, name)) for name in fields_of(kind)]}
        if type(value) in (list, tuple):
            return [self.plain(each) for each in value]
        if isinstance(value, SizebookError):
            return {"kind": "refused", "of": [str(value)]}
        raise InputError(
            f"no JSON for a value: got {type(value).__name__}, want numbers, texts, lists or dataclasses. "
            "Tabulate the function that reads it."
        )

    def source(self) -> str:
        """Return the classes and functions; refuse attributes that no class has."""
        while any(self._one_more_member(cls) for cls in list(self._members)):
            pass
        known = {name for cls in self._members for name in (*fields_of(cls), *members_of(cls))}
        if unknown := sorted(self._asked - known):
            raise InputError(
                f"no JavaScript for an attribute: got {', '.join(unknown)}, want fields and methods of translated "
                "classes. Teach sizebook.dashboard.translating, or write it in another way."
            )
        classes = [class_source(self, self._named[c], c, members=list(m.values())) for c, m in self._members.items()]
        made = ", ".join(self._named[cls] for cls in self._members)
        return "\n".join([*classes, f"Object.assign(KINDS, {{ {made} }});", *self._sources.values()])

    def _one_more_member(self, cls: type[Any]) -> bool:
        """Translate a method that is asked for, if one is missing: it may ask for more."""
        found = self._members[cls]
        name = next((name for name in members_of(cls) if name in self._asked and name not in found), None)
        if name:
            found[name] = ""  # under way, should it call itself
            found[name] = member_source(self, cls, name)
        return name is not None

    def _name(self, what: Any, name: str) -> str:
        """Return a name that nothing else has: its own, with its module's before it, or with a number behind it."""
        taken = set(self._named.values())
        tries = chain((name, f"{what.__module__.rpartition('.')[2]}_{name}"), (f"{name}_{n}" for n in count(2)))
        self._named[what] = next(each for each in tries if each not in taken)
        return self._named[what]


def call_result(python: Callable[..., Any], key: Any) -> Any:
    """Return what a function says of a name, its refusal included."""
    try:
        return python(key)
    except SizebookError as error:
        return error
