"""Inputs of plans by the flat names of their quantities, as a cell or a row of a table states them."""

import tomllib
from pathlib import Path
from typing import Any

from sizebook.core.sections import leaves, put_together
from sizebook.plans.fleet.inputs import FleetInputs, FleetTerms, Service
from sizebook.plans.serving.inputs import ServingInputs


def serving_inputs(**values: Any) -> ServingInputs:
    """Return the inputs of a serving plan; what is left out takes its default."""
    return put_together(ServingInputs, _known(ServingInputs, values))


def fleet_inputs(*services: Service, **values: Any) -> FleetInputs:
    """Return the inputs of a fleet plan: its services, and what they share."""
    return FleetInputs(service=services, terms=put_together(FleetTerms, _known(FleetTerms, values)))


def service(**values: Any) -> Service:
    """Return one service of a fleet."""
    return put_together(Service, _known(Service, values))


def _known(kind: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    unknown = set(values) - {leaf.name for leaf in leaves(kind)}
    assert not unknown, f"no quantity of {kind.__name__}: {unknown}"
    return values


def refusals(name: str) -> list[tuple[dict[str, Any], str]]:
    """Return what is stated and how it is refused, of one list of `refusals.toml`."""
    known = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))[name]
    return [({key: _frozen(value) for key, value in stated.items()}, said) for stated, said in known]


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
