# ruff: noqa: E402 - need() must run before the imports of the extra
"""The work of a request, in a separate process: plan a scenario, fill a template, read a table of scenarios.

A request cannot read files of the server, only those that it sent and those of the package.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from sizebook.core.extras import need

need("web", "workbooks", "reports")

from sizebook.batch.formats import FORMATS, FileContents, file_contents
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.batch.scenario_list import Row, ScenarioList, read_batch
from sizebook.batch.workbook_values import workbook_values
from sizebook.core import cells
from sizebook.core.errors import InputError, SizebookError
from sizebook.functions import find, load
from sizebook.functions.tracing import sizebook_explain
from sizebook.intake.allowed_files import confined_to
from sizebook.intake.text_formats import json_object, toml_table
from sizebook.sources.bundled import bundled
from sizebook.sources.writing import scratch_folder, write_whole
from sizebook.workbooks.anchors.plan_values import PlanValues

WHERE = "the scenario"


@dataclass(frozen=True)
class ScenarioUpload:
    """A scenario as sent: its bytes, and whether they are TOML or JSON."""

    content: bytes
    is_toml: bool


@dataclass(frozen=True)
class Answer:
    """The file that a request gets back, with notes."""

    content: bytes
    notes: tuple[str, ...] = ()


def plan_file(asked: tuple[ScenarioUpload, str]) -> Answer:
    """Return a scenario's file in one format. Errors: `InputError` if its plan does not have the format."""
    sent, name = asked
    with confined() as folder:
        plan = plan_scenario(_values(sent, folder), WHERE, folder)
        content = FORMATS[name].content(plan)
        if content is None:
            raise InputError(f"no {name}: got a {plan.kind}, which has none, want another format. Ask for json.")
        return Answer(content, plan.notes)


def function_value(asked: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the value of a function and how it came about: formula, numbers, unit, source, range."""
    name, arguments = asked
    load()
    function = find(name)
    known = [argument.name for argument in function.arguments]
    given: list[Any] = [None] * len(known)
    for key, value in arguments.items():
        given[known.index(cells.option_name(key, known))] = value
    with confined():
        value = _with_codes(cells.evaluate(function, given))
        lines = sizebook_explain(function.name, **{f"arg_{at}": each for at, each in enumerate(given, 1)})
    return {"value": value, **{str(label): text for label, text in lines if label != "result"}}


def _with_codes(value: Any) -> Any:
    """Return a value in which the error of a cell is what a spreadsheet shows there."""
    if isinstance(value, (list, tuple)):
        return [_with_codes(each) for each in value]
    return value.code if isinstance(value, SizebookError) else value


def function_answer(asked: tuple[str, bytes]) -> dict[str, Any]:
    """Return the value of a function for the JSON of a request: arguments by name."""
    name, content = asked
    return function_value((name, json_object(content, "the request", "arguments by name")))


def filled_workbook(asked: tuple[str, bytes, ScenarioUpload]) -> Answer:
    """Return a template workbook filled with a scenario: values of its inputs, or the plan's values of its anchors."""
    from sizebook.workbooks.filling import fill, fill_from

    name, template, sent = asked
    with confined() as folder:
        values = _values(sent, folder)
        suffix = Path(name).suffix.casefold()
        if suffix not in (".xlsx", ".xlsm"):
            raise InputError(f"not a workbook: got '{name}', want a name that ends in .xlsx or .xlsm. Send one.")
        path, out = write_whole(folder / f"template{suffix}", template), folder / f"filled{suffix}"
        gift = workbook_values(values, WHERE, folder, workbook=name)
        if isinstance(gift.values, PlanValues):
            done = fill_from(path, gift.values, out, strict=False)
        else:
            done = fill(path, gift.values, out, strict=True)
        return Answer(out.read_bytes(), (*gift.notes, *done.notes, *done.problems))


def read_scenarios(asked: tuple[str, bytes]) -> ScenarioList:
    """Return the scenarios of an uploaded table or list."""
    name, content = asked
    with confined() as folder:
        return read_batch(write_whole(folder / Path(name).name, content))


def scenario_files(row: Row, formats: tuple[str, ...]) -> FileContents | str:
    """Return the files of one scenario of a batch as bytes, or its problem."""
    try:
        with confined() as folder:
            return file_contents(plan_scenario(row.values, row.where, folder), formats)
    except SizebookError as error:
        return str(error)


@contextmanager
def confined() -> Iterator[Path]:
    """Yield an empty folder; within the block, only it and the package's own files can be read."""
    # Each process of the service has a temporary folder of its own.
    own = Path(gettempdir()), bundled("workbooks"), bundled("templates")
    with scratch_folder() as folder, confined_to(*own):
        try:
            yield folder
        except SizebookError as error:
            said = str(error).replace(f"{folder}/", "").replace(str(folder), "the request")
            raise error.with_message(said) from None


def _values(sent: ScenarioUpload, folder: Path) -> dict[str, Any]:
    if sent.is_toml:
        return toml_table(write_whole(folder / "scenario.toml", sent.content), "a scenario")
    return json_object(sent.content, WHERE, "a scenario")
