"""The range of a cost, worked by hand: throughput and price differ independently of one another."""

import math

import pytest

from sizebook.core.sections import put_together
from sizebook.plans.cost_range import cost_range
from sizebook.plans.fleet.inputs import FleetInputs
from sizebook.plans.fleet.plan import plan_fleet
from sizebook.plans.ledgers import month_range, total_usd, usd_range
from sizebook.plans.programme.inputs import Phase, ProgrammeInputs
from sizebook.plans.programme.plan import plan_programme
from sizebook.plans.serving.plan import plan_serving
from sizebook.plans.training.plan import unchecked_plan
from sizebook.tables.prices import quote
from tests.plans.asking import fleet_inputs, service, serving_inputs
from tests.plans.training.training_runs import run_of
from tests.row_lists import listed


def test_two_spreads_combine_by_hand() -> None:
    """100 USD, 80 to 125 by throughput and 50 to 200 by price.

    Logarithms of the low end: ln 0.8 = -0.223144, ln 0.5 = -0.693147; their hypotenuse is 0.728182 and
    exp(-0.728182) = 0.482786. Multiplied end to end it would be 0.4. Of the variance the price has
    (ln 4)^2 / ((ln 4)^2 + (ln 1.5625)^2) = 1.921812 / (1.921812 + 0.199172) = 0.906095.
    """
    found = cost_range(100.0, (80.0, 125.0), (50.0, 200.0))
    assert (found.low, found.high) == (pytest.approx(48.2786, rel=1e-5), pytest.approx(207.131, rel=1e-5))
    assert found.price_share == pytest.approx(0.906095, rel=1e-5)


@pytest.mark.parametrize(*listed("plans", "test_a_spread_alone_and_none"))
def test_a_spread_alone_and_none(
    middle: float, by_throughput: list[float], by_price: list[float], expected: list[float]
) -> None:
    found = cost_range(middle, by_throughput, by_price)
    assert (found.low, found.high, found.price_share) == pytest.approx(expected)


def test_a_cost_that_is_not_listed_has_no_range() -> None:
    found = cost_range(math.nan, (1.0, 2.0), (1.0, 2.0))
    assert math.isnan(found.low) and math.isnan(found.high) and found.price_share is None


def ends(middle: float, *factors: float) -> float:
    """Return a middle at so many factors, combined: an independent route to the package's."""
    apart = math.sqrt(sum(math.log(factor) ** 2 for factor in factors))
    return middle * math.exp(apart if factors[-1] > 1 else -apart)


H100 = quote("h100-sxm")
CHEAP, DEAR = (each / H100.usd_per_gpu_hour for each in (H100.low_usd_per_gpu_hour, H100.high_usd_per_gpu_hour))


def test_training_takes_both_spreads_and_its_cases_add_up() -> None:
    plan = unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", gpus=64, tokens=1e12, batch=512, start_hours=0, tp=1))
    middle, band = plan.middle, plan.work.band
    for case, time, price in ((plan.cases[0], band.low, CHEAP), (plan.cases[2], band.high, DEAR)):
        assert case.cost_usd == pytest.approx(ends(middle.cost_usd, time, price))
        whole = case.programme_gpu_hours / middle.programme_gpu_hours
        assert case.programme_cost_usd == pytest.approx(ends(middle.programme_cost_usd, whole, price))
        assert case.cost_usd == pytest.approx(case.gpu_hours * case.case_usd_per_gpu_hour)
        assert case.productive_usd + case.lost_usd + case.start_usd == pytest.approx(case.cost_usd)
        assert case.gpu_hours == pytest.approx(middle.gpu_hours * time)
    fast, slow = (case.programme_gpu_hours for case in plan.cases[::2])
    widths = [math.log(DEAR / CHEAP) ** 2, math.log(slow / fast) ** 2]
    assert plan.paid_range.price_share == pytest.approx(widths[0] / sum(widths))


def test_at_a_given_mfu_the_price_alone_spreads_the_cost() -> None:
    plan = unchecked_plan(
        run_of("llama-3.1-8b", "h100-sxm", gpus=64, tokens=1e12, batch=512, mfu=0.4, tp=1, programme_factor=1.25)
    )
    assert [case.train_days for case in plan.cases] == [plan.middle.train_days] * 3
    assert [case.cost_usd / plan.middle.cost_usd for case in plan.cases] == pytest.approx([CHEAP, 1, DEAR])
    assert (plan.paid_range.price_share, len(plan.shown_cases)) == (1.0, 3)


def test_a_programme_adds_its_phases_at_the_same_end() -> None:
    phase = {"name": "A", "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 64, "tokens": 1e12, "batch": 512, "tp": 1}
    phases = tuple(put_together(Phase, each) for each in (phase, {**phase, "name": "B", "tokens": 1e11}))
    plan = plan_programme(ProgrammeInputs(phases=phases))
    for at in (0, 2):
        assert plan.budgets[at].phases_usd == sum(each.cases[at].usd for each in plan.phases)
        assert plan.phases[0].cases[at].usd == pytest.approx(plan.phases[0].training.cases[at].programme_cost_usd)
    assert plan.price_share == pytest.approx(plan.phases[0].training.paid_range.price_share, rel=1e-6)


# A contract that is signed costs the same however fast servers are.
SERVED = {"requests_per_day": 50_000_000, "input_tokens": 1000, "output_tokens": 200, "months": 3, "sign_terms": "none"}


def test_serving_takes_both_spreads() -> None:
    plan = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**SERVED))
    middle, (cheap, dear) = total_usd(plan.months), plan.rates.at_ends()
    assert (cheap.on_demand_usd, dear.on_demand_usd) == (H100.low_usd_per_gpu_hour, H100.high_usd_per_gpu_hour)
    assert cheap.reserved_usd <= cheap.on_demand_usd and dear.reserved_usd <= dear.on_demand_usd
    found = usd_range(plan)
    for end, by_speed, by_price in ((found.low, plan.fewest, plan.cheap), (found.high, plan.most, plan.dear)):
        assert end == pytest.approx(ends(middle, total_usd(by_speed) / middle, total_usd(by_price) / middle))
    assert found.low < total_usd(plan.fewest) < middle < total_usd(plan.most) < found.high
    first = month_range(plan, 0)
    assert first.low < plan.months[0].usd < first.high


def test_a_fleet_takes_both_spreads_and_a_contract_is_a_point() -> None:
    listed = service(name="A", model="llama-3.1-8b", gpu="h100-sxm", requests_per_day=5_000_000, concurrency=32)
    plan = plan_fleet(_fleet(listed))
    middle, found = total_usd(plan.months), usd_range(plan)
    for end, by_speed, by_price in ((found.low, plan.fewest, plan.cheap), (found.high, plan.most, plan.dear)):
        assert end == pytest.approx(ends(middle, total_usd(by_speed) / middle, total_usd(by_price) / middle))
    assert usd_range(plan.services[0]) == found
    paid = service(
        name="A", model="llama-3.1-8b", gpu="h100-sxm", requests_per_day=5_000_000, concurrency=32,
        on_demand_usd_per_gpu_hour=3.0, reserved_usd_per_gpu_hour=2.0,
    )  # fmt: skip
    contract = plan_fleet(_fleet(paid))
    assert contract.cheap == contract.months == contract.dear
    assert usd_range(contract).low == pytest.approx(total_usd(contract.fewest))
    assert usd_range(contract).price_share == 0


def _fleet(one: object) -> FleetInputs:
    return fleet_inputs(one, spare=0)  # type: ignore[arg-type]
