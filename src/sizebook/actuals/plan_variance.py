"""A serving plan against what came: by month and cause, what of the bill no plan holds, and the rest of the year."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from sizebook.actuals.variance import CAUSES, CostFactors, Share, shares
from sizebook.core.errors import InputError, RangeError, require_columns
from sizebook.intake.text_formats import csv_rows
from sizebook.plans.ledgers import month_label
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.lengths import RequestLengths
from sizebook.plans.serving.months import Month
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario

REQUIRED = ("month", "requests", "input_tokens", "output_tokens", "gpu_hours", "cost")
OTHERS = ("unused_cost", "untagged_cost", "no_gpu_cost")
OPTIONAL = ("busy_share", "rate_per_usd", *OTHERS)
MONTHS_OF_YEAR = 12


@dataclass(frozen=True)
class ActualMonth:
    """What came in a month, in the plan's currency; ``cost`` is of GPU-hours that were used and tagged.

    ``busy_share`` is the share of GPU-hours in which GPUs worked, None where nobody measured it; ``rate_per_usd`` is
    what 1 USD was, None for the planned rate.
    """

    month: int
    requests: float
    input_tokens: float
    output_tokens: float
    gpu_hours: float
    cost: float
    busy_share: float | None = None
    rate_per_usd: float | None = None
    unused_cost: float = 0.0
    untagged_cost: float = 0.0
    no_gpu_cost: float = 0.0

    @property
    def total(self) -> float:
        """All that the month cost."""
        return self.cost + self.unused_cost + self.untagged_cost + self.no_gpu_cost


@dataclass(frozen=True)
class MonthVariance:
    """One month: what was planned and what came, shared out over causes; the rest of the bill stands beside them."""

    label: str
    planned: float
    actual: ActualMonth
    shares: tuple[Share, ...]

    @property
    def difference(self) -> float:
        """What came less what was planned."""
        return self.actual.total - self.planned


@dataclass(frozen=True)
class PlanVariance:
    """Every month that came, and what the whole time costs now that they stand for their plan."""

    name: str
    currency: str
    months: tuple[MonthVariance, ...]
    planned_total: float
    forecast_total: float
    until: str
    remarks: tuple[str, ...]

    @property
    def lines(self) -> dict[str, float]:
        """What each cause that is known adds over all months, then what no plan holds; they sum to the difference."""
        every = [share for month in self.months for share in month.shares]
        found = {cause: math.fsum(share.shapley for share in every if share.cause == cause) for cause in CAUSES}
        if all(month.actual.busy_share is None for month in self.months):  # not 0: nobody measured it
            del found["efficiency"]
        others = {name: math.fsum(getattr(month.actual, name) for month in self.months) for name in OTHERS}
        return found | {name: value for name, value in others.items() if value}


def read_actuals(path: Path, start: date | None) -> tuple[ActualMonth, ...]:
    """Return the months of a CSV table; a month is a number, the first of the plan is 1, or such as 2027-01.

    Errors: a missing column, a bad or repeated month, no number, a number out of its range.
    """
    rows = list(csv_rows(path, "a table of actuals"))
    require_columns(list(rows[0]) if rows else [], REQUIRED)
    if unknown := [name for name in rows[0] if name not in (*REQUIRED, *OPTIONAL)]:
        raise InputError(
            f"unknown column: got {', '.join(unknown)} in {path.name}, want some of "
            f"{', '.join((*REQUIRED, *OPTIONAL))}. Rename or remove it."
        )
    found = [_month(row, number, path.name, start) for number, row in enumerate(rows, start=2)]
    at = [each.month for each in found]
    if sorted(set(at)) != at:
        raise InputError(f"months out of order: got {at} in {path.name}, want each once, in order. Sort the table.")
    return tuple(found)


def _month(row: Mapping[str, str], number: int, name: str, start: date | None) -> ActualMonth:
    where = f"row {number} of {name}"
    values = {column: _number(row[column], column, where) for column in row if column != "month" and row[column]}
    if missing := [column for column in REQUIRED[1:] if column not in values]:
        raise InputError(f"blank cell: got no {missing[0]} in {where}, want a number. Fill it in.")
    if not 0 < values.get("busy_share", 1.0) <= 1:
        raise RangeError(f"busy_share is out of range: got {row['busy_share']} in {where}, want above 0, up to 1.")
    return ActualMonth(_place(row["month"], where, start), **values)


def _number(text: str, column: str, where: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    least_allowed = found >= 0 if column in OTHERS else found > 0
    if not (least_allowed and math.isfinite(found)):
        wanted = "0 or more" if column in OTHERS else "above 0"
        raise InputError(f"no number: got {column} '{text}' in {where}, want one {wanted}. Correct it.")
    return found


def _place(text: str, where: str, start: date | None) -> int:
    year, _, month = text.partition("-")
    if month and year.isdigit() and month.isdigit() and 1 <= int(month) <= MONTHS_OF_YEAR:
        if start is None:
            raise InputError(
                f"no first month: got month {text} in {where} and no start in the scenario, want the plan's first "
                "month. State start, or number the months from 1."
            )
        place = (int(year) - start.year) * MONTHS_OF_YEAR + int(month) - start.month + 1
    else:
        place = int(text) if text.isdigit() else 0
    if place < 1:
        raise InputError(
            f"no month of the plan: got '{text}' in {where}, want 1 or more, or such as 2027-01. Correct it."
        )
    return place


def variance_of(scenario: ServingScenario, name: str, actuals: Sequence[ActualMonth]) -> PlanVariance:
    """Return a plan against its actuals. Errors: a month after the plan's last, a plan without a price."""
    plan = plan_serving_scenario(scenario).plan
    beyond = [each.month for each in actuals if each.month > len(plan.months)]
    if beyond:
        raise InputError(
            f"month beyond the plan: got month {beyond[0]}, want at most {len(plan.months)}. Plan more months, or "
            "leave it out."
        )
    money, start = scenario.money, plan.traffic.start
    rates = [money.level(at) for at in range(len(plan.months))]
    planned = [month.usd * rate for month, rate in zip(plan.months, rates, strict=True)]
    if math.isnan(planned[0]):
        raise InputError("no price: got a plan whose price is not listed, want one. Set on_demand_usd_per_gpu_hour.")
    months = tuple(
        MonthVariance(
            month_label(start, each.month - 1),
            planned[each.month - 1],
            each,
            shares(_planned(plan, plan.months[each.month - 1], rates[each.month - 1]), _actual(plan, each, rates)),
        )
        for each in actuals
    )
    last = _last_month(start, actuals[-1].month, len(plan.months))
    came = {each.month - 1: each.total for each in actuals}
    forecast = math.fsum(came.get(at, planned[at]) for at in range(last))
    remarks = tuple(_remarks(actuals))
    until = month_label(start, last - 1)
    return PlanVariance(name, money.currency, months, math.fsum(planned[:last]), forecast, until, remarks)


def gpu_seconds_per_request(plan: ServingPlan) -> float:
    """Return what a request takes of a GPU at the load that the plan's replicas carry."""
    return plan.replica.gpus / plan.replica.requests_per_second


def _planned(plan: ServingPlan, month: Month, rate: float) -> CostFactors:
    work = gpu_seconds_per_request(plan)
    idle = month.gpu_hours / (month.requests * work / 3600)
    price = month.usd / month.gpu_hours
    return CostFactors(month.requests, work / 3600, 1.0, idle=idle, price=price, currency=rate)


def _actual(plan: ServingPlan, actual: ActualMonth, rates: Sequence[float]) -> CostFactors:
    work = gpu_seconds_per_request(_of_lengths(plan, actual))
    hours = actual.requests * work / 3600
    rate = actual.rate_per_usd or rates[actual.month - 1]
    # Without a measured share of busy time, GPU-hours beyond those of the estimate are all called idle.
    busy = actual.gpu_hours * actual.busy_share if actual.busy_share else hours
    price = actual.cost / actual.gpu_hours / rate
    idle = actual.gpu_hours / busy
    return CostFactors(actual.requests, work / 3600, busy / hours, idle=idle, price=price, currency=rate)


def _of_lengths(plan: ServingPlan, actual: ActualMonth) -> ServingPlan:
    """Return the same replicas asked for the lengths that came, whatever lengths were planned from.

    Turns, a trace or seconds of sound would give lengths of their own; what caches hold of prompts stays as planned.
    """
    mean, prompt, answer = plan.traffic.mean_demand, round(actual.input_tokens), round(actual.output_tokens)
    if (mean.input_tokens, mean.output_tokens) == (prompt, answer):
        return plan
    text, cached = max(1, prompt - plan.traffic.image_tokens), plan.replica.demand.cache_hit_ratio
    demand = replace(mean, input_tokens=text, output_tokens=answer, cache_hit_ratio=cached)
    inputs = replace(
        plan.inputs,
        traffic=replace(plan.traffic, demand=demand, lengths=RequestLengths()),
        requests=replace(plan.inputs.requests, trace=None, input_seconds=None),
        conversation=Conversation(),
    )
    return plan_serving(plan.model, plan.replica.setup.gpu, inputs)


def _last_month(start: date | None, latest: int, n_months: int) -> int:
    """Return the last month of the calendar year of the latest that came, of a plan without one its last."""
    if start is None:
        return n_months
    year_end = latest + (MONTHS_OF_YEAR - (start.month - 1 + latest - 1) % MONTHS_OF_YEAR - 1)
    return min(n_months, year_end)


def _remarks(actuals: Sequence[ActualMonth]) -> Iterator[str]:
    if any(each.busy_share is None for each in actuals):
        yield "busy_share is blank: nobody measured efficiency, so idle holds both"
    if all(each.rate_per_usd is None for each in actuals):
        yield "rate_per_usd is blank: the planned exchange rate is used"
