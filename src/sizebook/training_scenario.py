"""A training scenario: the keys of its TOML file, checked, and the plan's inputs that they become."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from sizebook.plans.layout import Layout
from sizebook.plans.training_inputs import Training, TrainingInputs, settled
from sizebook.plans.training_search import Search, search
from sizebook.quantities import Gpu
from sizebook.registry import DEFAULT, Quantity, flat, leaves, section
from sizebook.scenarios import ModelScenario

DEGREES = frozenset({"tp", "pp", "dp", "cp", "ep"})


@section
class TrainingScenario(ModelScenario):
    """A model, its data, a cluster and what it costs. Without any of tp, pp, dp, cp and ep the fastest layout is
    searched; whatever else of the layout is stated holds."""

    plan: Annotated[str, Quantity("training", kind="choice", choices=("training",), default="training")] = DEFAULT
    gpu: Gpu
    inputs: TrainingInputs


def training_inputs(scenario: TrainingScenario) -> Training:
    """Return the run with everything looked up, the layout searched where none is given."""
    inputs = settled(scenario.model, scenario.gpu, scenario.inputs)
    if not DEGREES & scenario.stated:
        return replace(inputs, layout=layouts_of(scenario, inputs).best[0].layout)
    return replace(inputs, layout=scenario.inputs.layout) if "dp" in scenario.stated else inputs


def layouts_of(scenario: TrainingScenario, inputs: Training) -> Search:
    """Return the layouts that compete for a scenario: its degrees play no part, the rest of its layout holds."""
    rest = {leaf.name for leaf in leaves(Layout)} & scenario.stated - DEGREES
    return search(inputs, {name: getattr(scenario.inputs.layout, name) for name in sorted(rest)})


def workbook_inputs(scenario: TrainingScenario) -> dict[str, Any]:
    """Return the inputs of training_budget.xlsx by the names of `TrainingInputs`: what the plan works with.

    Layout, price, power and grid stand as they were searched or looked up, and an achieved rate as the MFU that it is.
    """
    inputs = training_inputs(scenario)
    given: dict[str, Any] = flat(replace(scenario.inputs, layout=inputs.layout))
    costs, power = inputs.costs, inputs.power
    given |= {
        "gpu": inputs.gpu.key,
        "mfu": inputs.utilization,
        "achieved_tflops": None,
        "price_usd_per_gpu_hour": costs.price_usd_per_gpu_hour,
        "price_basis": costs.basis,
        "watts": power.watts,
        "grams_per_kwh": power.grams_per_kwh,
        "model": scenario.model,
    }
    return given | {name: value for name in ("title", "as_of") if (value := getattr(scenario, name))}
