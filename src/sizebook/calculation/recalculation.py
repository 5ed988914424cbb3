"""Recalculates a workbook in a guarded process."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from sizebook.calculation.calculated import Calculated, Later
from sizebook.calculation.guard import Note, Task, forks, guarded
from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.core.registry import Function
from sizebook.functions import load
from sizebook.intake.limits import limits
from sizebook.tables.prices import valuation_day, valued_on

# How a formula or an error value begins in the bytes of a worksheet, also where its elements have a prefix.
_BEGINNINGS = tuple(mark + end for mark in (b"<f", b":f") for end in (b">", b"/", b" ", b"\t", b"\r", b"\n"))
_TO_WORK_OUT = (*_BEGINNINGS, b'"e"', b"'e'")


def recalculate(path: Path, functions: Mapping[str, Function] | None = None) -> Calculated:
    """Return what every cell of a workbook shows once all of its formulas are worked out.

    Args:
        path: an .xlsx or .xlsm file; it is only read.
        functions: the functions to evaluate in Python, by name; all registered ones when left out.

    A call that returns rows fills the area of its array formula; in an ordinary formula it gives its first value, as
    Excel reads such a file. A function's error becomes the error value of its cell and the message is kept. A formula
    that is not calculated here shows ``#N/IMPL!``, as does all that rests on it.

    Errors: `InputError` for a file that is no workbook, for formulas that refer to each other in a circle (the cells
    are named), for precision as displayed, and for a calculation beyond the
    limits of `sizebook.intake.limits`, ``calculation_seconds`` and ``calculation_bytes``.
    """
    return recalculated(Package.read(Path(path)), functions)


def recalculated(package: Package, functions: Mapping[str, Function] | None = None) -> Calculated:
    """Return what every cell of a package shows; see `recalculate`. The package stays as it is."""
    from sizebook.calculation.kept_model import KEPT  # here and not above: reading inputs needs no engine

    load()
    name, day = package.path.name, valuation_day()
    if functions is not None or not forks():
        return _guarded(Task(_calculated, (package, functions, day), name))
    digest = package.digest()
    if (found := KEPT.find(package, digest)) is not None:
        return _guarded(Task(_calculated_again, (*found, day), name))
    calculated = _guarded(Task(_calculated, (package, None, day), name))
    KEPT.note(digest)
    return calculated


def _guarded(task: Task) -> Calculated:
    found: Calculated = guarded(task, limits())
    return found


def recalculated_when_asked(package: Package) -> Calculated:
    """Return what every cell of a package shows; where it holds no formula, cells are read once somebody asks for one.

    An error value has to be told of, so that a package with one is calculated like those with formulas.
    """
    if not _is_plain(package):
        return recalculated(package)
    present = Package(package.path, list(package.parts()))  # as it stands: more may be written into the package
    return Calculated(Later(lambda: recalculated(present).values), {}, {})


def _is_plain(package: Package) -> bool:
    """Return whether no worksheet holds a formula or an error; where that is not plain to see, it is not."""
    sheets, settings = set(package.sheets().values()), package.xml(WORKBOOK).find(tag("calcPr"))
    if settings is not None and "fullPrecision" in settings.attrib:
        return False
    contents = (data for info, data in package.parts() if info.filename in sheets)  # the first may say it already
    return all(b"<sheetData" in data and not any(mark in data for mark in _TO_WORK_OUT) for data in contents)


def _calculated(package: Package, functions: Mapping[str, Function] | None, day: date | None, note: Note) -> Calculated:
    """Calculate a package in this process; the day on which prices are judged comes along from the one that asked."""
    from sizebook.calculation.engine import read_model, work_out

    with valued_on(day):
        return work_out(read_model(package, load() if functions is None else functions), note)


def _calculated_again(model: Any, changed: Mapping[Any, Any], day: date | None, note: Note) -> Calculated:
    """Calculate a model that this process was forked with, after other values are put into its cells."""
    from sizebook.calculation.engine import work_out
    from sizebook.calculation.kept_model import put

    with valued_on(day):
        put(model, changed)
        return work_out(model, note)
