"""The scratch sheets of a calculation: results of calls, and expressions that are arguments.

They exist only in the engine's memory, behind the workbook's own sheets.
"""

from __future__ import annotations

from typing import Any

from sizebook.calculation.grid import ErrorCode, Grid, literal
from sizebook.calculation.tokens import Area, address, quoted
from sizebook.core.coercion import Cell, Range

# How much room an expression that gives rows gets, and how many such rooms stand under each other.
_ROOM_ROWS, _ROOM_COLUMNS, _ROOMS_DOWN = 10_000, 100, 100


class Scratch:
    """Allots places on the scratch sheets and remembers whether an expression had to move."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.calls, self.calls_number = grid.add("_calls")
        self.rows, self.rows_number = grid.add("_rows")
        self.narrow, self.narrow_number = grid.add("_narrow")
        self.wide, self.wide_number = grid.add("_wide")
        self.n_calls = self.n_rows = self.n_narrow = self.n_wide = 0
        self.moved = False

    def new_call(self) -> int:
        """Return the row of a new call's result; until it is known it shows #N/A, so that nobody reads a zero."""
        self.n_calls += 1
        self.grid.write_formula(self.calls_number, self.n_calls, 1, "=#N/A")
        return self.n_calls

    def put(self, row: int, value: Cell | Range) -> Area | None:
        """Write a call's result; return the area of its rows where it has more than one value.

        Rows get a fresh place each time: a result seldom changes more than once or twice before all is settled.
        """
        if not isinstance(value, list):
            self.grid.write(self.calls_number, row, 1, value)
            return None
        self.grid.write(self.calls_number, row, 1, value[0][0])
        top = self.n_rows + 1
        for down, cells in enumerate(value):
            for across, cell in enumerate(cells):
                self.grid.write(self.rows_number, top + down, 1 + across, cell)
        self.n_rows += len(value)
        return Area(self.rows, top, 1, bottom=self.n_rows, right=max(len(cells) for cells in value))

    def reference(self, row: int, rows: Area | None) -> str:
        """Return a reference to a call's result: its one cell, or all of its rows."""
        if rows is None:
            return f"{quoted(self.calls)}!$A${row}"
        return f"{quoted(self.rows)}!{address(rows.top, rows.left)}:{address(rows.bottom, rows.right)}"

    def depend(self, row: int, value: Cell | Range, rows: Area | None, precedents: list[str]) -> None:
        """Write a settled result once more, as a formula that refers to the ``precedents`` it came from.

        The engine then sees circles that pass through a call and marks the cells in them.
        """
        guard = f"=IF(COUNTA({','.join(precedents)})<0,0,{{}})"
        first = value[0][0] if isinstance(value, list) else value
        self.grid.write_formula(self.calls_number, row, 1, guard.format(literal(first)))
        if rows is not None:
            self.grid.write_formula(self.rows_number, rows.top, rows.left, guard.format(literal(first)))


class Expression:
    """An argument that must be worked out: a formula in a scratch cell of its own.

    It starts on the narrow sheet, one under the other with a text beside each, so that a formula that gives rows shows
    #SPILL!; then it moves to the wide sheet, where it has room.
    """

    def __init__(self, scratch: Scratch) -> None:
        scratch.n_narrow += 1
        self._scratch = scratch
        self._sheet, self.row, self.column = scratch.narrow_number, scratch.n_narrow, 1
        self._formula = ""
        for row, column in ((self.row, 2), (self.row + 1, 1)):
            scratch.grid.write(self._sheet, row, column, "no room")

    @property
    def reference(self) -> str:
        """The cell that holds the expression."""
        return f"{quoted(self._scratch.grid.names[self._sheet])}!{address(self.row, self.column)}"

    def write(self, formula: str) -> None:
        """Write the formula at its present place."""
        self._formula = formula
        self._scratch.grid.write_formula(self._sheet, self.row, self.column, formula)

    def read(self) -> Any:
        """Return what the expression gives; one that gives rows moves to where it has room, for the next pass."""
        grid = self._scratch.grid
        value = grid.cell(self._sheet, self.row, self.column)
        if self._sheet == self._scratch.wide_number:
            return self._read_rows(value)
        if grid.shown(self._sheet, self.row, self.column) == ErrorCode("#SPILL!"):
            self._move()
        return value

    def _move(self) -> None:
        scratch = self._scratch
        scratch.grid.write(self._sheet, self.row, self.column, "moved")
        block, down = divmod(scratch.n_wide, _ROOMS_DOWN)
        scratch.n_wide += 1
        self._sheet = scratch.wide_number
        self.row, self.column = down * _ROOM_ROWS + 1, block * _ROOM_COLUMNS + 3
        # How many rows and columns it gives stands in the two cells to its left.
        for left, function in ((2, "ROWS"), (1, "COLUMNS")):
            extent = f"=IFERROR({function}({self.reference}#),1)"
            scratch.grid.write_formula(self._sheet, self.row, self.column - left, extent)
        self.write(self._formula)
        scratch.moved = True

    def _read_rows(self, first: Cell) -> Any:
        grid = self._scratch.grid
        height, width = (int(grid.shown(self._sheet, self.row, self.column - left) or 1) for left in (2, 1))
        if height == width == 1:
            return first
        area = Area("", self.row, self.column, bottom=self.row + height - 1, right=self.column + width - 1)
        return grid.rows(self._sheet, area)
