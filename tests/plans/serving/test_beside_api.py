"""A fleet beside an API: prices of tokens by hand, and the first traffic at which the fleet costs no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.core.sections import put_together
from sizebook.plans.serving.beside_api import beside_api
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.months import usd_if_kept_up
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.tables.api_prices import ApiPrice

PRICE = ApiPrice(
    provider="them", model="m", catalog_model="", input_usd_per_mtok=0.5, cached_input_usd_per_mtok=0.1,
    cache_write_usd_per_mtok=None, output_usd_per_mtok=2.5, batch_input_usd_per_mtok=0.25,
    batch_output_usd_per_mtok=1.0,
    long_input_usd_per_mtok=1.0, long_output_usd_per_mtok=5.0, long_from_tokens=128_000, context_tokens=None, ends="",
    date="2026-11-01", source="test", retrieved="2026-11-01",
)  # fmt: skip


def plan(**changes: Any) -> ServingPlan:
    given: dict[str, Any] = {
        "requests_per_day": 100_000, "input_tokens": 2000, "output_tokens": 400, "months": 1, "concurrency": 32,
        "tp": 4,
        "weight_dtype": "fp8", "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0,
    }  # fmt: skip
    return plan_serving("llama-3.1-70b", "h100-sxm", put_together(ServingInputs, given | changes))


def test_a_request_costs_its_tokens() -> None:
    assert PRICE.usd_per_request(2000, 400) == pytest.approx((2000 * 0.5 + 400 * 2.5) / 1e6)
    assert PRICE.usd_per_request(500, 400, 1500) == pytest.approx((500 * 0.5 + 1500 * 0.1 + 400 * 2.5) / 1e6)
    assert PRICE.usd_per_request(100_000, 400, 50_000) == pytest.approx((100_000 + 50_000 * 0.1 + 400 * 5) / 1e6)
    assert PRICE.usd_per_request(2000, 400, in_batches=True) == pytest.approx((2000 * 0.25 + 400) / 1e6)
    plain = replace(PRICE, cached_input_usd_per_mtok=None, batch_input_usd_per_mtok=None)
    assert plain.usd_per_request(0, 0, 1000) == pytest.approx(0.0005)
    with pytest.raises(InputError) as caught:
        plain.usd_per_request(1, 1, in_batches=True)
    assert str(caught.value) == (
        "no batches: got in_batches for m of them, which lists no price of them, want one that does. Leave in_batches "
        "out."
    )


@pytest.mark.parametrize(("usd", "replicas"), [(2.0, 2), (1.2, 3)])
def test_the_fleet_costs_no_more_from_a_step_on(usd: float, replicas: int) -> None:
    """Replicas of four GPUs at 2 USD, one of them spare, are 5 840 USD a month each and take 256 136 requests a day.

    At 2.0 USD for a thousand requests two of them cost as much as 192 000 requests a day, which one takes; at 1.2 it
    would be 320 000, which it does not: three cost as much as 480 000.
    """
    a_thousand = replace(PRICE, input_usd_per_mtok=0.0, output_usd_per_mtok=usd / 400 * 1e3)
    found = beside_api(plan(), a_thousand)
    wanted = replicas * 5840 / usd * 1000 / (730 / 24)
    assert found.crossover_requests_per_day == pytest.approx(wanted)
    assert found.api_usd_per_request == pytest.approx(usd / 1000)
    assert found.serving_usd == pytest.approx(2 * 5840)
    assert found.said == (
        f"The API is cheaper below {wanted:,.0f} requests a day. There the fleet costs no more (them m, prices of "
        "2026-11-01)."
    )


@pytest.mark.parametrize("shape", ["office", "consumer"])
@pytest.mark.parametrize("over", [1.05, 1.3, 3.0])
def test_no_step_before_it_costs_as_little(shape: str, over: float) -> None:
    """Traffic in thousandths of the crossover is tried: the fleet costs more at each before it."""
    asked = plan(shape=shape)
    marginal = beside_api(asked, PRICE).marginal_usd_per_request
    price = replace(PRICE, input_usd_per_mtok=0.0, output_usd_per_mtok=over * marginal / 400 * 1e6)
    first = beside_api(asked, price).crossover_requests_per_day
    assert first is not None
    each = price.usd_per_request(2000, 400) * 730 / 24

    def fleet(day: float) -> float:
        return usd_if_kept_up(asked.replica, asked.inputs, asked.rates, day / 100_000)

    assert fleet(first) <= each * first * (1 + 1e-9)
    assert all(fleet(first * n / 1000) > each * first * n / 1000 for n in range(1, 1000))


def test_an_api_below_the_gpus_is_never_met() -> None:
    found = beside_api(plan(), replace(PRICE, input_usd_per_mtok=0.01, output_usd_per_mtok=0.02))
    assert found.crossover_requests_per_day is None
    assert found.said == (
        "The API is cheaper at every traffic: a request costs more even in a very large fleet (them m, prices of "
        "2026-11-01)."
    )
