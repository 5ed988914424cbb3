"""Calls from the engine back into Python: registered functions, and functions of spreadsheets that are our own."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sizebook.calculation import callback_names as names
from sizebook.calculation.array_calls import called_for_each
from sizebook.calculation.calculated import Place
from sizebook.calculation.callback_names import OMITTED, OWN
from sizebook.calculation.circles import offset_reaches, text_reaches
from sizebook.calculation.guard import Note
from sizebook.calculation.prepared import Prepared
from sizebook.calculation.proofs import is_proved
from sizebook.calculation.spreadsheet import FUNCTIONS
from sizebook.calculation.spreadsheet.argument_values import each, joined, rows_of, text
from sizebook.calculation.tokens import address, area, cell_at, in_order
from sizebook.calculation.values import NOT_CALCULABLE, argument, error, placed, result
from sizebook.core.cells import evaluate
from sizebook.core.errors import CellError, SizebookError
from sizebook.core.registry import Function

_OMITTED = OMITTED[1:-1]
Callback = Callable[..., Any]


class Calls:
    """What the engine calls, and what the calls leave behind.

    Attributes:
        messages: the message of each registered function that failed, by the cell that shows its error.
        extents: the rows and columns that the dynamic array formula of a number gave.
        refused: the cells in which a call was refused.
        circular: the cells whose formula works out a reference to the cell itself.
        exhausted: a call ran out of memory.
        tell: is told at which cell a function is called.
    """

    def __init__(self, functions: Mapping[str, Function], prepared: Prepared) -> None:
        self._functions = functions
        self._sheets, self._arrays = prepared.sheets, prepared.arrays
        self._filled: dict[int, list[list[Any]]] = {}
        self.tell: Note = lambda where: None
        self._known: dict[str, Any] = {}
        self.messages: dict[Place, str] = {}
        self.extents: dict[int, tuple[int, int]] = {}
        self.refused: dict[Place, str] = {}
        self.circular: list[Place] = []
        self.exhausted = False

    def callbacks(self) -> Iterator[tuple[str, Callback]]:
        """Yield the name of each function as the engine knows it, and what it calls."""
        ours: dict[str, Callback] = {
            names.FIRST: _first, names.FIT: self._fit, names.PART: self._part, names.SPILL: self._spill,
            names.REFUSED: _refused, names.SERIES: _series, names.COUNTABLE: _countable,
            names.SAME_ERROR: _same_error, names.AS_TEXT: _as_text, names.COMPARED: _compared, names.JOINED: _joined,
        }  # fmt: skip
        yield from ours.items()
        placed: dict[str, Callback] = {
            names.ONLY: self._only, names.EACH: self._each, names.CRITERION: self._criterion,
            names.PROVED: self._proved, names.TARGET: self._target,
        }  # fmt: skip
        for name, called in placed.items():
            yield name, self._with_place(called)
        for name, own in FUNCTIONS.items():
            yield OWN + name, self._with_place(self._own(own))
        for name, function in self._functions.items():
            yield OWN + name, self._with_place(self._registered(function))

    def _with_place(self, called: Callback) -> Callback:
        """Return what is handed its cell as the number of the sheet, row and column before its arguments."""

        def with_place(sheet: float, row: float, column: float, *given: Any) -> Any:
            return called((self._sheets[int(sheet)], address(int(row), int(column))), *given)

        return with_place

    def _registered(self, function: Function) -> Callback:
        def called(place: Place, *given: Any) -> Any:
            cells = [None if cell == _OMITTED else argument(cell) for cell in given]
            self.tell("!".join(place))
            value = self._evaluated(function, cells)
            self.tell("")
            self._note(place, value)
            return result(value)

        return called

    def _own(self, own: Callback) -> Callback:
        """Return a function of spreadsheets as the engine calls it: errors are values there."""

        def called(place: Place, *given: Any) -> Any:
            cells = [None if cell == _OMITTED else argument(cell) for cell in given]
            self.tell("!".join(place))
            value = self._spreadsheet(own, cells)
            self.tell("")
            return self._seen(place, value)

        return called

    def _seen(self, place: Place, value: Any) -> Any:
        """Note that a cell is refused, which IFERROR or COUNT around the call may hide; return the value."""
        refused = error(NOT_CALCULABLE)
        if value == refused or (isinstance(value, list) and any(refused in row for row in value)):
            self.refused[place] = ""
        return value

    def _each(self, place: Place, name: str, *given: Any) -> Any:
        """Return what a function of the engine gives for each value of its arrays."""
        return self._seen(place, called_for_each(name, *given))

    def _only(self, place: Place, value: Any) -> Any:
        """Return a value that stands alone; which one of several Excel takes hangs on where the formula stands."""
        return self._seen(place, error(NOT_CALCULABLE) if isinstance(value, list) else value)

    def _proved(self, place: Place, kind: str, value: Any) -> Any:
        """Return an argument, refused where it is not of the class that is proved."""
        rows = [[cell if is_proved(cell, kind) else error(NOT_CALCULABLE) for cell in row] for row in rows_of(value)]
        return self._seen(place, rows if isinstance(value, list) else rows[0][0])

    def _criterion(self, place: Place, value: Any) -> Any:
        """Return a criterion or rows of them with 0 in place of -0; one in error is refused."""
        if isinstance(value, list):
            return [[self._criterion(place, cell) for cell in row] for row in value]
        if isinstance(value, dict):
            return self._seen(place, error(NOT_CALCULABLE))
        return 0.0 if type(value) is float and value == 0 else value

    def _target(self, place: Place, value: Any, *start: Any) -> Any:
        """Return the text of INDIRECT, or the rows of OFFSET; note a formula whose reference leads to its own cell."""
        if not start and not isinstance(value, (str, list, dict)):
            return "0"  # names no cell: #REF!, where the engine shows #VALUE! for what is no text
        if offset_reaches(place, start[0], value, *start[1:]) if start else text_reaches(place, value):
            self.circular.append(place)
        if any(isinstance(size, float) and size < 0 for size in start[2:]):  # the engine shows #REF!
            return self._seen(place, error(NOT_CALCULABLE))
        if isinstance(value, str) and ":" in value and "[" not in value and area(value, "") is None:
            return self._seen(place, error(NOT_CALCULABLE))  # A1:Q has corners of two kinds: the engine guesses one
        return in_order(value) if isinstance(value, str) else value

    def _spreadsheet(self, own: Callback, cells: list[Any]) -> Any:
        try:
            return result(own(*cells), blank=None)  # what refers to a blank cell is blank to what reads it
        except CellError as problem:
            return error(problem.code)
        except (ValueError, ZeroDivisionError, OverflowError, ArithmeticError):
            return error("#NUM!")
        except TypeError:
            return error("#VALUE!")
        except MemoryError:
            self.exhausted = True  # the engine would make #VALUE! of any exception
            raise
        except Exception:  # noqa: BLE001 - unforeseen: the cell is refused, not shown as an error of its inputs
            return error(NOT_CALCULABLE)

    def _evaluated(self, function: Function, cells: list[Any]) -> Any:
        key = f"{function.name}{_identity(cells)!r}"
        if key not in self._known:
            try:
                self._known[key] = evaluate(function, cells)
            except SizebookError as problem:
                self._known[key] = problem
            except MemoryError:
                self.exhausted = True
                raise
        return self._known[key]

    def _note(self, place: Place, value: Any) -> None:
        """Keep the messages of what failed, each for the cell that will show it.

        The engine may call once before an area that it reads is filled, and again: what the last call says holds.
        """
        sheet, (top, left) = place[0], cell_at(place[1]) or (1, 1)
        rows = value if isinstance(value, list) else [[value]]
        for down, row in enumerate(rows):
            for across, cell in enumerate(row if isinstance(row, (list, tuple)) else [row]):
                shown_at = (sheet, address(top + down, left + across))
                if isinstance(cell, CellError):  # an error of its arguments
                    self.messages.pop(shown_at, None)
                elif isinstance(cell, SizebookError):
                    self.messages[shown_at] = str(cell)

    def _fit(self, number: float, value: Any) -> Any:
        """Keep what an array formula of a fixed area shows: rows repeated, cut off, filled up with #N/A.

        Return the first value: the other cells of the area ask for theirs by `_part`, each once that formula is worked
        out. Were the rows handed over, the engine would work out all that reads them before and again after it.
        """
        given, area = value if isinstance(value, list) else [[value]], self._arrays[int(number)].filled
        height, width = area.bottom - area.top + 1, area.right - area.left + 1
        rows = [[_shown_blank(placed(given, row, column)) for column in range(width)] for row in range(height)]
        self._filled[int(number)] = rows
        return rows[0][0]

    def _part(self, number: float, row: float, column: float, _first: Any) -> Any:
        """Return what an array formula shows in one cell of its area."""
        return self._filled[int(number)][int(row)][int(column)]

    def _spill(self, number: float, value: Any) -> Any:
        """Note how far the rows of a dynamic array formula reach, and hand them on."""
        self.extents[int(number)] = (len(value), len(value[0])) if isinstance(value, list) else (1, 1)
        return _shown_blank(value)


def _first(value: Any) -> Any:
    """Return the first of rows, as an ordinary formula takes them; a blank one is still blank to what reads it."""
    return value[0][0] if isinstance(value, list) else value


def _series(first: Any, count: Any, down: bool) -> Any:
    """Return the numbers of the rows of an area below each other, or of its columns beside each other."""
    if isinstance(first, dict) or isinstance(count, dict):
        return first if isinstance(first, dict) else count
    numbers = [first + step for step in range(int(count))]
    return [[each] for each in numbers] if down else [numbers]


def _countable(value: Any) -> Any:
    """Return what COUNT is to count: an error counts for nothing, unless it says that something was not calculated."""
    if isinstance(value, list):
        return [[_countable(cell) for cell in row] for row in value]
    return "" if isinstance(value, dict) and value != error(NOT_CALCULABLE) else value


def _same_error(value: Any, code: str) -> list[list[float]]:
    """Return 1 where a range shows that error, 0 elsewhere."""
    rows = value if isinstance(value, list) else [[value]]
    return [[float(cell == error(code)) for cell in row] for row in rows]


def _as_text(value: Any) -> Any:
    """Return a value or rows with numbers as the texts that Excel makes of them."""
    if isinstance(value, list):
        return [[_as_text(cell) for cell in row] for row in value]
    return text(value) if type(value) in (int, float) else value


def _joined(*given: Any) -> Any:
    """Return values as one text, of rows one text for each place."""
    try:
        return result(each(joined)(*map(argument, given)))
    except CellError as problem:
        return error(problem.code)


def _compared(value: Any) -> Any:
    """Return a value or rows with 15 digits of each number, which are all that Excel compares."""
    if type(value) is float:
        return value if value.is_integer() and -1e15 < value < 1e15 else float(f"{value:.15g}")
    return [[_compared(cell) for cell in row] for row in value] if isinstance(value, list) else value


def _shown_blank(value: Any) -> Any:
    """Return a result; a formula shows an empty cell as 0."""
    if isinstance(value, list):
        return [[_shown_blank(cell) for cell in row] for row in value]
    return 0.0 if value is None else value


def _refused(*_: Any) -> Any:
    return error(NOT_CALCULABLE)


def _identity(value: Any) -> Any:
    """Return what tells two arguments apart: type and value, an error by its code."""
    if isinstance(value, list):
        return [_identity(cell) for cell in value]
    return ("error", value.code) if isinstance(value, CellError) else (type(value).__name__, value)
