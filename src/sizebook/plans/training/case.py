"""The ledger of a training plan: every figure that follows from the time of a step, each declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from sizebook.core.sections import Quantity, section
from sizebook.formulas.energy import embodied_co2e_kg, market_co2e_kg, train_co2e_kg, train_energy_kwh
from sizebook.formulas.money import train_cost_usd
from sizebook.formulas.training_time import checkpoint_interval_seconds, cluster_mtbf_hours
from sizebook.formulas.training_time import goodput as goodput_of
from sizebook.plans.cost_range import joint
from sizebook.plans.quantities import USD, TokensPerGpu
from sizebook.plans.training.inputs import Costs, Setup, Terms
from sizebook.plans.training.work import HARDWARE, Work
from sizebook.training.quantities import Operations
from sizebook.training.whole_run import ends_of, factor_of

NAMES = ("low", "middle", "high")
DAY = 86_400

_RATIO: Any = {"unit": "ratio", "minimum": 0}
_SECONDS: Any = {"unit": "seconds", "minimum": 0}
_KG: Any = {"unit": "kgCO2e", "minimum": 0}

CaseName = Annotated[str, Quantity("low, middle or high in time", kind="choice", choices=NAMES, label="Case")]


@section
class Case:
    """One of three futures: the step takes as long as predicted, or as it does at either end of the band.

    Days, GPU-hours and cost stand twice: of steady state, and of the whole run, whose ends combine the spreads of the
    step and of its factor. Energy and carbon are of the whole run.
    """

    name: CaseName
    step_seconds: Annotated[float, Quantity("one optimizer step", **_SECONDS, label="Step time")]
    tokens_per_s_per_gpu: TokensPerGpu
    mfu: Annotated[float, Quantity("FLOPs in the plan's convention over the dense peak", **_RATIO, label="MFU")]
    hfu: Annotated[float, Quantity("FLOPs with what is recomputed over the dense peak", **_RATIO, label="HFU")]
    goodput: Annotated[float, Quantity("share of the steps' time that advances the run", **_RATIO, label="Goodput")]
    productive_seconds: Annotated[float, Quantity("steps that advance the run", **_SECONDS, label="Productive steps")]
    lost_seconds: Annotated[
        float, Quantity("checkpoints, lost work and restarts", **_SECONDS, label="Checkpoints and failures")
    ]
    start_seconds: Annotated[float, Quantity("queueing, loading and ramp-up", **_SECONDS, label="Start-up")]
    train_seconds: Annotated[float, Quantity("from start to last token", **_SECONDS, label="Training time")]
    train_days: Annotated[float, Quantity("from start to last token", unit="days", minimum=0, label="Training days")]
    gpu_hours: Annotated[float, Quantity("GPUs x hours", unit="GPU-hours", minimum=0, label="GPU-hours")]
    case_usd_per_gpu_hour: Annotated[
        float,
        Quantity(
            "price of a GPU-hour that makes the cost's range of time and price together",
            unit="USD/GPU-hour",
            minimum=0,
            label="GPU-hour of the case",
        ),
    ]
    productive_usd: Annotated[float, Quantity("cost of productive steps", **USD, label="Cost of productive steps")]
    lost_usd: Annotated[
        float, Quantity("cost of checkpoints and failures", **USD, label="Cost of checkpoints and failures")
    ]
    start_usd: Annotated[float, Quantity("cost of the start", **USD, label="Cost of start-up")]
    other_usd: Annotated[float, Quantity("storage, traffic and staff in one sum", **USD, label="Other costs")]
    cost_usd: Annotated[float, Quantity("cost of the run", **USD, label="Cost")]
    whole_run_factor: Annotated[
        float, Quantity("whole run over steady state in this case", **_RATIO, label="Whole run over steady state")
    ]
    programme_gpu_hours: Annotated[
        float,
        Quantity(
            "GPU-hours x whole_run_factor, start-up once", unit="GPU-hours", minimum=0, label="Whole run, GPU-hours"
        ),
    ]
    programme_days: Annotated[
        float, Quantity("days of the whole run on the same GPUs", unit="days", minimum=0, label="Whole run, time")
    ]
    whole_run_usd_per_gpu_hour: Annotated[
        float,
        Quantity(
            "price of a GPU-hour that makes the range of the whole run's cost, of time and price together",
            unit="USD/GPU-hour",
            minimum=0,
            label="Whole run, GPU-hour",
        ),
    ]
    programme_cost_usd: Annotated[float, Quantity("cost of the whole run", **USD, label="Whole run, cost")]
    energy_kwh: Annotated[
        float, Quantity("electrical energy of the whole run", unit="kWh", minimum=0, label="Whole run, energy")
    ]
    co2e_kg: Annotated[
        float,
        Quantity("location-based emissions of the whole run", **_KG, label="Whole run, carbon, location-based"),
    ]
    co2e_market_kg: Annotated[
        float | None,
        Quantity(
            "market-based emissions of the whole run, blank where contracts are not stated",
            **_KG,
            label="Whole run, carbon, market-based",
        ),
    ]
    embodied_kg: Annotated[
        float,
        Quantity("the whole run's share of making the hardware", **_KG, label="Whole run, carbon, embodied"),
    ]


@lru_cache(maxsize=10_000)
def reliability(operations: Operations, gpus: int) -> tuple[float, float]:
    """Return the goodput of a cluster, and the seconds between its checkpoints."""
    mtbf, checkpoint = cluster_mtbf_hours(gpus, operations.gpu_mtbf_hours), operations.checkpoint_seconds
    interval = checkpoint_interval_seconds(mtbf, checkpoint)
    share = goodput_of(
        mtbf, checkpoint_seconds=checkpoint, restart_seconds=operations.restart_seconds, interval_seconds=interval
    )
    return share, interval


def filled_tokens(terms: Terms, setup: Setup) -> float:
    """Return the tokens of the data in one step: all that are worked on, less padding."""
    return setup.batches.tokens * (1 - terms.examples.padding_share(setup.batches.seq))


def cases_of(terms: Terms, work: Work, seconds: float, *, band: Sequence[float]) -> tuple[Case, Case, Case]:
    """Return the cases of a plan: a step as predicted, and at both ends of its band.

    How far whole runs lie off their factor is independent of the step, so an end of the whole run lies as far off as
    both spreads together (`sizebook.plans.cost_range.joint`), and its factor is what that leaves beside the step. The
    price is independent of both: each end takes the price that puts its cost where all of them do.
    """
    fast, slow = ends_of(terms.programme)
    timed = [
        _timed(terms, work, seconds * by, off=joint(by, end) / by)
        for by, end in zip(band, (fast, 1.0, slow), strict=True)
    ]
    steady, whole = (
        terms.costs.at_ends([each[hours] / timed[1][hours] for each in timed])
        for hours in ("gpu_hours", "programme_gpu_hours")
    )
    low, middle, high = (
        Case(name=name, **(found | _paid(found, work.setup.gpus, *costs)))
        for name, found, *costs in zip(NAMES, timed, steady, whole, strict=True)
    )
    return low, middle, high


def figures_of(terms: Terms, work: Work, step_seconds: float) -> dict[str, Any]:
    """Return what tables of runs show of a case by name: a `Case` a row, and its costs by part, take too long."""
    found, costs = _timed(terms, work, step_seconds, off=1.0), terms.costs
    price, other = costs.price_usd_per_gpu_hour, costs.other_usd
    found["cost_usd"] = train_cost_usd(found["gpu_hours"], price, other)
    found["programme_cost_usd"] = train_cost_usd(found["programme_gpu_hours"], price, other)
    return found


def _timed(terms: Terms, work: Work, step_seconds: float, off: float) -> dict[str, Any]:
    """Return all of a case but its costs. The factor of the whole run is taken ``off`` times."""
    setup, start = work.setup, 3600 * terms.operations.start_hours
    gpus, peak, tokens_per_step = setup.gpus, setup.peak_flop_per_s, setup.batches.tokens
    rate = tokens_per_step / gpus / step_seconds
    goodput, _ = reliability(terms.operations, gpus)
    productive = terms.tokens / filled_tokens(terms, setup) * step_seconds
    steps = productive / goodput
    hours = gpus * (steps + start) / 3600
    factor = off * factor_of(terms.programme)
    whole = gpus * (steps * factor + start) / 3600
    power, shares = terms.power, terms.power.footprint
    energy = train_energy_kwh(whole, power.watts, shares.pue, host_share=shares.host_share)
    return {
        "step_seconds": step_seconds,
        "tokens_per_s_per_gpu": rate,
        "mfu": rate * work.counted(terms.pace.flops_convention) / peak,
        "hfu": rate * work.counted(HARDWARE) / peak,
        "goodput": goodput,
        "productive_seconds": productive,
        "lost_seconds": steps - productive,
        "start_seconds": start,
        "train_seconds": steps + start,
        "train_days": (steps + start) / DAY,
        "gpu_hours": hours,
        "whole_run_factor": factor,
        "programme_gpu_hours": whole,
        "programme_days": whole / gpus / 24,
        "energy_kwh": energy,
        "co2e_kg": train_co2e_kg(energy, power.grams_per_kwh),
        "co2e_market_kg": None
        if shares.covered_share is None
        else market_co2e_kg(energy, shares.covered_share, power.residual_grams_per_kwh),
        "embodied_kg": embodied_co2e_kg(whole, shares.kg_per_gpu),
    }


def _paid(timed: Mapping[str, Any], gpus: int, steady: Costs, whole: Costs) -> dict[str, Any]:
    """Return what the hours of a case cost, in steady state and as a whole run, each at a price of its own."""
    price, whole_price, other = steady.price_usd_per_gpu_hour, whole.price_usd_per_gpu_hour, steady.other_usd
    usd_per_second = gpus * price / 3600
    return {
        "case_usd_per_gpu_hour": price,
        "productive_usd": timed["productive_seconds"] * usd_per_second,
        "lost_usd": timed["lost_seconds"] * usd_per_second,
        "start_usd": timed["start_seconds"] * usd_per_second,
        "other_usd": other,
        "cost_usd": train_cost_usd(timed["gpu_hours"], price, other),
        "whole_run_usd_per_gpu_hour": whole_price,
        "programme_cost_usd": train_cost_usd(timed["programme_gpu_hours"], whole_price, other),
    }
