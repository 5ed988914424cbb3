"""Contracts are paid to their end: what to sign, what it leaves, and what running ones are worth."""

from dataclasses import replace
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.core.sections import put_together
from sizebook.plans.commitments import Commitment, CommitmentTerms, Portfolio
from sizebook.plans.purchases import Purchase
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from tests.row_lists import listed

FALLING = (40, 36, 36, 32, 28, 24, 24, 20, 20, 16, 16, 16)  # 10 % less traffic a month, replicas of 4 GPUs


def asked(needs: tuple[int, ...], on_demand: float = 3.8, one_year: float = 2.6, **terms: Any) -> Purchase:
    """Return GPUs that are needed around the clock, by month."""
    n = len(needs)
    by_term = {"1y": (one_year,) * n, "3y": (1.9,) * n}
    return Purchase(tuple({gpus: 24.0} for gpus in needs), (on_demand,) * n, by_term, CommitmentTerms(**terms))


def in_the_plan(purchase: Purchase, found: Portfolio) -> float:
    months = range(1, len(purchase.needs) + 1)
    over = sum(max(0, next(iter(need)) - found.gpus(m)) for m, need in zip(months, purchase.needs, strict=True))
    return sum(found.usd(month) for month in months) + 730 * over * purchase.on_demand_usd[0]


def test_falling_traffic_pays_for_what_real_terms_allow() -> None:
    """Reserving anew each month said 584 584 USD: 308 GPU-months at 2.60, a price that is only had for a year.

    Sixteen GPUs are needed all year, four more for nine months: 9 x 3.80 = 34.20 is more than 12 x 2.60 = 31.20, so
    these are signed for too; those needed for 7, 5, 4, 3 and 1 months are not, 20 x 3.80. In all 4 x 730 x (5 x 31.20 +
    76.00) = 677 440.
    """
    purchase = asked(FALLING)
    found = purchase.cheapest()
    assert found.contracts == (Commitment(20, 1, 12, "1y", 2.6),)
    assert in_the_plan(purchase, found) == pytest.approx(677_440)
    assert found.tail(12) == (0, 0)


def test_rising_traffic_signs_as_it_comes_and_leaves_a_tail() -> None:
    """Four GPUs from month 1, eight from month 3: their need goes on after the plan, and ten months are owed."""
    found = asked((4, 4, 8)).cheapest()
    assert found.contracts == (Commitment(4, 1, 12, "1y", 2.6), Commitment(4, 3, 14, "1y", 2.6))
    months, owed = found.tail(3)
    assert (months, owed) == (11, pytest.approx(730 * 2.6 * 4 * (9 + 11)))


def test_of_two_terms_the_longer_is_signed_where_the_need_goes_on() -> None:
    """Twelve GPUs for a year and eight for good: 1.90 for three years against 2.60 for one."""
    found = asked((12,) * 12 + (8,), sign_terms="any").cheapest()
    assert found.contracts == (Commitment(4, 1, 12, "1y", 2.6), Commitment(8, 1, 36, "3y", 1.9))


@pytest.mark.parametrize("change", [-0.05, -0.03, -0.01, 0.02])
def test_a_contract_is_not_signed_for_prices_that_stop_falling_with_the_plan(change: float) -> None:
    """Four GPUs for 30 months and on; the least for one of them is worked out backwards from month 65.

    In each month it is rented, or signed for at that month's price for one or three years, at most to month 65.
    Version 0.13 signed for three years in month 30 where prices fall by 5 %, as if they stayed from then on.
    """
    levels = [(1 + change) ** month for month in range(65)]
    by_term = {term: tuple(usd * level for level in levels[:30]) for term, usd in (("1y", 2.6), ("3y", 1.9))}
    on_demand = tuple(3.8 * level for level in levels[:30])
    purchase = Purchase(({4: 24.0},) * 30, on_demand, by_term, CommitmentTerms(sign_terms="any"), change)
    least = [0.0] * 66
    for month in reversed(range(65)):
        signed = ((months, usd * min(months, 65 - month)) for months, usd in ((1, 3.8), (12, 2.6), (36, 1.9)))
        least[month] = min(levels[month] * usd + least[min(month + months, 65)] for months, usd in signed)
    found = purchase.cheapest()
    assert purchase.usd(found) == pytest.approx(4 * 730 * least[0])
    signed_in = [(each.gpus, each.first_month, each.term) for each in found.contracts]
    assert signed_in == ([(4, 1, "1y"), (4, 13, "1y"), (4, 25, "1y")] if change < -0.02 else [(4, 1, "3y")])


def test_running_contracts_come_first_and_new_ones_cover_the_rest() -> None:
    purchase = asked((8,) * 12, contracts=((6, -5, 6, 3.0),))
    found = purchase.cheapest()
    assert [(each.gpus, each.first_month, each.term) for each in found.contracts] == [
        (6, -5, ""),
        (2, 1, "1y"),
        (6, 7, "1y"),
    ]
    assert found.usd(1) == pytest.approx(730 * (6 * 3.0 + 2 * 2.6))
    row = found.by_month(purchase.needs)[0]
    assert (row.running_gpus, row.running_usd, row.running_owed_usd) == (6, 730 * 18.0, pytest.approx(5 * 730 * 18.0))


def test_what_is_prepaid_is_paid_in_the_month_of_signing() -> None:
    """Half of a year at once and half month by month: 6 + 1/2 months, then halves."""
    found = asked((4,) * 12, prepay="part").cheapest()
    month = 4 * 730 * 2.6
    assert [found.cash_usd(m) for m in (1, 2, 12)] == pytest.approx([6.5 * month, 0.5 * month, 0.5 * month])
    assert sum(found.cash_usd(m) for m in range(1, 13)) == pytest.approx(12 * month)


@pytest.mark.parametrize(*listed("plans", "test_a_contract_that_is_none_is_refused"))
def test_a_contract_that_is_none_is_refused(contracts: Any, code: str, message: str) -> None:
    with pytest.raises(SizebookError) as caught:
        _ = CommitmentTerms(contracts=contracts).running
    assert (caught.value.code, str(caught.value)) == (code, message)


def plan(**changes: Any) -> ServingPlan:
    given = {
        "requests_per_day": 3e6, "input_tokens": 2000, "output_tokens": 400, "tpot_target_seconds": 0.04, "tp": 2,
        "weight_dtype": "fp8", "shape": "office", "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0,
        "growth_per_month": -0.1,
    }  # fmt: skip
    return plan_serving("llama-3.1-70b", "h200-sxm", put_together(ServingInputs, given | changes))


def test_hours_of_a_month_are_needed_idle_and_on_demand() -> None:
    found = plan(contracts=((30, -3, 5, 1.5),))
    for month in found.months:
        reserved = 730 * month.reserved_gpus
        assert month.reserved_used_gpu_hours + month.reserved_idle_gpu_hours == pytest.approx(reserved)
        assert month.gpu_hours == pytest.approx(reserved + month.on_demand_gpu_hours)
        assert month.usd == pytest.approx(found.portfolio.usd(month.month) + 4.0 * month.on_demand_gpu_hours)
        assert month.reserved_gpus >= (30 if month.month <= 5 else 0)
    assert found.months[0].reserved_idle_gpu_hours > 0


def test_what_is_signed_stays_where_replicas_are_slow_and_providers_dear() -> None:
    found = plan()
    held = [month.reserved_gpus for month in found.months]
    for months in (found.fewest, found.most, found.cheap, found.dear):
        assert [month.reserved_gpus for month in months] == held


def test_regret_is_over_the_contracts_that_are_best_for_that_traffic() -> None:
    """It is none where the contracts are the best ones, and never below: nothing costs less than the best."""
    found = plan()
    assert found.regrets[0] > 0 and found.regrets[1] > 0
    day = found.traffic.requests_per_day
    less = plan(requests_per_day=0.8 * day)
    as_signed = replace(found, portfolio=less.portfolio)
    assert as_signed.regrets[0] == pytest.approx(0, abs=1e-6)


def test_where_nothing_may_be_signed_all_is_on_demand() -> None:
    found = plan(sign_terms="none")
    assert found.portfolio.contracts == () and found.regrets == (0, 0)
    assert found.usd_if_kept_up == pytest.approx(found.months[-1].usd)
    full_load = found.replica.requests_per_second * 400 * 3600
    assert found.usd_per_mtok_saturated == pytest.approx(found.replica.gpus * 4.0 / full_load * 1e6)
