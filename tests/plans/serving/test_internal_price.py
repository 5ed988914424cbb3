"""The internal price: prompts, answers and idle GPUs add up to the bill, each by the seconds of GPUs that it takes."""

from dataclasses import replace
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.core.sections import put_together
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.internal_price import GpuSeconds, cost_by_use, gpu_seconds, internal_price
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.tenants import Tenants, in_cents
from tests.row_lists import listed


def plan(model: str = "llama-3.1-70b", **changes: Any) -> ServingPlan:
    given: dict[str, Any] = {
        "requests_per_day": 400_000, "input_tokens": 2000, "output_tokens": 400, "concurrency": 32, "tp": 4,
        "weight_dtype": "fp8", "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0, "months": 3,
        "growth_per_month": 0.1, "shape": "office",
    }  # fmt: skip
    return plan_serving(model, "h100-sxm", put_together(ServingInputs, given | changes))


def test_a_bill_is_split_by_seconds() -> None:
    """1 000 requests of 1 + 0.5 + 2 seconds are 3 500 of 7 200 in two hours at 3 600 USD: half a dollar a second."""
    found = cost_by_use(3_600, 1_000, 2, GpuSeconds(1.0, 0.5, 2.0))
    assert found == pytest.approx((500, 250, 1_000, 1_850))


@pytest.mark.parametrize(*listed("plans/serving", "test_lines_add_up_to_the_bill_and_seconds_to_the_replica"))
def test_lines_add_up_to_the_bill_and_seconds_to_the_replica(changes: dict[str, Any]) -> None:
    found = plan(**changes)
    each = gpu_seconds(found.replica)
    whole = found.replica.gpus / found.replica.requests_per_second
    assert each.prompt + each.cached + each.answer == pytest.approx(whole)
    assert min(each.prompt, each.cached, each.answer) >= 0
    for month in found.months:
        lines = (month.input_usd, month.cached_usd, month.output_usd, month.idle_usd)
        assert sum(lines) == pytest.approx(month.usd, abs=1e-6) and month.idle_usd >= 0
        used = month.requests * whole / 3600
        assert month.idle_usd == pytest.approx(month.usd * (1 - used / month.gpu_hours))
    bill = total_usd(found.months)
    parts = [
        sum(getattr(month, f"{name}_usd") for month in found.months) for name in ("input", "cached", "output", "idle")
    ]
    cents = in_cents(bill, parts)
    assert round(sum(round(each * 100) for each in cents)) == round(bill * 100)


def test_prices_times_tokens_are_the_bill_without_idle() -> None:
    found = plan(cache_hit_ratio=0.5)
    price, requests = internal_price(found.replica, found.months), sum(month.requests for month in found.months)
    assert price.internal_usd_per_mtok_cached is not None
    tokens = 1000 * price.internal_usd_per_mtok_input + 1000 * price.internal_usd_per_mtok_cached
    tokens += 400 * price.internal_usd_per_mtok_output
    assert requests * tokens / 1e6 + price.idle_usd == pytest.approx(total_usd(found.months))
    assert price.internal_usd_per_request == pytest.approx(tokens / 1e6)
    assert 0 < price.internal_usd_per_mtok_cached < price.internal_usd_per_mtok_input / 10


def test_long_prompts_and_short_answers_pay_for_prompts() -> None:
    """Of 8 000 in and 50 out nearly all is the prompt's; a token in costs what it costs beside long answers."""
    long, usual = plan(input_tokens=8000, output_tokens=50), plan()
    one, other = (internal_price(each.replica, each.months) for each in (long, usual))
    assert gpu_seconds(long.replica).prompt > 10 * gpu_seconds(long.replica).answer
    assert one.internal_usd_per_mtok_input == pytest.approx(other.internal_usd_per_mtok_input, rel=0.15)
    assert long.usd_per_mtok > 10 * one.internal_usd_per_mtok_output


def test_one_pass_is_all_prompt() -> None:
    given = {"tp": 1, "weight_dtype": None, "concurrency": None, "ttft_target_seconds": 1.0, "output_tokens": 1}
    each = gpu_seconds(plan("bge-m3", **given).replica)
    assert (each.cached, each.answer) == (0, 0) and each.prompt > 0


def test_pools_are_split_by_their_gpus() -> None:
    found = plan(
        separate_prefill=True, prefill_tp=2, prefill_workers=2, decode_workers=1, concurrency=None,
        tpot_target_seconds=0.04,
    )  # fmt: skip
    each = gpu_seconds(found.replica)
    assert each.prompt / each.answer == pytest.approx(4 / 4)  # two workers of two GPUs beside one of four


def test_cents_of_tenants_add_up() -> None:
    """A third of 100.00 is 33.33; the last tenant has the cent that is left."""
    assert in_cents(100.0, [100 / 3] * 3) == (33.33, 33.33, 33.34)
    assert in_cents(100.0, []) == ()


@pytest.mark.parametrize("given", [(0.5, 0.4), (1.5, -0.5), "all"])
def test_tenants_that_are_not_the_whole_are_refused(given: Any) -> None:
    with pytest.raises(InputError) as caught:
        _ = replace(Tenants(), tenant_shares=given).shares
    assert str(caught.value) == (
        f"tenants are not the whole: got {given!r} in tenant_shares, want shares of 0 or more that add up to 1. "
        "Correct them."
    )
