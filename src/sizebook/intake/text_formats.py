"""JSON, TOML and CSV from outside, parsed in time and memory that grow with their size alone.

Refused are keys that stand twice (one of them would be lost), nesting and numbers beyond the limits, text that is no
text. Python's own parsers do the parsing.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.intake.files import decoded, read_bytes, read_text, refuse_over, repeated
from sizebook.intake.limits import limits, raised

_SURROGATE = r"\\u[dD][89a-fA-F]"
_FLAT = 2  # levels of objects: the file, and in it one for each key
_AGAIN = "Correct the file, or download it again."


def read_json(path: Path, wanted: str) -> dict[str, Any]:
    """Return the object that a JSON file holds."""
    return json_object(read_bytes(path, wanted), str(path), wanted)


def json_object(content: bytes, where: str, wanted: str, *, flat: bool = False) -> dict[str, Any]:
    """Return the object that JSON text holds, every key once, within the limits.

    ``flat`` leaves depth and digits to a caller that checks every value itself, and decimals as the words they were
    written in. Errors: `InputError` that names ``where``; ``wanted`` says what was expected there.
    """
    refuse_over("text_bytes", len(content), f"bytes in {where}")
    text = decoded(content, where, wanted)
    numbers, keys = None if flat else _whole_numbers(text, where), _keys_written(text)
    # A hook that sees every object takes longer than the parsing: it looks only where keys may stand twice.
    pairs = _Pairs(where).unique if keys is None or keys > limits().keys else None
    parse: Any = partial(json.loads, text, parse_int=numbers, parse_float=str if flat else None)
    try:
        value = parse(object_pairs_hook=pairs)
        if pairs is None and keys != _keys_held(value, _FLAT if flat else None):
            value = parse(object_pairs_hook=_Pairs(where).unique)
    except RecursionError as error:
        raise too_deep(where) from error
    except ValueError as error:
        refuse_long_numbers(text, where)  # Python's own words on digits are no help to a reader
        raise InputError(f"not JSON: got {error} in {where}, want {wanted}. {_AGAIN}") from error
    if not isinstance(value, dict):
        raise InputError(f"not an object: got a {type(value).__name__} in {where}, want {wanted}. {_AGAIN}")
    if not flat:
        _refuse_deep(value, where)
    if "\\u" in text and re.search(_SURROGATE, text):
        _refuse_half_characters(value, where)
    return value


def toml_table(path: Path, wanted: str) -> dict[str, Any]:
    """Return the keys of a TOML file, or say what is wrong with it and where."""
    from tomllib import loads  # a count reads JSON alone

    text = read_text(path, wanted, "scenario_bytes")
    refuse_long_numbers(text, path.name)
    # A key of n parts takes the parser n^2 steps.
    if re.search(rf"(?m)^[\s\[]*(?:[\w\"'-]+[ \t]*\.[ \t]*){{{limits().depth}}}", text):
        raise too_deep(path.name)
    try:
        value = loads(text)
    except RecursionError as error:
        raise too_deep(path.name) from error
    except ValueError as error:
        raise InputError(f"not TOML: got {error} in {path.name}, want key = value lines. Correct that line.") from error
    _refuse_deep(value, path.name)
    return value


def csv_rows(path: Path, wanted: str, comments: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file by its heads, None for a cell that is missing at the end of a line.

    Two columns of one name and cells beyond the heads are refused: they would be lost. With ``comments``, lines that
    start with ``#`` are left out.
    """
    yield from text_rows(read_text(path, wanted), path, wanted, comments=comments)


def text_rows(
    text: str, path: Path, wanted: str, *, separator: str = ",", comments: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the text of a CSV file, refused as by `csv_rows`."""
    lines: Any = io.StringIO(text, newline="")
    reader = csv.DictReader(
        (line for line in lines if not line.startswith("#")) if comments else lines, delimiter=separator
    )
    try:
        refuse_repeated(list(reader.fieldnames or ()), path)
        for row in reader:
            if None in row:
                sign = {",": "comma", ";": "semicolon", "\t": "tab"}[separator]
                raise InputError(
                    f"too many cells: got {len(row) - 1 + len(row[None])} in line {reader.line_num} of {path.name}, "
                    f"want {len(row) - 1}, one for each head. Put quotes round a cell that holds a {sign}, and write "
                    "numbers without separators."
                )
            yield dict(row)
    except csv.Error as error:
        raise InputError(
            f"not CSV: got {error} after line {reader.line_num} of {path.name}, want {wanted}. Mend that line."
        ) from error


def refuse_repeated(columns: Sequence[str], path: Path) -> None:
    """Raise where two columns of a table share a name: only one of them could be read."""
    if twice := sorted(repeated(filter(None, columns))):
        raise InputError(
            f"column given twice: got {', '.join(twice)} more than once in {path.name}, want each name once. "
            "Remove or rename one."
        )


class _Pairs:
    """Makes objects of JSON pairs, counts the keys, and refuses one that stands twice."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.left = limits().keys

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        self.left -= len(pairs)
        if self.left < 0:
            raise InputError(
                f"too many keys: got more than {limits().keys} in {self.where}, want at most that. {raised('keys')}"
            )
        if len(found) != len(pairs):
            twice = repeated(name for name, _ in pairs)
            raise InputError(f"duplicate key: got '{twice[0]}' twice in {self.where}, want each once. {_AGAIN}")
        return found


def _keys_written(text: str) -> int | None:
    """Return at least as many as the keys that stand in JSON text; None where a space before a colon hides some.

    A string that holds an escaped quote before a colon counts too, so a text whose objects hold as many has none twice.
    """
    keys = text.count('":')
    hidden = keys != text.count(":") and any(f"{space}:" in text for space in " \t\r\n")
    return None if hidden else keys


def _keys_held(value: Any, deepest: int | None) -> int:
    """Return the keys of an object and of the objects within it, down to a level."""
    return sum(len(each) for level in islice(_levels(value), deepest) for each in level if type(each) is dict)


def _levels(value: Any) -> Iterator[list[Any]]:
    """Yield the lists and objects of JSON: the outermost, those within it, those within them."""
    level = [value] if isinstance(value, (dict, list)) else []
    while level:
        yield level
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]


def refuse_long_numbers(text: str, where: str) -> None:
    """Raise where a run of digits is longer than the limit, wherever it stands."""
    if long := _long_number(text):
        _whole_number(long, where)


def _whole_numbers(text: str, where: str) -> Callable[[str], int] | None:
    """Return a reader of whole numbers that refuses long ones; None where the text holds none, for speed."""
    return (lambda word: _whole_number(word, where)) if _long_number(text) else None


def _whole_number(word: str, where: str) -> int:
    digits, most = len(word.lstrip("-")), limits().digits
    if digits > most:
        raise InputError(f"number too long: got {digits} digits in {where}, want at most {most}. Correct it.")
    return int(word)


def _long_number(text: str) -> str:
    """Return the first run of more digits than the limit, empty where there is none."""
    most = limits().digits
    # A run that is too long shows in eight samples that follow each other; the whole text is looked through then alone.
    step = (most + 1) // 8 or 1
    sampled = step == 1 or re.search("[0-9_]{8}", text[::step])
    long = re.search(rf"[0-9_]{{{most + 1},}}", text) if sampled else None
    return long[0] if long else ""


def _refuse_deep(value: Any, where: str) -> None:
    """Raise where containers lie deeper within each other than the limit, walked level by level."""
    if next(islice(_levels(value), limits().depth, None), None):
        raise too_deep(where)


def too_deep(where: str) -> InputError:
    """Return the refusal of what holds more containers within each other than the limit."""
    most = limits().depth
    return InputError(
        f"nested too deep: got more than {most} levels in {where}, want at most {most}. {raised('depth')}"
    )


def _refuse_half_characters(value: Any, where: str) -> None:
    """Raise where an escape names half a character, which nothing could print or write."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"not text: got {error.reason} in {where}, want whole characters. {_AGAIN}") from error
