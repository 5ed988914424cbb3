"""``sb.plan``: a plan of any kind from a scenario file, a dict or keywords, with its figures, tables and files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sizebook.api.drawings import Drawing, PlanBridge, for_browsers
from sizebook.core.derivation import Step, derivation_lines
from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.extras import need
from sizebook.core.hints import offered, suggestion
from sizebook.plans.contents import Contents, Figure, Ledger, Value

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
    def figures(self) -> Mapping[str, Value]:
        """The figures by name: bytes, seconds, USD, kWh, kilograms, as ``table("figures")`` says for each."""
        return MappingProxyType({figure.name: figure.value for figure in self._contents.figures})

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
        rows = self._rows(name)
        if frame not in ("", "polars", "pandas"):
            raise InputError(f"unknown frame: got '{frame}', want 'polars' or 'pandas'. Choose one of them.")
        if frame == "pandas":
            return _pandas().DataFrame(rows)
        need("sweep")
        import polars

        return polars.DataFrame(rows, infer_schema_length=None)

    @property
    def charts(self) -> tuple[str, ...]:
        """The titles of the charts of the report."""
        return tuple(each.title for each in self._charts)

    def chart(self, title: str) -> Drawing:
        """Return the first chart whose title begins so, as the report draws it: ``plan.chart("time per token")``."""
        from sizebook.reports.charts.svg import svg
        from sizebook.reports.translation import Translator

        style = self._planned.style
        for each in self._charts:
            if each.title.casefold().startswith(title.casefold()):
                drawn = svg(each, style.theme, numbers=Translator(style.locale).number_signs, fonts=style.fonts)
                return Drawing(each.title, each.alt, for_browsers(drawn))
        raise UnknownKeyError(f"unknown chart: got '{title}', want the first words of a title. plan.charts lists them.")

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

        Errors: a figure that the plan does not have, and one that is read off another table without a formula.
        """
        steps, wanted = self._steps(), self._figure(figure) if figure else None
        shown = [s for s in steps if wanted is None or wanted.label.casefold() == s.label.casefold()]
        shown = shown or [s for s in steps if wanted is not None and wanted.value == s.value]
        if not shown:
            raise UnknownKeyError(
                f"no derivation: got {figure}, want one of {', '.join(s.label for s in steps)}. "
                "Ask without a name for all."
            )
        return "\n".join(derivation_lines(shown)).strip()

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
        first = ", ".join(f"{figure.name}={figure.value!r}" for figure in self._contents.first)
        return f"<{self.kind} plan: {first}>"

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
            return [vars(figure) for figure in self._contents.figures]
        found = self._table(name)
        return [dict(zip((c.name for c in found.columns), row, strict=True)) for row in found.rows]

    def _table(self, name: str) -> Ledger:
        for table in self._contents.tables:
            if table.name == name:
                return table
        raise UnknownKeyError(f"unknown table: got '{name}', want {offered(name, self.tables)}")

    def _figure(self, name: str) -> Figure:
        for figure in self._contents.figures:
            if figure.name == name:
                return figure
        fix = suggestion(name, self.figures) or " table('figures') lists them."
        raise UnknownKeyError(f"unknown figure: got '{name}', want a figure of this {self.kind} plan.{fix}")

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


def _pandas() -> Any:
    """Return pandas, which is no extra of ours: whoever asks for its frames has it."""
    try:
        return import_module("pandas")
    except ImportError as error:
        raise InputError("not installed: got no pandas, want it for its frames. Run: pip install pandas.") from error
