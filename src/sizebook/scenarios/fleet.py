"""A fleet scenario: the keys of its TOML file, checked, and the plan that they give."""

from dataclasses import replace
from typing import Annotated

from sizebook.core.errors import InputError, named
from sizebook.core.sections import DEFAULT, TABLE, leaves, section
from sizebook.models import catalog
from sizebook.plans.fleet.inputs import FleetInputs, Service
from sizebook.plans.fleet.plan import FleetPlan, plan_fleet
from sizebook.plans.fleet.replaced import with_months_as_values
from sizebook.plans.owned import OwnedGpus
from sizebook.scenarios.scenario_files import Scenario, as_of_its_day, kind_of_plan
from sizebook.scenarios.statement import ServiceMoney
from sizebook.serving.encoding import one_pass
from sizebook.tables.api_prices import ApiAsked


@section
class FleetScenario(Scenario):
    """One to twenty services over 1 to 60 months: GPUs, shared nodes, racks, power, and how GPUs are bought."""

    plan: str = kind_of_plan("fleet")
    money: Annotated[ServiceMoney, TABLE] = DEFAULT
    inputs: FleetInputs
    owned: Annotated[OwnedGpus | None, TABLE] = None
    api: Annotated[ApiAsked | None, TABLE] = None

    def __post_init__(self) -> None:
        """Give what stands at the top to every service that states none of its own."""
        services = tuple(
            replace(
                each,
                owned=self.owned if self.owned and each.owned == OwnedGpus() else each.owned,
                api=self.api if self.api and each.api == ApiAsked() else each.api,
            )
            for each in self.inputs.service
        )
        object.__setattr__(self, "inputs", replace(self.inputs, service=services))


@as_of_its_day
def plan_fleet_scenario(scenario: FleetScenario) -> FleetPlan:
    """Return the plan of a scenario."""
    for service in scenario.inputs.service:
        with named(service.name):
            catalog.architecture(service.model)
            _check_lengths(service)
    return plan_fleet(scenario.inputs)


def with_counted_gpus(scenario: FleetScenario, plan: FleetPlan) -> FleetScenario:
    """Return the scenario with what was searched or counted in place: layouts that were left blank, the GPUs of
    volume tiers, for a workbook looks prices up service by service, and by month the requests that moved."""
    inputs = scenario.inputs
    pairs = zip(inputs.service, plan.services, strict=True)
    services = []
    for service, planned in pairs:
        service = replace(service, prices=planned.service.prices, replica=planned.service.replica)
        if planned.service.moved or service.running.replacement.replaced_by:
            days = tuple(month.requests_per_day for month in planned.months)
            service = with_months_as_values(replace(service, moved=planned.service.moved), days)
        services.append(service)
    return replace(scenario, inputs=replace(inputs, service=tuple(services)))


def _check_lengths(service: Service) -> None:
    """Refuse a service whose lengths nobody gave: a scenario is not planned on a default."""
    meaning = {leaf.name: leaf.quantity.meaning for leaf in leaves(Service)}
    for key in ("input_tokens", "output_tokens"):
        heard = key == "input_tokens" and "input_seconds" in service.stated
        if key not in service.stated and not heard and not (key == "output_tokens" and one_pass(service.model)):
            raise InputError(f"no lengths: got no {key}, want {meaning[key]}. Add a line '{key} = ...'.")
