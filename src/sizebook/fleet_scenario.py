"""A fleet scenario: the keys of its TOML file, checked, and the plan and the workbook's inputs that they become."""

from __future__ import annotations

import math
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sizebook.errors import InputError
from sizebook.formulas.grid import grid
from sizebook.formulas.hardware import accelerator
from sizebook.formulas.prices import quote
from sizebook.models import catalog
from sizebook.plans.fleet import Contract, FleetPlan, Service, naming, plan_fleet
from sizebook.plans.nodes import Domain
from sizebook.plans.serving import Prices, Setup, Target
from sizebook.plans.traffic import Traffic
from sizebook.scenarios import Scenario, workbook_model

COLUMNS = 5  # services of a plan: the columns of fleet_plan.xlsx, and colours that a chart can tell apart


class ServiceTable(BaseModel):
    """One service: a model, its replica, its traffic and the prices of its GPUs."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str = Field(min_length=1, description="a name of the service, for tables and charts")
    model: str = Field(min_length=1, description="a model of the catalog, or the path of a config.json")
    gpu: str = Field(min_length=1, description="an accelerator such as h100-sxm")
    engine: str = Field(default="vllm", description="a serving engine of data/engines.csv")
    weight_dtype: str | None = Field(default=None, description="format of the weights, the checkpoint's own otherwise")
    kv_dtype: str | None = Field(default=None, description="format of the cache, the engine's own otherwise")
    tp: int = Field(default=1, ge=1, description="tensor-parallel degree")
    pp: int = Field(default=1, ge=1, description="pipeline stages")
    dp: int = Field(default=1, ge=1, description="attention data parallelism inside a replica")
    ep: int = Field(default=1, ge=1, description="expert-parallel degree")
    draft_tokens: int | None = Field(default=None, ge=0, description="tokens drafted in a decode step, 0 for none")
    tokens_per_step: float | None = Field(
        default=None, ge=1, description="tokens a decode step yields with speculation, what was measured otherwise"
    )
    gpus_per_node: int | None = Field(default=None, ge=1, description="GPUs of a node, the accelerator's own otherwise")
    requests_per_day: float = Field(gt=0, le=1e15, description="requests a day now, above 0 and at most 1e15")
    input_tokens: int = Field(gt=0, description="mean tokens of a prompt, above 0")
    output_tokens: int = Field(gt=0, description="mean tokens of an answer, above 0")
    growth_per_month: float = Field(default=0.0, gt=-1, lt=1, description="growth a month, 0.05 for 5 %")
    peak_factor: float = Field(default=2.0, ge=1, description="busiest hour over the mean of the day, 1 or more")
    concurrency: int | None = Field(default=None, ge=1, description="requests in flight on a replica, 1 or more")
    ttft_seconds: float | None = Field(default=None, gt=0, description="seconds to the first token, above 0")
    tpot_seconds: float | None = Field(default=None, gt=0, description="seconds per output token, above 0")
    at: Literal["p50", "p90"] = Field(default="p50", description="p50, or p90 of the error band")
    reserved_usd_per_gpu_hour: float | None = Field(default=None, ge=0, description="USD for one GPU and hour")
    on_demand_usd_per_gpu_hour: float | None = Field(default=None, ge=0, description="USD for one GPU and hour")


class FleetScenario(Scenario):
    """Several services over 36 months, and how their GPUs are bought."""

    plan: Literal["fleet"] = "fleet"
    service: list[ServiceTable] = Field(min_length=1, max_length=COLUMNS, description="1 to 5 tables [[service]]")
    start: date | None = Field(default=None, description="any day of the first month; months are numbered without it")
    target_load: float = Field(default=0.8, gt=0, le=1, description="share of a replica's rate to plan for")
    spare: int = Field(default=1, ge=0, description="failure domains whose loss each service covers")
    failure_domain: Domain = Field(default="replica", description="what fails at once")
    whole_nodes: bool = Field(default=False, description="whether GPUs are paid for by whole nodes")
    reserve_share: float = Field(default=1.0, ge=0, le=10, description="share of the mean fleet to reserve, 1 for all")
    term_months: Literal[1, 2, 3, 4, 6, 9, 12, 18, 36] = Field(
        default=12, description="months of a term that divide 36"
    )
    burst_hours: float = Field(default=8.0, ge=0, le=24, description="busy hours a day, 0 to 24")
    pue: float = Field(default=1.25, ge=1, description="facility power over IT power, 1 or more")
    grid: str = Field(default="usa", description="a region of data/grid.csv, such as usa or aws:us-east-1")
    grams_per_kwh: float | None = Field(default=None, ge=0, description="grams of CO2e per kWh, 0 or more")


def answer(scenario: FleetScenario) -> FleetPlan:
    """Return the plan of a scenario."""
    names = [table.name for table in scenario.service]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"name twice: got '{twice[0]}' for two services, want each its own. Rename one.")
    contract = Contract(scenario.reserve_share, scenario.term_months, scenario.burst_hours)
    services = []
    for table in scenario.service:
        with naming(table.name):
            services.append(_service(scenario, table))
    return plan_fleet(tuple(services), contract, scenario.start)


def _service(scenario: FleetScenario, table: ServiceTable) -> Service:
    if table.concurrency is not None and (table.ttft_seconds or table.tpot_seconds):
        raise InputError(
            "load given twice: got concurrency and a target of seconds, want one of them. The "
            "load follows from the target: remove concurrency, or keep it and remove the target."
        )
    catalog.architecture(table.model)
    setup = Setup(
        accelerator(table.gpu).key, table.engine, table.weight_dtype, table.kv_dtype, table.tp, table.pp, table.dp,
        table.ep, table.draft_tokens, table.tokens_per_step,
    )  # fmt: skip
    traffic = Traffic(
        requests_per_day=table.requests_per_day,
        peak_factor=table.peak_factor,
        growth_per_month=table.growth_per_month,
        input_tokens=table.input_tokens,
        output_tokens=table.output_tokens,
    )
    target = Target(
        table.ttft_seconds or math.inf, table.tpot_seconds or math.inf, table.at, scenario.target_load, scenario.spare,
        scenario.failure_domain, scenario.whole_nodes, table.gpus_per_node,
    )  # fmt: skip
    prices = _prices(scenario, table)
    return Service(table.name, table.model, setup, traffic, target, prices, table.concurrency)


def _prices(scenario: FleetScenario, table: ServiceTable) -> Prices:
    """Return the prices given, or the catalog's medians: reserved for the term, and on demand."""
    chip, given = accelerator(table.gpu), "given in the scenario"
    reserved, demand = table.reserved_usd_per_gpu_hour, table.on_demand_usd_per_gpu_hour
    term = reserved_term(scenario.term_months)
    bases = [given if reserved is not None else f"data/prices.csv, {term}, median"]
    bases += [given if demand is not None else "data/prices.csv, on demand, median"]
    if reserved is None:
        reserved = quote(chip.key, term=term).usd_per_gpu_hour
    if demand is None:
        demand = quote(chip.key).usd_per_gpu_hour
    if chip.tdp_watts is None:
        raise InputError(f"no power: got '{chip.key}' without a TDP, want one that is published. Choose another gpu.")
    basis = bases[0] if bases[0] == bases[1] else f"reserved {bases[0]}; burst {bases[1]}"
    grams, where = scenario.grams_per_kwh, given
    if grams is None:
        row = grid(scenario.grid)
        grams, where = row.g_co2e_per_kwh, f"data/grid.csv: {row.name}, {row.year}, {row.basis}"
    return Prices(demand, reserved, basis, float(chip.tdp_watts), scenario.pue, grams, where)


def reserved_term(term_months: int) -> str:
    """Return the term of the price table that a contract of so many months is quoted at."""
    return "reserved_3y" if term_months >= 36 else "reserved_1y"


_FLEET = (
    "start", "as_of", "target_load", "spare", "failure_domain", "reserve_share", "term_months",
    "burst_hours", "pue", "grid", "grams_per_kwh",
)  # fmt: skip
_SERVICE = (
    "name", "engine", "weight_dtype", "kv_dtype", "tp", "pp", "dp", "ep", "draft_tokens", "tokens_per_step",
    "gpus_per_node", "requests_per_day", "input_tokens", "output_tokens", "growth_per_month", "peak_factor",
)  # fmt: skip


def workbook_inputs(scenario: FleetScenario) -> dict[str, Any]:
    """Return the inputs of fleet_plan.xlsx: what the scenario gives, and the load of a replica that its target allows.

    What it leaves blank (prices, grid, nodes) the workbook looks up in the same tables.
    """
    given: dict[str, Any] = {name: getattr(scenario, name) for name in _FLEET}
    given["whole_nodes"] = "yes" if scenario.whole_nodes else "no"
    given["title"] = scenario.title or "Fleet plan"
    for number, (table, planned) in enumerate(zip(scenario.service, answer(scenario).services, strict=True), 1):
        values = {name: getattr(table, name) for name in _SERVICE} | workbook_model(table.model)
        values |= {
            "gpu": planned.service.setup.gpu,
            "concurrency": planned.replica.concurrency,
            "reserved_usd": table.reserved_usd_per_gpu_hour,
            "burst_usd": table.on_demand_usd_per_gpu_hour,
        }
        given |= {f"{name}_{number}": value for name, value in values.items()}
    return {name: value for name, value in given.items() if value is not None}
