"""The figures of each phase of a programme, declared once: its run, its cases in days and money, what is kept of it."""

from sizebook.core.sections import quantity, section
from sizebook.plans.programme.phase import PhaseCase, PlannedPhase
from sizebook.plans.programme.plan import ProgrammePlan, checkpoint_bytes
from sizebook.plans.quantities import (
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


@section
class PhaseFigures:
    """One phase: what it trains and on what, its middle case, both ends in days and money, memory and checkpoints."""

    kind: str = quantity("kind of phase", label="Kind of phase")
    parameters: ModelParameters
    trained_parameters: TrainedParameters
    tokens: float = quantity("tokens trained on", "tokens", label="Tokens")
    seq: int = quantity("tokens in one sequence", "tokens", minimum=0, label="Tokens in a sequence")
    gpus: int = quantity("GPUs that are paid for while it runs", "GPUs", minimum=0, label="GPUs")
    layout: LayoutName
    recipe: RecipeText
    mfu: float = quantity("MFU of training in steady state", "ratio", label="MFU")
    start_day: float = quantity("day on which it starts", "days", minimum=0, label="Starts on day")
    steady_gpu_hours: float = quantity(
        "training in steady state, before its factor", "GPU-hours", minimum=0, label="Steady GPU-hours"
    )
    programme_factor: WholeRunFactor
    programme_basis: WholeRunBasis
    case: PhaseCase
    days_low: float = quantity("days, low", "days", minimum=0, label="Days, low")
    days_high: float = quantity("days, high", "days", minimum=0, label="Days, high")
    usd_low: float = quantity("cost, low", "USD", minimum=0, label="Cost, low")
    usd_high: float = quantity("cost, high", "USD", minimum=0, label="Cost, high")
    memory_bytes: float = quantity(
        "fullest GPU, a reference model included", "bytes", minimum=0, label="Memory of the fullest GPU"
    )
    capacity_bytes: float = quantity("what a GPU leaves for training", "bytes", minimum=0, label="Memory of a GPU")
    answers_per_second: float = quantity(
        "answers generated a second", "requests/s", minimum=0, label="Answers a second"
    )
    replicas: int = quantity("replicas that generate", minimum=0, label="Replicas that generate")
    checkpoint_bytes: float = quantity("one checkpoint", "bytes", minimum=0, label="A checkpoint")
    storage_usd: float = quantity("cost of its kept checkpoints", "USD", minimum=0, label="Checkpoint storage")
    price_usd_per_gpu_hour: float = quantity("price of a GPU-hour", "USD/GPU-hour", label="Price of a GPU-hour")
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
