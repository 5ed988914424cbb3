"""A serving scenario: the keys of its TOML file, checked, and the plan that they give."""

from dataclasses import dataclass, replace
from typing import Annotated

from sizebook.core.errors import InputError
from sizebook.core.quantities import gpu_keys
from sizebook.core.sections import DEFAULT, TABLE, quantity, section
from sizebook.models import catalog
from sizebook.plans.serving.choice import Choices, check_release, choose, layouts_with_room
from sizebook.plans.serving.functions import GpusCompared, compared
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.refusals import NoRoomError
from sizebook.scenarios.scenario_files import ModelScenario, as_of_its_day, kind_of_plan
from sizebook.scenarios.statement import ServiceMoney
from sizebook.serving.encoding import one_pass
from sizebook.serving.layouts import DEGREES


@section
class ServingScenario(ModelScenario):
    """A model, its traffic and target. Without a gpu the cheapest setup is searched."""

    plan: str = kind_of_plan("serving")
    gpu: str | None = quantity(
        "accelerator such as h100-sxm; left out, several compete",
        kind="text",
        choices=gpu_keys,
        default=None,
        label="Accelerator",
    )
    gpus_compared: GpusCompared = DEFAULT
    inputs: ServingInputs
    money: Annotated[ServiceMoney, TABLE] = DEFAULT


@dataclass(frozen=True)
class ServingResult:
    """The plan to show, and where setups competed, all that met the target."""

    plan: ServingPlan
    choices: Choices | None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the model's count must know."""
        return self.plan.notes


@as_of_its_day
def plan_serving_scenario(scenario: ServingScenario) -> ServingResult:
    """Return the plan of the scenario's setup, or of the cheapest where it names no accelerator."""
    catalog.architecture(scenario.model)
    stated = scenario.stated
    heard, answers = "input_seconds" in stated, not one_pass(scenario.model) or "output_tokens" in stated
    if heard and (twice := sorted(name for name in stated if name.startswith(("input_tokens", "input_hist")))):
        raise InputError(
            f"lengths given twice: got input_seconds and {', '.join(twice)}, want one of them. Remove the others."
        )
    engine = scenario.inputs.replica.engine if "engine" in stated else None
    check_release(scenario.inputs.replica, engine)
    for side in [*([] if heard else ["input"]), *(["output"] if answers else [])]:
        _check_lengths(scenario.stated, side, traced=scenario.inputs.requests.has_lengths)
    if scenario.gpu is not None:
        return _on(scenario.gpu, scenario)
    if layout := [name for name in DEGREES if name in scenario.stated]:
        raise InputError(
            f"layout without an accelerator: got {', '.join(layout)}, want gpu with it. Name the gpu, or leave the "
            "layout to the search."
        )
    found = choose(scenario.model, scenario.inputs, compared(scenario.gpus_compared), engine=engine)
    return ServingResult(found.ranked[0].plan, found)


def _on(gpu: str, scenario: ServingScenario) -> ServingResult:
    """Return the plan on an accelerator that is given; a blank layout that has no room is searched as without a gpu."""
    model, inputs = scenario.model, scenario.inputs
    try:
        return ServingResult(plan_serving(model, gpu, inputs), None)
    except NoRoomError as error:
        found = layouts_with_room(model, gpu, inputs, stated=scenario.stated, error=error)
    return ServingResult(found.ranked[0].plan, found)


def _check_lengths(stated: frozenset[str], side: str, traced: bool) -> None:
    """Refuse lengths that nobody gave, and lengths that are given twice: a scenario is not planned on a default."""
    key, name = f"{side}_tokens", "trace" if traced else f"{side}_histogram"
    if name not in stated:
        if key not in stated:
            raise InputError(f"no lengths: got neither {key} nor {name}, want one. Add a line '{key} = ...'.")
        return
    others = (key, f"{key}_p50", f"{key}_p95", *([f"{side}_histogram"] if traced else []))
    twice = [each for each in others if each in stated]
    if twice:
        raise InputError(
            f"lengths given twice: got {name} and {', '.join(twice)}, want one of them. Mean and percentiles follow "
            f"from the {'trace' if traced else 'histogram'}: remove the others."
        )


def with_found_setup(scenario: ServingScenario, found: ServingResult) -> ServingScenario:
    """Return the scenario with what was searched or looked up in place: setup, load and rates of the plan."""
    return replace(scenario, gpu=found.plan.replica.setup.gpu, gpus_compared=None, inputs=found.plan.inputs)
