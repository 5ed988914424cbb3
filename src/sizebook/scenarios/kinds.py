"""The kinds of scenarios by the name of their plan."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sizebook.core.hints import unknown_key
from sizebook.core.scenario_keys import Keys, layout
from sizebook.scenarios.fleet import FleetScenario
from sizebook.scenarios.programme import ProgrammeScenario
from sizebook.scenarios.scenario_files import Scenario, SizingScenario
from sizebook.scenarios.serving import ServingScenario
from sizebook.scenarios.training import TrainingScenario

USUAL = "sizing"  # the plan of a scenario that names none
KINDS: dict[str, type[Scenario]] = {
    USUAL: SizingScenario,
    "training": TrainingScenario,
    "serving": ServingScenario,
    "fleet": FleetScenario,
    "programme": ProgrammeScenario,
}


def plan_of(values: Mapping[str, Any]) -> str:
    """Return the plan that a scenario names, sizing where it names none. Errors: `UnknownKeyError`."""
    plan = str(values.get("plan") or USUAL).strip().casefold()
    if plan not in KINDS:
        raise unknown_key("plan", str(values["plan"]), KINDS)
    return plan


def kind_of(scenario: Scenario) -> str:
    """Return the plan that a scenario feeds."""
    return next(plan for plan, kind in KINDS.items() if isinstance(scenario, kind))


@cache
def quantity_kinds(plan: str) -> Mapping[str, str]:
    """Return the kinds of all quantities of a plan's scenario by key, those in its tables too."""
    return dict(_kinds(layout(KINDS[plan])))


def _kinds(table: Keys) -> list[tuple[str, str]]:
    own = [(key.name, str(key.quantity.kind)) for key in table.keys]
    return own + [pair for inner in table.tables for pair in _kinds(inner)]
