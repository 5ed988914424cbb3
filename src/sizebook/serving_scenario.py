"""A serving scenario: the keys of its TOML file, checked, and the plan's inputs that they become."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sizebook.errors import InputError
from sizebook.formulas.grid import grid
from sizebook.formulas.hardware import accelerator
from sizebook.formulas.prices import quote
from sizebook.models import catalog
from sizebook.plans.lengths import Histogram, histogram
from sizebook.plans.nodes import Domain
from sizebook.plans.serving import Prices, ServingPlan, Setup, Target, plan_serving
from sizebook.plans.serving_choice import ENGINES, GPUS, SHARED, Choices, choose
from sizebook.plans.traffic import SHAPES, Traffic, hours_of, lognormal_p95
from sizebook.scenarios import ModelScenario


class TrafficTable(BaseModel):
    """Requests a day, how they spread over the day, how they grow, and how long they are."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    requests_per_day: float = Field(gt=0, le=1e15, description="requests a day, above 0 and at most 1e15")
    shape: str | list[float] = Field(default="flat", description=f"one of {', '.join(SHAPES)}, or 24 numbers")
    hours_csv: str | None = Field(default=None, description="a CSV file with a column requests of 24 rows")
    peak_factor: float = Field(default=1.0, ge=1, description="bursts over the hour's mean, 1 or more")
    growth_per_month: float = Field(default=0.0, gt=-1, lt=1, description="growth a month, 0.05 for 5 %")
    months: int = Field(default=12, ge=1, le=120, description="months to plan, 1 to 120")
    input_tokens: int | None = Field(default=None, gt=0, description="mean tokens of a prompt, above 0")
    output_tokens: int | None = Field(default=None, gt=0, description="mean tokens of an answer, above 0")
    input_tokens_p50: float | None = Field(default=None, gt=0, description="median tokens of a prompt")
    output_tokens_p50: float | None = Field(default=None, gt=0, description="median tokens of an answer")
    input_tokens_p95: int | None = Field(default=None, gt=0, description="95th percentile of prompts")
    output_tokens_p95: int | None = Field(default=None, gt=0, description="95th percentile of answers")
    input_histogram: str | list[list[float]] | None = Field(
        default=None, description="[tokens, share] pairs of prompts, or a CSV file with columns tokens and share"
    )
    output_histogram: str | list[list[float]] | None = Field(
        default=None, description="[tokens, share] pairs of answers, or a CSV file with columns tokens and share"
    )


class TargetTable(BaseModel):
    """The latency to meet, and the margins of the fleet."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    ttft_seconds: float | None = Field(default=None, gt=0, description="seconds to the first token, above 0")
    tpot_seconds: float | None = Field(default=None, gt=0, description="seconds per output token, above 0")
    at: Literal["p50", "p90"] = Field(default="p50", description="p50, or p90 of the error band")
    target_load: float = Field(default=0.8, gt=0, le=1, description="share of a replica's rate to plan for")
    spare: int = Field(default=1, ge=0, description="failure domains whose loss the fleet covers")
    failure_domain: Domain = Field(default="replica", description="what fails at once")
    whole_nodes: bool = Field(default=False, description="whether GPUs are paid for by whole nodes")
    gpus_per_node: int | None = Field(default=None, ge=1, description="GPUs of a node, the accelerator's own otherwise")


class ServingScenario(ModelScenario):
    """A model, its traffic and target. Without a gpu the cheapest setup is searched."""

    plan: Literal["serving"] = "serving"
    traffic: TrafficTable = Field(description="a table [traffic]")
    target: TargetTable = Field(default=TargetTable(), description="a table [target]")
    gpu: str | None = Field(default=None, description="an accelerator such as h100-sxm; left out, several compete")
    gpus_compared: list[str] = Field(default=list(GPUS), description="accelerators that compete")
    engine: str | None = Field(default=None, description=f"one of {', '.join(ENGINES)}")
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
    on_demand_usd_per_gpu_hour: float | None = Field(default=None, ge=0, description="USD for one GPU and hour")
    reserved_usd_per_gpu_hour: float | None = Field(default=None, ge=0, description="USD for one GPU and hour")
    provider: str | None = None
    region: str | None = None
    pue: float = Field(default=1.25, ge=1, description="facility power over IT power, 1 or more")
    grid: str = Field(default="usa", description="a region of data/grid.csv, such as usa or aws:us-east-1")


@dataclass(frozen=True)
class ServingAnswer:
    """The plan to show, and where setups competed, all that met the target."""

    plan: ServingPlan
    choices: Choices | None


def traffic_of(table: TrafficTable, folder: Path) -> Traffic:
    """Return the traffic of a table; percentiles follow from mean and median where only those are given."""
    hours = hours_of(tuple(table.shape) if isinstance(table.shape, list) else table.shape)
    if table.hours_csv:
        hours = hours_of(_hours_from(folder / table.hours_csv))
    prompts, prompts_p95, prompt_bins = _lengths(table, "input", folder)
    answers, answers_p95, answer_bins = _lengths(table, "output", folder)
    return Traffic(
        requests_per_day=table.requests_per_day,
        hours=hours,
        peak_factor=table.peak_factor,
        growth_per_month=table.growth_per_month,
        months=table.months,
        input_tokens=prompts,
        output_tokens=answers,
        input_tokens_p95=prompts_p95,
        output_tokens_p95=answers_p95,
        input_histogram=prompt_bins,
        output_histogram=answer_bins,
    )


def _lengths(table: TrafficTable, side: str, folder: Path) -> tuple[int, int | None, Histogram | None]:
    """Return mean, 95th percentile and histogram of the "input" or "output" lengths; a mean to the nearest token."""
    key, name = f"{side}_tokens", f"{side}_histogram"
    given = {each: getattr(table, each) for each in (key, f"{key}_p50", f"{key}_p95")}
    mean, p50, p95 = given.values()
    wanted = getattr(table, name)
    if wanted is None:
        if mean is None:
            raise InputError(f"no lengths: got neither {key} nor {name}, want one. Add a line '{key} = ...'.")
        return mean, (p95 if p95 or p50 is None else math.ceil(lognormal_p95(mean, p50))), None
    beside = [each for each, value in given.items() if value is not None]
    if beside:
        raise InputError(
            f"lengths given twice: got {name} and {', '.join(beside)}, want one of them. Mean and percentiles follow "
            "from the histogram: remove the others."
        )
    found = histogram(_bins_from(folder / wanted) if isinstance(wanted, str) else wanted, name)
    return max(1, round(found.mean)), found.percentile(0.95), found


def _bins_from(path: Path) -> list[tuple[float, float]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            return [(float(row["tokens"]), float(row["share"])) for row in csv.DictReader(lines)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"not a histogram: got {error} in {path.name}, want columns 'tokens' and 'share' of numbers. Mend the file."
        ) from None


def _hours_from(path: Path) -> tuple[float, ...]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            return tuple(float(row["requests"]) for row in csv.DictReader(lines))
    except (OSError, KeyError, ValueError) as error:
        raise InputError(
            f"not a day of traffic: got {error} in {path.name}, want a column 'requests' of 24 numbers. Mend the file."
        ) from None


def prices_of(scenario: ServingScenario, gpu: str) -> Prices:
    """Return the prices given, or the catalog's: reserved falls back on demand where no catalog holds it."""
    chip, row = accelerator(gpu), grid(scenario.grid)
    demand, reserved = scenario.on_demand_usd_per_gpu_hour, scenario.reserved_usd_per_gpu_hour
    basis = "given in the scenario"
    if demand is None:
        demand = quote(chip.key, scenario.provider, scenario.region).usd_per_gpu_hour
        basis = "data/prices.csv, on demand, median"
    if reserved is None:
        reserved, basis = demand, f"{basis}; reserved taken as on demand"
    if chip.tdp_watts is None:
        raise InputError(f"no power: got '{chip.key}' without a TDP, want one that is published. Choose another gpu.")
    where = f"data/grid.csv: {row.name}, {row.year}, {row.basis}"
    return Prices(demand, reserved, basis, float(chip.tdp_watts), scenario.pue, row.g_co2e_per_kwh, where)


def answer(scenario: ServingScenario, folder: Path) -> ServingAnswer:
    """Return the plan of the scenario's setup, or of the cheapest where it names no accelerator."""
    catalog.architecture(scenario.model)
    traffic = traffic_of(scenario.traffic, folder)
    wanted = scenario.target
    target = Target(
        wanted.ttft_seconds or math.inf, wanted.tpot_seconds or math.inf, wanted.at, wanted.target_load, wanted.spare,
        wanted.failure_domain, wanted.whole_nodes, wanted.gpus_per_node,
    )  # fmt: skip
    if scenario.gpu is None:
        if layout := [name for name in ("tp", "pp", "dp", "ep") if name in scenario.model_fields_set]:
            raise InputError(
                f"layout without an accelerator: got {', '.join(layout)}, want gpu with it. Name the gpu, or leave the "
                "layout to the search."
            )
        engines = [scenario.engine] if scenario.engine else list(ENGINES)
        stated = scenario.draft_tokens is not None or scenario.tokens_per_step is not None
        shared = replace(
            SHARED, kv_dtype=scenario.kv_dtype, tokens_per_step=scenario.tokens_per_step,
            draft_tokens=scenario.draft_tokens if stated else SHARED.draft_tokens,
        )  # fmt: skip
        found = choose(
            scenario.model, traffic, target, lambda gpu: prices_of(scenario, gpu), scenario.gpus_compared, engines,
            [scenario.weight_dtype] if scenario.weight_dtype else [None, "fp8"],
            shared,
        )  # fmt: skip
        return ServingAnswer(found.ranked[0].plan, found)
    setup = Setup(
        accelerator(scenario.gpu).key, scenario.engine or "vllm", scenario.weight_dtype, scenario.kv_dtype,
        scenario.tp, scenario.pp, scenario.dp, scenario.ep, scenario.draft_tokens, scenario.tokens_per_step,
    )  # fmt: skip
    return ServingAnswer(plan_serving(scenario.model, setup, traffic, target, prices_of(scenario, setup.gpu)), None)


def workbook_inputs(scenario: ServingScenario, folder: Path) -> dict[str, Any]:
    """Return the inputs of serving_capacity.xlsx: the setup planned, its traffic in the last month, target and prices.

    The workbook plans the busiest hour: its peak factor is that hour's share of a mean hour times the scenario's.
    """
    plan = answer(scenario, folder).plan
    setup, traffic, target, prices = plan.replica.setup, plan.traffic, plan.target, plan.prices
    busiest = max(traffic.hours) * len(traffic.hours) / math.fsum(traffic.hours) * traffic.peak_factor
    given: dict[str, Any] = {
        "gpu": setup.gpu, "engine": setup.engine, "tp": setup.tp, "pp": setup.pp, "dp": setup.dp, "ep": setup.ep,
        "requests_per_day": traffic.requests_per_day, "growth_per_month": traffic.growth_per_month,
        "months": traffic.months - 1, "peak_factor": busiest, "input_tokens": traffic.input_tokens,
        "output_tokens": traffic.output_tokens, "target_load": target.target_load, "spare": target.spare,
        "failure_domain": target.failure_domain, "whole_nodes": "yes" if target.whole_nodes else "no",
        "concurrency": plan.replica.concurrency, "price_usd": prices.on_demand_usd, "pue": prices.pue,
        "grid": scenario.grid, "title": scenario.title or "Serving capacity",
    }  # fmt: skip
    formats: dict[str, Any] = {
        "weight_dtype": setup.weight_dtype, "kv_dtype": setup.kv_dtype, "as_of": scenario.as_of,
        "gpus_per_node": target.gpus_per_node, "draft_tokens": setup.draft_tokens,
        "tokens_per_step": setup.tokens_per_step,
    }  # fmt: skip
    limits = {"ttft_target": scenario.target.ttft_seconds, "tpot_target": scenario.target.tpot_seconds}
    return given | {name: value for name, value in (formats | limits).items() if value is not None}
