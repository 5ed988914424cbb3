"""The kinds of scenarios by the name of their plan."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.hints import MOST, unknown_key
from sizebook.core.scenario_keys import Keys, layout, tables_by_key
from sizebook.core.sections import Quantity
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


def check_named(values: Mapping[str, Any], where: str) -> None:
    """Refuse a scenario that names no plan and has a key that only other plans read."""
    others = [] if values.get("plan") else [key for key in values if not _reads(KINDS[USUAL], key)]
    plans = [plan for plan, kind in KINDS.items() if others and all(_reads(kind, key) for key in others)]
    if plans:
        meant = " or ".join(f"'{plan}'" for plan in plans)
        raise InputError(
            f"{where}: no plan: got {', '.join(others[:MOST])} without one, want plan = {meant}. Add that line; a "
            f"scenario that names none is {USUAL}."
        )


def _reads(kind: type[Scenario], key: str) -> bool:
    """Return whether a key may stand at the top of a kind of scenario; those of one service or phase may not."""
    return any(not place.startswith("[[") for place in tables_by_key(kind).get(key, ()))


def kind_of(scenario: Scenario) -> str:
    """Return the plan that a scenario feeds."""
    return next(plan for plan, kind in KINDS.items() if isinstance(scenario, kind))


@cache
def quantities(plan: str) -> Mapping[str, Quantity]:
    """Return all quantities of a plan's scenario by key, those in its tables too."""
    return dict(_quantities(layout(KINDS[plan])))


def _quantities(table: Keys) -> list[tuple[str, Quantity]]:
    own = [(key.name, key.quantity) for key in table.keys]
    return own + [pair for inner in table.tables for pair in _quantities(inner)]
