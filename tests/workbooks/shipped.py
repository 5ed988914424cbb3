"""The shipped workbooks of the tests, with the sections that declare their inputs."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from openpyxl import Workbook, load_workbook

from sizebook.core.sections import Argument, leaves
from sizebook.functions import find
from sizebook.plans.fleet.inputs import MOST_SERVICES, Service
from sizebook.plans.programme.inputs import MOST_PHASES, Phase
from sizebook.scenarios.fleet import FleetScenario
from sizebook.scenarios.programme import ProgrammeScenario
from sizebook.scenarios.scenario_files import Scenario, SizingScenario
from sizebook.scenarios.serving import ServingScenario
from sizebook.scenarios.training import TrainingScenario
from sizebook.sources.bundled import bundled
from sizebook.workbooks.addin_calls import NEEDS_ADDIN

# A workbook holds one plan; a serving one does not search, so it compares no accelerators. Requests that move from one
# service to another are filled in by month.
NO_INPUTS = {"plan", "gpus_compared", "rates", "replaced_by", "replaced_month"}  # dated rates have a sheet of their own


@dataclass(frozen=True)
class Shipped:
    """A workbook, and the declared inputs by the names that they have in it; ``beside`` are inputs of its own."""

    file: str
    declared: dict[str, Argument]
    beside: frozenset[str]

    @property
    def path(self) -> Path:
        return bundled("workbooks") / self.file


def _leaves(*kinds: type[Any]) -> dict[str, Argument]:
    return {leaf.name: leaf for kind in kinds for leaf in leaves(kind) if leaf.name not in NO_INPUTS}


def _api() -> dict[str, Argument]:
    """Return what is asked of an API, and the accelerator, which a scenario may leave to a search."""
    known = _leaves(ServingScenario)
    (gpu,) = (argument for argument in find("SERVING_LEDGER").arguments if argument.name == "gpu")
    return {a.name: a for a in find("API_USD_PER_REQUEST").arguments if a.name not in known} | {"gpu": gpu}


def _of_scenarios() -> frozenset[str]:
    """Return the inputs of the serving workbook's own: scenarios, steps, dated prices and rates."""
    drivers = ("traffic", "growth", "speed", "on_demand", "reserved", "load", "bursts")
    cases = {f"case_{name}_{case}" for name in drivers for case in ("low", "high", "own")}
    steps = {f"step_traffic_{number}" for number in range(1, 6)} | {f"step_price_{number}" for number in range(1, 4)}
    return frozenset(cases | steps | _dated() | {"start"})


def _dated() -> set[str]:
    """Return the inputs of dated prices and rates, of the scenario and the currency."""
    names = ("price_date", "price_level", "rate_date", "rate_per_usd")
    return {f"{name}_{number}" for name in names for number in range(1, 7)} | {"scenario", "currency"}


# Of a training plan what fine_tuning.xlsx asks: it searches no layout, and its runs are short.
_TUNED = {
    "example_tokens", "packed", "lora_rank", "lora_on", "gpus", "stack", "batch", "seq", "micro_batch", "tp",
    "zero_stage", "start_hours", "rates_file", "price_usd_per_gpu_hour", "provider", "region", "term",
    "price_book", "rented_gpus", "other_usd",
    "watts", "pue", "host_share", "grid", "grams_per_kwh", "model", "gpu", "title", "as_of",
}  # fmt: skip
_TUNING_OWN = {
    "config_path", "tuning", "n_examples", "epochs", "runs", "evaluation_share", "usd_per_example", "currency",
    "start", "months", *_dated(), *(f"step_examples_{number}" for number in range(1, 6)),
    *(f"step_price_{number}" for number in range(1, 4)),
    *(f"case_{name}_{case}" for name in ("examples", "runs", "speed", "price") for case in ("low", "high", "own")),
}  # fmt: skip


def _compared() -> dict[str, Argument]:
    """Return what model_comparison.xlsx asks of every model."""
    asked = [a for name in ("MODEL_BYTES", "KV_CACHE_BYTES", "GPU_SPEC") for a in find(name).arguments]
    kept = {"dtype", "context_tokens", "sequences", "kv_dtype", "gpu"}
    return {a.name: a for a in asked if a.name in kept} | _leaves(Scenario)


def _programme_own() -> frozenset[str]:
    drivers = ("hours", "price", "ablation", "data", "storage")
    steps = {f"step_hours_{number}" for number in range(1, 6)} | {f"step_price_{number}" for number in range(1, 4)}
    cases = {f"case_{name}_{case}" for name in drivers for case in ("low", "high", "own")}
    return frozenset(cases | steps | _dated() | {f"config_path_{number}" for number in range(1, MOST_PHASES + 1)})


def _fleet_own() -> frozenset[str]:
    drivers = ("traffic", "growth", "speed", "on_demand", "reserved", "load")
    cases = {f"case_{name}_{case}" for name in drivers for case in ("low", "high", "own")}
    steps = {f"step_traffic_{number}" for number in range(1, 6)} | {f"step_price_{number}" for number in range(1, 4)}
    return frozenset(cases | steps | _dated())


def _budget_own() -> frozenset[str]:
    drivers = ("tokens", "speed", "price", "whole", "other")
    cases = {f"case_{name}_{case}" for name in drivers for case in ("low", "high", "own")}
    steps = {f"step_tokens_{number}" for number in range(1, 6)} | {f"step_price_{number}" for number in range(1, 4)}
    return frozenset(cases | steps | _dated() | {"start"})


_OF_PHASES = {
    f"{name}_{number}": leaf
    for number in range(1, MOST_PHASES + 1)
    for name, leaf in _leaves(Phase).items()
}  # fmt: skip
_OF_SERVICES = {
    f"{name}_{number}": leaf
    for number in range(1, MOST_SERVICES + 1)
    for name, leaf in _leaves(Service).items()
}  # fmt: skip
SHIPPED = (
    Shipped("model_sizing.xlsx", _leaves(SizingScenario), frozenset({"config_path"})),
    Shipped(
        "model_comparison.xlsx",
        _compared(),
        frozenset(f"{name}_{number}" for name in ("model", "config_path") for number in range(1, 13))
        | {"usd_per_gpu_hour"},
    ),
    Shipped(
        "fine_tuning.xlsx",
        {name: leaf for name, leaf in _leaves(TrainingScenario).items() if name in _TUNED},
        frozenset(_TUNING_OWN),
    ),
    Shipped("training_budget.xlsx", _leaves(TrainingScenario), frozenset({"config_path"}) | _budget_own()),
    Shipped("training_programme.xlsx", _leaves(ProgrammeScenario) | _OF_PHASES, _programme_own()),
    Shipped("serving_capacity.xlsx", _leaves(ServingScenario) | _api(), frozenset({"config_path"}) | _of_scenarios()),
    Shipped(
        "fleet_plan.xlsx",
        _leaves(FleetScenario) | _OF_SERVICES,
        frozenset(f"config_path_{number}" for number in range(1, MOST_SERVICES + 1)) | _fleet_own(),
    ),
)


def opened(path: Path, *, data_only: bool = False) -> Workbook:
    """Return a workbook, opened once for all tests of a process while its file stays as it is; they only read it."""
    return _opened(path, path.stat().st_mtime_ns, data_only)


@lru_cache(maxsize=20)
def _opened(path: Path, _changed: int, data_only: bool) -> Workbook:
    return load_workbook(path, data_only=data_only)


def columns(path: Path, sheet: str) -> dict[str, list[Any]]:
    """Return the stored values beside each label of a sheet; the first line of a label counts."""
    found: dict[str, list[Any]] = {}
    for label, *values in opened(path, data_only=True)[sheet].iter_rows(min_col=2, max_col=7, values_only=True):
        found.setdefault(str(label), values)
    return found


def checks(path: Path) -> dict[str, Any]:
    """Return what each check of a workbook shows, those of several columns by number."""
    rows = opened(path, data_only=True)["Checks"].iter_rows(min_row=5, min_col=2, max_col=7, values_only=True)
    return {
        f"{label} {number}": shown
        for label, *values in rows
        for number, shown in enumerate(values, 1)
        if shown in ("OK", "CHECK", NEEDS_ADDIN) or str(shown).startswith("#")
    }


def timeline(path: Path, sheet: str = "Months") -> dict[str, list[Any]]:
    """Return the months of each row of a sheet of months, its total first; the first of a label counts."""
    found: dict[str, list[Any]] = {}
    for label, *values in opened(path, data_only=True)[sheet].iter_rows(min_col=2, values_only=True):
        found.setdefault(str(label), values[1:])
    return found


def totals(path: Path, sheet: str) -> dict[str, Any]:
    """Return the total of each row of a sheet of months."""
    return totals_of(opened(path, data_only=True), sheet)


def totals_of(book: Workbook, sheet: str) -> dict[str, Any]:
    """Return the total of each row of a sheet of months of an open workbook."""
    rows = list(book[sheet].iter_rows(min_col=2, values_only=True))
    at = next(row.index("Total") for row in rows if "Total" in row)
    return {str(row[0]): row[at] for row in rows}
