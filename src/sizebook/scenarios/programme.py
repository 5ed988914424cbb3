"""A programme's scenario: the keys of its TOML file, checked, and the plan that they give."""

from dataclasses import replace
from typing import Annotated

from sizebook.core.sections import DEFAULT, TABLE, section
from sizebook.plans.programme.inputs import ProgrammeInputs
from sizebook.plans.programme.plan import ProgrammePlan, plan_programme
from sizebook.scenarios.money import Money
from sizebook.scenarios.scenario_files import Scenario, as_of_its_day, kind_of_plan
from sizebook.scenarios.training import settled_inputs


@section
class ProgrammeScenario(Scenario):
    """Several training runs one after another, and what they cost together."""

    plan: str = kind_of_plan("programme")
    money: Annotated[Money, TABLE] = DEFAULT
    inputs: ProgrammeInputs


def with_found_layouts(scenario: ProgrammeScenario, plan: ProgrammePlan) -> ProgrammeScenario:
    """Return the scenario with what no cell can be told in place: searched layouts, settled recipes, owned hardware as
    its price."""
    inputs = scenario.inputs
    phases = tuple(
        replace(phase, gpu=each.training.inputs.gpu.key, inputs=settled_inputs(phase.inputs, each.training.inputs))
        for phase, each in zip(inputs.phases, plan.phases, strict=True)
    )
    return replace(scenario, inputs=replace(inputs, phases=phases))


@as_of_its_day
def plan_programme_scenario(scenario: ProgrammeScenario) -> ProgrammePlan:
    """Return the plan of a scenario."""
    return plan_programme(scenario.inputs)
