"""A registered function over cells: a 1x1 range is a scalar, a larger one broadcasts, where one bad cell spoils only
its own result. What comes back is what a cell can hold, whatever function it comes from: no table for each cell.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sizebook.core.coercion import LARGEST, Cell, Range, as_rows, as_text, coerce, is_blank, single_cell
from sizebook.core.errors import InputError, RangeError, SizebookError, UnknownKeyError, shown
from sizebook.core.hints import want_one_of
from sizebook.core.quantities import Model
from sizebook.core.registry import Function, find, registered
from sizebook.core.sections import Argument, quantity_of
from sizebook.core.tabular import Table


def call(name: str, *cells: Cell | Range) -> Cell | Range:
    """Return what the cell ``=NAME(cells...)`` shows: a value, or rows of values where an argument is a range.

    Raises a `SizebookError` for a single bad call. In a broadcast the error stands in the place of the one result.
    """
    return evaluate(find(name), cells)


def evaluate(function: Function, cells: Sequence[Cell | Range]) -> Cell | Range:
    """Evaluate one function over cells; see `call`."""
    arguments = function.arguments
    are_single = True
    for cell in cells:  # not any(): a generator costs as much as what most cells ask for
        if isinstance(cell, (list, tuple)):
            are_single = False
            break
    if not are_single:
        cells = [_single(function, place, cell) for place, cell in enumerate(cells)]
    cells = with_options(function, cells)
    if len(cells) > len(arguments):
        raise InputError(
            f"too many arguments: got {len(cells)}, want at most {len(arguments)} for {function.name}. "
            f"The arguments are {', '.join(a.name for a in arguments)}."
        )
    padded = [*cells, *[None] * (len(arguments) - len(cells))]
    if are_single:  # nothing to spread: most cells ask so
        return _once(function, padded)
    spread = [_broadcastable(a, c) for a, c in zip(arguments, padded, strict=True)]
    shapes = [(len(rows), len(rows[0])) for rows in spread if isinstance(rows, list)]
    if not shapes:
        return _once(function, padded)
    if function.result.kind == "range":
        raise _tables_in_cells(function, spread)
    n_rows, n_columns = _common_shape(function, shapes)
    return [[_tried(function, padded, spread, row, col) for col in range(n_columns)] for row in range(n_rows)]


def _single(function: Function, place: int, cell: Cell | Range) -> Cell | Range:
    """Return what a 1x1 range holds where the argument in a place takes one cell."""
    if not isinstance(cell, (list, tuple)):
        return cell
    return cell if _kind_at(function, place) in ("range", "list") else single_cell(cell)


# A function with more arguments than this also takes those after the first few as one text or a two-column range.
MOST_PLACES = 8


def with_options(function: Function, cells: Sequence[Cell | Range]) -> Sequence[Cell | Range]:
    """Return the cells with options put in their places, where the last cell that is not blank holds options.

    Options are one text, ``"tp=8; weight_dtype=fp8"``, or a range of two columns, names and values.
    """
    arguments = function.arguments
    if len(arguments) <= MOST_PLACES:
        return cells
    last = max((at for at, cell in enumerate(cells) if not is_blank(single_cell(cell))), default=-1)
    if last < 0 or _kind_at(function, last) == "range":
        return cells
    known = [argument.name for argument in arguments]
    options = _options(single_cell(cells[last]), known, in_words=_kind_at(function, last) == "text")
    if options is None:
        return cells
    placed: list[Cell | Range] = [*cells[:last], *[None] * (len(known) - last)]
    for name, value in options:
        at = known.index(name)
        if not is_blank(single_cell(placed[at])):
            raise InputError(
                f"argument given twice: got {name} again among the options of {function.name}, want it once. "
                "Remove one."
            )
        placed[at] = value
    return placed


def _kind_at(function: Function, place: int) -> str:
    """Return the kind of the argument in a place: a range takes whatever a cell holds, and so holds no options."""
    return function.arguments[place].quantity.kind if place < len(function.arguments) else ""


def _options(cell: Cell | Range, known: Sequence[str], *, in_words: bool) -> list[tuple[str, Cell]] | None:
    """Return the arguments that a cell of options names and their values; None where the cell holds none, and in a
    place for words where it names no argument: ``remat_policy=save_qkv_proj``."""
    if isinstance(cell, str):
        parts = [part.partition("=") for part in cell.split(";") if part.strip()]
        if not parts or not all(separator and name.strip().isidentifier() for name, separator, _ in parts):
            return None
        if in_words and not any(name.strip() in known for name, _, _ in parts):
            return None
        return [(option_name(name.strip(), known), value.strip()) for name, _, value in parts]
    rows = as_rows(cell)
    if rows is None or len(rows[0]) != 2:
        return None
    if not any(as_text(row[0]) in known for row in rows):
        return None
    return [(name, row[1]) for name, row in named_rows(rows, known).items()]


def named_rows(rows: Range, known: Sequence[str]) -> dict[str, list[Cell]]:
    """Return rows by the names of inputs in their first cells, blank rows left out.

    Errors: a value whose row has no name, an unknown name, one given twice: what is left out would not be missed.
    """
    named: dict[str, list[Cell]] = {}
    for row in rows:
        filled = [cell for cell in row if not is_blank(cell)]
        if filled and is_blank(row[0]):
            raise InputError(
                f"row without a name: got {shown(filled[0])} behind a blank cell, want the name of an input there. "
                "Name the row, or clear it."
            )
        if filled:
            name = option_name(as_text(row[0]), known)
            if name in named:
                raise InputError(f"argument given twice: got {name} in two rows, want it once. Remove one.")
            named[name] = row
    return named


def option_name(name: str, known: Sequence[str]) -> str:
    """Return the name of an argument; raise with the nearest one if it is unknown."""
    if name not in known:
        raise UnknownKeyError(f"unknown argument: got {shown(name)}, want {want_one_of(name, known)}")
    return name


def _broadcastable(argument: Argument, cell: Cell | Range) -> Range | None:
    """Return the rows to broadcast over, or None for a scalar, a 1x1 range or an argument that takes a whole range."""
    rows = as_rows(cell)
    if rows is None or argument.quantity.kind in ("range", "list") or (len(rows) == 1 and len(rows[0]) == 1):
        return None
    return rows


def _tables_in_cells(function: Function, spread: Sequence[Range | None]) -> InputError:
    """Return the refusal of several cells for one argument of a function that gives a table, with what to do."""
    name, rows = next((a.name, rows) for a, rows in zip(function.arguments, spread, strict=True) if rows is not None)
    area, takes_model = function.category.split()[0], function.arguments[0].quantity == quantity_of(Model)
    by_rows = [
        each.name
        for each in registered().values()
        if takes_model and each.category.split()[0] == area and each.arguments[0].quantity == quantity_of(Table)
    ]
    fix = "Call it once for each cell" + "".join(f", or give {each} a line for each case" for each in by_rows)
    return InputError(
        f"a table for each cell: got {len(rows)}x{len(rows[0])} cells for {name} of {function.name}, want one cell, "
        f"for it gives a table itself. {fix}."
    )


def _common_shape(function: Function, shapes: list[tuple[int, int]]) -> tuple[int, int]:
    n_rows, n_columns = max(r for r, _ in shapes), max(c for _, c in shapes)
    if any(r not in (1, n_rows) or c not in (1, n_columns) for r, c in shapes):
        sizes = ", ".join(f"{r}x{c}" for r, c in shapes)
        raise InputError(
            f"ranges do not match: got {sizes} for {function.name}, want the same rows and columns, or single cells. "
            "Make the ranges the same size."
        )
    return n_rows, n_columns


def _tried(function: Function, cells: Sequence[Cell], spread: Sequence[Range | None], row: int, col: int) -> Cell:
    picked = [
        cell if rows is None else rows[row if len(rows) > 1 else 0][col if len(rows[0]) > 1 else 0]
        for cell, rows in zip(cells, spread, strict=True)
    ]
    try:
        return _once(function, picked)
    except SizebookError as error:
        return error


def bind(function: Function, cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the coerced arguments by name, defaults filled in."""
    return {a.name: coerce(a, c) for a, c in zip(function.arguments, cells, strict=True)}


def _once(function: Function, cells: Sequence[Cell]) -> Cell | Range:
    try:
        bound, arguments = bind(function, cells), zip(function.arguments, cells, strict=True)
        stated = frozenset(a.name for a, c in arguments if not is_blank(c)) if function.asking else frozenset()
        return _presentable(function, function.call(bound, stated))
    except ZeroDivisionError as error:
        raise RangeError(
            f"division by zero: got 0 where {function.name} divides, want another number. Correct the argument."
        ) from error
    except OverflowError as error:
        raise RangeError(
            f"result out of range: got {error} in {function.name}, want numbers a cell can hold. Use smaller arguments."
        ) from error


def _presentable(function: Function, value: Any) -> Any:
    """Return a result that a cell can hold: every number finite, and none below 0 where the quantity has no such.

    An amount that nobody lists (NaN) is an error: of a table in its own cell alone, so that no sum takes it for 0.
    """
    if isinstance(value, (list, tuple)):
        value = [[_listed(each) for each in row] if isinstance(row, (list, tuple)) else _listed(row) for row in value]
    elif isinstance(_listed(value), SizebookError):
        raise not_listed()
    for number in (value,) if type(value) in (int, float) else _numbers(value):
        if not abs(number) <= LARGEST:  # nor not-a-number
            raise RangeError(
                f"result out of range: got {shown(number)} from {function.name}, want a number that a cell can hold. "
                "Use smaller arguments."
            )
    if isinstance(value, (int, float)) and value < 0 and function.result.never_negative:
        raise RangeError(
            f"result out of range: got {shown(value)} from {function.name}, want at least 0 "
            f"({function.result.meaning}). Correct the arguments."
        )
    return value


def not_listed() -> UnknownKeyError:
    """Return the error of an amount that follows from a price or a power that no table lists."""
    return UnknownKeyError(
        "amount not listed: got no price or power of the accelerator, want one. State on_demand_usd_per_gpu_hour, "
        "price_usd_per_gpu_hour or watts, or add your own row with 'sizebook data add'."
    )


def _listed(value: Any) -> Any:
    return not_listed() if value.__class__ is float and value != value else value


def _numbers(value: Any) -> Iterator[int | float]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, (int, float)):
        yield value
