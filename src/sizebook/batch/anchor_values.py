"""The values of a planned scenario for the anchors of a user's own workbook."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from sizebook.batch.extra_tables import EMPTY, layouts, sensitivity
from sizebook.batch.plan_contents import outlines
from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.core.sections import leaves
from sizebook.plans.contents import Contents
from sizebook.scenarios.kinds import KINDS
from sizebook.workbooks.anchors.plan_values import Picture, PlanValues

if TYPE_CHECKING:
    from sizebook.reports.document import Report
    from sizebook.reports.style import Style

LOGO, CHART = "logo", "chart"
_MOST_CHARTS = 9
_SINGLE = (bool, int, float, str)


class Reported(Protocol):
    """A plan with its report and its look, each made when it is asked for."""

    @property
    def report(self) -> Report:
        """The report of the plan."""

    @property
    def style(self) -> Style:
        """How the report looks and speaks."""

    @property
    def plan(self) -> Any:
        """The plan."""

    @property
    def scenario(self) -> Any:
        """The scenario as it was read."""


def plan_supply(
    words: Mapping[str, Any], inputs: Mapping[str, Any], contents: Contents, *, made: Reported
) -> PlanValues:
    """Return what a plan fills.

    Its figures and tables under the names that JSON and `sizebook inspect` show, and the tables `sensitivity` and
    `layouts`; single values of its scenario; and pictures: ``chart``, that of the report's first page, ``chart_1`` on,
    those of its sections, ``logo``, the brand's.
    """
    single = {name: value for name, value in words.items() if value is None or isinstance(value, _SINGLE)}
    figures = {figure.name: figure.value for figure in contents.figures}
    tables = (*contents.tables, *sensitivity(made.plan), *layouts(made.plan, made.scenario))
    return PlanValues(inputs, {**single, **figures}, tables=tables, pictures=_pictures(made))


def supply_names() -> PlanValues:
    """Return the names that plans of any kind fill, without values: what a template may ask for."""
    every = list(outlines().values())
    return PlanValues(
        values=dict.fromkeys([*_words(), *(figure.name for each in every for figure in each.figures)]),
        tables=(*(table for each in every for table in each.tables), *EMPTY.values()),
        pictures=dict.fromkeys((LOGO, CHART, *(f"{CHART}_{n}" for n in range(1, _MOST_CHARTS + 1))), _undrawn),
    )


def _words() -> Iterator[str]:
    """Yield the names of single values of scenarios of any kind."""
    for kind in KINDS.values():
        yield from (leaf.name for leaf in leaves(kind))


def _pictures(made: Reported) -> dict[str, Callable[[], Picture]]:
    """Return what draws the pictures of a plan; nothing is drawn before a workbook asks."""
    charts = {f"{CHART}_{n}": partial(_chart, made, n) for n in range(1, _MOST_CHARTS + 1)}
    return {LOGO: partial(_logo, made), CHART: partial(_chart, made, 0), **charts}


def _chart(made: Reported, number: int) -> Picture:
    """Draw a chart of the plan's report in its style: that of its first page for 0, else one of its sections."""
    need("reports")
    from sizebook.reports.charts.chart_types import Chart
    from sizebook.reports.charts.svg import png
    from sizebook.reports.translation import Translator

    report = Translator(made.style.locale).translate(made.report)
    in_sections = [block for each in report.sections for block in each.blocks if isinstance(block, Chart)]
    charts = [*([report.chart] if report.chart else []), *in_sections]
    if number >= len(charts):
        raise InputError(f"no {CHART}_{number}: got a plan with {len(charts) - 1} charts, want one of them. Rename it.")
    return Picture(png(charts[number], made.style.look), str(charts[number].alt))


def _logo(made: Reported) -> Picture:
    """Return the logo of the scenario's brand."""
    need("reports")
    from sizebook.reports.charts.svg import png_of

    if not made.style.logo:
        raise InputError(
            "no logo: got a plan without a brand that has one, want it. Add [report] brand to the scenario."
        )
    head, _, body = made.style.logo.partition(",")
    content = base64.b64decode(body)
    return Picture(png_of(content.decode()) if "svg" in head else content, made.style.logo_alt)


def _undrawn() -> Picture:
    raise AssertionError("an outline has no pictures")
