"""Data packs: the tables of one day in one file, with a manifest of their hashes, for machines without a network."""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sizebook import __version__
from sizebook.core.domain_archive import archive
from sizebook.core.errors import InputError
from sizebook.core.tables import MOST_OWN_BYTES, OWN_TABLES, Row, newest_day
from sizebook.intake.archives import DAMAGED
from sizebook.intake.files import decoded, read_bytes
from sizebook.intake.text_formats import json_object, text_rows
from sizebook.sources.writing import csv_text

_MANIFEST = "manifest.json"
_WANTED = "a data pack"


def pack(tables: Mapping[str, Sequence[Row]], day: str) -> bytes:
    """Return a data pack of tables, with the day it was made on; equal tables give equal bytes."""
    files = {f"{name}.csv": csv_bytes(tuple(rows[0]), rows) for name, rows in tables.items()}
    manifest = {
        "sizebook": __version__,
        "day": day,
        "tables": {
            name: {"rows": len(rows), "retrieved": newest_day(rows), "sha256": _hash(files[f"{name}.csv"])}
            for name, rows in tables.items()
        },
    }
    return archive({_MANIFEST: json.dumps(manifest, indent=1).encode(), **files})


def csv_bytes(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """Return rows as the CSV of a table."""
    return csv_text(columns, ([row.get(column, "") for column in columns] for row in rows)).encode()


def is_pack(path: Path) -> bool:
    """Return whether a file is called like a data pack."""
    return path.suffix.casefold() == ".zip"


def unpacked(path: Path) -> tuple[str, dict[str, list[Row]]]:
    """Return the day of a data pack and its tables, each as its manifest says.

    Errors: no pack, a table that is none of sizebook's or too large, and one that differs from the manifest.
    """
    content = read_bytes(path, _WANTED)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as found:
            _check_directory(found.infolist(), path)
            files = {name: found.read(name) for name in found.namelist()}
    except DAMAGED as error:
        raise InputError(
            f"no data pack: got {error} in {path}, want a file of 'sizebook data pack'. Copy it again."
        ) from error
    manifest = json_object(files.pop(_MANIFEST, b"{}"), _MANIFEST, _WANTED)
    said = {f"{name}.csv": facts["sha256"] for name, facts in manifest.get("tables", {}).items()}
    got = {name: _hash(each) for name, each in files.items()}
    if got != said or not got:
        wrong = ", ".join(sorted(name for name in got.keys() | said.keys() if got.get(name) != said.get(name)))
        raise InputError(
            f"damaged data pack: got other bytes than its manifest says for {wrong or 'no table'} in {path}, want the "
            "pack as it was made. Copy it again."
        )
    texts = {Path(name): decoded(each, name, _WANTED) for name, each in files.items()}
    return manifest["day"], {name.stem: list(text_rows(text, name, _WANTED)) for name, text in texts.items()}


def _check_directory(parts: Sequence[zipfile.ZipInfo], path: Path) -> None:
    allowed = (_MANIFEST, *(f"{name}.csv" for name in OWN_TABLES))
    for part in parts:
        if part.filename not in allowed or part.file_size > MOST_OWN_BYTES:
            raise InputError(
                f"no data pack: got {part.filename} of {part.file_size} bytes in {path}, want "
                f"{', '.join(allowed)}, each of at most {MOST_OWN_BYTES}. Take a file of 'sizebook data pack'."
            )


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
