"""A programme's scenario: the keys of its TOML file, checked, and the plan that they give."""

from __future__ import annotations

from typing import Annotated

from sizebook.core.registry import DEFAULT, Quantity, section
from sizebook.plans.programme.inputs import ProgrammeInputs
from sizebook.plans.programme.plan import ProgrammePlan, plan_programme
from sizebook.scenarios.files import Scenario


@section
class ProgrammeScenario(Scenario):
    """Several training runs one after another, and what they cost together."""

    plan: Annotated[str, Quantity("programme", kind="choice", choices=("programme",), default="programme")] = DEFAULT
    inputs: ProgrammeInputs


def answer(scenario: ProgrammeScenario) -> ProgrammePlan:
    """Return the plan of a scenario."""
    return plan_programme(scenario.inputs)
