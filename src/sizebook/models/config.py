"""Reads the keys of a Hugging Face config.json and remembers which were read.

A key that changes the count and goes unread would make the count wrong in silence, so after a mapping has read what it
understands, `unread_keys` refuses what is left unless its name says that it cannot matter.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.intake.text_formats import read_json
from sizebook.models.refusals import missing_key, missing_section, no_multiple, not_described, spellings_disagree
from sizebook.models.spellings import with_other_spellings
from sizebook.models.type_defaults import section_defaults, type_defaults

MISSING: Any = object()
MOST = 10**10  # no extent of a tensor is larger; a number beyond it is a mistake
MOST_LAYERS = 10**5
# Of these a file may say 0 where the type's default is another number.
_MAY_BE_NONE = r"mtp|nextn|shared|dense|per_layer_input|window|_type_size|type_vocab|offset|index|start|skip"
_REPEATS = r"layers|^n_layer$|^depth$|blocks|group_num|cycles|nextn|mtp"


class Config:
    """The keys of one config.json, or of one of its sections, read by name with their kind checked.

    ``class_values`` are what the class of the type gives to keys that the file leaves out: those of the type that the
    file says, unless the whole knows better what a section is.
    """

    def __init__(self, values: dict[str, Any], where: str, class_values: dict[str, Any] | None = None) -> None:
        self.values = values
        self.where = where
        self.read: set[str] = set()
        self.sections: dict[str, Config] = {}
        self.said_type = values.get("model_type")
        self.class_values = type_defaults(self.said_type) if class_values is None else class_values
        self.assumed: dict[str, Any] = {}  # what the file leaves out: a size, or words on anything else

    def _in_file(self, keys: tuple[str, ...]) -> Any:
        """Return the file's value under the first of several spellings that it has; null is none."""
        values = self.values
        named = values.get("model_type") or self.said_type  # spelt_as, called for every key of a file
        if named.__class__ is str:
            keys = with_other_spellings(named, keys)
        if len(keys) == 1 and (value := values.get(keys[0])) is not None:  # nearly always
            self.read.add(keys[0])
            return value
        self.read.update(keys)
        for key in keys:
            value = values.get(key)
            if value is not None:
                if len(keys) > 1:
                    self.agree(*keys)
                return value
        return MISSING

    def _get(self, keys: tuple[str, ...], default: Any = MISSING) -> Any:
        """Return the file's value, else what the class of the type gives, else the default of the mapping."""
        value = self._in_file(keys)
        return self._left_out(keys, default) if value is MISSING else value

    def _left_out(self, keys: tuple[str, ...], default: Any) -> Any:
        """Return what the class of the type gives to a key that the file leaves out, remembered for a note.

        Null does not leave a key out: it is what the class would read.
        """
        if not self.class_values:
            return default
        spelt = with_other_spellings(self.spelt_as(), keys)
        key = next((key for key in spelt if self.class_values.get(key) is not None), None)
        if key is None or any(name in self.values for name in spelt):
            return default
        value = self.class_values[key]
        if not isinstance(value, bool | str):
            self.assumed[key] = value
        return value

    def spelt_as(self) -> str:
        """Return the type whose spellings hold: the one it is read as, else the file's class gives a section."""
        named = self.values.get("model_type") or self.said_type
        return named if isinstance(named, str) else ""

    def agree(self, *keys: str) -> None:
        """Refuse keys that mean one thing and say different ones; null says nothing."""
        said = [(key, self.values[key]) for key in keys if self.values.get(key) is not None]
        for key, value in said[1:]:
            if value != said[0][1]:
                raise spellings_disagree(said[0], (key, value), self.where)

    def unknown(self, key: str, value: Any, want: str) -> UnknownKeyError:
        """Return the error for a key that is read but whose value is not described."""
        return not_described(key, value, want, where=self.where)

    def _spelling_in_file(self, keys: tuple[str, ...]) -> str:
        """Return the spelling that the file has of a key, the first where it has none."""
        return next(
            (key for key in with_other_spellings(self.spelt_as(), keys) if self.values.get(key) is not None), keys[0]
        )

    def as_written(self, key: str) -> tuple[str, Any]:
        """Return a key that the file has, in the spelling in which it has it, and its value."""
        written = self._spelling_in_file((key,))
        return written, self.values[written]

    def _wrong(self, key: str, value: Any, want: str) -> InputError:
        shown = "nothing" if value is MISSING else repr(value)
        return InputError(f"bad key: got '{key}' = {shown} in {self.where}, want {want}. Correct it.")

    def has(self, key: str) -> bool:
        """Return whether a key is present and not null."""
        keys = with_other_spellings(self.spelt_as(), (key,))
        self.read.update(keys)
        return any(self.values.get(each) is not None for each in keys)

    def integer(self, *keys: str, default: int | None = MISSING) -> int:
        """Return a positive whole number under the first of several spellings of a key."""
        value = self._in_file(keys)
        if value.__class__ is int and 0 < value <= MOST_LAYERS:  # nearly always
            return value
        if value is MISSING:
            size: int = self._left_out(keys, default)
            if size is MISSING:
                raise missing_key(keys[0], self.where)
            return size
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong(self._spelling_in_file(keys), value, "a whole number of 0 or more")
        if value == 0 and default != 0 and not re.search(_MAY_BE_NONE, keys[0]):
            raise self._wrong(self._spelling_in_file(keys), 0, "a whole number of 1 or more")
        if value > MOST_LAYERS and value > (limit := MOST_LAYERS if re.search(_REPEATS, keys[0]) else MOST):
            raise self._wrong(self._spelling_in_file(keys), value, f"a whole number of at most {limit}")
        return value

    def left_out(self) -> list[str]:
        """Return the sizes and sections that the file leaves out and its types' classes give, and where."""
        inner = [text for section in self.sections.values() for text in section.left_out()]
        own = (taken if isinstance(taken, str) else f"'{key}' = {taken}" for key, taken in self.assumed.items())
        return [f"{text} in {self.where}" for text in own] + inner

    def read_as(self, values: dict[str, Any]) -> Config:
        """Return the same place of the file with other keys, or as another type, whose defaults are not the file's."""
        sizes = {key: taken for key, taken in self.assumed.items() if isinstance(taken, int)}
        other = Config({**sizes, **values}, self.where, {})
        other.said_type = None
        return other

    def reads_as(self, model_type: str) -> None:
        """Read this section in the spellings of a type, whatever type it says: its class knows no other's."""
        self.values = {**self.values, "model_type": model_type}
        self.class_values = type_defaults(model_type)

    def size(self, *keys: str) -> int:
        """Return a size that a model may do without, 0 where it is absent or null; an explicit 0 is refused.

        A class that means none by null builds tensors of no extent of a 0, and one that tests for truth takes its
        default: a file cannot say which it had in mind.
        """
        value = self.integer(*keys, default=0)
        if value == 0 and self._in_file(keys) is not MISSING:
            raise self._wrong(self._spelling_in_file(keys), 0, "null for none, or a whole number of 1 or more")
        return value

    def window(self, *keys: str) -> int | None:
        """Return how many past tokens a layer sees, None for all; where the file is silent, what its class has."""
        return self.integer(*keys, default=0) or None

    def number(self, *keys: str, default: float = MISSING) -> float:
        """Return a number, whole or not, under the first of several spellings of a key."""
        value = self._get(keys, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self._wrong(self._spelling_in_file(keys), value, "a number of 0 or more")
        return value

    def flag(self, *keys: str, default: bool = MISSING) -> bool:
        """Return true or false under the first of several spellings of a key."""
        value = self._get(keys, default)
        for key in keys if value is True else ():
            # To the classes that read a flag null is false, which contradicts a default of true.
            if self.values.get(key, MISSING) is None and self._in_file(keys) is MISSING:
                raise self._wrong(key, None, "true or false")
        if not isinstance(value, bool):
            raise self._wrong(self._spelling_in_file(keys), value, "true or false")
        return value

    def text(self, *keys: str, default: str = MISSING) -> str:
        """Return a word under the first of several spellings of a key."""
        value = self._get(keys, default)
        if not isinstance(value, str):
            raise self._wrong(self._spelling_in_file(keys), value, "a word")
        return value

    def integers(self, key: str, default: list[int] = MISSING) -> list[int]:
        """Return a list of whole numbers."""
        value = self._get((key,), default)
        if not isinstance(value, list) or any(isinstance(v, bool) or not isinstance(v, int) or v < 0 for v in value):
            raise self._wrong(key, value, "a list of whole numbers of 0 or more")
        return value

    def side(self, key: str) -> Any:
        """Return the side of a square that may be given as height and width, or what else stands there."""
        value = self._get((key,))
        if isinstance(value, list) and len(value) == 2 and str(value[0]) == str(value[1]):
            return value[0]
        return None if value is MISSING else value

    def per_layer(self, key: str, n_layers: int, default: list[Any] = MISSING) -> list[Any]:
        """Return a list with one entry a layer, or the default; another length is refused."""
        value = self._get((key,), default)
        if not isinstance(value, list) or len(value) != n_layers:
            got = f"{len(value)} entries" if isinstance(value, list) else "nothing" if value is MISSING else repr(value)
            want = f"a list of {n_layers}, one a layer"
            raise InputError(f"bad key: got {got} for '{key}' in {self.where}, want {want}. Correct it.")
        return value

    def pattern(self, key: str, n_layers: int, allowed: tuple[str, ...], default: list[str] = MISSING) -> list[str]:
        """Return the kind of each layer, refusing words that are not known."""
        words = self.per_layer(key, n_layers, default)
        for word in words:
            if word not in allowed:
                raise self._wrong(key, word, f"one of {', '.join(allowed)} for each layer")
        return words

    def section(self, key: str) -> Config:
        """Return a nested object of keys; left out, it is what the class of the type builds, empty if not known."""
        if key not in self.sections:
            built: dict[str, Any] = self.class_values.get(key, {})
            values = self._in_file((key,))
            if values is MISSING:
                values = built
                if built:
                    self.assumed[key] = f"the whole '{key}'"
            if not isinstance(values, dict):
                raise self._wrong(key, values, "an object of keys")
            section = Config(values, f"{self.where}, '{key}'", section_defaults(self.said_type, key, values))
            section.ignore("tie_word_embeddings")  # the top level decides
            section.said_type = section.said_type or built.get("model_type")
            self.sections[key] = section
        return self.sections[key]

    def without(self, key: str) -> None:
        """Take a section as empty: the file keeps its keys elsewhere."""
        self.sections[key] = Config({}, self.where)

    def needs(self, *sections: str) -> None:
        """Refuse a file without these sections, where it is not known what the type's class builds instead."""
        for key in sections:
            if not self.has(key) and key not in self.class_values:
                raise missing_section(key, self.where)

    def says_sections(self) -> None:
        """Refuse a file whose absent sections were taken from its type's class, where its own class may build none."""
        for key in self.assumed:
            if key in self.sections:
                raise missing_section(key, self.where)

    def entries(self, key: str, kind: type, called: str) -> list[Any]:
        """Return a list of entries of one kind, an empty one where the key is absent; ``called`` is the kind's name."""
        value = self._get((key,))
        if value is MISSING:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, kind) for entry in value):
            raise self._wrong(key, value, f"a list of {called}")
        return value

    def class_names(self) -> list[str]:
        """Return the classes named under ``architectures``, none where the key is absent, null or empty."""
        named = self.values.get("architectures")
        if named not in (None, "") and not (isinstance(named, list) and set(map(type, named)) <= {str}):
            raise self._wrong("architectures", named, "a list of names of classes")
        return named or []

    def built_as(self, *names: str) -> None:
        """Refuse a file whose first class is none of those described; of a bare one `as_class` takes the head."""
        named = self.class_names()
        if named and named[0] not in names:
            wanted = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
            raise self.unknown("architectures", named, f"{wanted} first")
        if not named or not named[0].endswith("Model"):
            self.ignore("architectures")

    def only(self, key: str, first: object, *others: object) -> None:
        """Refuse a value of a key that would make another model; an absent key is fine."""
        value = self._in_file((key,))
        if value is not MISSING and value not in (known := (first, *others)):
            raise self.unknown(key, value, " or ".join(repr(word) for word in known))

    def none(self, *keys: str) -> None:
        """Refuse keys that the type has no tensors for, unless they say so themselves by null."""
        for key in keys:
            if (value := self._in_file((key,))) is not MISSING:
                raise self.unknown(key, value, "no such key, or null")

    def ignore(self, *keys: str) -> None:
        """Mark keys as understood and without effect on the count."""
        self.read.update(keys)

    def unread(self) -> list[str]:
        """Return the keys that no mapping read, those of sections behind the section's name."""
        left = [key for key in self.values if key not in self.read]
        return left + [f"{name}.{key}" for name, section in self.sections.items() for key in section.unread()]

    def divides(self, whole: str, n_whole: int, part: str, n_part: int) -> int:
        """Return n_whole / n_part, or refuse a config in which they contradict each other."""
        if n_part == 0 or n_whole % n_part:
            raise no_multiple((whole, n_whole), (part, n_part), self.where)
        return n_whole // n_part


def load(path: Path) -> Config:
    """Return the config of a file, refusing anything but a JSON object whose keys stand once."""
    return Config(read_json(path, "a config.json"), path.name)
