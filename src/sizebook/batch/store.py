"""A store of scenarios and runs in one SQLite file: what was planned, by whom, from what, and what came out.

A scenario is known by the hash of its values and of the files that it names; it may have a parent, an author, a label
and an approval. A run holds the figures of a scenario under one version of sizebook and its data: `build` works out
only what is missing. Several processes may write at once; SQLite has them wait for each other.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.batch.bridge import Side, bridge
from sizebook.batch.inspection import ChangedFigure, moved_figures
from sizebook.batch.journal import now
from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.batch.record import data_hashes, input_hashes, installation, json_values
from sizebook.core.errors import InputError, SizebookError, UnknownKeyError
from sizebook.plans.bridges import Bridge
from sizebook.plans.contents import Value, split
from sizebook.scenarios.kinds import plan_of

VERSION = 1
_WAIT_SECONDS = 60
_SHORT = 12  # digits of a hash that are shown
_TABLES = """
CREATE TABLE IF NOT EXISTS scenario (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, content TEXT NOT NULL, folder TEXT NOT NULL,
    parent TEXT REFERENCES scenario (hash), author TEXT NOT NULL, label TEXT NOT NULL, approved_by TEXT NOT NULL,
    added TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS run (
    scenario TEXT NOT NULL REFERENCES scenario (hash), installation TEXT NOT NULL, sizebook TEXT NOT NULL,
    data_date TEXT NOT NULL, as_of TEXT NOT NULL, problem TEXT NOT NULL, made TEXT NOT NULL,
    PRIMARY KEY (scenario, installation)
);
CREATE TABLE IF NOT EXISTS figure (
    scenario TEXT NOT NULL, installation TEXT NOT NULL, name TEXT NOT NULL, label TEXT NOT NULL, unit TEXT NOT NULL,
    value REAL, text TEXT, PRIMARY KEY (scenario, installation, name)
);
"""
_OTHERS = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('scenario', 'run', 'figure')"


@dataclass(frozen=True)
class Stored:
    """A scenario in the store."""

    hash: str
    name: str
    plan: str
    values: Mapping[str, Any]
    folder: Path
    parent: str | None
    author: str
    label: str
    approved_by: str
    added: str

    @property
    def short(self) -> str:
        """The hash as it is shown."""
        return self.hash[:_SHORT]


@dataclass(frozen=True)
class Difference:
    """How two scenarios differ: figures of today, and a bridge of the cost over the inputs that differ."""

    figures: tuple[ChangedFigure, ...]
    bridge: Bridge


@dataclass(frozen=True)
class Run:
    """What came of a scenario when it was worked out, with what is another today than it was then."""

    stored: Stored
    made: str
    problem: str
    figures: Mapping[str, Value]
    causes: tuple[str, ...]


@dataclass(frozen=True)
class Store:
    """An open store."""

    database: sqlite3.Connection

    def add(self, values: Mapping[str, Any], folder: Path, name: str, **told: str) -> Stored:
        """Put a scenario in; one that is there already keeps its place and takes what is told of it now.

        ``told`` may be parent, author, label, approved_by. Errors: those of the scenario, and an unknown parent.
        """
        plan_scenario(values, name, folder)
        content, hash_ = _content(values), _hash(values, folder)
        parent = self.find(told["parent"]).hash if told.get("parent") else None
        new = {"parent": parent, **{key: told.get(key, "") for key in ("author", "label", "approved_by")}}
        with self.database:
            self.database.execute(
                "INSERT OR IGNORE INTO scenario VALUES (?, ?, ?, ?, ?, NULL, '', '', '', ?)",
                (hash_, name, plan_of(values), content, str(folder.resolve()), now()),
            )
            for key, value in new.items():
                if value:
                    self.database.execute(f"UPDATE scenario SET {key} = ? WHERE hash = ?", (value, hash_))
        return self.find(hash_)

    def all(self) -> list[Stored]:
        """Return the scenarios in the order in which they came."""
        asked = self.database.execute("SELECT * FROM scenario ORDER BY rowid")
        heads = [head[0] for head in asked.description]
        rows = (dict(zip(heads, row, strict=True)) for row in asked)
        return [Stored(values=json.loads(row.pop("content")), folder=Path(row.pop("folder")), **row) for row in rows]

    def find(self, mark: str) -> Stored:
        """Return the scenario that the first digits of a hash, a label or a name tell. Errors: none, and several."""
        known = self.all()
        found = [each for each in known if mark and mark in (each.label, each.name)] or [
            each for each in known if mark and each.hash.startswith(mark)
        ]
        if len(found) != 1:
            held = ", ".join(f"{each.short} {each.label or each.name}" for each in (found or known)[:10])
            what = "several scenarios" if found else "unknown scenario"
            raise UnknownKeyError(
                f"{what}: got {mark}, want digits of a hash, a label or a name that one scenario has. The store holds "
                f"{held or 'none: add one'}."
            )
        return found[0]

    def figures(self, stored: Stored) -> dict[str, Value]:
        """Return the figures of a scenario under this version and data, worked out now where they are not there."""
        here = _here()
        if not self._has_run(stored, here):
            self._run(stored, here)
        [[problem]] = self.database.execute(
            "SELECT problem FROM run WHERE scenario = ? AND installation = ?", (stored.hash, here)
        ).fetchall()
        if problem:
            raise InputError(problem)
        return self._kept(stored, here)

    def _kept(self, stored: Stored, installed: str) -> dict[str, Value]:
        rows = self.database.execute(
            "SELECT name, value, text FROM figure WHERE scenario = ? AND installation = ? ORDER BY rowid",
            (stored.hash, installed),
        )
        return {name: text if value is None else value for name, value, text in rows}

    def runs(self, stored: Stored) -> list[Run]:
        """Return every run of a scenario, the oldest first."""
        asked = (
            "SELECT installation, sizebook, data_date, made, problem FROM run WHERE scenario = ? ORDER BY made, rowid"
        )
        return [
            Run(stored, made, problem, self._kept(stored, installed), tuple(_causes(stored, installed, version, day)))
            for installed, version, day, made, problem in self.database.execute(asked, (stored.hash,)).fetchall()
        ]

    def build(self) -> Iterator[tuple[Stored, str]]:
        """Work out what has no figures under this version and data; yield each scenario with its problem, if any."""
        here = _here()
        for stored in self.all():
            if not self._has_run(stored, here):
                yield stored, self._run(stored, here)

    def difference(self, one: Stored, other: Stored) -> Difference:
        """Return how two scenarios of one kind of plan differ and which input moves the cost by how much."""
        figures = self.figures(one), self.figures(other)
        found = bridge(*(Side(each.name, each.values, each.folder) for each in (one, other)))
        return Difference(tuple(moved_figures(*figures)), found)

    def rows(self, question: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the heads and rows that a question in SQL gives; it may read and nothing else."""
        self.database.execute("PRAGMA query_only = ON")
        try:
            found = self.database.execute(question)
            return [head[0] for head in found.description or ()], found.fetchall()
        except sqlite3.Error as error:
            raise InputError(
                f"not answered: got {error}, want SQL that reads scenario, run and figure. Correct it."
            ) from error
        finally:
            self.database.execute("PRAGMA query_only = OFF")

    def _has_run(self, stored: Stored, here: str) -> bool:
        asked = "SELECT 1 FROM run WHERE scenario = ? AND installation = ?"
        return self.database.execute(asked, (stored.hash, here)).fetchone() is not None

    def _run(self, stored: Stored, here: str) -> str:
        """Plan a scenario and keep its figures; return what is wrong with it today, empty for nothing."""
        planned: PlannedScenario | None = None
        try:
            planned, problem = plan_scenario(stored.values, stored.name, stored.folder), ""
        except SizebookError as error:
            problem = str(error)
        record = planned.record if planned else {}
        newest = max((each["retrieved"] for each in record.get("data", {}).values()), default="")
        run = (stored.hash, here, installation()["version"], newest, record.get("as_of", ""), problem, now())
        with self.database:  # another process may have been faster
            self.database.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?)", run)
            self.database.executemany(
                "INSERT OR REPLACE INTO figure VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(stored.hash, here, f.name, f.label, f.unit, *split(f.value)) for f in _figures(planned)],
            )
        return problem


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    """Open a store, made where it is missing. Errors: a file that is none, or of another version."""
    database = sqlite3.connect(path, timeout=_WAIT_SECONDS)
    try:
        try:
            [found] = database.execute("PRAGMA user_version").fetchone()
            others = [name for [name] in database.execute(_OTHERS)]
            if others:  # the journal of a batch, or a database of something else
                raise _no_store(f"the table {others[0]}", path)
            if found == 0:
                with database:
                    database.executescript(_TABLES)
                    database.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.DatabaseError as error:
            raise _no_store(error, path) from error
        if found not in (0, VERSION):
            raise InputError(
                f"store of another version: got {found} in {path.name}, want {VERSION}. Take another file."
            )
        yield Store(database)
    finally:
        database.close()


def _no_store(got: object, path: Path) -> InputError:
    return InputError(f"no store: got {got} in {path.name}, want a file of 'sizebook store'. Name another.")


def figures_today(stored: Stored) -> dict[str, Value]:
    """Return the figures that a scenario has today, as a run keeps them. Errors: those of the scenario."""
    found = plan_scenario(stored.values, stored.name, stored.folder).contents.figures
    return {figure.name: text if value is None else value for figure in found for value, text in [split(figure.value)]}


def _causes(stored: Stored, installed: str, version: str, data_day: str) -> Iterator[str]:
    """Yield what is another today than when a scenario was worked out: version, data, formulas, its files."""
    today = max(each["retrieved"] for each in data_hashes().values())
    if version != __version__:
        yield f"version: {version}, today {__version__}"
    if data_day and data_day != today:
        yield f"data: of {data_day}, today of {today}"
    if installed != _here() and version == __version__ and data_day in ("", today):
        yield "formulas or data: other than today's"
    if stored.hash != _hash(stored.values, stored.folder):
        yield "input: a file that the scenario names changed"


def _content(values: Mapping[str, Any]) -> str:
    return json.dumps(json_values(values), sort_keys=True)


def _hash(values: Mapping[str, Any], folder: Path) -> str:
    return hashlib.sha256(json.dumps([_content(values), input_hashes(values, folder)]).encode()).hexdigest()


def _here() -> str:
    return hashlib.sha256(json.dumps(installation(), sort_keys=True).encode()).hexdigest()


def _figures(planned: PlannedScenario | None) -> Sequence[Any]:
    return planned.contents.figures if planned else ()
