"""The record in every output file: what it was made from, so that `sizebook inspect` can compare it with today.

Version, scenario, the files that it names, the tables of data with their newest day, the sources of the formulas and
all figures. No time and no path of a machine, so that equal scenarios give equal bytes.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.core.domain_archive import domain_files
from sizebook.core.errors import InputError
from sizebook.core.tables import OWN_TABLES, PACK, in_pack, newest_day, shipped, user_folder
from sizebook.intake.allowed_files import located
from sizebook.scenarios.presentation import files_of

_LARGE_BYTES = 10_000_000
_DATA = "sizebook/data/"


def record(values: Mapping[str, Any], folder: Path, as_of: date) -> dict[str, Any]:
    """Return the record of a scenario without its figures; files that it names lie beside ``folder``."""
    made_of = {"scenario": json_values(values), "as_of": as_of.isoformat(), "inputs": input_hashes(values, folder)}
    return {
        "sizebook": __version__,
        **made_of,
        "hash": _hash(json.dumps(made_of, sort_keys=True).encode()),
        "data": data_hashes(),
        "formulas": formulas_hash(),
    }


def batch_record(n_scenarios: int) -> dict[str, Any]:
    """Return the record of what shows a whole batch: each scenario has its own in its files."""
    return {"batch": n_scenarios, **data_record()}


def data_record() -> dict[str, Any]:
    """Return what every record has: the version, the tables of data, the sources of the formulas."""
    return {"sizebook": __version__, "data": data_hashes(), "formulas": formulas_hash()}


def installation() -> dict[str, str]:
    """Return what two processes must have in common for the same scenario to give the same figures."""
    tables = json.dumps(data_hashes(), sort_keys=True).encode()
    return {"version": __version__, "formulas": formulas_hash(), "data": _hash(tables)}


def json_values(value: Any) -> Any:
    """Return values as JSON holds them: days as texts, those of spreadsheets too, which have a time."""
    if isinstance(value, Mapping):
        return {str(key): json_values(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(inner) for inner in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value.date() if isinstance(value, datetime) else value)


def input_hashes(values: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return a hash of each file that a scenario names, own table and data pack; of large ones how large they are."""
    found = {
        name: file_hash(folder / name) for name in sorted({*text_values(values), *files_of(values, folder)} - {"", "."})
    }
    own = user_folder()
    found |= {own_name(name): file_hash(own / f"{name}.csv") for name in OWN_TABLES}
    found["data pack"] = file_hash(own / PACK)
    return {name: mark for name, mark in found.items() if mark}


def own_name(table: str) -> str:
    """Return what the record calls a planner's own table."""
    return f"own {table}"


def text_values(values: Any) -> Iterator[str]:
    """Yield the texts of a scenario, of which some name files: tables, configs, checkpoints, own rates."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from text_values(value)
    elif isinstance(values, str):
        yield values


def is_hashed(mark: str) -> bool:
    """Return whether the mark of a file or folder is made of hashes alone, not of how large something is."""
    return " bytes" not in mark


def file_hash(path: Path) -> str:
    """Return a hash of a file, of a large one (weights) how large; of a folder those of its files; empty for none."""
    try:
        path = located(path)
        if path.is_dir():
            return " ".join(f"{each.name}: {_mark(each)}" for each in sorted(path.iterdir()) if each.is_file())
        return _mark(path) if path.is_file() else ""
    except (OSError, ValueError, InputError):  # no name of a file, or one that the scenario will be refused for
        return ""


def _mark(path: Path) -> str:
    n_bytes = path.stat().st_size
    return f"{n_bytes} bytes" if n_bytes > _LARGE_BYTES else _hash(path.read_bytes())


@cache
def data_hashes() -> dict[str, dict[str, str]]:
    """Return the newest day and a hash of every table of data."""
    files = {name.removeprefix(_DATA): bytes_ for name, bytes_ in domain_files().items() if name.startswith(_DATA)}
    tables = {name.removesuffix(".csv"): found for name, found in files.items() if name.endswith(".csv")}
    return {
        name: {"retrieved": newest_day(shipped(name)), "sha256": _hash(in_pack(name) or found)}
        for name, found in tables.items()
    }


@cache
def formulas_hash() -> str:
    """Return a hash of the sources that work out plans: two of one version differ where somebody changed them."""
    digest = hashlib.sha256()
    for name, source in sorted(domain_files().items()):
        if name.endswith(".py") and name != "sizebook/__init__.py":  # it holds the version
            digest.update(name.encode() + source)
    return digest.hexdigest()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
