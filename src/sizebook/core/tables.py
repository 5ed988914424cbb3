"""Reads the tables of `data/`: CSV files whose every row names its source and the day it was retrieved.

A planner's own rows stand in files of the same names in a folder of their own. They come before the shipped rows, and
a row of the same key replaces the shipped one, so every reader of a table sees them without knowing of them. A data
pack in that folder stands for the shipped tables that were not read later.
"""

import csv
import io
import os
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from sizebook.core.errors import InputError

DATA = Path(__file__).resolve().parents[1] / "data"
# Tables that take own rows, and the column that names a row. Prices have no such column: each row is one more offer.
OWN_TABLES = {"hardware": "key", "nodes": "gpu", "grid": "key", "engines": "key", "prices": "", "api_prices": ""}
PACK = "pack.zip"
MOST_OWN_BYTES = 20_000_000

Row = dict[str, str]
Record = TypeVar("Record")


def read(path: Path) -> list[Row]:
    """Return the rows of a CSV file, with or without a byte-order mark; lines that start with ``#`` are comments."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return _rows(lines)


def _rows(lines: Iterable[str]) -> list[Row]:
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@cache
def toml_tables(name: str) -> dict[str, Any]:
    """Return the tables of ``data/<name>.toml``, read once."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def table(name: str) -> tuple[Row, ...]:
    """Return the rows of a table, read once: the planner's own first, then the shipped rows that none replaces."""
    own, key = own_rows(name), OWN_TABLES.get(name)
    replaced = {row[key] for row in own} if key else set()
    return (*own, *(row for row in shipped(name) if not key or row[key] not in replaced))


@cache
def shipped(name: str) -> tuple[Row, ...]:
    """Return the rows of ``data/<name>.csv``, or of the data pack that stands for it; read once."""
    packed = in_pack(name)
    return tuple(_rows(io.StringIO(packed.decode("utf-8"), newline="")) if packed else read(DATA / f"{name}.csv"))


@cache
def in_pack(name: str) -> bytes:
    """Return a table as the data pack in use holds it, nothing where the shipped table was read later than that.

    Errors: a damaged pack, and one whose table has other columns than this version's.
    """
    content = _pack().get(name, b"")
    if not content:
        return b""
    packed, rows = _rows(io.StringIO(content.decode("utf-8"), newline="")), read(DATA / f"{name}.csv")
    if packed[0].keys() != rows[0].keys():
        raise InputError(
            f"data pack of another version: got {', '.join(packed[0])} in the table of {name} in "
            f"{user_folder() / PACK}, want {', '.join(rows[0])}. Take another with 'sizebook data use', or delete it."
        )
    return b"" if newest_day(packed) < newest_day(rows) else content


@cache
def _pack() -> dict[str, bytes]:
    """Return the tables of the data pack of the user's folder by name, none where there is no pack."""
    path = user_folder() / PACK
    if not path.is_file():
        return {}
    import zipfile  # only a pack needs it

    try:
        with zipfile.ZipFile(path) as pack:
            return {name: pack.read(f"{name}.csv") for name in OWN_TABLES if f"{name}.csv" in pack.namelist()}
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(
            f"damaged data pack: got {error} in {path}, want a pack. Use 'sizebook data use' again, or delete it."
        ) from error


def newest_day(rows: Iterable[Row]) -> str:
    """Return the newest day on which a row of a table was read, blank for none."""
    return max((row.get("retrieved") or "" for row in rows), default="")


@cache
def own_rows(name: str) -> tuple[Row, ...]:
    """Return the planner's own rows of a table, read once; a column that the file lacks is blank.

    Errors: a file that is too large or no text, and a line with more cells than heads.
    """
    path = user_folder() / f"{name}.csv"
    if name not in OWN_TABLES or not os.path.lexists(path):
        return ()
    if not path.is_file():
        raise InputError(f"no own table: got {path} that is no file, want a table of {name}. Move it away.")
    if (n_bytes := path.stat().st_size) > MOST_OWN_BYTES:
        raise InputError(f"own table too large: got {n_bytes} bytes in {path}, want at most {MOST_OWN_BYTES}. Cut it.")
    try:
        rows = read(path)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"not CSV: got {error} in {path}, want a table of {name}. Save it as CSV in UTF-8.") from error
    blank = dict.fromkeys(shipped(name)[0], "")
    for line, row in enumerate(rows, start=2):
        if None in row:
            raise InputError(
                f"too many cells: got more than {len(row) - 1} in line {line} of {path}, want one for each head. "
                "Put quotes round a cell that holds a comma."
            )
    return tuple({**blank, **{column: (cell or "").strip() for column, cell in row.items()}} for row in rows)


def is_own(name: str, key: str) -> bool:
    """Return whether a row of a table is the planner's own."""
    return any(row[OWN_TABLES[name]] == key for row in own_rows(name))


@cache
def by_key(name: str, key: str) -> dict[str, Row]:
    """Return the rows of ``data/<name>.csv`` by one column whose values are unique."""
    rows = table(name)
    indexed = {row[key]: row for row in rows}
    if len(indexed) != len(rows):
        raise InputError(
            f"repeated {key} in the table of {name}: got {len(rows) - len(indexed)} repeats, want none. "
            f"Keep one row a {key}."
        )
    return indexed


def record(kind: type[Record], row: Row, **beside: Any) -> Record:
    """Return a row as a record whose fields are columns: texts, numbers, flags; None for a blank number.

    ``beside`` are the fields that are no columns. Errors: ValueError for a cell that is no number.
    """
    columns = _columns(kind)  # type: ignore[arg-type]  # classes are hashable
    return kind(**{name: _told(of, row[name]) for name, of in columns.items() if name not in beside}, **beside)


@cache
def _columns(kind: type) -> dict[str, tuple[Any, ...]]:
    """Return the types of a record's fields: what each holds, and None where it may hold nothing."""
    return {name: get_args(hint) or (hint,) for name, hint in get_type_hints(kind).items()}


def _told(of: tuple[Any, ...], cell: str) -> Any:
    if of[0] is bool:
        return cell == "yes"
    return of[0](cell) if cell else "" if of == (str,) else None


def user_folder() -> Path:
    """Return the folder of the user's own tables: ``SIZEBOOK_DATA``, or where the platform keeps settings."""
    if chosen := os.environ.get("SIZEBOOK_DATA"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "sizebook"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "sizebook"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "sizebook"
