"""The ledger of a training plan: every figure that follows from the time of a step, each declared once."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from sizebook.core.sections import Quantity, quantity, section
from sizebook.formulas.energy import embodied_co2e_kg, market_co2e_kg, train_co2e_kg, train_energy_kwh
from sizebook.formulas.money import train_cost_usd
from sizebook.formulas.training_time import checkpoint_interval_seconds, cluster_mtbf_hours
from sizebook.formulas.training_time import goodput as goodput_of
from sizebook.plans.cost_range import joint
from sizebook.plans.quantities import TokensPerGpu
from sizebook.plans.training.inputs import Costs, Setup, Terms
from sizebook.plans.training.work import HARDWARE, Work
from sizebook.training.quantities import Operations
from sizebook.training.whole_run import ends_of, factor_of

NAMES = ("low", "middle", "high")
DAY = 86_400


CaseName = Annotated[str, Quantity("low, middle or high in time", choices=NAMES, label="Case")]


@section
class Case:
    """One of three futures: the step takes as long as predicted, or as it does at either end of the band.

    Days, GPU-hours and cost stand twice: of steady state, and of the whole run, whose ends combine the spreads of the
    step and of its factor. Energy and carbon are of the whole run.
    """

    name: CaseName
    step_seconds: float = quantity("one optimizer step", "seconds", minimum=0, label="Step time")
    tokens_per_s_per_gpu: TokensPerGpu
    mfu: float = quantity("FLOPs in the plan's convention over the dense peak", "ratio", minimum=0, label="MFU")
    hfu: float = quantity("FLOPs with what is recomputed over the dense peak", "ratio", minimum=0, label="HFU")
    goodput: float = quantity("share of the steps' time that advances the run", "ratio", minimum=0, label="Goodput")
    productive_seconds: float = quantity("steps that advance the run", "seconds", minimum=0, label="Productive steps")
    lost_seconds: float = quantity(
        "checkpoints, lost work and restarts", "seconds", minimum=0, label="Checkpoints and failures"
    )
    start_seconds: float = quantity("queueing, loading and ramp-up", "seconds", minimum=0, label="Start-up")
    train_seconds: float = quantity("from start to last token", "seconds", minimum=0, label="Training time")
    train_days: float = quantity("from start to last token", "days", minimum=0, label="Training days")
    gpu_hours: float = quantity("GPUs x hours", "GPU-hours", minimum=0, label="GPU-hours")
    case_usd_per_gpu_hour: float = quantity(
        "price of a GPU-hour that makes the cost's range of time and price together",
        "USD/GPU-hour",
        minimum=0,
        label="GPU-hour of the case",
    )
    productive_usd: float = quantity("cost of productive steps", "USD", minimum=0, label="Cost of productive steps")
    lost_usd: float = quantity(
        "cost of checkpoints and failures", "USD", minimum=0, label="Cost of checkpoints and failures"
    )
    start_usd: float = quantity("cost of the start", "USD", minimum=0, label="Cost of start-up")
    other_usd: float = quantity("storage, traffic and staff in one sum", "USD", minimum=0, label="Other costs")
    cost_usd: float = quantity("cost of the run", "USD", minimum=0, label="Cost")
    whole_run_factor: float = quantity(
        "whole run over steady state in this case", "ratio", minimum=0, label="Whole run over steady state"
    )
    programme_gpu_hours: float = quantity(
        "GPU-hours x whole_run_factor, start-up once", "GPU-hours", minimum=0, label="Whole run, GPU-hours"
    )
    programme_days: float = quantity(
        "days of the whole run on the same GPUs", "days", minimum=0, label="Whole run, time"
    )
    whole_run_usd_per_gpu_hour: float = quantity(
        "price of a GPU-hour that makes the range of the whole run's cost, of time and price together",
        "USD/GPU-hour",
        minimum=0,
        label="Whole run, GPU-hour",
    )
    programme_cost_usd: float = quantity("cost of the whole run", "USD", minimum=0, label="Whole run, cost")
    energy_kwh: float = quantity("electrical energy of the whole run", "kWh", minimum=0, label="Whole run, energy")
    co2e_kg: float = quantity(
        "location-based emissions of the whole run", "kgCO2e", minimum=0, label="Whole run, carbon, location-based"
    )
    co2e_market_kg: float | None = quantity(
        "market-based emissions of the whole run, blank where contracts are not stated",
        "kgCO2e",
        minimum=0,
        label="Whole run, carbon, market-based",
    )
    embodied_kg: float = quantity(
        "the whole run's share of making the hardware", "kgCO2e", minimum=0, label="Whole run, carbon, embodied"
    )


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
    shared = _shared(terms, work)
    timed = [
        _timed(terms, work, shared, seconds * by, off=joint(by, end) / by)
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
    found, costs = _timed(terms, work, _shared(terms, work), step_seconds, off=1.0), terms.costs
    price, other = costs.price_usd_per_gpu_hour, costs.other_usd
    found["cost_usd"] = train_cost_usd(found["gpu_hours"], price, other)
    found["programme_cost_usd"] = train_cost_usd(found["programme_gpu_hours"], price, other)
    return found


class _Shared(NamedTuple):
    """What the cases of a plan share: goodput, steps, the factor of the whole run, FLOPs of a token by two counts."""

    goodput: float
    steps: float
    factor: float
    counted: float
    computed: float


def _shared(terms: Terms, work: Work) -> _Shared:
    return _Shared(
        goodput=reliability(terms.operations, work.setup.gpus)[0],
        steps=terms.tokens / filled_tokens(terms, work.setup),
        factor=factor_of(terms.programme),
        counted=work.counted(terms.pace.flops_convention),
        computed=work.counted(HARDWARE),
    )


def _timed(terms: Terms, work: Work, shared: _Shared, step_seconds: float, off: float) -> dict[str, Any]:
    """Return all of a case but its costs. The factor of the whole run is taken ``off`` times."""
    setup, start = work.setup, 3600 * terms.operations.start_hours
    gpus, peak, tokens_per_step = setup.gpus, setup.peak_flop_per_s, setup.batches.tokens
    rate = tokens_per_step / gpus / step_seconds
    productive = shared.steps * step_seconds
    steps = productive / shared.goodput
    hours = gpus * (steps + start) / 3600
    factor = off * shared.factor
    whole = gpus * (steps * factor + start) / 3600
    power, shares = terms.power, terms.power.footprint
    energy = train_energy_kwh(whole, power.watts, shares.pue, host_share=shares.host_share)
    return {
        "step_seconds": step_seconds,
        "tokens_per_s_per_gpu": rate,
        "mfu": rate * shared.counted / peak,
        "hfu": rate * shared.computed / peak,
        "goodput": shared.goodput,
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
