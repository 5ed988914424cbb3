"""Spreadsheet functions of serving plans: the cheapest ways to serve a traffic, and the ledger of one of them."""

from __future__ import annotations

import math
from typing import Annotated, Any

from sizebook.core.quantities import Gpu, Model
from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, Quantity, flat
from sizebook.plans.ledgers import Figures, Ledger, LedgerRows, ledger_rows
from sizebook.plans.serving.choice import GPUS, choose
from sizebook.plans.serving.day import hours_of
from sizebook.plans.serving.figures import basis, figures
from sizebook.plans.serving.inputs import DayShape, ServingInputs
from sizebook.plans.serving.months import Month
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.plan import plan_serving as plan_of
from sizebook.tables.hardware import accelerator

GpusCompared = Annotated[
    Any,
    Quantity(
        "accelerators that compete, as a list or with commas between; blank for h100-sxm, h200-sxm and b200-sxm",
        kind="list",
        default=None,
        label="Accelerators compared",
    ),
]
Choices = Annotated[
    list[list[str | int | float]],
    Quantity("gpu, engine, dtype, layout, GPUs, USD a month, TTFT s, TPOT s, on the Pareto front", kind="range"),
]
HoursOfDay = Annotated[list[list[float]], Quantity("24 hours over the mean of the day", kind="range", unit="ratio")]
PeakOfDay = Annotated[
    float,
    Quantity(
        "busiest hour over the mean of the day", unit="ratio", minimum=1, source="assumption, to replace with your own"
    ),
]
HEAD = ["gpu", "engine", "weight_dtype", "layout", "gpus", "usd_per_month", "ttft_seconds", "tpot_seconds", "pareto"]
SHOWN = 12
SOURCE = "sizebook.plans.serving.plan over data/hardware.csv, data/prices.csv and data/calibration_serving.csv"
_EXAMPLE = {
    "model": "llama-3.1-70b",
    "gpu": "h100-sxm",
    "requests_per_day": 500_000,
    "input_tokens": 2000,
    "output_tokens": 400,
    "months": 1,
    "tpot_target_seconds": 0.05,
    "tp": 4,
    "weight_dtype": "fp8",
    "on_demand_usd_per_gpu_hour": 4,
    "reserved_usd_per_gpu_hour": 2,
    "grams_per_kwh": 400,
}
_ITS_MONTH = {
    "month": 1,
    "requests": 15208333.333333334,
    "peak_gpus": 12,
    "reserved_gpus": 12,
    "peak_nodes": 2,
    "gpu_hours": 8760.0,
    "utilization": 0.3230464952762157,
    "reserved_usd": 17520.0,
    "on_demand_usd": 0.0,
    "usd": 17520.0,
    "usd_per_mtok_output": 2.8799999999999994,
    "usd_per_mtok_input": 0.5759999999999998,
    "energy_kwh": 4775.651386292193,
    "co2e_kg": 1910.260554516877,
    "peak_gpus_fewest": 12,
    "peak_gpus_most": 12,
    "usd_least": 17520.0,
    "usd_most": 17520.0,
}
_ITS_REPLICA = {
    "input_tokens": 2000,
    "output_tokens": 400,
    "longest_tokens": 2400,
    "gpus_per_replica": 4,
    "concurrency": 125,
    "capacity": 275,
    "binding": "tpot",
    "requests_per_second": 5.971314884656592,
    "ttft_seconds": 1.0484410110891353,
    "ttft_seconds_p10": 0.6504528032796996,
    "ttft_seconds_p90": 1.0798942414218093,
    "tpot_seconds": 0.049837022262680816,
    "tpot_seconds_p10": 0.04834191159480039,
    "tpot_seconds_p90": 0.055787562720844903,
    "tokens_per_second": 2388.5259538626365,
    "tokens_per_second_p10": 2147.045979927124,
    "tokens_per_second_p90": 2460.1817324785156,
    "held_for": "mean",
    "ttft_seconds_held": 1.0484410110891353,
    "tpot_seconds_held": 0.049837022262680816,
    "arrivals": "steady",
    "weight_bytes": 18164092928.0,
    "cache_bytes": 54081257980.7,
    "activation_bytes": 2026444800.0,
    "non_torch_bytes": 2254857830.0,
    "left_bytes": 8502961504.300003,
    "physical_bytes": 85029615043.0,
    "rates_basis": "shipped rates",
    "release_basis": "not stated",
    "workers": "tp4",
    "transfer_seconds": 0.0,
    "transfer_seconds_most": 0.0,
}
_ITS_FIGURES = {
    **_ITS_REPLICA,
    "spare_replicas": 1,
    "on_demand_usd_per_gpu_hour": 4,
    "reserved_usd_per_gpu_hour": 2,
    "price_basis": "given in the scenario",
    "usd_per_mtok_saturated": 0.9303739063955012,
}
_ITS_BASIS = {
    **_ITS_REPLICA,
    "gpus_per_node": 8,
    "listed_on_demand_usd_per_gpu_hour": 3.886125,
    "listed_reserved_usd_per_gpu_hour": 7.992922,
    "tdp_watts": 700.0,
    "listed_grams_per_kwh": 369.473,
}


def compared(gpus: Any) -> tuple[str, ...]:
    """Return the accelerators that compete, from a list or a text with commas; several where none is named."""
    if not gpus:
        return GPUS
    words = gpus.split(",") if isinstance(gpus, str) else _flattened(gpus)
    return tuple(accelerator(str(word)).key for word in words)


def _flattened(rows: Any) -> list[Any]:
    return [word for row in rows for word in (_flattened(row) if isinstance(row, (list, tuple)) else [row])]


@function(
    category="serving",
    source="sizebook.plans.serving.choice over data/hardware.csv, data/prices.csv and data/calibration_serving.csv",
    example=(
        {
            "model": "llama-3.1-70b",
            "requests_per_day": 100_000,
            "output_tokens": 256,
            "months": 1,
            "tpot_target_seconds": 0.0085,
            "gpus_compared": "h200-sxm",
        },
        [
            HEAD,
            ["h200-sxm", "vllm", "fp8", "tp8", 16, 58108.0, 0.1015, 0.008346, 1],
            ["h200-sxm", "sglang", "fp8", "tp8", 16, 58108.0, 0.3079, 0.008415, 0],
            ["h200-sxm", "tensorrt-llm", "fp8", "tp8", 16, 58108.0, 0.1634, 0.008473, 0],
        ],
    ),
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
    return ledger_rows(Month, plan.months, plan.fewest, most=plan.most, n_rows=n_rows)


@function(category="serving", source=SOURCE, example=(_EXAMPLE, [[*_ITS_MONTH], [*_ITS_MONTH.values()]]))
@takes("simulation")
def serving_ledger(model: Model, gpu: Gpu, inputs: ServingInputs, rows: LedgerRows = DEFAULT) -> Ledger:
    """Return a serving plan month by month: GPUs at peak and reserved, cost, energy, carbon; names in the first row.

    The figures of 'sizebook plan serve' for the same inputs, computed by the same plan. The last columns are GPUs and
    cost if replicas are as fast, or as slow, as 1 in 10 measurements.
    """
    return ledger(plan_of(model, gpu, inputs), rows)


@function(
    category="serving",
    source=SOURCE,
    example=(_EXAMPLE, [[*figure] for figure in _ITS_FIGURES.items()]),
)
@takes("simulation")
def serving_figures(model: Model, gpu: Gpu, inputs: ServingInputs) -> Figures:
    """Return the headline figures of a serving plan as names and values: one replica, its latency and memory, prices.

    The figures of 'sizebook plan serve' for the same inputs, computed by the same plan.
    """
    return [[name, value] for name, value in flat(figures(plan_of(model, gpu, inputs))).items()]


@function(category="serving", source=SOURCE, example=(_EXAMPLE, [[*figure] for figure in _ITS_BASIS.items()]))
@takes("simulation")
def serving_basis(model: Model, gpu: Gpu, inputs: ServingInputs) -> Figures:
    """Return what formulas of traffic, money and energy start from: one replica, listed prices, power, grid.

    Names and values. Traffic, growth, margins and prices of your own play no part, but where prefill and decode have
    pools of their own, which are those of the least cost. A price that no table lists is blank.
    """
    found = flat(basis(model, gpu, inputs)).items()
    return [[name, "" if value is None else value] for name, value in found]


@function(
    category="serving",
    source="definition: sizebook.plans.serving.day names the shapes",
    example=({"shape": [[3, 1] + [0] * 22]}, [[18.0], [6.0]] + [[0.0]] * 22),
)
def day_shares(shape: DayShape = DEFAULT) -> HoursOfDay:
    """Return each hour of a day over its mean, from midnight: 24 x one of 24 relative numbers / their sum."""
    hours = hours_of(shape)
    return [[hour * len(hours) / math.fsum(hours)] for hour in hours]


@function(
    category="serving",
    source="definition: sizebook.plans.serving.day names the shapes",
    example=({"shape": "office"}, 12 * 24 / 129),
)
def peak_of_day(shape: DayShape = DEFAULT) -> PeakOfDay:
    """Return the busiest hour of a day over its mean: 24 x the largest of 24 relative numbers / their sum.

    Multiply it by the bursts within that hour for the peak factor of PEAK_REQUESTS_PER_SECOND.
    """
    hours = hours_of(shape)
    return max(hours) * len(hours) / math.fsum(hours)
