"""Spreadsheet functions of serving plans: the cheapest ways to serve a traffic, and the ledger of one of them."""

import math
from typing import Annotated, Any

from sizebook.core.errors import InputError
from sizebook.core.quantities import DAYS_PER_MONTH, Gpu, Model, Usd
from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, Quantity, flat
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.plans.commitments import ContractMonth
from sizebook.plans.ledgers import (
    LONGEST_PLAN,
    Figures,
    Ledger,
    LedgerRows,
    Start,
    as_table,
    ledger_rows,
    named_values,
    with_blanks,
)
from sizebook.plans.serving.choice import GPUS, choose, with_room
from sizebook.plans.serving.day import hours_of
from sizebook.plans.serving.figures import basis, figures
from sizebook.plans.serving.inputs import DayShape, ServingInputs
from sizebook.plans.serving.months import Month, gpus_needed
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.plan import plan_serving as plan_of
from sizebook.plans.serving.traffic_by_month import Course
from sizebook.plans.serving.users import HoursActive, TimeZones, hours_of_users
from sizebook.serving.layouts import searched_in_words
from sizebook.serving.quantities import InputTokens, OutputTokens
from sizebook.serving.traffic_quantities import CachedShare, Requests
from sizebook.tables.api_prices import ApiAsked
from sizebook.tables.hardware import accelerator

GpusCompared = Annotated[
    Any,
    Quantity(
        "accelerators to compare, as a list or with commas between; blank for h100-sxm, h200-sxm and b200-sxm",
        default=None,
        label="Accelerators compared",
    ),
]
Choices = Annotated[
    list[list[str | int | float]],
    Quantity("gpu, engine, dtype, layout, GPUs, USD a month, TTFT s, TPOT s, on the Pareto front"),
]
HoursOfDay = Annotated[list[list[float]], Quantity("24 hours over the mean of the day", unit="ratio")]
MonthsOfTraffic = Annotated[list[list[float]], Quantity("60 months of a table or of the season")]
PeakOfDay = Annotated[
    float,
    Quantity(
        "busiest hour over the mean of the day", unit="ratio", minimum=1, source="assumption, to replace with your own"
    ),
]
HEAD = ["gpu", "engine", "weight_dtype", "layout", "gpus", "usd_per_month", "ttft_seconds", "tpot_seconds", "pareto"]
SHOWN = 12
SOURCE = "sizebook.plans.serving.plan over data/hardware.csv, data/prices.csv and data/calibration_serving.csv"


def compared(gpus: Any) -> tuple[str, ...]:
    """Return the accelerators to compare, from a list or a text with commas; three where none is named."""
    if not gpus:
        return GPUS
    words = gpus.split(",") if isinstance(gpus, str) else _flattened(gpus)
    return tuple(accelerator(str(word)).key for word in words)


def _flattened(rows: Any) -> list[Any]:
    return [word for row in rows for word in (_flattened(row) if isinstance(row, (list, tuple)) else [row])]


@function(
    category="serving",
    source="sizebook.plans.serving.choice over data/hardware.csv, data/prices.csv and data/calibration_serving.csv",
)
@takes("search")
def plan_serving(model: Model, inputs: ServingInputs, gpus_compared: GpusCompared = DEFAULT) -> Choices:
    """Return the cheapest ways to serve a traffic within a target: one a row, at most 12, cheapest first.

    Engines, formats of the weights and layouts are searched; tp, pp, dp, ep and engine play no part, but that a
    release is of the engine stated. Columns: gpu,
    engine, dtype (blank: the checkpoint's own), layout, GPUs and USD in the last month, TTFT and TPOT at the planned
    load, 1 where nothing is cheaper and faster. Nothing that misses the target is shown; if all do, the error names
    the limits.
    """
    one = inputs.replica.engine if inputs.replica.release else None  # a release is of one engine
    found = choose(model, inputs, compared(gpus_compared), engine=one)
    rows: list[list[str | int | float]] = [list(HEAD)]
    for choice in found.ranked[:SHOWN]:
        setup, knee, last = choice.plan.replica.setup, choice.plan.replica.at_knee, choice.plan.months[-1]
        rows.append(
            [
                setup.gpu,
                setup.replica.engine,
                setup.replica.weight_dtype or "",
                choice.plan.replica.layout,
                last.peak_gpus,
                round(choice.usd_per_month, 2),
                float(f"{knee.ttft_seconds:.4g}"),
                float(f"{knee.tpot_seconds:.4g}"),
                int(choice.on_front),
            ]
        )
    return rows


def ledger(plan: ServingPlan, n_rows: int = 1) -> list[list[Any]]:
    """Return the ledger of a plan: names, then one row a month, with GPUs and cost at both ends of the band."""
    return ledger_rows(Month, plan, n_rows)


@function(category="serving", source=SOURCE)
@takes("simulation")
def serving_ledger(model: Model, gpu: Gpu, inputs: ServingInputs, rows: LedgerRows = DEFAULT) -> Ledger:
    """Return a serving plan month by month: GPUs at peak and reserved, cost, energy, carbon; names in the first row.

    The figures of 'sizebook plan serve' for the same inputs, computed by the same plan. The last columns are GPUs and
    cost if replicas are as fast, or as slow, as 1 in 10 measurements.
    """
    return ledger(with_room(plan_of, model, gpu, inputs=inputs), rows)


@function(category="serving", source=SOURCE)
@takes("simulation")
def serving_commitments(model: Model, gpu: Gpu, inputs: ServingInputs, rows: LedgerRows = DEFAULT) -> Ledger:
    """Return the contracts of a serving plan month by month: those that run, and what to sign for the least cost.

    Names in the first row. A contract is paid to its end, also after the plan's; which to sign is the exact optimum for
    the GPUs that each hour needs.
    """
    plan = with_room(plan_of, model, gpu, inputs=inputs)
    needs = gpus_needed(plan.replica, plan.inputs)
    found = plan.portfolio.by_month((*needs, *[{}] * (rows - len(needs))))  # contracts may run on after the plan
    return as_table(ContractMonth, found)


@function(category="serving", source="sizebook.plans.alternatives over the plan and data/api_prices.csv")
@takes("simulation")
def serving_alternatives(model: Model, gpu: Gpu, inputs: ServingInputs, rows: LedgerRows = DEFAULT) -> Ledger:
    """Return the months of a serving plan with GPUs rented, with GPUs bought, and at an API; names in the first row.

    Blank is what is not asked: bought GPUs without their price, an API without its name. From when on one of them costs
    less is among SERVING_FIGURES.
    """
    months = with_room(plan_of, model, gpu, inputs=inputs).alternative_months
    return with_blanks(as_table(AlternativeMonth, months), rows)


@function(category="serving", source="data/api_prices.csv, one provider, model and date a row")
def api_usd_per_month(
    requests_per_day: Requests,
    input_tokens: InputTokens,
    output_tokens: OutputTokens,
    cached_share: CachedShare = DEFAULT,
    api: ApiAsked = DEFAULT,
) -> Usd:
    """Return what an API asks for the requests of a month, 730 / 24 days, by its listed price of tokens.

    Cached tokens have the price of such, long prompts theirs. Errors: no API, and batches that it does not list.
    """
    if api.price is None:
        raise InputError("no API: got no api_provider, want one of data/api_prices.csv. State it, and api_model.")
    cached = input_tokens * cached_share
    usd = api.price.usd_per_request(input_tokens - cached, output_tokens, cached, in_batches=api.in_batches)
    return usd * requests_per_day * DAYS_PER_MONTH


@function(category="serving", source=SOURCE)
@takes("simulation")
def serving_figures(model: Model, gpu: Gpu, inputs: ServingInputs) -> Figures:
    """Return the headline figures of a serving plan as names and values: one replica, its latency and memory, prices.

    The figures of 'sizebook plan serve' for the same inputs, computed by the same plan. Where no degree is stated and
    one GPU has no room, layout and format are searched as there, and the last line says which were taken.
    """
    plan = with_room(plan_of, model, gpu, inputs=inputs)
    taken = plan.replica.setup.replica
    said = [["reason", searched_in_words(taken)]] if taken != inputs.replica else []
    return [*([name, value] for name, value in flat(figures(plan)).items()), *said]


@function(category="serving", source=SOURCE)
@takes("simulation")
def serving_basis(model: Model, gpu: Gpu, inputs: ServingInputs) -> Figures:
    """Return what formulas of traffic, money and energy start from: one replica, listed prices, power, grid.

    Names and values. Traffic, growth, margins and prices of your own play no part, but where prefill and decode have
    pools of their own, which are those of the least cost. A price that no table lists is blank.
    """
    return named_values(with_room(basis, model, gpu, inputs=inputs))


@function(category="serving", source="definition: sizebook.plans.serving.day names the shapes")
def day_shares(
    shape: DayShape = DEFAULT, hours_active: HoursActive = DEFAULT, time_zones: TimeZones = DEFAULT
) -> HoursOfDay:
    """Return each hour of a day over its mean, from midnight: 24 x one of 24 relative numbers / their sum.

    With ``hours_active`` the hours in which users ask, of each time zone by its share, in place of a shape.
    """
    hours = hours_of_users(hours_active, time_zones) or hours_of(shape)
    return [[hour * len(hours) / math.fsum(hours)] for hour in hours]


@function(category="serving", source="definition: sizebook.plans.serving.traffic_by_month")
def traffic_by_month(start: Start = DEFAULT, course: Course = DEFAULT) -> MonthsOfTraffic:
    """Return 60 months of a table of requests or tokens, each times the factor of its calendar month.

    Without a table they are those factors, 1 without a season. Growth and users play no part.
    """
    return [
        [(course.stated(month) if course.table else 1.0) * course.factor(month, start)] for month in range(LONGEST_PLAN)
    ]


@function(category="serving", source="definition: sizebook.plans.serving.day names the shapes")
def peak_of_day(
    shape: DayShape = DEFAULT, hours_active: HoursActive = DEFAULT, time_zones: TimeZones = DEFAULT
) -> PeakOfDay:
    """Return the busiest hour of a day over its mean: 24 x the largest of 24 relative numbers / their sum.

    Multiply it by the bursts within that hour for the peak factor of PEAK_REQUESTS_PER_SECOND.
    """
    return max(share for (share,) in day_shares(shape, hours_active, time_zones))
