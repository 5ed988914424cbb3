"""Spreadsheet functions of serving plans: the cheapest ways to serve a traffic within a target, as a table."""

from __future__ import annotations

import math
from typing import Annotated

from sizebook.formulas.hardware import accelerator
from sizebook.formulas.prices import quote
from sizebook.formulas.serving_quantities import InputTokens, OutputTokens, Requests
from sizebook.plans.serving import Prices, Target
from sizebook.plans.serving_choice import GPUS, choose
from sizebook.plans.traffic import Traffic
from sizebook.quantities import Gpu, Model
from sizebook.registry import DEFAULT, Quantity, function

OptionalGpu = Annotated[str | None, Quantity("accelerator to plan for, blank to compare several", kind="text")]
Table = Annotated[
    list[list[str | int | float]],
    Quantity("gpu, engine, dtype, layout, GPUs, USD a month, TTFT s, TPOT s, on the Pareto front", kind="range"),
]
TARGET_SECONDS = Annotated[float | None, Quantity("target, blank for none", unit="seconds", above=0)]
HEAD = ["gpu", "engine", "weight_dtype", "layout", "gpus", "usd_per_month", "ttft_seconds", "tpot_seconds", "pareto"]
SHOWN = 12


def list_prices(gpu: Gpu) -> Prices:
    """Return the catalog's median on-demand price for both terms, and the accelerator's TDP."""
    found = quote(gpu).usd_per_gpu_hour
    return Prices(found, found, "data/prices.csv, on demand", float(accelerator(gpu).tdp_watts or 700))


@function(
    category="serving",
    source="sizebook.plans.serving_choice over data/hardware.csv, data/prices.csv and data/calibration_serving.csv",
    example=(
        {
            "model": "llama-3.1-70b",
            "requests_per_day": 100_000,
            "tpot_target_seconds": 0.0085,
            "gpu": "h200-sxm",
        },
        [
            HEAD,
            ["h200-sxm", "vllm", "fp8", "tp8", 16, 58108.0, 0.0881, 0.008395, 1],
            ["h200-sxm", "sglang", "fp8", "tp8", 16, 58108.0, 0.3238, 0.008432, 0],
        ],
    ),
)
def plan_serving(
    model: Model,
    requests_per_day: Requests,
    input_tokens: InputTokens = DEFAULT,
    output_tokens: OutputTokens = DEFAULT,
    ttft_target_seconds: TARGET_SECONDS = None,
    tpot_target_seconds: TARGET_SECONDS = None,
    gpu: OptionalGpu = None,
) -> Table:
    """Return the cheapest ways to serve a traffic within a target: one a row, at most 12, cheapest first.

    Flat traffic, 80 % load, one spare replica, catalog prices on demand. Columns: gpu, engine, dtype (blank: the
    checkpoint's own), layout, GPUs, USD a month, TTFT and TPOT at the planned load, 1 where nothing is cheaper and
    faster. Nothing that misses the target is shown; if all do, the error names the limits.
    """
    traffic = Traffic(requests_per_day, input_tokens=input_tokens, output_tokens=output_tokens)
    target = Target(ttft_target_seconds or math.inf, tpot_target_seconds or math.inf)
    found = choose(model, traffic, target, list_prices, [accelerator(gpu).key] if gpu else GPUS)
    rows: list[list[str | int | float]] = [list(HEAD)]
    for choice in found.ranked[:SHOWN]:
        setup, knee = choice.plan.replica.setup, choice.plan.replica.at_knee
        last = choice.plan.months[-1]
        rows.append(
            [
                setup.gpu,
                setup.engine,
                setup.weight_dtype or "",
                setup.layout,
                last.peak_gpus,
                round(choice.usd_per_month, 2),
                float(f"{knee.ttft_seconds:.4g}"),
                float(f"{knee.tpot_seconds:.4g}"),
                int(choice.on_front),
            ]
        )
    return rows
