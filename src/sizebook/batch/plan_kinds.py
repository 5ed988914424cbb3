"""The kinds of plans, and a planned scenario: its plan, computed once, with its filled workbook and its report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sizebook.batch.plan_contents import contents
from sizebook.batch.record import record
from sizebook.core.errors import InputError
from sizebook.core.reading import read
from sizebook.core.sections import flat
from sizebook.core.texts import text
from sizebook.intake.allowed_files import located
from sizebook.models import catalog
from sizebook.models.reconciliation import statement
from sizebook.plans.contents import Contents
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.fleet.remarks import warnings as fleet_warnings
from sizebook.plans.programme.plan import ProgrammePlan
from sizebook.plans.programme.plan import warnings as programme_warnings
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.remarks import warnings as serving_warnings
from sizebook.plans.sizing.plan import Published, Sizing, size_model
from sizebook.plans.training.plan import TrainingPlan, plan_training
from sizebook.plans.training.remarks import warnings as training_warnings
from sizebook.scenarios.csv_files import with_csv_files
from sizebook.scenarios.fleet import plan_fleet_scenario as fleet_answer
from sizebook.scenarios.fleet import with_counted_gpus
from sizebook.scenarios.kinds import KINDS, check_named, kind_of, plan_of
from sizebook.scenarios.money import Amount, Money, amount_of
from sizebook.scenarios.presentation import REPORT, Presentation
from sizebook.scenarios.programme import plan_programme_scenario as programme_answer
from sizebook.scenarios.programme import with_found_layouts as programme_planned
from sizebook.scenarios.scenario_files import Scenario, SizingScenario, parse, resolve_files
from sizebook.scenarios.serving import ServingResult, plan_serving_scenario, with_found_setup
from sizebook.scenarios.statement import Statement, statement_of
from sizebook.scenarios.training import TrainingScenario, training_inputs, with_found_layout
from sizebook.sources.bundled import bundled
from sizebook.sources.writing import scratch_folder
from sizebook.tables.prices import valued_on

if TYPE_CHECKING:
    from sizebook.reports.document import Report
    from sizebook.reports.style import Style
    from sizebook.workbooks.anchors.plan_values import PlanValues


@dataclass(frozen=True)
class PlanKind:
    """One kind of plan: its planning workbook, its plan, the scenario as it was planned, and what to know of it.

    ``planned`` puts what was searched in place of what the scenario left open, for the workbook. A count has no
    ``warnings``: what it rests on stands in its notes. ``named`` gives models the names that a report shows, where the
    plan has them not yet.
    """

    workbook: str
    plan: Callable[[Any], Any]
    planned: Callable[[Any, Any], Scenario]
    warnings: Callable[[Any], tuple[str, ...]] = lambda plan: ()
    named: Callable[[Any], Any] = lambda plan: plan


@dataclass(frozen=True)
class PlannedScenario:
    """A planned scenario and its outputs; each output is computed once, when it is first used.

    ``values`` are the scenario as it was given; the files that it names lie in ``folder``.
    """

    scenario: Scenario
    values: Mapping[str, Any]
    folder: Path
    plan: Any

    @property
    def kind(self) -> str:
        """The name of the kind of plan."""
        return kind_of(self.scenario)

    @property
    def job(self) -> PlanKind:
        """The kind of plan."""
        return PLAN_KINDS[self.kind]

    @cached_property
    def report(self) -> Report:
        """The report of the plan."""
        made = report_of(self.scenario, self.plan)
        if self.statement is not None:
            from sizebook.reports.input_rows import with_inputs

            made = with_inputs(made, text("Paid beside GPUs"), self.statement.overheads)
        return replace(made, sentences=(*made.sentences, *(each.said for each in self._money)))

    @cached_property
    def style(self) -> Style:
        """How the report looks and speaks."""
        from sizebook.reports.brand import style_of

        return style_of(self.values, self.folder)

    @cached_property
    def contents(self) -> Contents:
        """The figures and tables of the plan."""
        found = contents(self.plan)
        return replace(found, figures=(*found.figures, *(each for part in self._money for each in part.figures)))

    @property
    def _money(self) -> tuple[Statement | Amount, ...]:
        return tuple(each for each in (self.amount, self.statement) if each is not None)

    @cached_property
    def statement(self) -> Statement | None:
        """What the plan costs with all that is paid beside GPUs; None where nothing is stated of it."""
        return statement_of(self.plan, getattr(self.scenario, "money", None))

    @cached_property
    def amount(self) -> Amount | None:
        """What the plan costs in the currency of its scenario; None in USD."""
        money = getattr(self.scenario, "money", None)
        return amount_of(self.plan, money) if isinstance(money, Money) else None

    @cached_property
    def as_of(self) -> date:
        """The day that its outputs show."""
        from sizebook.reports.render import report_date

        return report_date(self.scenario.as_of)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the outputs were made of, and all figures."""
        found = {figure.name: figure.value for figure in self.contents.figures}
        return {**record(self.values, self.folder, self.as_of), "figures": found}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the counts behind the plan, and about the user's own workbook."""
        own = self.workbook.notes if self.own_workbook else ()
        return (*self.plan.notes, *own)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before using the figures, as page 1 of the report says it."""
        return self.job.warnings(self.plan)

    @cached_property
    def own_workbook(self) -> Path | None:
        """The workbook that the scenario names to be filled, None where it takes the shipped one."""
        asked = read(Presentation, self.values.get(REPORT) or {}, REPORT).workbook
        if not asked:
            return None
        if not asked.casefold().endswith(".xlsx"):
            raise InputError(f"not an .xlsx: got workbook = '{asked}', want a workbook without macros. Save it as one.")
        return located(self.folder / asked)

    @property
    def workbook_name(self) -> str:
        """The name of the workbook that is filled."""
        return self.own_workbook.name if self.own_workbook else self.job.workbook

    @property
    def supply(self) -> PlanValues:
        """What the plan brings for the anchors of somebody's own workbook."""
        from sizebook.batch.anchor_values import plan_supply

        single = {"plan": self.kind, "as_of": self.as_of.isoformat()}
        inputs = workbook_inputs_of(self.scenario, self.plan)
        return plan_supply({**flat(self.scenario), **single}, inputs, self.contents, made=self)

    @property
    def has_workbook(self) -> bool:
        """Whether a workbook was filled already, or the scenario names its own: filling takes longer than a report."""
        return "workbook" in vars(self) or self.own_workbook is not None

    @cached_property
    def workbook(self) -> Workbook:
        """The planning workbook or the scenario's own, filled, with its record."""
        from sizebook.workbooks.filling import SaveOptions, fill, fill_from

        with scratch_folder() as folder, valued_on(self.as_of):
            output, options = folder / self.workbook_name, SaveOptions(record=json.dumps(self.record))
            if self.own_workbook:
                done = fill_from(self.own_workbook, self.supply, output, options=options)
            else:
                ours = bundled("workbooks") / self.job.workbook
                inputs = workbook_inputs_of(self.scenario, self.plan)
                done = fill(ours, inputs, output, strict=True, options=options)
            said = (*done.notes, *done.problems) if self.own_workbook else ()
            return Workbook(output.read_bytes(), said)


@dataclass(frozen=True)
class Workbook:
    """A filled workbook, and what was remarked about one of somebody's own."""

    content: bytes
    notes: tuple[str, ...] = ()


def _name(model: str) -> str:
    """Return a model's display name: the catalog's, or that of the file."""
    return catalog.file_name(Path(model)) if catalog.is_file(model) else catalog.facts(model)["name"]


def _published(scenario: SizingScenario) -> Published:
    """Return the scenario's own published count, else the checkpoint's, else the one that is stated."""
    row = {} if catalog.is_file(scenario.model) else catalog.facts(scenario.model)
    if scenario.published_total is not None:
        return Published(scenario.published_total, scenario.published_source or "the scenario")
    if total := row.get("checkpoint_total"):
        return Published(int(total), text("the checkpoint's own total ({name})", name=row["hf_id"].partition(";")[0]))
    if stated := row.get("published_total"):
        count = statement(stated)
        return Published(count.parameters, row["source"], count.half_unit)
    return Published()


def _sizing(scenario: SizingScenario) -> Sizing:
    model = scenario.model
    stored = catalog.checkpoint(model).weighed.n_bytes if catalog.is_checkpoint(model) else None
    return size_model(
        _name(model),
        catalog.architecture(model),
        scenario.dtype,
        published=_published(scenario),
        stored_bytes=stored,
    )


def _sized(scenario: SizingScenario, sizing: Sizing) -> SizingScenario:
    """Return the scenario with the published count that was looked up; a rounded one would fail a check of 1 %."""
    if sizing.published.half_unit:
        return scenario
    return replace(scenario, published_total=sizing.published.total, published_source=sizing.published.source)


def _training(scenario: TrainingScenario) -> TrainingPlan:
    return plan_training(replace(training_inputs(scenario), model=_name(scenario.model)))


def _named_serving(found: ServingResult) -> ServingPlan:
    """Return the plan with its model's name and all that it has worked out, which no name changes."""
    named = copy(found.plan)
    vars(named)["model"] = _name(named.model)
    return named


def _named_fleet(plan: FleetPlan) -> FleetPlan:
    services = (replace(each, service=replace(each.service, model=_name(each.service.model))) for each in plan.services)
    return replace(plan, services=tuple(services))


def _named_programme(plan: ProgrammePlan) -> ProgrammePlan:
    phases = []
    for each in plan.phases:
        inputs = replace(each.training.inputs, model=_name(each.training.inputs.model))
        phases.append(replace(each, training=replace(each.training, inputs=inputs)))
    return replace(plan, phases=tuple(phases))


PLAN_KINDS: dict[str, PlanKind] = {
    "sizing": PlanKind("model_sizing.xlsx", _sizing, _sized),
    "training": PlanKind("training_budget.xlsx", _training, with_found_layout, training_warnings),
    "serving": PlanKind(
        "serving_capacity.xlsx",
        plan_serving_scenario,
        with_found_setup,
        lambda found: serving_warnings(found.plan),
        _named_serving,
    ),
    "fleet": PlanKind("fleet_plan.xlsx", fleet_answer, with_counted_gpus, fleet_warnings, _named_fleet),
    "programme": PlanKind(
        "training_programme.xlsx", programme_answer, programme_planned, programme_warnings, _named_programme
    ),
}


def scenario_of(values: Mapping[str, Any], where: str, folder: Path) -> Scenario:
    """Return the checked scenario of the plan that ``values`` names, sizing where it names none.

    Files that it names are taken relative to ``folder``, where the scenario itself lies.
    """
    check_named(values, where)
    return parse(KINDS[plan_of(values)], with_csv_files(resolve_files(folder, dict(values)), folder), where)


def plan_kind_of(scenario: Scenario) -> PlanKind:
    """Return the kind of plan that a scenario feeds."""
    return PLAN_KINDS[kind_of(scenario)]


def report_of(scenario: Scenario, plan: Any) -> Report:
    """Return the report of a plan; the module that makes it loads only here."""
    from sizebook.reports.render import report_date

    kind = kind_of(scenario)
    module: Any = import_module(f"sizebook.reports.{kind}.report")
    others = {"choices": plan.choices} if isinstance(plan, ServingResult) else {}
    made: Report = module.report(PLAN_KINDS[kind].named(plan), report_date(scenario.as_of), scenario.title, **others)
    return made


def workbook_inputs_of(scenario: Scenario, plan: Any = None) -> dict[str, Any]:
    """Return the inputs of the workbook of a scenario's plan, which is computed where it is not given."""
    from sizebook.workbooks.input_cells import workbook_inputs

    job = plan_kind_of(scenario)
    return workbook_inputs(job.planned(scenario, job.plan(scenario) if plan is None else plan))


def plan_scenario(values: Mapping[str, Any], where: str, folder: Path) -> PlannedScenario:
    """Return the plan of a scenario: its values checked and planned. ``where`` names it in messages."""
    scenario = scenario_of(values, where, folder)
    return PlannedScenario(scenario, values, folder, plan_kind_of(scenario).plan(scenario))
