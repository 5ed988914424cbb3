"""The figures of each phase of a programme, declared once: its run, its cases in days and money, what is kept of it."""

from __future__ import annotations

from typing import Annotated, Any

from sizebook.core.sections import Quantity, section
from sizebook.plans.programme.phase import PhaseCase, PlannedPhase
from sizebook.plans.programme.plan import ProgrammePlan, checkpoint_bytes
from sizebook.plans.quantities import (
    COUNT,
    USD,
    LayoutName,
    MeasuredFamily,
    ModelParameters,
    PriceBasis,
    PriceHigh,
    PriceLow,
    RatesBasis,
    RecipeText,
    TrainedParameters,
    WholeRunBasis,
    WholeRunFactor,
)
from sizebook.training.whole_run import basis_of, factor_of

_BYTES: Any = {"unit": "bytes", "minimum": 0}
_DAYS: Any = {"unit": "days", "minimum": 0}


@section
class PhaseFigures:
    """One phase: what it trains and on what, its middle case, both ends in days and money, memory and checkpoints."""

    kind: Annotated[str, Quantity("kind of phase", kind="text", label="Kind of phase")]
    parameters: ModelParameters
    trained_parameters: TrainedParameters
    tokens: Annotated[float, Quantity("tokens trained on", unit="tokens", label="Tokens")]
    seq: Annotated[int, Quantity("tokens in one sequence", unit="tokens", **COUNT, label="Tokens in a sequence")]
    gpus: Annotated[int, Quantity("GPUs that are paid for while it runs", unit="GPUs", **COUNT, label="GPUs")]
    layout: LayoutName
    recipe: RecipeText
    mfu: Annotated[float, Quantity("MFU of training in steady state", unit="ratio", label="MFU")]
    start_day: Annotated[float, Quantity("day on which it starts", **_DAYS, label="Starts on day")]
    steady_gpu_hours: Annotated[
        float,
        Quantity("training in steady state, before its factor", unit="GPU-hours", minimum=0, label="Steady GPU-hours"),
    ]
    programme_factor: WholeRunFactor
    programme_basis: WholeRunBasis
    case: PhaseCase
    days_low: Annotated[float, Quantity("days, low", **_DAYS, label="Days, low")]
    days_high: Annotated[float, Quantity("days, high", **_DAYS, label="Days, high")]
    usd_low: Annotated[float, Quantity("cost, low", **USD, label="Cost, low")]
    usd_high: Annotated[float, Quantity("cost, high", **USD, label="Cost, high")]
    memory_bytes: Annotated[
        float, Quantity("fullest GPU, a reference model included", **_BYTES, label="Memory of the fullest GPU")
    ]
    capacity_bytes: Annotated[float, Quantity("what a GPU leaves for training", **_BYTES, label="Memory of a GPU")]
    answers_per_second: Annotated[
        float, Quantity("answers generated a second", unit="requests/s", minimum=0, label="Answers a second")
    ]
    replicas: Annotated[int, Quantity("replicas that generate", **COUNT, label="Replicas that generate")]
    checkpoint_bytes: Annotated[float, Quantity("one checkpoint", **_BYTES, label="A checkpoint")]
    storage_usd: Annotated[float, Quantity("cost of its kept checkpoints", **USD, label="Checkpoint storage")]
    price_usd_per_gpu_hour: Annotated[
        float, Quantity("price of a GPU-hour", unit="USD/GPU-hour", label="Price of a GPU-hour")
    ]
    price_low_usd_per_gpu_hour: PriceLow
    price_high_usd_per_gpu_hour: PriceHigh
    price_basis: PriceBasis
    run_family: MeasuredFamily
    rates_basis: RatesBasis


def figures(plan: ProgrammePlan, at: int) -> PhaseFigures:
    """Return the figures of one phase of a programme."""
    each = plan.phases[at]
    run, (low, middle, high) = each.training.inputs, each.cases
    return PhaseFigures(
        kind=each.phase.kind,
        parameters=each.training.count.total,
        trained_parameters=each.training.trained_parameters,
        tokens=run.tokens,
        seq=run.batches.seq,
        gpus=each.gpus,
        layout=run.layout.name,
        recipe=each.training.work.recipe,
        mfu=each.training.middle.mfu,
        start_day=plan.starts[at],
        steady_gpu_hours=each.training.middle.gpu_hours,
        programme_factor=factor_of(run.programme),
        programme_basis=basis_of(run.programme),
        case=middle,
        days_low=low.days,
        days_high=high.days,
        usd_low=low.usd,
        usd_high=high.usd,
        memory_bytes=each.memory_bytes,
        capacity_bytes=each.capacity_bytes,
        answers_per_second=answers_per_second(each),
        replicas=each.replicas,
        checkpoint_bytes=checkpoint_bytes(each, plan.terms),
        storage_usd=plan.storage_usd[at],
        price_usd_per_gpu_hour=run.costs.price_usd_per_gpu_hour,
        price_low_usd_per_gpu_hour=run.costs.ends[0],
        price_high_usd_per_gpu_hour=run.costs.ends[1],
        price_basis=run.costs.basis,
        run_family=each.training.work.band.family,
        rates_basis=each.training.work.rates_basis(run.utilization),
    )


def answers_per_second(each: PlannedPhase) -> float:
    """Return the answers that all replicas of a phase generate a second, 0 where it generates none."""
    return 0.0 if each.replica is None else each.replicas * each.replica.requests_per_second
