"""How each figure of a training plan is calculated, in the order in which one follows from the other."""

from collections.abc import Iterator

from sizebook.core.derivation import Step, step_of
from sizebook.core.sections import leaves
from sizebook.core.texts import joined, text
from sizebook.core.units import amount, grouped, measure, significant
from sizebook.plans.training.plan import TrainingPlan
from sizebook.training.adapters import targets
from sizebook.training.memory import COMPONENTS, Memory
from sizebook.training.time import StepTime
from sizebook.training.whole_run import basis_of, factor_of

CALIBRATION = text("data/calibration_training.csv, fitted by calibration/training.py")


def derivations(plan: TrainingPlan) -> tuple[Step, ...]:
    """Return the derivation of every headline figure of the middle case."""
    return (
        *_work(plan),
        _memory(plan),
        _step(plan),
        *_time(plan),
        whole_run(plan),
        _cost(plan),
        plan.paid_range.step(text("GPU-hours of the whole run at most, USD")),
        *_energy(plan),
    )


def _number(value: float) -> str:
    return grouped(value) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.5g}"


def _work(plan: TrainingPlan) -> Iterator[Step]:
    inputs, filled = plan.inputs, 1 - plan.inputs.padding_share
    convention, rank = inputs.pace.flops_convention, inputs.method.recipe.lora_rank
    counted = text(
        "counted from the {model_type} architecture, tensor by tensor", model_type=inputs.architecture.model_type
    )
    total = plan.count.total
    yield Step(
        text("Parameters"), text("sum of all tensors"), grouped(total), value=total, unit="parameters", source=counted
    )
    if rank:
        yield _adapters(plan)
    settings = text("{convention}, {seq} tokens a sequence", convention=convention, seq=inputs.batches.seq)
    yield Step(
        text("FLOPs per token"),
        plan.work.meanings[convention],
        settings + (text(", adapters of rank {rank}", rank=rank) if rank else ""),
        value=plan.flops_per_token,
        unit="FLOP/token",
        source=counted,
    )
    padding = f" / {filled:.4g}" if filled < 1 else ""
    yield Step(
        text("Training FLOPs"),
        text("FLOPs per token * tokens / (1 - padding)") if padding else text("FLOPs per token * tokens"),
        f"{_number(plan.flops_per_token)} * {_number(inputs.tokens)}{padding}",
        value=plan.flops_per_token * inputs.tokens / filled,
        unit="FLOP",
    )


def _adapters(plan: TrainingPlan) -> Step:
    recipe = plan.inputs.method.recipe
    outputs = " + {0.d_out}" if recipe.magnitudes else ""
    matrix = "{0.n} * ({1} * ({0.d_in} + {0.d_out})" + outputs + ")"
    formula = text("matrices * (rank * (inputs + outputs))")
    source = "Hu et al. 2021 (arXiv:2106.09685)"
    if recipe.magnitudes:
        formula = text("matrices * (rank * (inputs + outputs) + outputs)")
        source += "; magnitudes: Liu et al. 2024 (arXiv:2402.09353)"
    matrices = targets(plan.inputs.architecture, recipe.lora_on)
    return Step(
        text("Trained parameters"),
        formula,
        " + ".join(matrix.format(each, recipe.lora_rank) for each in matrices),
        value=plan.trained_parameters,
        unit="parameters",
        source=source,
    )


def _memory(plan: TrainingPlan) -> Step:
    fullest = plan.fullest
    labels = {leaf.name: text(leaf.quantity.label) for leaf in leaves(Memory)}
    parts = {labels[name]: n_bytes for name in COMPONENTS if (n_bytes := getattr(fullest, name))}
    return Step(
        text("Memory of the fullest rank (stage {value} of {pp})", value=fullest.stage + 1, pp=plan.inputs.layout.pp),
        joined(parts, " + "),
        " + ".join(f"{n_bytes / 2**30:.2f}" for n_bytes in parts.values()) + " GiB",
        value=fullest.total,
        unit="bytes",
        source=text("data/training_stacks.csv, data/optimizers.csv; Korthikanti et al. 2022 (arXiv:2205.05198)"),
    )


def _step(plan: TrainingPlan) -> Step:
    inputs, step = plan.inputs, plan.step
    if step is None:
        return step_of(
            plan.middle,
            "step_seconds",
            text("sequences * seq * FLOPs per token / (GPUs * peak * MFU)"),
            numbers=f"{inputs.batches.batch} * {inputs.batches.seq} * {_number(plan.flops_per_token)} / "
            f"({inputs.gpus} * {inputs.peak_flop_per_s:.4g} * {inputs.utilization:.4g})",
            source=text("MFU given"),
        )
    terms = {text(leaf.quantity.label): getattr(step, leaf.name) for leaf in leaves(StepTime)}
    shown = {name: seconds for name, seconds in terms.items() if seconds > 0}
    numbers = " + ".join(significant(seconds, 3) for seconds in shown.values())
    return step_of(plan.middle, "step_seconds", joined(shown, " + "), numbers=numbers, source=CALIBRATION)


def _time(plan: TrainingPlan) -> tuple[Step, ...]:
    inputs, middle = plan.inputs, plan.middle
    peak = text(
        "convention {convention}; peak: data/hardware.csv, {gpu} {dtype}",
        convention=inputs.pace.flops_convention,
        gpu=inputs.gpu.key,
        dtype=inputs.method.compute_dtype,
    )
    numbers = f"{middle.tokens_per_s_per_gpu:.1f} * {_number(plan.flops_per_token)} / {inputs.peak_flop_per_s:.4g}"
    hours = f"{inputs.gpus} * {middle.train_seconds:.0f} / 3600"
    return (
        step_of(plan.middle, "mfu", text("tokens/s per GPU * FLOPs per token / peak"), numbers=numbers, source=peak),
        _goodput(plan),
        _duration(plan),
        step_of(plan.middle, "gpu_hours", text("GPUs * seconds / 3600"), numbers=hours),
    )


def _goodput(plan: TrainingPlan) -> Step:
    operations = plan.inputs.operations
    return step_of(
        plan.middle,
        "goodput",
        "t / (M e^(R/M) (e^((t + c)/M) - 1))",
        numbers=f"t = {plan.checkpoint_interval_seconds:.0f} s, c = {operations.checkpoint_seconds:g} s, "
        f"R = {operations.restart_seconds:g} s, M = {3600 * operations.gpu_mtbf_hours / plan.inputs.gpus:.0f} s",
        source=text("Daly 2006; failure rate of one GPU given"),
    )


def _duration(plan: TrainingPlan) -> Step:
    inputs, middle = plan.inputs, plan.middle
    formula, padding = text("tokens / tokens per step * step seconds / goodput + start"), ""
    if inputs.padding_share:
        formula = text("tokens / tokens per step / (1 - padding) * step seconds / goodput + start")
        padding = f" / (1 - {inputs.padding_share:.4g})"
    numbers = (
        f"{_number(inputs.tokens)} / {grouped(inputs.batches.tokens)}{padding} * "
        f"{significant(middle.step_seconds, 4)} / {middle.goodput:.4f} + {middle.start_seconds:g}"
    )
    return step_of(plan.middle, "train_seconds", formula, numbers=numbers)


def _cost(plan: TrainingPlan) -> Step:
    costs = plan.inputs.costs
    other = f" + {costs.other_usd:g}" if costs.other_usd else ""
    formula = text("GPU-hours * price + other") if other else text("GPU-hours * price")
    numbers = f"{amount(plan.middle.programme_gpu_hours, 4)} * {measure(costs.price_usd_per_gpu_hour)}{other}"
    label = text("Cost of the whole run")
    return step_of(plan.middle, "programme_cost_usd", formula, numbers=numbers, source=costs.basis, label=label)


def whole_run(plan: TrainingPlan, label: str = "") -> Step:
    """Return how the GPU-hours of the whole run follow from those of steady state; ``label`` for one of several."""
    inputs = plan.inputs
    start = inputs.gpus * inputs.operations.start_hours
    return step_of(
        plan.middle,
        "programme_gpu_hours",
        text("(GPU-hours - start) * whole run over steady state + start"),
        numbers=f"({amount(plan.middle.gpu_hours, 4)} - {start:g}) * {factor_of(inputs.programme):.4g} + {start:g}",
        source=basis_of(inputs.programme),
        label=label or text("GPU-hours of the whole run"),
    )


def _energy(plan: TrainingPlan) -> Iterator[Step]:
    power, middle, shares = plan.inputs.power, plan.middle, plan.inputs.power.footprint
    hours, energy = amount(middle.programme_gpu_hours, 4), amount(middle.energy_kwh, 4)
    yield step_of(
        middle,
        "energy_kwh",
        text("GPU-hours * watts * (1 + host share) * PUE / 1000"),
        numbers=f"{hours} * {measure(power.watts)} * {1 + shares.host_share:g} * {shares.pue:g} / 1000",
        source=text(
            "Touvron et al. 2023 (arXiv:2302.13971), section 6; host share: MLPerf Inference v5.1 power submissions"
        ),
        label=text("Energy of the whole run"),
    )
    numbers, label = f"{energy} * {power.grams_per_kwh:g} / 1000", text("Emissions, location-based")
    yield step_of(middle, "co2e_kg", text("kWh * g/kWh / 1000"), numbers=numbers, source=power.grid_basis, label=label)
    if middle.co2e_market_kg is not None and shares.covered_share is not None:
        numbers = f"{energy} * {1 - shares.covered_share:g} * {power.residual_grams_per_kwh:g} / 1000"
        formula = text("kWh * (1 - covered) * residual g/kWh / 1000")
        source, label = text("GHG Protocol, Scope 2 Guidance (2015)"), text("Emissions, market-based")
        yield step_of(middle, "co2e_market_kg", formula, numbers=numbers, source=source, label=label)
    yield step_of(
        middle,
        "embodied_kg",
        text("GPU-hours / hours of life * kg per GPU"),
        numbers=f"{hours} / 44676 * {shares.kg_per_gpu:g}",
        source=text("Luccioni et al. 2022 (arXiv:2211.02001), section 4.1: 6 years at 85 %"),
        label=text("Embodied emissions"),
    )
