"""What a plan of any kind holds, as figures and tables under their declared names: what JSON, CSV and indexes show."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sizebook.core.sections import REQUIRED, Argument, Quantity, flat, leaves
from sizebook.plans.commitments import CommitmentFigures
from sizebook.plans.contents import Contents, Figure, Ledger
from sizebook.plans.fleet.alternatives import FleetAlternatives
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
from sizebook.plans.serving.volumes import Volume
from sizebook.plans.sizing.figures import SizingFigures, figures
from sizebook.plans.sizing.plan import PartShare, Sizing, Storage
from sizebook.plans.training.case import Case
from sizebook.plans.training.figures import MEMORY_FIGURES, TrainingFigures
from sizebook.plans.training.figures import figures as training_figures
from sizebook.plans.training.plan import TrainingPlan
from sizebook.scenarios.serving import ServingResult

_NAME_OF_MONTH = Argument("month", Quantity("month as the plan shows it", kind="text", label="Month"), REQUIRED)

Values = Iterable[tuple[Argument, Any]]
Held = tuple[Values, tuple[str, ...], tuple[Ledger, ...]]  # figures, the names of those shown first, tables


def _figures(kind: type[Any], values: Any, without: Iterable[str] = ()) -> Iterator[tuple[Argument, Any]]:
    """Yield the figures of a section with their values, None where there are none."""
    found = {} if values is None else flat(values)
    return ((leaf, found.get(leaf.name)) for leaf in leaves(kind) if leaf.name not in without)


def _ledger(name: str, kind: type[Any], instances: Iterable[Any] = ()) -> Ledger:
    return Ledger(name, leaves(kind), tuple(tuple(flat(each).values()) for each in instances))


def _by_name(name: str, named: type[Any], kind: type[Any], instances: Iterable[tuple[str, Any]]) -> Ledger:
    """Return a table of services or phases: the name of each before its figures."""
    of_name = next(leaf for leaf in leaves(named) if leaf.name == "name")
    return Ledger(name, (of_name, *leaves(kind)), tuple((called, *flat(each).values()) for called, each in instances))


def _labelled(months: Ledger, label: Callable[[int], str]) -> Ledger:
    """Return a table of months with the name of each before its figures."""
    rows = tuple((label(number), *row) for number, row in enumerate(months.rows))
    return Ledger(months.name, (_NAME_OF_MONTH, *months.columns), rows)


def _months(kind: type[Any], plan: BandedPlan | None) -> Ledger:
    rows = ledger_rows(kind, plan)[1:] if plan else []
    return Ledger("months", columns(kind), tuple(map(tuple, rows)))


def _sizing(plan: Sizing | None) -> Held:
    return (
        _figures(SizingFigures, plan and figures(plan)),
        ("parameters", "active_parameters", "weight_bytes"),
        (
            _ledger("parts", PartShare, plan.parts if plan else ()),
            _ledger("formats", Storage, plan.storage if plan else ()),
        ),
    )


def _memory(plan: TrainingPlan | None) -> Iterator[tuple[Argument, Any]]:
    found: dict[str, Any] = {}
    if plan:
        found = {**flat(plan.fullest), "total": plan.fullest.total, "capacity": plan.capacity_bytes}
    for leaf in MEMORY_FIGURES:
        quantity = replace(leaf.quantity, unit="bytes", label=f"Memory: {leaf.label}")
        yield replace(leaf, name=f"memory_{leaf.name}", quantity=quantity), found.get(leaf.name)


def _training(plan: TrainingPlan | None) -> Held:
    found = (
        *_figures(TrainingFigures, plan and training_figures(plan)),
        *_figures(Case, plan and plan.middle, without=["name"]),
        *_memory(plan),
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
    return found, headline, (_ledger("cases", Case, plan.cases if plan else ()),)


_MONEY = ("usd", "usd_least", "usd_most", "energy_kwh", "co2e_kg")


def _serving(found: ServingResult | None) -> Held:
    plan = found.plan if found else None
    shown = (*_figures(ServingFigures, plan and serving_figures(plan)), *_figures(Totals, plan and totals(plan)))
    headline = ("gpus_per_replica", "peak_gpus_first", "peak_gpus_last", "ttft_seconds", "tpot_seconds", *_MONEY)
    return shown, headline, (_months(Month, plan), _ledger("volumes", Volume, plan.volumes if plan else ()))


def _fleet(plan: FleetPlan | None) -> Held:
    services = ((each.service.name, service_figures(each, plan.terms)) for each in plan.services) if plan else ()
    return (
        (
            *_figures(Totals, plan and totals(plan)),
            *_figures(CommitmentFigures, plan and contracts(plan)),
            *_figures(FleetAlternatives, plan and plan.alternatives),
        ),
        ("peak_gpus_first", "peak_gpus_last", *_MONEY),
        (
            _by_name("services", Service, ServiceFigures, services),
            _labelled(_months(FleetMonth, plan), plan.label if plan else str),
            _ledger("quarters", FleetPeriod, periods(plan.months, QUARTER) if plan else ()),
            _ledger("years", FleetPeriod, periods(plan.months, YEAR) if plan else ()),
        ),
    )


def _programme(plan: ProgrammePlan | None) -> Held:
    phases = ((each.phase.name, phase_figures(plan, at)) for at, each in enumerate(plan.phases)) if plan else ()
    return (
        _figures(Budget, plan and plan.middle, without=["name"]),
        ("days", "gpu_hours", "usd", "energy_kwh", "co2e_kg", "peak_mw"),
        (
            _ledger("cases", Budget, plan.budgets if plan else ()),
            _by_name("phases", Phase, PhaseFigures, phases),
            _labelled(_ledger("months", ProgrammeMonth, plan.months if plan else ()), plan.label if plan else str),
        ),
    )


_HELD: Mapping[str, tuple[type[Any], Callable[[Any], Held]]] = {
    "sizing": (Sizing, _sizing),
    "training": (TrainingPlan, _training),
    "serving": (ServingResult, _serving),
    "fleet": (FleetPlan, _fleet),
    "programme": (ProgrammePlan, _programme),
}


def contents(plan: Any) -> Contents:
    """Return the figures and tables of a plan of any kind."""
    return next(_contents(*held(plan)) for kind, held in _HELD.values() if isinstance(plan, kind))


def _contents(values: Values, headline: tuple[str, ...], tables: tuple[Ledger, ...]) -> Contents:
    figures = (Figure(leaf.name, label=leaf.label, unit=leaf.quantity.unit, value=value) for leaf, value in values)
    return Contents(tuple(figures), headline, tables)


def outlines() -> dict[str, Contents]:
    """Return what each kind of plan holds, by name and without a value: what somebody's own workbook may ask for."""
    return {plan: _contents(*held(None)) for plan, (_, held) in _HELD.items()}


def declared_figures() -> dict[str, tuple[Argument, ...]]:
    """Return the figures of each kind of plan as they are declared: their meaning, unit and kind of values."""
    return {plan: tuple(leaf for leaf, _ in held(None)[0]) for plan, (_, held) in _HELD.items()}
