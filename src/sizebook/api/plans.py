"""``sb.plan``: a plan of any kind from a scenario file, a dict or keywords, with its figures, tables and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from math import fsum, isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sizebook.api.drawings import Drawing, PlanBridge
from sizebook.core.derivation import Step, derivation_lines
from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.extras import need
from sizebook.core.hints import suggestion, want_one_of
from sizebook.core.units import in_unit, significant
from sizebook.plans.contents import Contents, Figure, Ledger, Value, split

if TYPE_CHECKING:
    from sizebook.reports.charts.chart_types import Chart


def plan(scenario: str | Path | Mapping[str, Any] | None = None, /, **keys: Any) -> Plan:
    """Return the plan of a scenario: a TOML file, a dict of its keys, keywords, or a file or dict with other keys.

    ``sb.plan("serving.toml", gpu="h200-sxm")`` is the file with one key changed; a dict stands for a table:
    ``sb.plan(plan="serving", model="llama-3.1-8b", gpu="h100-sxm", traffic={"requests_per_day": 1e6})``. ``plan`` says
    which plan: sizing (the default), training, serving, fleet or programme. Errors: those of ``sizebook report``.
    """
    need("workbooks")
    from sizebook.batch.plan_kinds import plan_scenario
    from sizebook.scenarios.scenario_files import read_toml

    if isinstance(scenario, Mapping) or scenario is None:
        values, folder, where = dict(scenario or {}), Path(), "scenario"
    else:
        file = Path(scenario)
        if file.suffix.casefold() != ".toml" and not file.exists():
            raise InputError(
                f"no scenario: got '{scenario}', want the path of a TOML file or keywords. Write the file's ending, or "
                "sb.plan(plan='serving', model='llama-3.1-8b', ...)."
            )
        values, folder, where = read_toml(file), file.parent, file.name
    return Plan(plan_scenario(_merged(values, keys), where, folder))


def _merged(values: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with other keys in their place, key by key inside a table."""
    inside = {
        name: _merged(values[name], value)
        for name, value in keys.items()
        if isinstance(value, Mapping) and isinstance(values.get(name), Mapping)
    }
    return {**values, **keys, **inside}


class Plan:
    """A plan: what it was asked, its figures and tables under the names of JSON and reports, and its files."""

    def __init__(self, planned: Any) -> None:
        self._planned = planned

    @property
    def kind(self) -> str:
        """Which plan: sizing, training, serving, fleet or programme."""
        return str(self._planned.kind)

    @cached_property
    def figures(self) -> Figures:
        """The figures by name: bytes, seconds, USD, kWh, kilograms, as ``table("figures")`` says for each."""
        return Figures(self.kind, self._contents.figures)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""
        return ("figures", *(each.name for each in self._contents.tables))

    @property
    def months(self) -> list[dict[str, Value]]:
        """The months as dicts. Errors: a plan that has none, such as a count."""
        return self._rows("months")

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known before the figures are used: of the counts, of prices, of what was not measured."""
        return (*self._planned.notes, *self._planned.warnings)

    def table(self, name: str, frame: str = "") -> Any:
        """Return a table as a frame of polars, or of ``pandas`` where that is asked for."""
        from sizebook.api.tables import as_frame

        return as_frame(self._rows(name), frame)

    @property
    def charts(self) -> tuple[str, ...]:
        """The titles of the charts of the report."""
        return tuple(each.title for each in self._charts)

    def chart(self, title: str) -> Drawing:
        """Return the first chart whose title has these words, as the report draws it: ``plan.chart("per token")``."""
        from sizebook.reports.charts.svg import svg

        for each in self._charts:
            if title.casefold() in each.title.casefold():
                return Drawing(each.title, each.alt, svg(each, self._planned.style.look, for_browsers=True))
        titles = "; ".join(self.charts)
        raise UnknownKeyError(f"unknown chart: got '{title}', want words of a title. They are: {titles}.")

    def bridge(self, other: Plan) -> PlanBridge:
        """Return what each input that another plan has otherwise adds to the cost, one after another in their order.

        The ends bear the titles of both scenarios. Errors: those of ``sizebook bridge``.
        """
        from sizebook.batch.bridge import Side, bridge

        ends = [each._planned.values.get("title") for each in (self, other)]
        names = ends if all(ends) and ends[0] != ends[1] else ["before", "after"]
        plans = self._planned, other._planned
        one, two = (Side(name, p.values, p.folder) for name, p in zip(names, plans, strict=True))
        return PlanBridge(**vars(bridge(one, two)))

    def explain(self, figure: str = "") -> str:
        """Return how a figure came about, formula, numbers, result and source; of all that are traced if none is named.

        ``figure`` is its name, or the label of a step. A figure that adds up months shows the months first.
        Errors: a figure that the plan does not have, and one that is read off another table without a formula.
        """
        steps = self._steps()
        labelled = [step for step in steps if not figure or step.label.casefold() == figure.casefold()]
        shown = labelled or self._explained(self.figures.of(figure), steps)
        if not shown:
            raise UnknownKeyError(
                f"no derivation: got {figure}, want one of {', '.join(s.label for s in steps)}. "
                "Ask without a name for all."
            )
        return "\n".join(derivation_lines(shown)).strip()

    def _explained(self, figure: Figure, steps: list[Step]) -> list[Step]:
        """Return the steps of a figure: of its label, else of its value, else its months and the step of one."""
        by_label = [step for step in steps if step.label.casefold() == figure.label.casefold()]
        if found := by_label or [step for step in steps if step.value == figure.value]:
            return found
        months = [row.get(figure.name) for row in self._rows("months")] if "months" in self.tables else []
        numbers = [each for each in months if isinstance(each, (int, float))]
        if not numbers or not isinstance(figure.value, (int, float)) or not isclose(fsum(numbers), figure.value):
            return []
        added = " + ".join(map(significant, numbers))
        total = Step(
            figure.label,
            "sum over months",
            added,
            value=figure.value,
            unit=figure.unit,
            source='table("months")',
        )
        return [total, *(step for step in steps if step.value == numbers[0])]

    def report(self, path: str | Path) -> Path:
        """Write the report as .pdf or .html, whole or not at all; return where it is."""
        return self._write(path, ("pdf", "html"))

    def fill(self, path: str | Path) -> Path:
        """Write the planning workbook filled with this plan, whole or not at all; return where it is."""
        return self._write(path, ("xlsx",))

    def to_json(self) -> str:
        """Return scenario, notes, figures and tables as the JSON that ``sizebook batch`` writes."""
        from sizebook.batch.formats import FORMATS

        return FORMATS["json"].content(self._planned).decode()

    def _repr_html_(self) -> str:
        """Show the first page of the report where a notebook shows the plan."""
        from sizebook.reports.render import first_page

        page = escape(first_page(self._planned.report, self._planned.style))
        return f'<iframe srcdoc="{page}" style="width:100%;height:60em;border:0"></iframe>'

    def __repr__(self) -> str:
        return "\n".join([f"{self.kind} plan", *map(_line, self._contents.first)])

    @property
    def _contents(self) -> Contents:
        return self._planned.contents  # type: ignore[no-any-return]

    @cached_property
    def _charts(self) -> list[Chart]:
        from sizebook.reports.charts.chart_types import Chart
        from sizebook.reports.translation import Translator

        report = Translator(self._planned.style.locale).translate(self._planned.report)
        blocks = (report.chart, *(block for section in report.sections for block in section.blocks))
        return [block for block in blocks if isinstance(block, Chart)]

    def _rows(self, name: str) -> list[dict[str, Value]]:
        if name == "figures":
            return [_row(figure) for figure in self._contents.figures]
        found = self._table(name)
        return [dict(zip((c.name for c in found.columns), row, strict=True)) for row in found.rows]

    def _table(self, name: str) -> Ledger:
        for table in self._contents.tables:
            if table.name == name:
                return table
        raise UnknownKeyError(f"unknown table: got '{name}', want {want_one_of(name, self.tables)}")

    def _steps(self) -> list[Step]:
        from sizebook.reports.document import Derivation

        blocks = (block for section in self._planned.report.sections for block in section.blocks)
        return [step for block in blocks if isinstance(block, Derivation) for step in block.steps]

    def _write(self, path: str | Path, formats: tuple[str, ...]) -> Path:
        from sizebook.batch.formats import FORMATS
        from sizebook.sources.writing import write_whole

        target = Path(path)
        ending = target.suffix.casefold().removeprefix(".")
        if ending not in formats:
            wanted = " or ".join(f".{each}" for each in formats)
            raise InputError(f"cannot write: got '{target}', want a name that ends in {wanted}. Correct the path.")
        return write_whole(target, FORMATS[ending].content(self._planned))


class Figures(Mapping[str, Value]):
    """The figures of a plan by name; they print with label, value and unit."""

    def __init__(self, kind: str, figures: Sequence[Figure]) -> None:
        self._kind, self._held = kind, {figure.name: figure for figure in figures}

    def of(self, name: str) -> Figure:
        """Return a figure with its label and unit. Errors: `UnknownKeyError` with the nearest names."""
        if name not in self._held:
            fix = suggestion(name, self._held) or " table('figures') lists them."
            raise UnknownKeyError(f"unknown figure: got '{name}', want a figure of this {self._kind} plan.{fix}")
        return self._held[name]

    def __getitem__(self, name: str) -> Value:
        return self.of(name).value

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def get(self, name: str, default: Any = None) -> Any:
        return self._held[name].value if name in self._held else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return "\n".join(map(_line, self._held.values()))


def _line(figure: Figure) -> str:
    """Return a figure as a line for reading: name, value with its unit, label."""
    number, words = split(figure.value)
    return f"{figure.name:30} {words if number is None else in_unit(number, figure.unit)!s:36} {figure.label}"


def _row(figure: Figure) -> dict[str, Value]:
    """Return a figure as a row: numbers and texts stand in columns of their own, or none could be worked with."""
    number, words = split(figure.value)
    return {"name": figure.name, "label": figure.label, "unit": figure.unit, "value": number, "text": words}
