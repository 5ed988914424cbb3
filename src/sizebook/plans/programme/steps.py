"""How the figures of a programme came about: each phase, then the lines of the budget."""

from functools import partial

from sizebook.core.derivation import Step, step_of
from sizebook.core.texts import text
from sizebook.core.units import grouped, measure
from sizebook.plans.programme.phase import PlannedPhase, forward_flops, step_hours
from sizebook.plans.programme.plan import PARTS, ProgrammePlan
from sizebook.plans.training.steps import whole_run
from sizebook.plans.training.work import HARDWARE


def derivations(plan: ProgrammePlan) -> tuple[Step, ...]:
    """Return the derivation of the middle case: hours and money of each phase, then the parts of the budget."""
    steps: list[Step] = []
    for each in plan.phases:
        steps += [*_hours(each), _money(each)]
        steps.append(each.paid_range.step(text("{name}: GPU-hours at most, USD", name=each.phase.name)))
    return (*steps, *_shared(plan))


def _n(value: float) -> str:
    """Return a number as it is put into a formula: whole where it is large, four digits where it is small."""
    return f"{value:.4g}" if abs(value) < 1000 else grouped(value)


def _hours(each: PlannedPhase) -> tuple[Step, ...]:
    phase, middle, run = each.phase, each.cases[1], each.training.inputs
    found = [whole_run(each.training, text("{name}: GPU-hours of training", name=phase.name))]
    if phase.passes:
        found.append(
            Step(
                text("{name}: GPU-hours of reference models", name=phase.name),
                text("GPU-hours of steps * passes * FLOPs forward / FLOPs of a step"),
                f"{_n(step_hours(each.training, each.training.middle))} * {phase.passes:g} * "
                f"{forward_flops(each.training):.4g} / {each.training.work.counted(HARDWARE):.4g}",
                value=middle.forward_gpu_hours,
                unit="GPU-hours",
                source=text("Rafailov et al. 2023 (arXiv:2305.18290); counted from the architecture"),
            )
        )
    if each.replica is not None:
        found.append(_answers(each))
    if middle.gpu_hours == middle.training_gpu_hours:
        return tuple(found)
    parts = (middle.training_gpu_hours, middle.forward_gpu_hours, middle.rollout_gpu_hours, middle.waiting_gpu_hours)
    found.append(
        Step(
            text("{name}: GPU-hours", name=phase.name),
            text("training + reference models + generating + waiting"),
            " + ".join(_n(part) for part in parts),
            value=middle.gpu_hours,
            unit="GPU-hours",
            source=text("{n} {name}", n=grouped(each.gpus), name=run.gpu.name),
        )
    )
    return tuple(found)


def _answers(each: PlannedPhase) -> Step:
    phase, rollouts, run = each.phase, each.phase.rollouts, each.training.inputs
    rate = each.replicas * (each.replica.requests_per_second if each.replica else 0.0)
    gpus = rollouts.rollout_gpus or run.gpus
    return Step(
        text("{name}: GPU-hours of generating", name=phase.name),
        text(
            "tokens / tokens of prompt and answer / training on each / answers a second * last "
            "over steady / 3600 * GPUs"
        ),
        f"{_n(run.tokens)} / {rollouts.tokens} / {rollouts.rollout_reuse:g} / {_n(rate)} * {rollouts.rollout_tail:g} / "
        f"3600 * {gpus}",
        value=each.cases[1].rollout_gpu_hours,
        unit="GPU-hours",
        source=text("serving model: docs/serving.md"),
    )


def _money(each: PlannedPhase) -> Step:
    middle, costs = each.cases[1], each.training.inputs.costs
    other = f" + {_n(costs.other_usd)}" if costs.other_usd else ""
    return Step(
        text("{name}: cost", name=each.phase.name),
        text("GPU-hours * price + other") if other else text("GPU-hours * price"),
        f"{_n(middle.gpu_hours)} * {measure(costs.price_usd_per_gpu_hour)}{other}",
        value=middle.usd,
        unit="USD",
        source=costs.basis,
    )


def _shared(plan: ProgrammePlan) -> tuple[Step, ...]:
    middle, terms = plan.middle, plan.terms
    storage, data, experiments = terms.storage, terms.data, terms.experiments
    paid = sum(each.cases[1].usd - each.training.inputs.costs.other_usd for each in plan.phases)
    kept = (
        f"{each.phase.kept_checkpoints:g} * {_n(each.checkpoint_parameters)} * "
        f"{storage.checkpoint_bytes_per_parameter:g} / 1e12 * {storage.retention_months:g} * "
        f"{storage.usd_per_tb_month:g}"
        for each in plan.phases
    )
    step = partial(step_of, middle)
    return (
        step(
            "ablation_usd",
            text("share * cost of GPU-hours"),
            numbers=f"{experiments.ablation_share:g} * {_n(paid)}",
            source=text(
                "half in OLMo 2 (arXiv:2503.05804); 82 % of all, 4.6 times the phases, in Olmo 3 (arXiv:2605.01158)"
            ),
        ),
        step(
            "evaluation_usd",
            text("share * cost of GPU-hours"),
            numbers=f"{experiments.evaluation_share:g} * {_n(paid)}",
        ),
        step(
            "data_usd",
            text("CPU-hours * price + licences"),
            numbers=f"{_n(data.data_cpu_hours)} * {data.usd_per_cpu_hour:g} + {_n(data.licences_usd)}",
        ),
        step("storage_usd", text("kept * parameters * bytes * months * price of a terabyte"), numbers=" + ".join(kept)),
        step("egress_usd", text("terabytes * price"), numbers=f"{storage.egress_tb:g} * {storage.usd_per_egress_tb:g}"),
        step(
            "usd",
            text("phases + ablations + evaluation + data + storage + egress"),
            numbers=" + ".join(_n(getattr(middle, part)) for part in PARTS),
            label=text("Cost of the programme"),
        ),
    )
