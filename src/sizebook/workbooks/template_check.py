"""Checks a workbook as a template: its inputs, and what would fail or be lost when it is filled."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.calculation.names import without_prefixes
from sizebook.calculation.package import Package
from sizebook.calculation.recalculation import recalculated
from sizebook.calculation.sheet_formulas import formulas
from sizebook.calculation.spellings import plain_name
from sizebook.calculation.tokens import tokenize
from sizebook.core.errors import InputError
from sizebook.core.named_lambda import named_lambda
from sizebook.core.targets import Target
from sizebook.functions import load
from sizebook.workbooks.all_formulas import all_formulas
from sizebook.workbooks.anchors.placement import find_anchors
from sizebook.workbooks.anchors.plan_values import PlanValues
from sizebook.workbooks.filling import refuse_signed, write_inputs, write_plan
from sizebook.workbooks.input_cells import Input, find_inputs
from sizebook.workbooks.sheet import Sheet

_NEWER = "_xlfn."
# What a part of a file means for whoever fills it, by how the name of the part begins.
_PARTS = {
    "xl/pivotTables/": "pivot tables keep their figures until Excel refreshes them",
    "xl/externalLinks/": "cells of other workbooks are those that this file keeps",
    "xl/model/": "the data model is kept and not calculated",
    "xl/vbaProject.bin": "macros are kept and not run",
    "docMetadata/": "the sensitivity label stays as it is, whatever is filled in",
}


@dataclass(frozen=True)
class TemplateCheck:
    """What was found.

    Attributes:
        inputs: the cells that a scenario may give values to, in the order of their cells.
        anchors: what a plan would be put into, one line each.
        n_formulas: cells with a formula.
        problems: what keeps it from being filled, or shows an error once it is; one line each.
        notes: what a reader or an older Excel will see otherwise.
    """

    inputs: tuple[Input, ...]
    anchors: tuple[str, ...]
    n_formulas: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]


def check_template(
    path: Path,
    given: Mapping[str, Any] | PlanValues | None = None,
    target: Target | None = None,
    *,
    names: PlanValues | None = None,
) -> TemplateCheck:
    """Return what a workbook takes and what is wrong with it; nothing is written.

    Args:
        path: an .xlsx or .xlsm file.
        given: values of inputs as a scenario gives them, or what its plan brings for anchors; without any, the workbook
            is calculated as it stands.
        target: what it would be written for; functions that need more are noted.
        names: what plans may bring, where none is given.

    Errors: `InputError` for a file that is no workbook. All else that is wrong is among the problems.
    """
    package = Package.read(path)
    inputs, newer = find_inputs(package, Sheet.all_of(package)), tuple(_newer_functions(package))
    plan_values = given if isinstance(given, PlanValues) else names or PlanValues()
    found = find_anchors(package, plan_values, tuple(inputs))
    lines, n_formulas = tuple(found.lines), _n_formulas(package)
    problems = list(_unfillable(package, inputs, given, is_template=bool(found)))
    notes = (*_for_target(package, target), *found.kept, *_parts(package))
    calculated = _calculated(package, problems)
    return TemplateCheck(
        tuple(inputs.values()),
        lines,
        n_formulas,
        (*problems, *found.left, *calculated),
        (*newer, *notes),
    )


def _n_formulas(package: Package) -> int:
    return sum(len(formulas(package.xml(part))) for part in package.sheets().values())


def _unfillable(
    package: Package, inputs: Mapping[str, Input], given: Mapping[str, Any] | PlanValues | None, *, is_template: bool
) -> Iterator[str]:
    """Yield why a workbook, or these values, would be refused; the values are in their cells afterwards."""
    try:
        refuse_signed(package)
    except InputError as error:
        yield str(error)
    if given is None and (inputs or is_template):
        return
    try:
        if isinstance(given, PlanValues):
            write_plan(package, given)
        else:
            write_inputs(package, Sheet.all_of(package), given or {})
    except InputError as error:
        yield from str(error).splitlines()


def _calculated(package: Package, unfillable: list[str]) -> list[str]:
    """Return which cells are in error or cannot be calculated; nothing where the values were refused already."""
    if unfillable:
        return []
    try:
        found = recalculated(package)
    except InputError as error:
        return str(error).splitlines()
    return [f"{sheet}!{at}: {said}" for (sheet, at), said in found.problems.items()]


def _calls(package: Package) -> Iterator[tuple[str, str]]:
    """Yield each call as it is spelled, and its place: a cell, a rule, a table's column or a name."""
    for found in all_formulas(package):
        for token in tokenize(found.element.text or ""):
            if token.kind == "call":
                yield token.text[:-1], found.place


def _newer_functions(package: Package) -> Iterator[str]:
    """Yield the functions that Excel 2007 does not know; files mark them."""
    places: dict[str, list[str]] = defaultdict(list)
    for call, place in _calls(package):
        if call.lower().startswith(_NEWER):
            places[without_prefixes(call)].append(place)
    for name, found in sorted(places.items()):
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield f"{name} is newer than Excel 2007, and other readers may lack it: {found[0]}{more}"


def _for_target(package: Package, target: Target | None) -> Iterator[str]:
    """Yield what a target lacks of the functions of ours that are called."""
    known = load()
    called = {name for call, _ in _calls(package) if (name := plain_name(call, known)) is not None}
    if target == "lambda":
        for name in sorted(called):
            if named_lambda(known[name]) is None:
                yield f"{name} is more than plain arithmetic: it needs the add-in in Excel 365, too"
    if target is None and called:
        yield f"{len(called)} functions of sizebook are called: {', '.join(sorted(called))}"


def _parts(package: Package) -> Iterator[str]:
    for beginning, meaning in _PARTS.items():
        if any(name.startswith(beginning) for name in package.names()):
            yield meaning
