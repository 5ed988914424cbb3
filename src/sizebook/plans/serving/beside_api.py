"""Rent or call: what the traffic of a plan costs at an API, and from which traffic on a fleet costs less.

The cost of a fleet over traffic is a stair: it stays until an hour of the day needs one replica more. The API's is a
line. Where the line first meets the stair is found on the steps themselves, none passed over: before a bound below the
stair, GPUs in fractions beside spare ones, no step can meet it. How good the answers of either model are, the reader
judges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

from sizebook.core.quantities import Gpu, Model
from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, Quantity, quantity, section
from sizebook.plans.ledgers import Figures, named_values
from sizebook.plans.serving.choice import with_room
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import EXAMPLE, ServingPlan, plan_serving
from sizebook.plans.serving.users import DAYS_PER_MONTH
from sizebook.tables.api_prices import ApiPrice, api_price

_MANY = 2**20  # replicas that are a fleet without roundings
_ROUNDED = 1e-4  # what their cost is over that of fractions, at most
_MOST_STEPS = 5_000  # of a stair that are looked at, a second or two

ApiProvider = Annotated[str, Quantity("provider of an API", label="Provider of the API")]
ApiModel = Annotated[str, Quantity("model as the provider calls it", label="Model of the API")]
InBatches = Annotated[
    bool, Quantity("whether requests go in batches, at their prices", default=False, label="In batches")
]


@section
class BesideApi:
    """A fleet beside an API: what either costs in the last month, in full and one request more, and where they meet."""

    api_usd_per_request: float = quantity("what the API asks for a request", "USD", label="API, request")
    api_usd: float = quantity("last month at the API", "USD", label="API, last month")
    serving_usd: float = quantity("last month of the fleet", "USD", label="Fleet, last month")
    serving_usd_per_request: float = quantity("full cost of a request of the fleet", "USD", label="Fleet, request")
    marginal_usd_per_request: float = quantity(
        "cost of one more request at very high traffic", "USD", label="Fleet, one more request"
    )
    crossover_requests_per_day: float | None = quantity(
        "fewest requests a day at which the fleet costs no more than the API, blank where it never does",
        "requests",
        label="Fleet costs no more from",
    )
    said: str = quantity("up to which traffic the API is cheaper, in words", label="Rent or call")


def _marginal(plan: ServingPlan) -> float:
    """Return what one time the traffic costs of a fleet without roundings, at least."""
    times = plan.times_of(_MANY, max(plan.last_arrivals))
    return plan.usd_at(times) / times * (1 - _ROUNDED)


def _ends(plan: ServingPlan, beyond: float) -> Iterator[float]:
    """Yield the ends of steps, the times at which an hour's replicas are full, from one beyond on."""
    hours = {each for each in plan.last_arrivals if each > 0}
    at = {each: math.floor(beyond / plan.times_of(1, each)) + 1 for each in hours}
    while True:
        end = min(plan.times_of(n, each) for each, n in at.items())
        yield end
        at = {each: n + (plan.times_of(n, each) <= end * (1 + 1e-12)) for each, n in at.items()}


def beside_api(plan: ServingPlan, price: ApiPrice, in_batches: bool = False) -> BesideApi:
    """Return the plan beside an API. Errors: prices of batches that the provider does not list."""
    demand, day, marginal = plan.traffic.mean_demand, plan.inputs.days[-1], _marginal(plan)
    cached = demand.input_tokens * demand.cache_hit_ratio
    each = price.usd_per_request(demand.input_tokens - cached, demand.output_tokens, cached, in_batches=in_batches)
    requests = day * DAYS_PER_MONTH
    times, looked = _crossover(plan, each * requests, marginal)
    if times is not None:
        met = f"The API is cheaper below {times * day:,.0f} requests a day. There the fleet costs no more"
    elif looked:
        met = f"The API is cheaper up to {looked * day:,.0f} requests a day; more was not searched"
    else:
        met = "The API is cheaper at every traffic: a request costs more even in a very large fleet"
    return BesideApi(
        api_usd_per_request=each,
        api_usd=each * requests,
        serving_usd=plan.usd_if_kept_up,
        serving_usd_per_request=plan.usd_if_kept_up / requests,
        marginal_usd_per_request=marginal / requests,
        crossover_requests_per_day=None if times is None else times * day,
        said=f"{met} ({price.provider} {price.model}, prices of {price.date}).",
    )


def _crossover(plan: ServingPlan, api_usd: float, marginal: float) -> tuple[float | None, float]:
    """Return the least times the traffic at which the stair is not above the line, and how far was looked.

    None where there is none; nothing is looked at where the line rises no faster than the stair.
    """
    if not api_usd > marginal:
        return None, 0.0
    before = plan.usd_at(0.0) / (api_usd - marginal) * (1 - _ROUNDED)
    for _, end in zip(range(_MOST_STEPS), _ends(plan, before), strict=False):
        cost = plan.usd_at(end)
        if cost <= end * api_usd:
            return max(before, cost / api_usd), end
        before = end
    return None, before


@function(
    category="serving",
    source="sizebook.plans.serving.plan beside data/api_prices.csv",
    example=(
        {
            **EXAMPLE,
            "concurrency": 32,
            "api_provider": "nebius",
            "api_model": "meta-llama/Llama-3.3-70B-Instruct",
        },
    ),
)
@takes("simulation")
def serving_beside_api(
    model: Model,
    gpu: Gpu,
    api_provider: ApiProvider,
    api_model: ApiModel,
    inputs: ServingInputs,
    in_batches: InBatches = DEFAULT,
) -> Figures:
    """Return a serving plan beside an API: what either costs, and the traffic from which on the fleet costs no more.

    Names and values. Prices of the API are those of data/api_prices.csv: input, cached, output, in batches, long
    prompts. How good the answers of either are is the reader's to judge.
    """
    plan = with_room(plan_serving, model, gpu, inputs=inputs)
    return named_values(beside_api(plan, api_price(api_provider, api_model), in_batches))
