"""The parts of a training run's time and cost add up, and what is proportional to cost moves it in proportion."""

import math
from typing import Any

import pytest

from sizebook.plans.training.breakdown import cost_parts, sensitivities, time_parts
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.training.whole_run import programme_spread
from tests.plans.training.training_runs import run_of

GIVEN: dict[str, Any] = {
    "gpus": 256, "tokens": 1e12, "batch": 1024, "seq": 8192, "tp": 2, "pp": 2, "price_usd_per_gpu_hour": 2,
    "watts": 700, "start_hours": 1,
}  # fmt: skip


def _plan(**changes: Any) -> TrainingPlan:
    return unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **{**GIVEN, **changes}))


@pytest.fixture(scope="module")
def plan() -> TrainingPlan:
    return _plan()


def test_parts_of_the_time_add_up_and_start_up_is_as_given(plan: TrainingPlan) -> None:
    parts = time_parts(plan.middle)
    assert sum(part.value for part in parts) == pytest.approx(plan.middle.train_seconds)
    assert parts[0].value == 3600
    # Productive steps are the tokens over the tokens of a step, each of the step's seconds.
    assert parts[1].value == pytest.approx(1e12 / (1024 * 8192) * plan.middle.step_seconds)


def test_parts_of_the_cost_add_up() -> None:
    with_other = _plan(other_usd=5000)
    parts = {part.label: part.value for part in cost_parts(with_other)}
    assert sum(parts.values()) == pytest.approx(with_other.middle.programme_cost_usd)
    assert parts["Other costs"] == 5000
    assert parts["Start-up"] == pytest.approx(256 * 2.0)  # one hour of 256 GPUs at 2 USD


def test_cost_of_a_given_mfu_is_not_split_by_cause_of_the_step() -> None:
    given = _plan(mfu=0.4)
    assert [part.label for part in cost_parts(given)] == [
        "Productive steps",
        "Checkpoints and failures",
        "Start-up",
        "Restarts, ramp and evaluation",
    ]


def test_price_moves_the_cost_in_proportion(plan: TrainingPlan) -> None:
    swings = {swing.label: swing for swing in sensitivities(plan)}
    price = swings["Price per GPU-hour ±20\u00a0%"]
    assert price.low_usd == pytest.approx(0.8 * plan.middle.programme_cost_usd)
    assert price.high_usd == pytest.approx(1.2 * plan.middle.programme_cost_usd)


def test_step_and_factor_move_the_cost_by_themselves_and_the_cases_by_both(plan: TrainingPlan) -> None:
    """Two independent spreads: logarithms in quadrature, so an end lies between the wider of both and their product."""
    swings = {swing.label: swing for swing in sensitivities(plan)}
    middle, (low, _, high), band = plan.middle, plan.cases, plan.work.band
    step = swings["Step time, as published runs spread"]
    factor = swings["Whole run over steady state, as programmes spread"]
    almost = {"rel": 3e-3}  # an hour of start-up is paid once
    usd = middle.programme_cost_usd
    assert (step.low_usd / usd, step.high_usd / usd) == pytest.approx((band.low, band.high), **almost)
    assert (factor.low_usd / usd, factor.high_usd / usd) == pytest.approx(
        (1 / programme_spread(), programme_spread()), **almost
    )
    slow = math.exp(math.hypot(math.log(band.high), math.log(programme_spread())))
    fast = math.exp(-math.hypot(math.log(band.low), math.log(programme_spread())))
    assert high.whole_run_factor == pytest.approx(middle.whole_run_factor * slow / band.high)
    assert low.whole_run_factor == pytest.approx(middle.whole_run_factor * fast / band.low)
    for name in ("programme_cost_usd", "programme_days", "energy_kwh"):
        ends = [getattr(case, name) / getattr(middle, name) for case in (low, high)]
        assert ends == pytest.approx([fast, slow], **almost)
    assert max(step.high_usd, factor.high_usd) < high.programme_cost_usd < step.high_usd * factor.high_usd / usd


def test_widest_swing_comes_first(plan: TrainingPlan) -> None:
    widths = [swing.width_usd for swing in sensitivities(plan)]
    assert widths == sorted(widths, reverse=True)


def test_given_mfu_is_varied_by_a_fifth() -> None:
    start_usd = 512.0
    given = _plan(mfu=0.4)
    swing = next(s for s in sensitivities(given) if s.label.startswith("MFU"))
    assert swing.low_usd - start_usd == pytest.approx((given.middle.programme_cost_usd - start_usd) / 1.2)
    assert swing.high_usd - start_usd == pytest.approx((given.middle.programme_cost_usd - start_usd) / 0.8)


def test_a_rate_in_tflops_is_varied_like_the_mfu_that_it_is() -> None:
    rates, shares = sensitivities(_plan(achieved_tflops=0.4 * 989.4)), sensitivities(_plan(mfu=0.4))
    assert [swing.width_usd for swing in rates] == pytest.approx([swing.width_usd for swing in shares])


def test_a_run_that_costs_nothing_has_one_part_of_nothing() -> None:
    free = _plan(price_usd_per_gpu_hour=0)
    assert [(part.label, part.value) for part in cost_parts(free)] == [("Productive steps", 0.0)]
