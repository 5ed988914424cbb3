"""Recalculates a workbook without Excel: formualizer works out its formulas, Python our own functions."""

from collections.abc import Container, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from itertools import repeat
from types import MappingProxyType
from typing import Any, NamedTuple

import formualizer

from sizebook.calculation.calculated import Calculated, Place, is_not_calculated
from sizebook.calculation.callback_names import PART
from sizebook.calculation.callbacks import Calls
from sizebook.calculation.dependents import not_calculable, problems
from sizebook.calculation.doubtful_texts import doubtful_texts
from sizebook.calculation.guard import Note, give_back_memory
from sizebook.calculation.package import Package
from sizebook.calculation.plain_file import EMPTY_SHEET
from sizebook.calculation.preparation import prepare
from sizebook.calculation.prepared import Prepared
from sizebook.calculation.sheet_text import used_cells
from sizebook.calculation.tokens import Area, address, cell_at
from sizebook.calculation.values import CIRCULAR, NOT_CALCULABLE, ErrorCode, shown
from sizebook.core.errors import InputError
from sizebook.core.once import one_calculation
from sizebook.core.registry import Function


class Model(NamedTuple):
    """A workbook as the engine holds it, its formulas read and linked, and not yet worked out.

    ``used`` are the addresses of the cells that each sheet holds, in one text; what those show that no scenario changes
    may stand in ``constants`` instead.
    """

    prepared: Prepared
    calls: Calls
    engine: Any
    used: Mapping[str, str]
    constants: Mapping[Place, Any] = MappingProxyType({})

    def with_constants(self, given: Container[tuple[str, int, int]]) -> "Model":
        """Return the model with what its cells show that hold no formula and are not given."""
        used, constants = dict[str, str](), dict[Place, Any]()
        for sheet, addresses in self.used.items():
            changing = list[str]()
            for at in addresses.split("\0"):
                cell = cell_at(at)
                is_fixed = cell is not None and (sheet, at) not in self.prepared.formula_places
                if cell is None or not is_fixed or (sheet, *cell) in given:
                    changing.append(at)
                elif (value := shown(self.engine.get_value(sheet, *cell))) is not None:
                    constants[sheet, at] = value
            used[sheet] = "\0".join(changing)
        return self._replace(used=used, constants=constants)


def read_model(package: Package, functions: Mapping[str, Function]) -> Model:
    """Return the model of a package, which is rewritten on the way and then empty."""
    prepared = prepare(package, functions)
    calls = Calls(functions, prepared)
    used = {sheet: used_cells(package.content(part)) for sheet, part in package.sheets().items()}
    package.forget()
    give_back_memory()  # the engine takes as much again
    engine = loaded(prepared, calls, package.path.name)
    prepared.file = b""
    prepared.rewritten.clear()  # the engine has them
    engine.get_eval_plan([(EMPTY_SHEET, 1, 1)])  # links the formulas, works none out
    return Model(prepared, calls, engine, used)


def work_out(model: Model, note: Note) -> Calculated:
    """Return what every cell of a workbook shows; ``note`` is told at which cell a function of ours is called."""
    prepared, calls = model.prepared, model.calls
    calls.tell = note
    with one_calculation():
        model.engine.evaluate_all()
    if calls.exhausted:
        raise MemoryError
    spilled = _spilled(prepared, calls)
    values = _values(model, spilled)
    errors = _errors(values)
    _refuse_circles([place for place, code in errors.items() if code == CIRCULAR] + calls.circular)
    prepared.refused |= doubtful_texts(prepared, values) | calls.refused
    refused = not_calculable(prepared, errors)
    if refused:
        values |= {place: ErrorCode(NOT_CALCULABLE) for place in refused if not is_not_calculated(errors.get(place))}
        errors = _errors(values)
    return Calculated(
        values,
        spilled,
        problems=problems(prepared, errors, messages=calls.messages, refused=refused),
        not_calculated=tuple(refused),
        engine=f"formualizer {version('formualizer')}",
    )


def loaded(prepared: Prepared, calls: Calls, workbook: str) -> Any:
    """Return the engine's model of a prepared workbook, with what it calls."""
    model = _loaded(prepared, workbook)
    for name, callback in calls.callbacks():
        model.register_function(name, callback, min_args=0, max_args=None, allow_override_builtin=True)
    return model


def _loaded(prepared: Prepared, workbook: str) -> Any:
    settings = formualizer.EvaluationConfig()
    settings.enable_parallel = False  # one thread: results in a fixed order, and memory that a limit can hold
    settings.cycle_detection = "runtime"  # a branch that is not taken closes no circle
    settings.workbook_seed = 0
    settings.date_system = "1904" if prepared.dates_from_1904 else "1900"
    try:
        model = formualizer.Workbook.from_bytes(
            prepared.file, config=formualizer.WorkbookConfig(eval_config=settings, enable_changelog=False)
        )
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        raise InputError(
            f"cannot calculate: got {error} in {workbook}, want a workbook that the engine can read. "
            "Open and save it in Excel."
        ) from error
    model.set_temporal_egress("serial")
    _fill_areas(model, prepared)
    return model


def _fill_areas(model: Any, prepared: Prepared) -> None:
    """Let the cells of an array formula's fixed area ask for what it shows there."""
    for number, array in prepared.arrays.items():
        sheet, at = prepared.places[number]
        anchor, filled = cell_at(at), array.filled
        for row, column in () if array.dynamic else filled.cells():
            if (row, column) != anchor and (sheet, address(row, column)) not in prepared.formula_places:
                place = f"{number},{row - filled.top},{column - filled.left}"
                model.set_formula(sheet, row, column, f"={PART}({place},{at})")


def _spilled(prepared: Prepared, calls: Calls) -> dict[Place, Area]:
    """Return the area that each array formula fills."""
    spilled = {}
    for number, array in prepared.arrays.items():
        filled = array.filled
        if array.dynamic:
            height, width = calls.extents.get(number, (1, 1))
            filled = filled._replace(bottom=filled.top + height - 1, right=filled.left + width - 1)
        spilled[prepared.places[number]] = filled
    return spilled


def _values(model: Model, spilled: dict[Place, Area]) -> dict[Place, Any]:
    """Return what each used cell shows; an array that found no room fills its first cell only."""
    values = dict(model.constants)
    prepared = model.prepared
    for sheet, used in model.used.items():
        addresses, value_at = used.split("\0"), partial(model.engine.get_value, sheet)
        found = [None if at is None else shown(value_at(*at)) for at in map(cell_at, addresses)]
        for place, value in zip(zip(repeat(sheet), addresses), found, strict=True):
            if value is not None:
                spills = value == "#SPILL!" and place in prepared.formula_places and place not in spilled
                values[place] = ErrorCode(NOT_CALCULABLE) if spills else value  # Excel takes one of its values
            elif place in prepared.formula_places:
                values[place] = ErrorCode(NOT_CALCULABLE)  # the engine passed over it
    for place, filled in list(spilled.items()):
        if values.get(place) == "#SPILL!":
            spilled[place] = Area(filled.sheet, filled.top, filled.left, bottom=filled.top, right=filled.left)
            continue
        for row, column in filled.cells():
            if (value := shown(model.engine.get_value(filled.sheet, row, column))) is not None:
                values[filled.sheet, address(row, column)] = value
    return values


def _errors(values: Mapping[Place, Any]) -> dict[Place, ErrorCode]:
    """Return the cells that show an error."""
    return {place: value for place, value in values.items() if type(value) is ErrorCode}


def _refuse_circles(places: Sequence[Place]) -> None:
    """Raise when formulas refer to each other in a circle, also through registered functions."""
    circular = [f"{sheet}!{at}" for sheet, at in dict.fromkeys(places)]
    if circular:
        more = f" and {len(circular) - 5} more" if len(circular) > 5 else ""
        raise InputError(
            f"circular formulas: got {', '.join(circular[:5])}{more}, want formulas that do not depend on "
            "their own result. Break the circle."
        )
