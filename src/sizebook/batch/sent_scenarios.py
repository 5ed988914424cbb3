"""Sends scenarios as data to workers that may share no disk with this process, and writes the files that come back.

The small files that a scenario names in its folder travel with it. Anything else that it names (a checkpoint, a file of
another folder, own prices) must be the same on the worker; a worker where it differs refuses the scenario.
"""

import base64
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sizebook.batch.formats import FileContents, file_contents, write_contents
from sizebook.batch.journal import Outcome
from sizebook.batch.plan_kinds import plan_scenario, workbook_inputs_of
from sizebook.batch.record import input_hashes, installation, is_hashed
from sizebook.batch.scenario_list import Row
from sizebook.core.errors import InputError, SizebookError
from sizebook.intake.limits import VARIABLE
from sizebook.plans.contents import Figure
from sizebook.scheduling.workers import allow_children
from sizebook.sources.writing import FORCE, scratch_folder, write_whole

Result = TypeVar("Result")
Data = dict[str, Any]  # what JSON holds
_SETTINGS = (VARIABLE, FORCE)  # of the environment; they hold on a worker as where the batch was started
_ONE_AT_A_TIME = threading.Lock()  # a worker of several threads: what draws and lays out is not made for them


@dataclass(frozen=True)
class Parcel:
    """A row as it is sent: files that go along by name, marks of all that it names, and what holds where it is from."""

    row: Row
    files: Mapping[str, bytes]
    marks: Mapping[str, str]
    installation: Mapping[str, str]
    settings: Mapping[str, str]


def pack(row: Row) -> Data:
    """Return a row with the small files that lie beside it, in its folder or below."""
    marks = input_hashes(row.values, row.folder)
    return _sent(row, marks, {name: row.folder / name for name, mark in marks.items() if _goes_along(row, name, mark)})


def pack_without_files(row: Row) -> Data:
    """Return a row whose files the workers read where they are: on a disk that they share."""
    return _sent(row, input_hashes(row.values, row.folder), {})


def _sent(row: Row, marks: Mapping[str, str], paths: Mapping[str, Path]) -> Data:
    return {
        "row": asdict(row) | {"folder": str(row.folder)},
        "files": _texts({name: path.read_bytes() for name, path in paths.items()}),
        "marks": dict(marks),
        "installation": installation(),
        "settings": {name: os.environ.get(name, "") for name in _SETTINGS},
    }


def _received(sent: Data) -> Parcel:
    row = Row(**sent["row"] | {"folder": Path(sent["row"]["folder"])})
    return Parcel(**sent | {"row": row, "files": _contents_of(sent["files"])})


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: base64.b64encode(content).decode() for name, content in files.items()}


def _contents_of(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: base64.b64decode(text) for name, text in texts.items()}


def _goes_along(row: Row, name: str, mark: str) -> bool:
    path = Path(name)
    return is_hashed(mark) and not path.is_absolute() and ".." not in path.parts and (row.folder / path).is_file()


def contents_on_worker(sent: Data, formats: Sequence[str]) -> Data | str:
    """Return the files of a scenario as data, or its problem. A worker calls this."""
    made = run_on_worker(sent, partial(_contents, formats=formats, home=Path(sent["row"]["folder"])))
    if isinstance(made, str):
        return made
    figures = [astuple(figure) for figure in made.figures]
    return {"files": _texts(made.files), "figures": figures, "notes": made.notes, "lines": made.lines}


def _contents(row: Row, formats: Sequence[str], home: Path) -> FileContents:
    planned = plan_scenario(row.values, row.where, row.folder)
    if row.folder != home and planned.job.workbook and {"pdf", "xlsx"} & set(formats):
        held = {
            key: value
            for key, value in workbook_inputs_of(planned.scenario, planned.plan).items()
            if isinstance(value, str) and value.startswith(str(row.folder.resolve()))
        }
        if held:
            raise InputError(
                f"path in a workbook: got {', '.join(held)} of a file that was sent, want one that is there when the "
                "workbook is opened. Put the scenarios on a disk that the workers share, or leave pdf and xlsx out of "
                "--formats."
            )
    return file_contents(planned, formats)


def run_on_worker(sent: Data, work: Callable[[Row], Result]) -> Result | str:
    """Return what comes of a row where its files lie now, or the problem in words."""
    parcel = _received(sent)
    row = parcel.row
    allow_children()
    try:
        with _ONE_AT_A_TIME, _unpacked(parcel) as folder:
            try:
                refuse_differences(parcel, folder)
                return work(replace(row, folder=folder))
            except SizebookError as error:
                return str(error).replace(str(folder), str(row.folder))
    except SizebookError as error:
        return str(error)


@contextmanager
def _unpacked(parcel: Parcel) -> Iterator[Path]:
    """Give the folder in which the files of a row lie, its own where it is shared, with the settings of home."""
    before = {name: os.environ.get(name) for name in _SETTINGS}
    os.environ.update(parcel.settings)
    try:
        is_shared = not parcel.files or input_hashes(parcel.row.values, parcel.row.folder) == parcel.marks
        with nullcontext(parcel.row.folder) if is_shared else scratch_folder() as folder:
            for name, content in () if is_shared else parcel.files.items():
                write_whole(folder / name, content)
            yield folder
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def refuse_differences(parcel: Parcel, folder: Path) -> None:
    """Refuse a row whose figures would be others here than where it is from."""
    here = installation()
    if other := [name for name, mark in parcel.installation.items() if here[name] != mark]:
        raise InputError(
            f"other installation: got a worker with other {' and '.join(other)} of sizebook, want the same as where "
            "the batch was started. Install the same there."
        )
    found = input_hashes(parcel.row.values, folder)
    if unlike := sorted(
        name for name in parcel.marks.keys() | found.keys() if parcel.marks.get(name) != found.get(name)
    ):
        raise InputError(
            f"other files: got a worker that does not see {', '.join(unlike)} as it is where the batch was started, "
            "want the same. Put it into the folder of the scenarios, or on a disk that the workers share."
        )


def write_sent(row: Row, found: Data | str, folder: Path) -> Outcome:
    """Write what a worker of a cluster sent back and return the outcome of its row."""
    if isinstance(found, str):
        return failed_outcome(row, found)
    figures = tuple(Figure(*each) for each in found["figures"])
    made = FileContents(_contents_of(found["files"]), figures, tuple(found["notes"]), lines=found["lines"])
    return write_received(row, made, folder)


def write_received(row: Row, found: FileContents | str, folder: Path) -> Outcome:
    """Write the files that another process made and return the outcome of their row."""
    if isinstance(found, str):
        return failed_outcome(row, found)
    try:
        return Outcome(row, write_contents(found, folder, row.name))
    except SizebookError as error:
        return failed_outcome(row, str(error))


def failed_outcome(row: Row, problem: str) -> Outcome:
    """Return the outcome of a row that came to nothing, in words that say which."""
    return Outcome(row, None, problem if problem.startswith(row.where) else f"{row.where}: {problem}")
