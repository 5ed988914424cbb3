"""What a plan of any kind holds, as figures and tables under their declared names: what JSON, CSV and indexes show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sizebook.core.sections import REQUIRED, Argument, Quantity, flat, leaves
from sizebook.plans.commitments import CommitmentFigures
from sizebook.plans.contents import Contents, Figure, Ledger
from sizebook.plans.fleet.figures import ServiceFigures, contracts
from sizebook.plans.fleet.figures import figures as service_figures
from sizebook.plans.fleet.inputs import Service
from sizebook.plans.fleet.months import FleetMonth
from sizebook.plans.fleet.periods import QUARTER, YEAR, FleetPeriod, periods
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.ledgers import BandedPlan, Totals, columns, ledger_rows, totals
from sizebook.plans.programme.figures import PhaseFigures
from sizebook.plans.programme.figures import figures as phase_figures
from sizebook.plans.programme.inputs import Phase
from sizebook.plans.programme.plan import Budget, ProgrammeMonth, ProgrammePlan
from sizebook.plans.serving.figures import ServingFigures
from sizebook.plans.serving.figures import figures as serving_figures
from sizebook.plans.serving.months import Month
from sizebook.plans.sizing.figures import (
    PartFigures,
    SizingFigures,
    StorageFigures,
    figures,
    part_figures,
    storage_figures,
)
from sizebook.plans.sizing.plan import Sizing
from sizebook.plans.training.case import Case
from sizebook.plans.training.figures import MEMORY_FIGURES, TrainingFigures
from sizebook.plans.training.figures import figures as training_figures
from sizebook.plans.training.plan import TrainingPlan
from sizebook.scenarios.serving import ServingResult


def _figures(kind: type[Any], instance: Any, without: Iterable[str] = ()) -> Iterator[Figure]:
    values = flat(instance)
    for leaf in leaves(kind):
        if leaf.name not in without:
            yield _figure(leaf, values[leaf.name])


def _figure(leaf: Argument, value: Any) -> Figure:
    return Figure(leaf.name, label=leaf.label, unit=leaf.quantity.unit, value=value)


def _ledger(name: str, kind: type[Any], instances: Iterable[Any]) -> Ledger:
    return Ledger(name, leaves(kind), tuple(tuple(flat(each).values()) for each in instances))


def _name(kind: type[Any]) -> Argument:
    return next(leaf for leaf in leaves(kind) if leaf.name == "name")


def _named(months: Ledger, label: Callable[[int], str]) -> Ledger:
    """Return a table of months with the name of each before its figures."""
    rows = tuple((label(number), *row) for number, row in enumerate(months.rows))
    return Ledger(months.name, (_NAME_OF_MONTH, *months.columns), rows)


_NAME_OF_MONTH = Argument("month", Quantity("month as the plan shows it", kind="text", label="Month"), REQUIRED)


def _months(kind: type[Any], plan: BandedPlan) -> Ledger:
    rows = ledger_rows(kind, plan)[1:]
    return Ledger("months", columns(kind), tuple(map(tuple, rows)))


def _sizing(plan: Sizing) -> Contents:
    return Contents(
        tuple(_figures(SizingFigures, figures(plan))),
        ("parameters", "active_parameters", "weight_bytes"),
        (
            _ledger("parts", PartFigures, map(part_figures, plan.parts)),
            _ledger("formats", StorageFigures, map(storage_figures, plan.storage)),
        ),
    )


def _memory(leaf: Argument) -> Argument:
    quantity = replace(leaf.quantity, unit="bytes", label=f"Memory: {leaf.label}")
    return replace(leaf, name=f"memory_{leaf.name}", quantity=quantity)


def _training(plan: TrainingPlan) -> Contents:
    memory = {**flat(plan.fullest), "total": plan.fullest.total, "capacity": plan.capacity_bytes}
    found = (
        *_figures(TrainingFigures, training_figures(plan)),
        *_figures(Case, plan.middle, without=["name"]),
        *(_figure(_memory(leaf), memory[leaf.name]) for leaf in MEMORY_FIGURES),
    )
    headline = (
        "parameters",
        "memory_total",
        "mfu",
        "train_days",
        "gpu_hours",
        "cost_usd",
        "energy_kwh",
        "co2e_kg",
        "programme_days",
        "programme_cost_usd",
    )
    return Contents(found, headline, (_ledger("cases", Case, plan.cases),))


_MONEY = ("usd", "usd_least", "usd_most", "energy_kwh", "co2e_kg")


def _serving(found: ServingResult) -> Contents:
    plan = found.plan
    shown = (
        *_figures(ServingFigures, serving_figures(plan)),
        *_figures(Totals, totals(plan)),
    )
    headline = ("gpus_per_replica", "peak_gpus_first", "peak_gpus_last", "ttft_seconds", "tpot_seconds", *_MONEY)
    return Contents(shown, headline, (_months(Month, plan),))


def _fleet(plan: FleetPlan) -> Contents:
    services = Ledger(
        "services",
        (_name(Service), *leaves(ServiceFigures)),
        tuple((each.service.name, *flat(service_figures(each, plan.terms)).values()) for each in plan.services),
    )
    return Contents(
        (*_figures(Totals, totals(plan)), *_figures(CommitmentFigures, contracts(plan))),
        ("peak_gpus_first", "peak_gpus_last", *_MONEY),
        (
            services,
            _named(_months(FleetMonth, plan), plan.label),
            _ledger("quarters", FleetPeriod, periods(plan.months, QUARTER)),
            _ledger("years", FleetPeriod, periods(plan.months, YEAR)),
        ),
    )


def _programme(plan: ProgrammePlan) -> Contents:
    shown = ((each.phase.name, *flat(phase_figures(plan, at)).values()) for at, each in enumerate(plan.phases))
    phases = Ledger("phases", (_name(Phase), *leaves(PhaseFigures)), tuple(shown))
    return Contents(
        tuple(_figures(Budget, plan.middle, without=["name"])),
        ("days", "gpu_hours", "usd", "energy_kwh", "co2e_kg", "peak_mw"),
        (
            _ledger("cases", Budget, plan.budgets),
            phases,
            _named(_ledger("months", ProgrammeMonth, plan.months), plan.label),
        ),
    )


def declared_figures() -> dict[str, tuple[Argument, ...]]:
    """Return the figures of each kind of plan as they are declared: their meaning, unit and kind of values."""
    return {
        "sizing": leaves(SizingFigures),
        "training": (*leaves(TrainingFigures), *_unnamed(Case), *map(_memory, MEMORY_FIGURES)),
        "serving": (*leaves(ServingFigures), *leaves(Totals)),
        "fleet": (*leaves(Totals), *leaves(CommitmentFigures)),
        "programme": tuple(_unnamed(Budget)),
    }


def _unnamed(kind: type[Any]) -> Iterator[Argument]:
    return (leaf for leaf in leaves(kind) if leaf.name != "name")


def outlines() -> dict[str, Contents]:
    """Return what each kind of plan holds, by name and without a value: what somebody's own workbook may ask for."""
    services, phases = (_name(Service), *leaves(ServiceFigures)), (_name(Phase), *leaves(PhaseFigures))
    tables = {
        "sizing": (_ledger("parts", PartFigures, ()), _ledger("formats", StorageFigures, ())),
        "training": (_ledger("cases", Case, ()),),
        "serving": (Ledger("months", columns(Month), ()),),
        "fleet": (
            Ledger("services", services, ()),
            _named(Ledger("months", columns(FleetMonth), ()), str),
            _ledger("quarters", FleetPeriod, ()),
            _ledger("years", FleetPeriod, ()),
        ),
        "programme": (
            _ledger("cases", Budget, ()),
            Ledger("phases", phases, ()),
            _named(_ledger("months", ProgrammeMonth, ()), str),
        ),
    }
    return {
        plan: Contents(tuple(_figure(leaf, None) for leaf in figures), (), tables[plan])
        for plan, figures in declared_figures().items()
    }


_CONTENTS: Mapping[type[Any], Callable[[Any], Contents]] = {
    Sizing: _sizing,
    TrainingPlan: _training,
    ServingResult: _serving,
    FleetPlan: _fleet,
    ProgrammePlan: _programme,
}


def contents(plan: Any) -> Contents:
    """Return the figures and tables of a plan of any kind."""
    return _CONTENTS[type(plan)](plan)
