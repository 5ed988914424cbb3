"""Spreadsheet functions of fleet plans: the ledger of all services together, and the figures of each service."""

from __future__ import annotations

from typing import Annotated, Any

from sizebook.core.registry import DEFAULT, Quantity, flat, function, leaves, takes
from sizebook.plans.columns import sections_of, width_of
from sizebook.plans.fleet.figures import ServiceFigures, figures
from sizebook.plans.fleet.inputs import FleetInputs, FleetTerms, Service
from sizebook.plans.fleet.plan import FleetMonth, FleetPlan, plan_fleet
from sizebook.plans.ledgers import Ledger, ledger_rows

Services = Annotated[
    list[list[Any]],
    Quantity(
        "services as a range: names of their inputs (name, model, gpu, requests_per_day ...) in the first column, then "
        "one column a service; a column without a model stays out",
        kind="range", label="Services",
    ),
]  # fmt: skip
FiguresByService = Annotated[
    list[list[Any]], Quantity("a row with the names of the services, then one figure a row", kind="range")
]
SOURCE = "sizebook.plans.fleet.plan over data/hardware.csv, data/prices.csv and data/calibration_serving.csv"
_EXAMPLE = {
    "services": [
        ["name", "Chat"], ["model", "llama-3.1-8b"], ["gpu", "h100-sxm"], ["weight_dtype", "fp8"],
        ["requests_per_day", 2_000_000], ["input_tokens", 1000], ["output_tokens", 200], ["concurrency", 32],
        ["on_demand_usd_per_gpu_hour", 3], ["reserved_usd_per_gpu_hour", 2],
    ],
    "grams_per_kwh": 400,
}  # fmt: skip

# Without growth all months are alike.
_LEDGER: list[list[Any]] = [
    [
        "requests_per_day", "peak_gpus", "mean_gpus", "reserved_gpus", "burst_gpu_hours", "reserved_usd",
        "burst_usd", "usd", "energy_kwh", "co2e_kg", "peak_gpus_fewest", "peak_gpus_most", "usd_least",
        "usd_most",
    ],
    [
        2000000.0, 5, 3, 3, 486.6666666666667, 4380.0, 1460.0, 5840.0,
        1596.8986466573729, 638.7594586629491, 4, 7, 5110.0, 8030.0,
    ],
]  # fmt: skip
_FIGURES: list[list[Any]] = [
    ["name", "Chat"],
    ["gpus_per_replica", 1],
    ["concurrency", 32],
    ["capacity", 414],
    ["ttft_seconds", 0.09206770381637308],
    ["tpot_seconds", 0.009263032527226694],
    ["requests_per_second", 16.533954326951793],
    ["requests_per_second_p10", 11.52747295675079],
    ["requests_per_second_p90", 21.43296499402761],
    ["workers", "tp1"],
    ["spare_replicas", 1],
    ["on_demand_usd_per_gpu_hour", 3],
    ["reserved_usd_per_gpu_hour", 2],
    ["rates_basis", "shipped rates"],
    ["price_basis", "given in the scenario"],
    ["tdp_watts", 700.0],
    ["grams_per_kwh", 400],
    ["peak_gpus_first", 5],
    ["peak_gpus_last", 5],
    ["usd_last", 5840.0],
    ["usd", 210240.0],
]  # fmt: skip


def _plan(services: Any, terms: FleetTerms) -> tuple[dict[int, Service], FleetPlan]:
    found = sections_of(Service, services, "service")
    return found, plan_fleet(FleetInputs(service=tuple(found.values()), terms=terms))


@function(category="serving", source=SOURCE, example=(_EXAMPLE, [_LEDGER[0], *_LEDGER[1:] * 36]))
@takes("simulation")
def fleet_ledger(services: Services, terms: FleetTerms = DEFAULT) -> Ledger:
    """Return a fleet plan month by month, all services together: GPUs at peak, at the mean and reserved, cost, energy.

    Names in the first row, then 36 months. The figures of 'sizebook plan fleet' for the same inputs, computed by the
    same plan. The last columns are GPUs and cost if replicas are as fast, or as slow, as 1 in 10 measurements.
    """
    _, plan = _plan(services, terms)
    return ledger_rows(FleetMonth, plan.months, plan.fewest, most=plan.most)


@function(category="serving", source=SOURCE, example=(_EXAMPLE, _FIGURES))
@takes("simulation")
def fleet_figures(services: Services, terms: FleetTerms = DEFAULT) -> FiguresByService:
    """Return figures of each service of a fleet plan: a replica, prices of GPU-hours, first and last month, cost.

    Names of the figures in the first column, those of the services in the first row, in the columns of the range; a
    column without a model is blank. The prices are those of the plan: a reserved one that nobody states is never above
    the one on demand.
    """
    found, plan = _plan(services, terms)
    shown = {
        column: flat(figures(each, terms)) for column, each in zip(found, plan.services, strict=True)
    }  # fmt: skip
    columns = range(1, width_of(services) + 1)
    table: list[list[Any]] = [["name", *(found[c].name if c in found else "" for c in columns)]]
    for leaf in leaves(ServiceFigures):
        table.append([leaf.name, *(shown[c][leaf.name] if c in shown else "" for c in columns)])
    return table
