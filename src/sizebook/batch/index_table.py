"""The figures of a batch as one table: a line a scenario, a column a figure with its unit, numbers as numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sizebook.batch.journal import Outcome
from sizebook.core.figure_label import FigureLabel
from sizebook.plans.contents import Figure

# Units that a reader of many lines wants by the billion.
_LARGE_UNITS = {"bytes": ("GB", 1e9), "parameters": ("10⁹ parameters", 1e9)}


@dataclass(frozen=True)
class Line:
    """One scenario: its name, models, files by format, values by column and what is to be said of it."""

    name: str
    models: str
    is_done: bool
    files: Mapping[str, str]
    values: Mapping[FigureLabel, float]
    remarks: str


def column_of(figure: Figure) -> FigureLabel:
    """Return the column in which a figure stands."""
    unit, factor = _LARGE_UNITS.get(figure.unit, (figure.unit, 1.0))
    return FigureLabel(figure.label, unit, factor)


def columns_of(lines: Sequence[Line]) -> tuple[FigureLabel, ...]:
    """Return the columns that any line has, in the order in which they first stand."""
    return tuple(dict.fromkeys(column for line in lines for column in line.values))


def lines_of(outcomes: Sequence[Outcome]) -> list[Line]:
    """Return a line for every scenario of a batch, failed ones with their problem."""
    return [_line(outcome) for outcome in outcomes]


def _line(outcome: Outcome) -> Line:
    name, models = outcome.row.name, _models(outcome.row.values)
    made = outcome.outputs
    if made is None:
        return Line(name, models, False, {}, {}, outcome.problem)
    values = {}
    for figure in made.figures:
        if isinstance(figure.value, (int, float)):
            column = column_of(figure)
            values[column] = figure.value / column.factor if column.factor != 1 else figure.value
    files = {kind: path.name for kind, path in made.files.items()}
    return Line(name, models, True, files, values, "; ".join(made.notes))


def _models(values: Mapping[str, Any]) -> str:
    """Return the model of a scenario, or those of a fleet's services or a programme's phases, each once."""
    inner = values.get("service") or values.get("phases")
    tables = inner if isinstance(inner, list) else [values]
    return ", ".join(dict.fromkeys(str(table.get("model", "")) for table in tables if isinstance(table, dict)))
