"""How each figure of a training plan came about, in the order in which one follows from the other."""

from __future__ import annotations

from sizebook.core.derivation import Step
from sizebook.core.sections import leaves
from sizebook.core.texts import joined, text
from sizebook.core.units import amount, grouped, significant
from sizebook.plans.training.plan import TrainingPlan
from sizebook.training.adapters import targets
from sizebook.training.memory import COMPONENTS, Memory
from sizebook.training.time import StepTime
from sizebook.training.whole_run import basis_of, factor_of

CALIBRATION = text("data/calibration_training.csv, fitted by calibration/training.py")


def derivations(plan: TrainingPlan) -> tuple[Step, ...]:
    """Return the derivation of every headline figure of the middle case."""
    return (*_work(plan), _memory(plan), *_time(plan), *_money(plan), *_energy(plan), whole_run(plan))


def _number(value: float) -> str:
    return grouped(value) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.5g}"


def _work(plan: TrainingPlan) -> tuple[Step, ...]:
    inputs, filled = plan.inputs, 1 - plan.inputs.padding_share
    n_flops = plan.flops_per_token * inputs.tokens / filled
    convention, rank = inputs.pace.flops_convention, inputs.method.recipe.lora_rank
    counted = text(
        "counted from the {model_type} architecture, tensor by tensor", model_type=inputs.architecture.model_type
    )
    per_token = Step(
        text("FLOPs per token"),
        plan.work.meanings[convention],
        text("{convention}, {seq} tokens a sequence", convention=convention, seq=inputs.batches.seq)
        + (text(", adapters of rank {rank}", rank=rank) if rank else ""),
        value=plan.flops_per_token,
        unit="FLOP/token",
        source=counted,
    )
    padding = f" / {filled:.4g}" if filled < 1 else ""
    numbers = f"{_number(plan.flops_per_token)} * {_number(inputs.tokens)}{padding}"
    formula = text("FLOPs per token * tokens / (1 - padding)") if padding else text("FLOPs per token * tokens")
    adapters = (_adapters(plan),) if rank else ()
    return (
        Step(
            text("Parameters"),
            text("sum of all tensors"),
            grouped(plan.count.total),
            value=plan.count.total,
            unit="parameters",
            source=counted,
        ),
        *adapters,
        per_token,
        Step(text("Training FLOPs"), formula, numbers, value=n_flops, unit="FLOP", source=text("definition")),
    )


def _adapters(plan: TrainingPlan) -> Step:
    recipe = plan.inputs.method.recipe
    formula = (
        text("matrices * (rank * (inputs + outputs) + outputs)")
        if recipe.magnitudes
        else text("matrices * (rank * (inputs + outputs))")
    )
    extra = "+ {0.d_out}" if recipe.magnitudes else ""
    each = (
        f"{t.n} * ({recipe.lora_rank} * ({t.d_in} + {t.d_out}) {extra.format(t)}".rstrip() + ")"
        for t in targets(plan.inputs.architecture, recipe.lora_on)
    )
    return Step(
        text("Trained parameters"),
        formula,
        " + ".join(each),
        value=plan.trained_parameters,
        unit="parameters",
        source="Hu et al. 2021 (arXiv:2106.09685)"
        + ("; magnitudes: Liu et al. 2024 (arXiv:2402.09353)" if recipe.magnitudes else ""),
    )


def _memory(plan: TrainingPlan) -> Step:
    fullest = plan.fullest
    labels = {leaf.name: text(leaf.quantity.label) for leaf in leaves(Memory)}
    parts = {labels[name]: getattr(fullest, name) for name in COMPONENTS}
    return Step(
        text("Memory of the fullest rank (stage {value} of {pp})", value=fullest.stage + 1, pp=plan.inputs.layout.pp),
        joined((name for name, n_bytes in parts.items() if n_bytes), " + "),
        " + ".join(f"{n_bytes / 2**30:.2f}" for n_bytes in parts.values() if n_bytes) + " GiB",
        value=fullest.total,
        unit="bytes",
        source=text("data/training_stacks.csv, data/optimizers.csv; Korthikanti et al. 2022 (arXiv:2205.05198)"),
    )


def _time(plan: TrainingPlan) -> tuple[Step, ...]:
    inputs, middle = plan.inputs, plan.middle
    padding = f" / (1 - {inputs.padding_share:.4g})" if inputs.padding_share else ""
    return (
        _step(plan),
        Step(
            text("MFU"),
            text("tokens/s per GPU * FLOPs per token / peak"),
            f"{middle.tokens_per_s_per_gpu:.1f} * {_number(plan.flops_per_token)} / {inputs.peak_flop_per_s:.4g}",
            value=middle.mfu,
            unit="ratio",
            source=text(
                "convention {convention}; peak: data/hardware.csv, {gpu} {dtype}",
                convention=inputs.pace.flops_convention,
                gpu=inputs.gpu.key,
                dtype=inputs.method.compute_dtype,
            ),
        ),
        Step(
            text("Goodput"),
            "t / (M e^(R/M) (e^((t + c)/M) - 1))",
            f"t = {plan.checkpoint_interval_seconds:.0f} s, c = {inputs.operations.checkpoint_seconds:g} s, "
            f"R = {inputs.operations.restart_seconds:g} s, "
            f"M = {3600 * inputs.operations.gpu_mtbf_hours / inputs.gpus:.0f} s",
            value=middle.goodput,
            unit="ratio",
            source=text("Daly 2006; failure rate of one GPU given"),
        ),
        Step(
            text("Training time"),
            text("tokens / tokens per step / (1 - padding) * step seconds / goodput + start")
            if padding
            else text("tokens / tokens per step * step seconds / goodput + start"),
            f"{_number(inputs.tokens)} / {grouped(inputs.batches.tokens)}{padding} * "
            f"{significant(middle.step_seconds, 4)} / {middle.goodput:.4f} + {middle.start_seconds:g}",
            value=middle.train_seconds,
            unit="seconds",
            source=text("definition"),
        ),
        Step(
            text("GPU-hours"),
            text("GPUs * seconds / 3600"),
            f"{inputs.gpus} * {middle.train_seconds:.0f} / 3600",
            value=middle.gpu_hours,
            unit="GPU-hours",
            source=text("definition"),
        ),
    )


def _step(plan: TrainingPlan) -> Step:
    inputs, step = plan.inputs, plan.step
    if step is None:
        return Step(
            text("Step time"),
            text("sequences * seq * FLOPs per token / (GPUs * peak * MFU)"),
            f"{inputs.batches.batch} * {inputs.batches.seq} * {_number(plan.flops_per_token)} / "
            f"({inputs.gpus} * {inputs.peak_flop_per_s:.4g} * {inputs.utilization:.4g})",
            value=plan.middle.step_seconds,
            unit="seconds",
            source=text("MFU given"),
        )
    terms = {text(leaf.quantity.label): getattr(step, leaf.name) for leaf in leaves(StepTime)}
    shown = {name: seconds for name, seconds in terms.items() if seconds > 0}
    return Step(
        text("Step time"),
        joined(shown, " + "),
        " + ".join(significant(seconds, 3) for seconds in shown.values()),
        value=plan.middle.step_seconds,
        unit="seconds",
        source=CALIBRATION,
    )


def _money(plan: TrainingPlan) -> tuple[Step, ...]:
    costs, middle = plan.inputs.costs, plan.middle
    other = f" + {costs.other_usd:g}" if costs.other_usd else ""
    return (
        Step(
            text("Cost"),
            text("GPU-hours * price + other") if other else text("GPU-hours * price"),
            f"{amount(middle.gpu_hours, 4)} * {costs.price_usd_per_gpu_hour:g}{other}",
            value=middle.cost_usd,
            unit="USD",
            source=costs.basis,
        ),
    )


def whole_run(plan: TrainingPlan, label: str = "") -> Step:
    """Return how the GPU-hours of the whole run follow from those of steady state; ``label`` for one of several."""
    inputs, middle = plan.inputs, plan.middle
    factor, start = factor_of(inputs.programme), inputs.gpus * inputs.operations.start_hours
    return Step(
        label or text("GPU-hours of the whole run"),
        text("(GPU-hours - start) * whole run over steady state + start"),
        f"({amount(middle.gpu_hours, 4)} - {start:g}) * {factor:.4g} + {start:g}",
        value=middle.programme_gpu_hours,
        unit="GPU-hours",
        source=basis_of(inputs.programme),
    )


def _energy(plan: TrainingPlan) -> tuple[Step, ...]:
    power, middle, shares = plan.inputs.power, plan.middle, plan.inputs.power.footprint
    steps = [
        Step(
            text("Energy"),
            text("GPU-hours * watts * (1 + host share) * PUE / 1000"),
            f"{amount(middle.gpu_hours, 4)} * {power.watts:g} * {1 + shares.host_share:g} * {shares.pue:g} / 1000",
            value=middle.energy_kwh,
            unit="kWh",
            source=text(
                "Touvron et al. 2023 (arXiv:2302.13971), section 6; host share: MLPerf Inference v5.1 power submissions"
            ),
        ),
        Step(
            text("Emissions, location-based"),
            text("kWh * g/kWh / 1000"),
            f"{amount(middle.energy_kwh, 4)} * {power.grams_per_kwh:g} / 1000",
            value=middle.co2e_kg,
            unit="kgCO2e",
            source=power.grid_basis,
        ),
    ]
    if middle.co2e_market_kg is not None and shares.covered_share is not None:
        steps.append(
            Step(
                text("Emissions, market-based"),
                text("kWh * (1 - covered) * residual g/kWh / 1000"),
                f"{amount(middle.energy_kwh, 4)} * {1 - shares.covered_share:g} * "
                f"{power.residual_grams_per_kwh:g} / 1000",
                value=middle.co2e_market_kg,
                unit="kgCO2e",
                source=text("GHG Protocol, Scope 2 Guidance (2015)"),
            )
        )
    steps.append(
        Step(
            text("Embodied emissions"),
            text("GPU-hours / hours of life * kg per GPU"),
            f"{amount(middle.gpu_hours, 4)} / 44676 * {shares.kg_per_gpu:g}",
            value=middle.embodied_kg,
            unit="kgCO2e",
            source=text("Luccioni et al. 2022 (arXiv:2211.02001), section 4.1: 6 years at 85 %"),
        )
    )
    return tuple(steps)
