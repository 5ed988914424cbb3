"""Recalculates a workbook without Excel: ordinary functions by IronCalc, registered functions by Python."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.calculation.calls import Call, Calls
from sizebook.calculation.grid import ErrorCode, Grid
from sizebook.calculation.package import Package
from sizebook.calculation.preparing import FormulaCell, formula_cells, prepare
from sizebook.calculation.scratch import Scratch
from sizebook.calculation.tokens import Area, address, area, quoted, tokenize
from sizebook.core.errors import CellError, InputError, SizebookError
from sizebook.core.registry import Function
from sizebook.functions import load

_MOST_PASSES = 1000
_CIRCULAR = "#CIRC!"
# What the engine shows for a formula that it cannot read, a function it lacks, or a name that nobody defined.
_NOT_CALCULATED = ("#ERROR!", "#N/IMPL!", "#NAME?")
Place = tuple[str, str]  # sheet and address


@dataclass(frozen=True)
class Calculated:
    """The cells of a recalculated workbook.

    Attributes:
        values: what each used cell shows, by sheet and address; an error is an `ErrorCode`, a whole number an integer.
        spilled: the area that each array formula fills, by the sheet and address of its first cell.
        problems: for every cell where an error begins, what is wrong: a registered function's own message, otherwise
            the formula. Cells that show an error because another does are left out.
        n_passes: how often the workbook was evaluated until nothing changed.
    """

    values: Mapping[Place, Any]
    spilled: Mapping[Place, Area]
    problems: Mapping[Place, str]
    n_passes: int

    def __getitem__(self, place: Place) -> Any:
        """Return what a cell shows, None for an empty one."""
        return self.values.get(place)

    @property
    def n_errors(self) -> int:
        """How many cells show an error, whether it begins there or comes from another cell."""
        return sum(isinstance(value, ErrorCode) for value in self.values.values())

    @property
    def not_calculated(self) -> list[Place]:
        """The cells whose formula could not be calculated at all: unknown function or name, unreadable formula."""
        return [place for place, value in self.values.items() if is_not_calculated(value)]


def is_not_calculated(value: Any) -> bool:
    """Return whether a value is an error that says that the formula itself was not understood."""
    return isinstance(value, ErrorCode) and value in _NOT_CALCULATED


def recalculate(path: Path, functions: Mapping[str, Function] | None = None) -> Calculated:
    """Return what every cell of a workbook shows once all of its formulas are worked out.

    Args:
        path: an .xlsx or .xlsm file; it is only read.
        functions: the functions to evaluate in Python, by name; all registered ones when left out.

    A call that returns rows fills the area of its array formula; in an ordinary formula it gives its first value, as
    Excel reads such a file. A function's error becomes the error value of its cell and the message is kept.

    Errors: `InputError` for a file that is no workbook, for formulas that refer to each other in a circle (the cells
    are named), and for a what-if data table.
    """
    known = load() if functions is None else functions
    package = Package.read(Path(path))
    cells = formula_cells(package)
    prepare(package, known)
    grid = Grid(_loaded(package))
    calls = Calls(Scratch(grid), known)
    formulas = {_place(cell.at): _take_over(calls, cell) for cell in cells}
    n_passes, settled = _settle(calls)
    values = _values(grid)
    calculated = Calculated(values, _spilled(grid, cells), _problems(values, formulas, calls.calls, cells), n_passes)
    _refuse_circles(grid, calls, settled)
    return calculated


def _loaded(package: Package) -> Any:
    """Return IronCalc's model of the workbook; it reads files only."""
    import ironcalc

    with tempfile.TemporaryDirectory(prefix="sizebook-") as folder:
        file = Path(folder) / "prepared.xlsx"
        package.save(file)
        try:
            return ironcalc.load_from_xlsx(str(file))
        except ironcalc.WorkbookError as error:
            raise InputError(
                f"cannot calculate: got {error} in {package.path.name}, want a workbook that the engine can read. "
                "Open and save it in Excel."
            ) from error


def _place(at: Area) -> Place:
    return at.sheet, address(at.top, at.left)


def _take_over(calls: Calls, cell: FormulaCell) -> str:
    """Replace the registered functions in a cell's formula; return the formula as it was."""
    grid = calls.scratch.grid
    number = grid.number(cell.at.sheet)
    formula = None if number is None else grid.model.get_cell_formula(number, cell.at.top, cell.at.left)
    if number is None or not formula:
        return ""
    fixed = None if cell.dynamic else cell.array

    def write(text: str) -> None:
        grid.write_formula(number, cell.at.top, cell.at.left, text, fixed)

    calls.take_over(formula, cell.at, write, one_value=cell.array is None)
    return str(formula)


def _settle(calls: Calls) -> tuple[int, bool]:
    """Evaluate until nothing changes; return the passes, and whether it settled.

    Without a circle each pass settles one more level of calls, so more passes than calls prove that there is one.
    """
    scratch = calls.scratch
    most = min(len(calls.calls) + calls.n_expressions + 2, _MOST_PASSES)
    for n_passes in range(1, most + 1):
        scratch.moved = False
        scratch.grid.model.evaluate()
        changed = calls.evaluate()
        if not changed and not scratch.moved:
            return n_passes, True
    return most, False


def _values(grid: Grid) -> dict[Place, Any]:
    values = {}
    for sheet, row, column in grid.model.get_all_cells():
        if sheet < grid.n_own and (value := grid.shown(sheet, row, column)) is not None:
            values[grid.names[sheet], address(row, column)] = value
    return values


def _spilled(grid: Grid, cells: list[FormulaCell]) -> dict[Place, Area]:
    """Return the area that each array formula fills; the engine is asked for the extent of those that may grow."""
    _, number = grid.add("_extents")
    arrays = [cell for cell in cells if cell.array is not None]
    for row, cell in enumerate(arrays, 1):
        anchor = f"{quoted(cell.at.sheet)}!{address(cell.at.top, cell.at.left)}#"
        for column, function in ((1, "ROWS"), (2, "COLUMNS")):
            grid.write_formula(number, row, column, f"=IFERROR({function}({anchor}),1)")
    if arrays:
        grid.model.evaluate()
    spilled = {}
    for row, cell in enumerate(arrays, 1):
        filled = cell.array
        if cell.dynamic:
            height, width = (int(grid.shown(number, row, column)) for column in (1, 2))
            filled = Area(
                cell.at.sheet,
                cell.at.top,
                cell.at.left,
                bottom=cell.at.top + height - 1,
                right=cell.at.left + width - 1,
            )
        if filled is not None:
            spilled[_place(cell.at)] = filled
    return spilled


def _problems(
    values: Mapping[Place, Any], formulas: Mapping[Place, str], calls: list[Call], cells: list[FormulaCell]
) -> dict[Place, str]:
    """Return for every cell where an error begins what is wrong, in the order of the sheets."""
    filled = _filled_in_error(cells, values)
    messages: dict[Place, str] = {}
    for call in calls:
        rows = call.result if isinstance(call.result, list) else [[call.result]]
        for down, row in enumerate(rows):
            for across, value in enumerate(row):
                if isinstance(value, SizebookError) and not isinstance(value, CellError):
                    place = call.at.sheet, address(call.at.top + down, call.at.left + across)
                    messages.setdefault(place, str(value))
    errors = [area(at, sheet) for (sheet, at), value in values.items() if isinstance(value, ErrorCode)]
    found = {}
    for place, value in values.items():
        if not isinstance(value, ErrorCode):
            continue
        if place in messages or not (place in filled or _follows(place, formulas.get(place, ""), errors)):
            found[place] = messages.get(place) or f"{formulas.get(place) or 'the cell'} gives {value}"
    return found


def _filled_in_error(cells: list[FormulaCell], values: Mapping[Place, Any]) -> set[Place]:
    """Return the cells that an array formula of a fixed area fills with the error of its first cell."""
    found: set[Place] = set()
    for cell in cells:
        if cell.array is not None and not cell.dynamic and isinstance(values.get(_place(cell.at)), ErrorCode):
            others = {(cell.at.sheet, address(*at)) for at in cell.array.cells()}
            found |= others - {_place(cell.at)}
    return found


def _follows(place: Place, formula: str, errors: list[Area | None]) -> bool:
    """Return whether a formula refers to a cell that is itself in error, so that mending that one may mend this."""
    sheet, own = place[0], area(place[1], place[0])
    for token in tokenize(formula):
        source = area(token.text, sheet) if token.kind == "reference" else None
        if source is not None and any(e is not None and e != own and _inside(e, source) for e in errors):
            return True
    return False


def _inside(cell: Area, source: Area) -> bool:
    same_sheet = cell.sheet.casefold() == source.sheet.casefold()
    return same_sheet and source.top <= cell.top <= source.bottom and source.left <= cell.left <= source.right


def _refuse_circles(grid: Grid, calls: Calls, settled: bool) -> None:
    """Raise when formulas refer to each other in a circle, also through registered functions."""
    for call in calls.calls:
        if call.precedents:
            calls.scratch.depend(call.row, call.result, call.rows, call.precedents)
    grid.model.evaluate()
    circular = [f"{sheet}!{at}" for (sheet, at), value in _values(grid).items() if value == _CIRCULAR]
    if not circular and settled:
        return
    shown = ", ".join(circular[:5]) + (f" and {len(circular) - 5} more" if len(circular) > 5 else "")
    raise InputError(
        f"circular formulas: got {shown or 'values that never settle'}, want formulas that do not depend on "
        "their own result. Break the circle."
    )
