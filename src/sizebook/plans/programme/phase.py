"""One phase of a programme: its training plan, the forward passes and generated answers beside it, in three cases."""

from dataclasses import dataclass, replace

from sizebook.core.errors import InputError, TargetError
from sizebook.core.sections import quantity, section
from sizebook.core.units import gibibytes
from sizebook.formulas.energy import train_co2e_kg, train_energy_kwh
from sizebook.formulas.money import train_cost_usd
from sizebook.models.flops import forward
from sizebook.plans.cost_range import CostRange
from sizebook.plans.programme.inputs import REINFORCEMENT, TRAINING, Phase
from sizebook.plans.quantities import EnergyKwh
from sizebook.plans.serving.inputs import Latencies
from sizebook.plans.serving.replica import PlannedReplica, Setup, Workload, replica_for
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.plans.training.case import Case
from sizebook.plans.training.inputs import settled
from sizebook.plans.training.plan import TrainingPlan, paid_range, plan_training, unchecked_plan
from sizebook.plans.training.searched_layout import with_layout
from sizebook.plans.training.work import HARDWARE
from sizebook.serving.arrivals import Lengths
from sizebook.serving.encoding import one_pass
from sizebook.serving.quantities import Demand, Replica
from sizebook.tables.hardware import accelerator
from sizebook.training.frameworks import bytes_each, keeps

HOURS_PER_DAY = 24


@section
class PhaseCase:
    """One phase in one of three futures: as predicted, or at either end of the bands of training and serving."""

    days: float = quantity("from its start to its end", "days", minimum=0, label="Days")
    training_gpu_hours: float = quantity(
        "whole run of training, reference models apart", "GPU-hours", minimum=0, label="Training, GPU-hours"
    )
    forward_gpu_hours: float = quantity(
        "forward passes besides training", "GPU-hours", minimum=0, label="Reference models, GPU-hours"
    )
    rollout_gpu_hours: float = quantity(
        "generating answers", "GPU-hours", minimum=0, label="Generating answers, GPU-hours"
    )
    waiting_gpu_hours: float = quantity(
        "GPUs that wait for answers, or for training", "GPU-hours", minimum=0, label="Waiting, GPU-hours"
    )
    gpu_hours: float = quantity("GPUs x hours, all of them", "GPU-hours", minimum=0, label="GPU-hours")
    usd: float = quantity("cost of the phase", "USD", minimum=0, label="Cost")
    energy_kwh: EnergyKwh
    co2e_kg: float = quantity("location-based emissions", "kgCO2e", minimum=0, label="Carbon, location-based")
    power_mw: float = quantity("power of the site while it runs", "MW", minimum=0, label="Power")

    @property
    def beside_gpu_hours(self) -> float:
        """GPU-hours beside training: reference models, answers, and GPUs that wait."""
        return self.forward_gpu_hours + self.rollout_gpu_hours + self.waiting_gpu_hours


@dataclass(frozen=True)
class PlannedPhase:
    """A phase with its training plan and, where it generates answers, a replica; cases are low, middle and high."""

    phase: Phase
    training: TrainingPlan
    replica: PlannedReplica | None
    replicas: int
    cases: tuple[PhaseCase, PhaseCase, PhaseCase]

    @property
    def paid_range(self) -> CostRange:
        """The range of what its GPU-hours cost: all that time and price move."""
        return paid_range(self.training.inputs.costs, [case.gpu_hours for case in self.cases])

    @property
    def gpus(self) -> int:
        """GPUs that are paid for while it runs."""
        return self.training.inputs.gpus + (self.phase.rollouts.rollout_gpus or 0 if self.replica else 0)

    @property
    def idle_gpus(self) -> int:
        """GPUs of those that generate that no whole replica stands on."""
        return _generating(self.phase) - self.replicas * self.replica.setup.replica.gpus if self.replica else 0

    @property
    def reference_bytes(self) -> float:
        """Bytes of a reference model on the fullest GPU: none where adapters are trained, whose base is the model."""
        return self.training.inputs.reserved_bytes

    @property
    def memory_bytes(self) -> float:
        """What the fullest GPU needs, a reference model included."""
        return self.training.fullest.total + self.reference_bytes

    @property
    def capacity_bytes(self) -> float:
        """What a GPU leaves for training and the reference model together."""
        return self.training.capacity_bytes + self.training.inputs.reserved_bytes

    @property
    def checkpoint_parameters(self) -> int:
        """Parameters that a checkpoint holds: those that are trained."""
        return self.training.trained_parameters


def plan_phase(phase: Phase) -> PlannedPhase:
    """Return the plan of a phase; refuses what does not fit, a reference model included."""
    training = _training(phase)
    replica = _replica(phase) if phase.kind == REINFORCEMENT else None
    replicas = 0 if replica is None else _replicas(phase, replica)
    cases = [_case(phase, training, case, _rate(replica, replicas, case.name)) for case in training.cases]
    slower = [case.gpu_hours / cases[1].gpu_hours for case in cases]
    low, middle, high = (
        replace(case, usd=train_cost_usd(case.gpu_hours, costs.price_usd_per_gpu_hour, costs.other_usd))
        for case, costs in zip(cases, training.inputs.costs.at_ends(slower), strict=True)
    )
    return PlannedPhase(phase, training, replica, replicas, (low, middle, high))


def _training(phase: Phase) -> TrainingPlan:
    """Return the training plan of a phase, with room kept for a reference model where it asks one."""
    run = settled(phase.model, phase.gpu, phase.inputs, stated=phase.stated)
    training = plan_training(with_layout(run, phase.stated))
    reserved = _reference_bytes(phase, training)
    if not reserved:
        return training
    beside = unchecked_plan(with_layout(replace(run, reserved_bytes=reserved), phase.stated))
    if not beside.fits:
        missing = beside.fullest.total - beside.capacity_bytes
        raise TargetError(
            f"no room for the reference model: got {gibibytes(missing)} too much a GPU, want {gibibytes(reserved)} of "
            f"{gibibytes(training.capacity_bytes)} free for it. Use more GPUs or zero_stage 3, or train adapters."
        )
    return beside


def _reference_bytes(phase: Phase, training: TrainingPlan) -> float:
    """Return the bytes of one frozen copy in bf16, sharded as the weights of training are; passes without one hold
    none."""
    method = training.inputs.method
    if not phase.passes or method.recipe.lora_rank:
        return 0.0
    return training.fullest.weights * 2 / bytes_each(method, keeps(method.recipe)).weight


def _replica(phase: Phase) -> PlannedReplica:
    """Return the replica that generates, at the load given or the most that its cache holds."""
    if one_pass(phase.model):
        raise InputError(
            f"no answers to generate: got kind {REINFORCEMENT} for {phase.model}, which answers with one pass, want a "
            f"model that decodes. Set kind to {TRAINING}."
        )
    asked, n = phase.rollouts, phase.rollouts.tokens
    replica = Replica(
        tp=asked.rollout_tp, weight_dtype=asked.rollout_weight_dtype, rates_file=phase.inputs.method.rates_file
    )
    demand = Demand(
        input_tokens=asked.rollout_input_tokens,
        output_tokens=asked.rollout_output_tokens,
        concurrency=asked.rollout_concurrency,
    )
    stream = RequestStream().stream(Lengths(demand.input_tokens), Lengths(demand.output_tokens))
    setup = Setup(phase.model, accelerator(phase.gpu).key, replica)
    return replica_for(
        setup, Workload(demand, (n - demand.output_tokens, demand.output_tokens), stream, latencies=Latencies())
    )


def _replicas(phase: Phase, replica: PlannedReplica) -> int:
    """Return how many replicas generate: as many as stand on the GPUs that do."""
    gpus, each = _generating(phase), replica.setup.replica.gpus
    if gpus < each:
        raise TargetError(
            f"no replica to generate: got {gpus} GPUs, want at least the {each} of one replica. Give more GPUs or a "
            "smaller rollout_tp."
        )
    return gpus // each


def _generating(phase: Phase) -> int:
    """Return the GPUs that generate: those beside training, or the phase's own."""
    return phase.rollouts.rollout_gpus or phase.inputs.run.gpus


def _rate(replica: PlannedReplica | None, replicas: int, name: str) -> float:
    """Return answers a second in a case: replicas are as fast as 1 in 10 measurements in low, as slow in high."""
    if replica is None:
        return 0.0
    band = replica.bands["throughput"]
    return replicas * replica.requests_per_second * {"low": band.high, "middle": 1.0, "high": band.low}[name]


def _case(phase: Phase, training: TrainingPlan, case: Case, rate: float) -> PhaseCase:
    run, rollouts = training.inputs, phase.rollouts
    forward_hours = _forward_hours(phase, training, case)
    busy, generating = case.programme_gpu_hours + forward_hours, 0.0
    if rate:
        answers = run.tokens / rollouts.tokens / rollouts.rollout_reuse
        generating = answers / rate * rollouts.rollout_tail / 3600  # hours, not GPU-hours
    beside = rollouts.rollout_gpus if rate else None
    if beside is None:
        rollout_hours, waiting = generating * run.gpus, 0.0
        hours = busy / run.gpus + generating
    else:
        hours = max(busy / run.gpus, generating)
        rollout_hours = generating * beside
        waiting = hours * (run.gpus + beside) - busy - rollout_hours
    total = busy + rollout_hours + waiting
    power, shares = run.power, run.power.footprint
    energy = train_energy_kwh(total, power.watts, shares.pue, host_share=shares.host_share)
    return PhaseCase(
        days=hours / HOURS_PER_DAY,
        training_gpu_hours=case.programme_gpu_hours,
        forward_gpu_hours=forward_hours,
        rollout_gpu_hours=rollout_hours,
        waiting_gpu_hours=waiting,
        gpu_hours=total,
        usd=train_cost_usd(total, run.costs.price_usd_per_gpu_hour, run.costs.other_usd),
        energy_kwh=energy,
        co2e_kg=train_co2e_kg(energy, power.grams_per_kwh),
        power_mw=energy / hours / 1000,
    )


def _forward_hours(phase: Phase, training: TrainingPlan, case: Case) -> float:
    """Return the GPU-hours of forward passes besides training: their FLOPs over those of a step, at the same rate."""
    return step_hours(training, case) * phase.passes * forward_flops(training) / training.work.counted(HARDWARE)


def step_hours(training: TrainingPlan, case: Case) -> float:
    """Return the GPU-hours of a whole run's steps: start-up counts once."""
    return case.programme_gpu_hours - training.inputs.gpus * case.start_seconds / 3600


def forward_flops(training: TrainingPlan) -> float:
    """Return the FLOPs of one forward pass over a token."""
    return forward(training.inputs.architecture, training.inputs.batches.seq, causal=False).total
