"""The record of a batch: a SQLite file in its folder with the state, outputs, figures or problem of every scenario.

Each outcome is on the disk before the batch goes on, so that whatever is killed, `--resume` finds what was finished and
does the rest. Only the batch itself writes here; its workers hand over what they made.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.batch.formats import Outputs
from sizebook.batch.record import formulas_hash, input_hashes, is_hashed
from sizebook.batch.scenario_list import Row
from sizebook.core.errors import InputError
from sizebook.plans.contents import Figure

FILE = "journal.sqlite"
_FORMAT = 4
_TABLE = """
CREATE TABLE IF NOT EXISTS scenario (
    name TEXT PRIMARY KEY,      -- stem of its files
    hash TEXT NOT NULL,         -- of its values, the files that it names, formats, formulas and version
    state TEXT NOT NULL CHECK (state IN ('open', 'running', 'done', 'failed')),
    attempts INTEGER NOT NULL,  -- how often a worker began it
    files TEXT,                 -- JSON: by format, name and bytes of the file
    figures TEXT,               -- JSON: figures as [name, label, unit, value]
    notes TEXT,                 -- JSON: what was remarked
    lines TEXT,                 -- what it gives to the tables of the whole batch (`long_tables.lines_of`)
    problem TEXT,
    changed TEXT NOT NULL       -- UTC
)
"""
_INDEXES = """
CREATE TABLE IF NOT EXISTS indexes (
    name TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL,
    hash TEXT NOT NULL          -- of the outcomes that it shows
)
"""


@dataclass(frozen=True)
class Outcome:
    """What became of one scenario: its outputs, or the problem in words."""

    row: Row
    outputs: Outputs | None
    problem: str = ""


@dataclass(frozen=True)
class Journal:
    """The open journal of a batch; nobody else opens it as long as this process lives."""

    folder: Path
    database: sqlite3.Connection
    formats: tuple[str, ...]

    def enter(self, rows: Sequence[Row], *, resume: bool) -> dict[str, Outcome]:
        """Enter the scenarios of a batch; return the outcomes of those that stand finished, when it resumes.

        Finished is what is marked done, has the same hash and has its files with the sizes that they were written
        with. All others are open, those that failed as well.
        """
        found = {row.name: self._finished(row) for row in rows} if resume else {}
        finished = {name: outcome for name, outcome in found.items() if outcome is not None}
        with self.database:
            known = self.database.execute("SELECT name FROM scenario").fetchall()
            self.database.executemany(
                "DELETE FROM scenario WHERE name = ?", [name for name in known if name[0] not in finished]
            )
            for row in rows:
                if row.name not in finished:
                    self.database.execute(
                        "INSERT INTO scenario (name, hash, state, attempts, changed) VALUES (?, ?, 'open', 0, ?)",
                        (row.name, fingerprint(row, self.formats), now()),
                    )
        return finished

    def record_start(self, row: Row) -> None:
        """Note that a worker has a scenario; the next outcome takes it to the disk."""
        self._change(row, "state = 'running', attempts = attempts + 1", ())

    def record_outcome(self, outcome: Outcome) -> None:
        """Note what became of a scenario."""
        made = outcome.outputs
        if made is None:
            self._change(outcome.row, "state = 'failed', problem = ?", (outcome.problem,))
            self.database.commit()
            return
        files = {name: (path.name, path.stat().st_size) for name, path in made.files.items()}
        figures = [(each.name, each.label, each.unit, each.value) for each in made.figures]
        self._change(
            outcome.row,
            "state = 'done', files = ?, figures = ?, notes = ?, lines = ?",
            (*map(json.dumps, (files, figures, made.notes)), made.lines),
        )
        self.database.commit()

    def lines(self, name: str) -> str:
        """Return what a scenario gives to the tables of the whole batch."""
        [found] = self.database.execute("SELECT lines FROM scenario WHERE name = ?", (name,)).fetchone()
        return str(found)

    def hashes(self, names: Iterable[str]) -> dict[str, str]:
        """Return the hashes of scenarios by name, in the order asked for."""
        known = dict(self.database.execute("SELECT name, hash FROM scenario"))
        return {name: known[name] for name in names}

    def is_indexed(self, outcomes: Sequence[Outcome]) -> bool:
        """Return whether the indexes that are there show these outcomes."""
        found = self.database.execute(
            "SELECT name, bytes FROM indexes WHERE hash = ?", (self._shown(outcomes),)
        ).fetchall()
        return bool(found) and all(_size(self.folder / name) == size for name, size in found)

    def record_indexes(self, outcomes: Sequence[Outcome], paths: Sequence[Path]) -> None:
        """Note that indexes were written."""
        with self.database:
            self.database.execute("DELETE FROM indexes")
            self.database.executemany(
                "INSERT INTO indexes VALUES (?, ?, ?)",
                [(path.name, path.stat().st_size, self._shown(outcomes)) for path in paths],
            )

    def _shown(self, outcomes: Sequence[Outcome]) -> str:
        """Return a hash of what indexes and tables show of outcomes, and of what writes them."""
        shown = [__version__, formulas_hash(), self.formats, *outcomes]
        return hashlib.sha256(repr(shown).encode()).hexdigest()

    def _change(self, row: Row, what: str, values: tuple[Any, ...]) -> None:
        self.database.execute(f"UPDATE scenario SET {what}, changed = ? WHERE name = ?", (*values, now(), row.name))

    def _finished(self, row: Row) -> Outcome | None:
        found = self.database.execute(
            "SELECT files, figures, notes FROM scenario WHERE name = ? AND state = 'done' AND hash = ?",
            (row.name, fingerprint(row, self.formats)),
        ).fetchone()
        if found is None:
            return None
        files, figures, notes = map(json.loads, found)
        if any(_size(self.folder / name) != size for name, size in files.values()):
            return None
        paths = {kind: self.folder / name for kind, (name, _) in files.items()}
        return Outcome(row, Outputs(paths, tuple(Figure(*each) for each in figures), tuple(notes)))


@contextmanager
def journal(folder: Path, formats: tuple[str, ...]) -> Iterator[Journal]:
    """Open the journal of a folder, made where it is missing, for a batch of some formats.

    Errors: `InputError` where another batch has it open, and where a link would lead the writing elsewhere.
    """
    path = folder / FILE
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(
            f"no journal: got a link or no file as {path}, want the journal of a batch itself. Remove it, or choose "
            "another folder."
        )
    # A thread reads the lines of the batch's tables while this one writes them: never two at once.
    database = sqlite3.connect(path, timeout=0, check_same_thread=False)
    try:
        try:
            _prepare(database, path)
        except sqlite3.OperationalError as error:
            raise InputError(
                f"batch under way: got {folder} in use ({error}), want a folder of its own for every batch. "
                "Wait until that one has ended, or choose another folder."
            ) from error
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"damaged journal: got {error} in {path}, want the journal of a batch. Remove the file and run the "
                "batch anew."
            ) from error
        yield Journal(folder, database, formats)
    finally:
        database.close()


def remove_journal(folder: Path) -> None:
    """Remove the journal of a batch that needs none any more."""
    (folder / FILE).unlink()


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    """Take the journal for this process alone and make its table."""
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    with database:
        database.execute("BEGIN EXCLUSIVE")
        [found] = database.execute("PRAGMA user_version").fetchone()
        if found not in (0, _FORMAT):
            raise InputError(
                f"journal of another version: got format {found} in {path}, want {_FORMAT}. Choose another folder."
            )
        database.execute(_TABLE)
        database.execute(_INDEXES)
        database.execute(f"PRAGMA user_version = {_FORMAT}")


def fingerprint(row: Row, formats: Sequence[str]) -> str:
    """Return a hash of what a scenario's outputs depend on: values, files, own prices, formats, formulas, version."""
    files = {name: _dated(row.folder / name, mark) for name, mark in input_hashes(row.values, row.folder).items()}
    text = json.dumps([__version__, formulas_hash(), row.values, files, sorted(formats)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _dated(path: Path, mark: str) -> str:
    """Return the mark of a file; of one that is too large to be hashed with the time of its last change."""
    if is_hashed(mark):
        return mark
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return " ".join([mark, *(str(each.stat().st_mtime_ns) for each in files)])


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def now() -> str:
    """Return the time as the databases of batches and stores keep it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
