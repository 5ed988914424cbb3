"""What a scenario turns into: a filled planning workbook and a report, by the plan that the scenario names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sizebook.bundled import bundled
from sizebook.errors import unknown_key
from sizebook.files import make_folder
from sizebook.fleet_scenario import FleetScenario
from sizebook.fleet_scenario import answer as fleet_answer
from sizebook.fleet_scenario import workbook_inputs as fleet_workbook_inputs
from sizebook.models import catalog
from sizebook.models.reconciliation import statement
from sizebook.scenarios import Scenario, SizingScenario, beside, parse, workbook_model
from sizebook.serving_scenario import ServingScenario, answer
from sizebook.serving_scenario import workbook_inputs as serving_workbook_inputs
from sizebook.training_scenario import TrainingScenario, training_inputs, workbook_inputs

if TYPE_CHECKING:
    from sizebook.reports.view import Report


@dataclass(frozen=True)
class Job:
    """One kind of plan: its scenario, its planning workbook with the inputs to fill in, and its report."""

    scenario: type[Scenario]
    workbook: str
    inputs: Callable[[Any], dict[str, Any]]
    report: Callable[[Any], Report]


@dataclass(frozen=True)
class Outputs:
    """The files of one scenario and the figures that an index shows of it, as (label, text)."""

    workbook: Path
    report: Path
    headline: tuple[tuple[str, str], ...]


def _sizing_inputs(scenario: SizingScenario) -> dict[str, Any]:
    """Return the inputs of model_sizing.xlsx."""
    from sizebook.reports.render import report_date

    given: dict[str, Any] = dict(workbook_model(scenario.model))
    _, published_total, published_source, half_unit = _published(scenario)
    if published_total is not None and half_unit == 0:  # a rounded figure would fail the workbook's check of 1 %
        given |= {"published_total": published_total, "published_source": published_source}
    if scenario.title:
        given["title"] = scenario.title
    return given | {"dtype": scenario.dtype, "as_of": report_date(scenario.as_of)}


def _sizing_report(scenario: SizingScenario) -> Report:
    from sizebook.plans.sizing import size_model
    from sizebook.reports.render import report_date
    from sizebook.reports.sizing import report

    name, total, source, half_unit = _published(scenario)
    sizing = size_model(name, catalog.architecture(scenario.model), scenario.dtype, total, source, half_unit)
    return report(sizing, report_date(scenario.as_of), scenario.title)


def _name(model: str) -> str:
    """Return a model's display name: the catalog's, or that of the file."""
    return catalog.file_name(Path(model)) if catalog.is_file(model) else catalog.facts(model)["name"]


def _published(scenario: SizingScenario) -> tuple[str, int | None, str, int]:
    """Return the model's name and the count to compare with: the scenario's own, else the checkpoint's, else stated.

    The last figure is half a unit of the count's last digit, 0 for an exact one.
    """
    row = {} if catalog.is_file(scenario.model) else catalog.facts(scenario.model)
    name = _name(scenario.model)
    if scenario.published_total is not None:
        return name, scenario.published_total, scenario.published_source or "the scenario", 0
    if total := row.get("checkpoint_total"):
        return name, int(total), f"the checkpoint's own total ({row['hf_id'].partition(';')[0]})", 0
    if stated := row.get("published_total"):
        count = statement(stated)
        return name, count.parameters, row["source"], count.half_unit
    return name, None, "", 0


def _training_inputs(scenario: TrainingScenario) -> dict[str, Any]:
    """Return the inputs of training_budget.xlsx."""
    return workbook_inputs(scenario) | workbook_model(scenario.model)


def _training_report(scenario: TrainingScenario) -> Report:
    from sizebook.plans.training import plan_training
    from sizebook.reports.render import report_date
    from sizebook.reports.training import report

    inputs = replace(training_inputs(scenario), model=_name(scenario.model))
    return report(plan_training(inputs), report_date(scenario.as_of), scenario.title)


def _serving_inputs(scenario: ServingScenario) -> dict[str, Any]:
    """Return the inputs of serving_capacity.xlsx."""
    return serving_workbook_inputs(scenario, Path()) | workbook_model(scenario.model)


def _serving_report(scenario: ServingScenario) -> Report:
    from sizebook.reports.render import report_date
    from sizebook.reports.serving import report

    found = answer(scenario, Path())
    plan = replace(found.plan, model=_name(scenario.model))
    return report(plan, report_date(scenario.as_of), scenario.title, found.choices)


def _fleet_report(scenario: FleetScenario) -> Report:
    from sizebook.reports.fleet import report
    from sizebook.reports.render import report_date

    plan = fleet_answer(scenario)
    services = (replace(each, service=replace(each.service, model=_name(each.service.model))) for each in plan.services)
    return report(replace(plan, services=tuple(services)), report_date(scenario.as_of), scenario.title)


JOBS: dict[str, Job] = {
    "sizing": Job(SizingScenario, "model_sizing.xlsx", _sizing_inputs, _sizing_report),
    "training": Job(TrainingScenario, "training_budget.xlsx", _training_inputs, _training_report),
    "serving": Job(ServingScenario, "serving_capacity.xlsx", _serving_inputs, _serving_report),
    "fleet": Job(FleetScenario, "fleet_plan.xlsx", fleet_workbook_inputs, _fleet_report),
}


def scenario_of(values: Mapping[str, Any], where: str, folder: Path, *, strict: bool = True) -> Scenario:
    """Return the checked scenario of the plan that ``values`` names, sizing where it names none.

    Files that it names are taken relative to ``folder``, where the scenario itself lies.
    """
    plan = str(values.get("plan", "sizing"))
    if plan not in JOBS:
        raise unknown_key("plan", plan, JOBS, f"one of {', '.join(JOBS)}")
    return parse(JOBS[plan].scenario, beside(folder, dict(values)), where, strict=strict)


def produce(scenario: Scenario, folder: Path, stem: str) -> Outputs:
    """Write ``stem.xlsx`` and ``stem.pdf`` into a folder and return where they are."""
    from sizebook.reports.render import write_pdf
    from sizebook.workbooks.filling import fill

    job = JOBS[scenario.plan]
    make_folder(folder)
    workbook, pdf = folder / f"{stem}.xlsx", folder / f"{stem}.pdf"
    report = job.report(scenario)
    fill(bundled("workbooks") / job.workbook, job.inputs(scenario), workbook)
    write_pdf(report, pdf)
    return Outputs(workbook, pdf, tuple((tile.label, tile.value) for tile in report.tiles))
