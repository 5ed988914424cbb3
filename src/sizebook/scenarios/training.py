"""A training scenario: the keys of its TOML file, checked, and the plan's inputs that they become."""

from dataclasses import replace
from typing import Annotated

from sizebook.core.quantities import Gpu
from sizebook.core.sections import DEFAULT, TABLE, section
from sizebook.plans.training.inputs import Training, TrainingInputs, settled
from sizebook.plans.training.plan import TrainingPlan
from sizebook.plans.training.search import Search, search
from sizebook.plans.training.searched_layout import fixed_fields, with_layout
from sizebook.scenarios.money import Money
from sizebook.scenarios.scenario_files import ModelScenario, as_of_its_day, kind_of_plan


@section
class TrainingScenario(ModelScenario):
    """A model, its data, a cluster and what it costs. Without any of tp, pp, dp, cp and ep the fastest layout is
    searched; whatever else of the layout is stated holds."""

    plan: str = kind_of_plan("training")
    gpu: Gpu
    inputs: TrainingInputs
    money: Annotated[Money, TABLE] = DEFAULT


@as_of_its_day
def training_inputs(scenario: TrainingScenario) -> Training:
    """Return the run with everything looked up, the layout searched where none is given."""
    return with_layout(settled(scenario.model, scenario.gpu, scenario.inputs, stated=scenario.stated), scenario.stated)


def layouts_of(scenario: TrainingScenario, inputs: Training) -> Search:
    """Return the layouts that compete for a scenario: its degrees play no part, the rest of its layout holds."""
    return search(inputs, fixed_fields(scenario.inputs.layout, scenario.stated))


def with_found_layout(scenario: TrainingScenario, plan: TrainingPlan) -> TrainingScenario:
    """Return the scenario with what no cell can be told in place: the searched layout and the recipe that was settled,
    and owned hardware as its price.

    What was left blank stays so, for the plan behind a workbook looks it up again and says where it comes from.
    """
    settled = plan.inputs
    return replace(scenario, gpu=settled.gpu.key, inputs=settled_inputs(scenario.inputs, settled))


def settled_inputs(inputs: TrainingInputs, settled: Training) -> TrainingInputs:
    """Return the inputs of a run with its layout, its recipe and the price of owned hardware as they were settled."""
    prices = inputs.prices
    if prices.owned is not None:
        prices = replace(prices, price_usd_per_gpu_hour=settled.costs.price_usd_per_gpu_hour, owned=None)
    return replace(inputs, layout=settled.layout, method=settled.method, prices=prices)
