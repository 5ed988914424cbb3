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
from sizebook.scenarios.scenario_files import COMMANDS, Scenario, SizingScenario
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
    others, plans = _of_others(values, USUAL)
    if plans:
        meant = " or ".join(f"'{plan}'" for plan in plans)
        raise InputError(
            f"{where}: no plan: got {', '.join(others[:MOST])} without one, want plan = {meant}. Add that line; a "
            f"scenario that names none is {USUAL}."
        )


def check_command(values: Mapping[str, Any], plan: str, where: str) -> None:
    """Refuse a scenario that names no plan, with keys that only other plans read, for the command of one plan."""
    others, plans = _of_others(values, plan)
    if plans:
        meant = " or ".join(f"'{COMMANDS[each]}'" for each in plans)
        raise InputError(
            f"{where}: keys of another plan: got {', '.join(others[:MOST])}, want keys of a plan of {plan} for "
            f"'{COMMANDS[plan]}'. Use {meant} for them."
        )


def _of_others(values: Mapping[str, Any], plan: str) -> tuple[list[str], list[str]]:
    """Return the keys that a plan does not read, of a scenario that names none, and the plans that read all of them."""
    others = [] if values.get("plan") else [key for key in values if not _reads(KINDS[plan], key)]
    return others, [each for each, kind in KINDS.items() if others and all(_reads(kind, key) for key in others)]


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
