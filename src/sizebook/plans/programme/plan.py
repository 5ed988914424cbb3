"""The programme: phases one after another, and what is paid beside them, as one budget in three cases and by month.

Ablations, failed runs and evaluation run beside the phases, in proportion to their GPU-hours. Data are prepared in the
first month, the checkpoints of a phase are paid for when it ends, and egress in the last month. A programme that starts
within a month finds only what is left of it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated

from sizebook.core.errors import InputError, RangeError, named
from sizebook.core.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from sizebook.core.sections import Quantity, quantity, section
from sizebook.core.texts import plural, text
from sizebook.core.units import grouped, percent
from sizebook.plans.cost_range import cost_range
from sizebook.plans.ledgers import LONGEST_PLAN, elapsed_share, month_label
from sizebook.plans.programme.inputs import MOST_PHASES, ProgrammeInputs, ProgrammeTerms, Rollouts
from sizebook.plans.programme.phase import PhaseCase, PlannedPhase, plan_phase
from sizebook.plans.quantities import USD
from sizebook.plans.training import remarks
from sizebook.plans.training.case import NAMES, CaseName
from sizebook.tables.price_rows import price_sentences

TERABYTE = 1e12


PhasesUsd = Annotated[float, Quantity("cost of the phases", **USD, label="Phases")]
AblationUsd = Annotated[float, Quantity("cost of ablations and failed runs", **USD, label="Ablations and failed runs")]
EvaluationUsd = Annotated[float, Quantity("cost of evaluation besides the runs' own", **USD, label="Evaluation")]
DataUsd = Annotated[float, Quantity("cost of preparing data", **USD, label="Data preparation")]
StorageUsd = Annotated[float, Quantity("cost of kept checkpoints", **USD, label="Checkpoint storage")]
EgressUsd = Annotated[float, Quantity("cost of what leaves the provider", **USD, label="Egress")]
Kwh = Annotated[float, Quantity("electrical energy, experiments included", unit="kWh", minimum=0, label="Energy")]
Carbon = Annotated[
    float,
    Quantity(
        "location-based emissions, experiments included", unit="kgCO2e", minimum=0, label="Carbon, location-based"
    ),
]
Hours = Annotated[float, Quantity("GPUs x hours, experiments included", "GPU-hours", minimum=0, label="GPU-hours")]
PeakMw = Annotated[
    float, Quantity("power of the site at its highest, experiments included", unit="MW", minimum=0, label="Peak power")
]
PARTS = ("phases_usd", "ablation_usd", "evaluation_usd", "data_usd", "storage_usd", "egress_usd")


@section
class Budget:
    """The whole programme in one of three futures: all its phases as predicted, or at the same end of their bands."""

    name: CaseName
    days: float = quantity("from the first phase to the last", "days", minimum=0, label="Days")
    gpu_hours: Hours
    phases_usd: PhasesUsd
    ablation_usd: AblationUsd
    evaluation_usd: EvaluationUsd
    data_usd: DataUsd
    storage_usd: StorageUsd
    egress_usd: EgressUsd
    usd: float = quantity("cost of the programme", "USD", minimum=0, label="Cost")
    energy_kwh: Kwh
    co2e_kg: Carbon
    peak_mw: PeakMw


@section
class ProgrammeMonth:
    """One month of a programme, 730 hours, in the middle case."""

    gpu_hours: Hours
    phases_usd: PhasesUsd
    ablation_usd: AblationUsd
    evaluation_usd: EvaluationUsd
    data_usd: DataUsd
    storage_usd: StorageUsd
    egress_usd: EgressUsd
    usd: float = quantity("cost of the month", "USD", minimum=0, label="Together")
    energy_kwh: Kwh
    co2e_kg: Carbon
    mean_mw: float = quantity("power of the site over the month", "MW", minimum=0, label="Mean power")
    peak_mw: PeakMw


@dataclass(frozen=True)
class ProgrammePlan:
    """What every surface shows of a programme: its phases, its budget in low, middle and high, its months."""

    phases: tuple[PlannedPhase, ...]
    terms: ProgrammeTerms
    starts: tuple[float, ...]
    storage_usd: tuple[float, ...]
    budgets: tuple[Budget, Budget, Budget]
    months: tuple[ProgrammeMonth, ...]

    @property
    def middle(self) -> Budget:
        return self.budgets[1]

    @property
    def price_share(self) -> float | None:
        """The prices' share of the variance of what all GPU-hours cost; None where it has no range."""
        found = [each.paid_range for each in self.phases]
        fast, slow = (sum(each.middle * each.throughput[end] for each in found) for end in (0, 1))
        cheap, dear = (sum(each.middle * each.price[end] for each in found) for end in (0, 1))
        return cost_range(sum(each.middle for each in found), (fast, slow), (cheap, dear)).price_share

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the models' counts must know, by phase."""
        return tuple(f"{each.phase.name}: {note}" for each in self.phases for note in each.training.notes)

    @property
    def starts_within(self) -> bool:
        """Return whether a part of the first month is over when the programme starts."""
        return elapsed_share(self.terms.start) > 0

    def label(self, month: int) -> str:
        """Return the name of a month, counted from 0."""
        return month_label(self.terms.start, month)


def plan_programme(inputs: ProgrammeInputs) -> ProgrammePlan:
    """Return the plan of a programme; refuses a phase that does not fit, and more months than a plan has."""
    _check(inputs)
    planned = []
    for phase in inputs.phases:
        with named(phase.name):
            planned.append(plan_phase(phase))
    terms, starts = inputs.terms, _starts(planned)
    over = elapsed_share(terms.start) * DAYS_PER_MONTH
    _check_length(planned, over + starts[-1] + planned[-1].cases[1].days)
    kept = tuple(_storage_usd(each, terms) for each in planned)
    low, middle, high = (_budget(planned, terms, sum(kept), at) for at in range(len(NAMES)))
    months = _months(planned, terms, [over + start for start in starts], kept)
    return ProgrammePlan(tuple(planned), terms, starts, kept, (low, middle, high), months)


def _check(inputs: ProgrammeInputs) -> None:
    names = [phase.name for phase in inputs.phases]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"name twice: got '{twice[0]}' for two phases, want each its own. Rename one.")
    if len(names) > MOST_PHASES:
        raise InputError(f"too many phases: got {len(names)}, want at most {MOST_PHASES}. Split the programme.")


def _check_length(planned: Sequence[PlannedPhase], days: float) -> None:
    """Refuse more months than a plan has, and name what makes them so many: gaps or work."""
    most = LONGEST_PLAN * DAYS_PER_MONTH
    if days <= most:
        return
    gaps = sum(each.phase.gap_days for each in planned)
    idle = f", {gaps / DAYS_PER_MONTH:.0f} of them gap_days" if gaps else ""
    raise RangeError(
        f"programme too long: got {math.ceil(days / DAYS_PER_MONTH - 1e-9)} months{idle}, want at most {LONGEST_PLAN}. "
        + ("Shorten gap_days." if days - gaps <= most else "Give its phases more GPUs.")
    )


def _starts(planned: Sequence[PlannedPhase]) -> tuple[float, ...]:
    """Return the day on which each phase starts in the middle case, after its gap."""
    ends = accumulate(each.phase.gap_days + each.cases[1].days for each in planned)
    return tuple(end - each.cases[1].days for each, end in zip(planned, ends, strict=True))


def checkpoint_bytes(each: PlannedPhase, terms: ProgrammeTerms) -> float:
    """Return the bytes of one checkpoint of a phase."""
    return terms.storage.checkpoint_bytes_per_parameter * each.checkpoint_parameters


def _storage_usd(each: PlannedPhase, terms: ProgrammeTerms) -> float:
    """Return what the kept checkpoints of a phase cost: bytes x months x price."""
    kept, storage = each.phase.kept_checkpoints * checkpoint_bytes(each, terms), terms.storage
    return kept / TERABYTE * storage.retention_months * storage.usd_per_tb_month


def hourly_usd(each: PlannedPhase, case: PhaseCase) -> float:
    """Return what the GPU-hours of a phase cost, without its other costs: what experiments are a share of."""
    return case.usd - each.training.inputs.costs.other_usd


def _budget(planned: Sequence[PlannedPhase], terms: ProgrammeTerms, storage_usd: float, at: int) -> Budget:
    cases = [each.cases[at] for each in planned]
    gpu_usd = sum(hourly_usd(each, case) for each, case in zip(planned, cases, strict=True))
    shares = terms.experiments
    more = 1 + shares.together
    parts = {
        "phases_usd": sum(case.usd for case in cases),
        "ablation_usd": shares.ablation_share * gpu_usd,
        "evaluation_usd": shares.evaluation_share * gpu_usd,
        "data_usd": terms.data.usd,
        "storage_usd": storage_usd,
        "egress_usd": terms.storage.egress_usd,
    }
    return Budget(
        name=NAMES[at],
        days=sum(each.phase.gap_days + case.days for each, case in zip(planned, cases, strict=True)),
        gpu_hours=more * sum(case.gpu_hours for case in cases),
        **parts,
        usd=sum(parts.values()),
        energy_kwh=more * sum(case.energy_kwh for case in cases),
        co2e_kg=more * sum(case.co2e_kg for case in cases),
        peak_mw=more * _highest(case.power_mw for case in cases),
    )


def _months(
    planned: Sequence[PlannedPhase], terms: ProgrammeTerms, starts: Sequence[float], kept: Sequence[float]
) -> tuple[ProgrammeMonth, ...]:
    """Return the months of the middle case: each holds the share of every phase that falls into it.

    ``starts`` are days from the first of the first month.
    """
    ends = [start + each.cases[1].days for start, each in zip(starts, planned, strict=True)]
    n_months = max(1, math.ceil(ends[-1] / DAYS_PER_MONTH - 1e-9))
    found = []
    for month in range(n_months):
        first, last = month * DAYS_PER_MONTH, (month + 1) * DAYS_PER_MONTH
        shares = [
            max(0.0, min(last, end) - max(first, start)) / each.cases[1].days
            for each, start, end in zip(planned, starts, ends, strict=True)
        ]
        final = month == n_months - 1
        due = sum(usd for usd, end in zip(kept, ends, strict=True) if first < end <= last or (final and end > last))
        once = {
            "data_usd": terms.data.usd if month == 0 else 0.0,
            "storage_usd": due,
            "egress_usd": terms.storage.egress_usd if final else 0.0,
        }
        found.append(_month(planned, terms, shares, once))
    return tuple(found)


def _month(
    planned: Sequence[PlannedPhase], terms: ProgrammeTerms, shares: Sequence[float], once: dict[str, float]
) -> ProgrammeMonth:
    # Only phases of the month: no share of an amount that is not listed is not listed either.
    running = [(share, each) for share, each in zip(shares, planned, strict=True) if share]
    gpu_usd = sum(share * hourly_usd(each, each.cases[1]) for share, each in running)
    experiments = terms.experiments
    more = 1 + experiments.together

    def summed(name: str) -> float:
        return sum(share * float(getattr(each.cases[1], name)) for share, each in running)

    parts = {
        "phases_usd": summed("usd"),
        "ablation_usd": experiments.ablation_share * gpu_usd,
        "evaluation_usd": experiments.evaluation_share * gpu_usd,
        **once,
    }
    energy = more * summed("energy_kwh")
    return ProgrammeMonth(
        gpu_hours=more * summed("gpu_hours"),
        **parts,
        usd=sum(parts.values()),
        energy_kwh=energy,
        co2e_kg=more * summed("co2e_kg"),
        mean_mw=energy / HOURS_PER_MONTH / 1000,
        peak_mw=more * _highest(each.cases[1].power_mw for _, each in running),
    )


def warnings(plan: ProgrammePlan) -> tuple[str, ...]:
    """Return what to check: what its training plans say, settings that do nothing, answers longer than what is trained
    on, GPUs that mostly wait."""
    prices = [(each.phase.name, each.training.inputs.costs.basis) for each in plan.phases]
    return (
        *(
            text("{name}: {warning}", name=each.phase.name, warning=said)
            for each in plan.phases
            for said in _warned(each)
        ),
        *price_sentences(prices, plan.price_share),
    )


def _warned(each: PlannedPhase) -> Iterator[str]:
    yield from remarks.of_the_run(each.training)
    seq, middle = each.training.inputs.batches.seq, each.cases[1]
    answers = each.phase.rollouts
    if each.replica is None and answers != Rollouts():
        yield text("it states rollouts, but only phases of kind reinforcement generate answers.")
    if each.replica is not None and answers.tokens > seq:
        yield text(
            "prompts with their answers have {n} tokens, more than the {seq} of a sequence that is trained on.",
            n=grouped(answers.tokens),
            seq=grouped(seq),
        )
    if idle := each.idle_gpus:
        yield plural(
            idle,
            "{n} of the GPUs that generate answers is idle: no whole replica fits on it.",
            "{n} of the GPUs that generate answers are idle: no whole replica fits on them.",
        )
    if middle.waiting_gpu_hours > middle.gpu_hours / 4:
        yield text(
            "{share} of its GPU-hours are spent waiting; give more GPUs to the slower of training and generating.",
            share=percent(middle.waiting_gpu_hours / middle.gpu_hours, 2),
        )


def _highest(megawatts: Iterator[float]) -> float:
    """Return the highest power, 0 of none; `max` would pass over one that is not listed unless it came first."""
    found = list(megawatts)
    return math.nan if any(map(math.isnan, found)) else max(found, default=0.0)
