"""Shows what an output file was made from, and whether its figures are the same today.

The scenario is planned again with today's formulas and data. The record in the file tells why a figure changed: a table
of data, the formulas, the version of sizebook, or a file that the scenario names.
"""

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.batch.formats import CSV_HEADS, RECORD, file_contents
from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.batch.reconciliation_files import reconciliation_record
from sizebook.batch.record import data_hashes, formulas_hash, input_hashes
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.extras import need
from sizebook.intake.files import read_bytes, read_text
from sizebook.intake.text_formats import json_object
from sizebook.models.reconciliation import reconcile

_SCRIPT = re.compile(r'<script type="application/json" id="sizebook-record">(.*?)</script>', re.DOTALL)
_WANTED = "a file that sizebook wrote"


@dataclass(frozen=True)
class ChangedFigure:
    """A figure that comes out otherwise today; None where it was not there, or is not any more."""

    name: str
    before: Any
    today: Any

    @property
    def change(self) -> float | None:
        """The relative change, None where one of them is no number."""
        both = (self.before, self.today)
        numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in both)
        return float(self.today / self.before - 1) if numbers and self.before else None


@dataclass(frozen=True)
class Inspection:
    """What a file was made of, and what of it still holds.

    ``causes`` are what differs today from when it was made. ``same_bytes`` is None where it was not made again: its
    scenario is refused today (``problem``), it reconciles the catalog, or it shows a batch, whose scenarios have files
    of their own.
    """

    record: Mapping[str, Any]
    causes: tuple[str, ...]
    moved: tuple[ChangedFigure, ...] = ()
    same_bytes: bool | None = None
    problem: str = ""

    @property
    def is_same(self) -> bool:
        """Whether the file would come out with the same figures today."""
        return not self.moved and not self.problem


def inspect(path: Path, folder: Path | None = None) -> Inspection:
    """Return what a file was made of and whether it would come out the same today.

    ``folder`` is where the files lie that its scenario names: beside it where left out. Errors: `InputError` for a file
    that carries no record.
    """
    found = read_record(path)
    beside = folder or path.parent
    if "scenario" in found:
        inspection, again = planned_again(found, path.name, beside)
        if again is None:
            return inspection
        again = again if again.scenario.as_of else _dated(again, date.fromisoformat(str(found["as_of"])))
        return replace(inspection, same_bytes=_same_bytes(path, again))
    causes = tuple(causes_of(found, beside))
    if "reconciliation" in found:
        return Inspection(
            found, causes, tuple(moved_figures(found["figures"], reconciliation_record(reconcile())["figures"]))
        )
    return Inspection(found, causes)


def planned_again(found: Mapping[str, Any], name: str, folder: Path) -> tuple[Inspection, PlannedScenario | None]:
    """Return how the figures of a record that has a scenario come out today, and the plan, None where it is refused.

    ``name`` says in messages whose it is.
    """
    causes = tuple(causes_of(found, folder))
    try:
        again = plan_scenario(found["scenario"], name, folder)
        figures = {figure.name: figure.value for figure in again.contents.figures}
    except SizebookError as error:
        return Inspection(found, causes, problem=str(error)), None
    return Inspection(found, causes, tuple(moved_figures(found["figures"], figures))), again


def _dated(planned: PlannedScenario, day: date) -> PlannedScenario:
    """Return a plan whose report is of its file's day, not of today; its workbook has no day, as its scenario has none.

    Both are worked out once and kept, which is where they are put.
    """
    of_that_day = replace(planned, scenario=replace(planned.scenario, as_of=day))
    vars(planned).update(as_of=day, report=of_that_day.report)
    return planned


def _same_bytes(path: Path, again: PlannedScenario) -> bool:
    kind, content = path.suffix.casefold().lstrip("."), path.read_bytes()
    made = ("xlsx", kind) if kind == "pdf" and again.workbook_name in _attached(content, path) else (kind,)
    return file_contents(again, made).files[kind] == content


def moved_figures(before: Mapping[str, Any], today: Mapping[str, Any]) -> Iterator[ChangedFigure]:
    """Yield the figures that are not the same in both."""
    for name in dict.fromkeys([*before, *today]):
        if before.get(name) != today.get(name):
            yield ChangedFigure(name, before.get(name), today.get(name))


def causes_of(found: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield what differs today: version, formulas, tables of data, files of the scenario."""
    if found["sizebook"] != __version__:
        yield f"version: {found['sizebook']}, today {__version__}"
    if found["formulas"] != formulas_hash():
        yield "formulas: other sources than today's"
    now = data_hashes()
    for name in sorted(found["data"].keys() | now.keys()):
        before, today = found["data"].get(name), now.get(name)
        if before is None or today is None:
            yield f"data: {name} {'came since' if before is None else 'is gone'}"
        elif before["sha256"] != today["sha256"]:
            yield f"data: {name} {_other(before['retrieved'], today['retrieved'])}"
    if "scenario" in found:
        files = input_hashes(found["scenario"], folder)
        for name in sorted(found["inputs"].keys() | files.keys()):
            if found["inputs"].get(name) != files.get(name):
                said = "is missing" if name not in files else "came since" if name not in found["inputs"] else "changed"
                yield f"input: {name} {said}"


def _other(before: str, today: str) -> str:
    """Return how a table of other bytes differs: by its day, where it has one and that is another."""
    if before == today:
        return f"changed, of {today} as before" if today else "changed"
    return f"of {before or 'no day'}, today of {today or 'no day'}"


def read_record(path: Path) -> Mapping[str, Any]:
    """Return the record that an output carries. Errors: `InputError` for a file without one."""
    reader = READERS.get(path.suffix.casefold())
    if reader is None:
        raise InputError(
            f"unknown kind of file: got '{path.name}', want one of {', '.join(READERS)}. Give an output of sizebook."
        )
    text = reader(path)
    record = json_object(text.encode(), path.name, "a record") if text else {}
    if not record.keys() >= {"sizebook", "data", "formulas"}:
        raise InputError(
            f"no record: got {path.name} without one, want {_WANTED} since 0.7.0. Make it anew from its scenario."
        )
    return record


def _pdf(path: Path) -> str:
    found = _attached(read_bytes(path, _WANTED), path).get("figures.json")
    return _of_figures(found, path) if found else ""


def _attached(content: bytes, path: Path) -> dict[str, bytes]:
    """Return the files that a PDF carries."""
    need("reports")
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        attached = PdfReader(io.BytesIO(content)).attachments
        return {name: attached[name][0] for name in attached}
    except (PyPdfError, ValueError, KeyError, RecursionError) as error:
        raise InputError(f"not a PDF: got {error} in {path.name}, want {_WANTED}. Make it anew.") from error


def _json(path: Path) -> str:
    return _of_figures(read_bytes(path, _WANTED), path)


def _of_figures(content: bytes, path: Path) -> str:
    """Return the record in a file of figures, the values of its figures beside it."""
    found = json_object(content, path.name, _WANTED)
    record, figures = found.get(RECORD), found.get("figures")
    if not isinstance(record, dict) or not isinstance(figures, dict):
        return ""
    if not all(isinstance(each, dict) and "value" in each for each in figures.values()):
        return ""
    return json.dumps({**record, "figures": {name: each["value"] for name, each in figures.items()}})


def _html(path: Path) -> str:
    found = _SCRIPT.search(read_text(path, _WANTED))
    return html.unescape(found[1]) if found else ""


def _csv(path: Path) -> str:
    rows = csv.reader(io.StringIO(read_text(path, _WANTED), newline=""))
    try:
        return next((row[-1] for row in rows if len(row) == len(CSV_HEADS) and row[0] == RECORD), "")
    except csv.Error as error:
        raise InputError(f"not CSV: got {error} in {path.name}, want {_WANTED}. Make it anew.") from error


def _xlsx(path: Path) -> str:
    from sizebook.workbooks.embedded_record import read_record

    return read_record(path)


READERS: dict[str, Callable[[Path], str]] = {
    ".pdf": _pdf,
    ".xlsx": _xlsx,
    ".json": _json,
    ".html": _html,
    ".csv": _csv,
}
