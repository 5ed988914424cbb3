"""Cells of the engine's model by sheet name: what they show, and writing into them."""

from __future__ import annotations

from typing import Any

from sizebook.calculation.tokens import Area
from sizebook.core.coercion import Cell, Range
from sizebook.core.errors import CellError, SizebookError

# References longer than this are cut off behind the last used cell: people write A:A and mean what is there.
_LONG = 10_000


class ErrorCode(str):
    """An error value of a cell, such as ``#N/A``; a text that merely reads so is a plain `str`."""

    __slots__ = ()


def literal(value: Cell) -> str:
    """Return a value as a formula writes it."""
    if isinstance(value, SizebookError):
        return value.code if value.code.startswith("#") else "#VALUE!"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return repr(float(value))
    return '"' + str("" if value is None else value).replace('"', '""') + '"'


class Grid:
    """An IronCalc model seen as sheets of cells; sheets that calculation adds stand behind the workbook's own."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.names: list[str] = [sheet["name"] for sheet in model.get_worksheets_properties()]
        self.n_own = len(self.names)
        self._index = {name.casefold(): index for index, name in enumerate(self.names)}

    def add(self, name: str) -> tuple[str, int]:
        """Add a sheet; return its name (changed where the workbook has one of that name) and number."""
        while name.casefold() in self._index:
            name += "_"
        self.model.add_sheet(name)
        self.names.append(name)
        self._index[name.casefold()] = len(self.names) - 1
        return name, len(self.names) - 1

    def number(self, sheet: str) -> int | None:
        """Return the engine's number of a sheet, None when there is no such sheet."""
        return self._index.get(sheet.casefold())

    def shown(self, sheet: int, row: int, column: int) -> Any:
        """Return what a cell shows: None, bool, int, float, str or an `ErrorCode`; whole numbers are integers."""
        value = self.model.get_cell_value(sheet, row, column)
        if isinstance(value, str) and value.startswith("#"):
            is_error = str(self.model.get_cell_type(sheet, row, column)).endswith("ErrorValue")
            return ErrorCode(value) if is_error else value
        if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
            return int(value)
        return value

    def cell(self, sheet: int, row: int, column: int) -> Cell:
        """Return what a function sees of a cell: its value, or an exception for an error value."""
        value = self.shown(sheet, row, column)
        return CellError(str(value)) if isinstance(value, ErrorCode) else value

    def rows(self, sheet: int, area: Area) -> Range:
        """Return the rows of an area, long references cut off behind the last cell that is used."""
        _, last_row, _, last_column = self.model.get_sheet_dimensions(sheet)
        bottom = area.bottom if area.bottom - area.top < _LONG else max(area.top, min(area.bottom, last_row))
        right = area.right if area.right - area.left < _LONG else max(area.left, min(area.right, last_column))
        return [
            [self.cell(sheet, row, column) for column in range(area.left, right + 1)]
            for row in range(area.top, bottom + 1)
        ]

    def write(self, sheet: int, row: int, column: int, value: Cell) -> None:
        """Write a value; an exception becomes its error value, nothing an empty text."""
        if isinstance(value, SizebookError):
            self.model.set_user_input(sheet, row, column, "=" + literal(value))
        elif isinstance(value, bool):
            self.model.update_cell_with_bool(sheet, row, column, value)
        elif isinstance(value, (int, float)):
            self.model.update_cell_with_number(sheet, row, column, float(value))
        else:
            self.model.update_cell_with_text(sheet, row, column, "" if value is None else str(value))

    def write_formula(self, sheet: int, row: int, column: int, formula: str, array: Area | None = None) -> None:
        """Write a formula; ``array`` is the fixed area that an array formula of the old kind fills."""
        if array is None:
            self.model.set_user_input(sheet, row, column, formula)
        else:
            # The engine refuses to write into an array formula, its own first cell included.
            self.model.range_clear_contents(sheet, array.top, array.left, array.bottom, array.right)
            width, height = array.right - array.left + 1, array.bottom - array.top + 1
            self.model.set_user_array_formula(sheet, row, column, width, height, formula)
