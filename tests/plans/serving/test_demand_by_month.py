"""Traffic and prices by month: tables, users, seasons and a price that falls, against figures worked by hand."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import plan_serving
from sizebook.plans.serving.steps import derivations
from sizebook.plans.serving.users import Users
from sizebook.scenarios.csv_files import with_csv_files
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.serving import ServingScenario
from tests.plans.asking import refusals, serving_inputs
from tests.refused import message_of

LENGTHS = {"input_tokens": 1500, "output_tokens": 500}
SETUP = {"weight_dtype": "fp8", "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0}
DAYS_A_MONTH = 365 / 12


def asked(**values: Any) -> ServingInputs:
    return serving_inputs(**LENGTHS, **SETUP, concurrency=32, **values)


def monthly(**values: Any) -> list[float]:
    """Return the requests of each month."""
    return [day * DAYS_A_MONTH for day in asked(**values).days]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"monthly_requests": (3e6, 4e6), "months": 3}, [3e6, 4e6, 4e6]),
        ({"monthly_requests": ((1, 3e6), (4, 6e6)), "months": 5}, [3e6, 3e6, 3e6, 6e6, 6e6]),
        (
            {"monthly_requests": ((1, 3e6), (4, 6e6)), "months": 5, "between_months": "ramp"},
            [3e6, 4e6, 5e6, 6e6, 6e6],
        ),
        ({"monthly_tokens": (6e9,), "months": 2}, [3e6, 3e6]),  # 2 000 tokens a request
        ({"requests_per_day": 12e6 / 365, "growth_per_month": 0.5, "months": 3}, [1e6, 1.5e6, 2.25e6]),
        # 20 000 users, a quarter active, each asking 10 times on each of 21 days
        ({"users": 20_000, "active_share": 0.25, "requests_per_user": 10, "working_days": 21, "months": 1}, [1.05e6]),
    ],
)
def test_the_requests_of_each_month(values: dict[str, Any], expected: list[float]) -> None:
    assert monthly(**values) == pytest.approx(expected, rel=1e-12)


def test_a_season_follows_the_calendar() -> None:
    season = (1, 1, 1, 1, 1, 1, 0.5, 0.5, 1, 1, 1, 2)
    found = monthly(monthly_requests=(1e6,), season=season, months=9, start=date(2027, 11, 20))
    assert found == pytest.approx([1e6, 2e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 0.5e6], rel=1e-12)


def test_prices_that_fall_three_per_cent_a_month_cost_a_geometric_series() -> None:
    """On demand; a contract keeps its price."""
    by_the_hour = {"requests_per_day": 2e6, "months": 36, "sign_terms": "none"}
    flat = plan_serving("llama-3.1-8b", "h100-sxm", asked(**by_the_hour))
    falling = plan_serving("llama-3.1-8b", "h100-sxm", asked(**by_the_hour, price_change_per_month=-0.03))
    month = flat.months[0].usd
    assert sum(each.usd for each in falling.months) == pytest.approx(month * (1 - 0.97**36) / 0.03, rel=1e-12)
    assert [each.peak_gpus for each in falling.months] == [each.peak_gpus for each in flat.months]
    step = next(step for step in derivations(falling) if step.label == "GPU-hour on demand, last month")
    assert step.substituted == "4 * (1 + -0.03)^35" and step.value == pytest.approx(4 * 0.97**35)


def test_a_quarter_a_year_is_a_quarter_after_twelve_months() -> None:
    plan = plan_serving("llama-3.1-8b", "h100-sxm", asked(requests_per_day=2e6, months=13, price_change_per_year=-0.25))
    assert plan.months[12].usd == pytest.approx(0.75 * plan.months[0].usd, rel=1e-12)


def test_users_of_one_zone_ask_in_eight_of_twenty_four_hours() -> None:
    """The busiest hour is three times the mean; half a day apart no hours meet, six hours apart two do."""
    day = Users(users=1, requests_per_user=1, hours_active=8)
    assert day.hours == (*[0.0] * 9, *[1.0] * 8, *[0.0] * 7)
    apart = Users(users=1, requests_per_user=1, hours_active=8, time_zones=((0.0, 0.5), (-6.0, 0.5)))
    assert apart.hours == (*[0.0] * 9, *[0.5] * 6, 1.0, 1.0, *[0.5] * 6, 0.0)
    night = Users(users=1, requests_per_user=1, hours_active=8.5, time_zones=((-10.5, 1.0),))
    assert night.hours == (*[1.0] * 4, *[0.0] * 15, 0.5, *[1.0] * 4)  # 19:30 to 4:00


def test_a_fleet_of_users_is_sized_for_a_working_day() -> None:
    everyday, workdays = (
        plan_serving(
            "llama-3.1-8b",
            "h100-sxm",
            asked(users=1e6, requests_per_user=days, working_days=30.4 / days * 10, spare=0, months=1),
        )
        for days in (10, 20)
    )
    assert workdays.months[0].requests == pytest.approx(everyday.months[0].requests)
    assert workdays.months[0].peak_gpus == pytest.approx(2 * everyday.months[0].peak_gpus, abs=1)


def test_a_table_of_months_comes_from_a_csv_file(tmp_path: Path) -> None:
    (tmp_path / "months.csv").write_text("month,requests\n1,1000000\n3,2000000\n", encoding="utf-8")
    given = {"model": "llama-3.1-8b", "demand": {"monthly_requests": "months.csv"}, **LENGTHS}
    found = parse(ServingScenario, with_csv_files(given, tmp_path), "s.toml")
    assert found.inputs.demand.course.table == ((1, 1e6), (3, 2e6))
    (tmp_path / "months.csv").write_text("month,visits\n1,1000000\n", encoding="utf-8")
    assert message_of(InputError, with_csv_files, given, tmp_path) == (
        "not a table of months: got 'requests' in months.csv, want columns 'month' and 'requests' of numbers. Mend the "
        "file."
    )


@pytest.mark.parametrize(("values", "said"), refusals("traffic"))
def test_what_contradicts_itself_is_refused(values: dict[str, Any], said: str) -> None:
    assert message_of(InputError, asked, **values) == said


def test_a_season_needs_a_calendar() -> None:
    with pytest.raises(InputError) as refused:
        _ = asked(requests_per_day=5, season=(1,) * 12).days
    assert str(refused.value) == (
        "season without a calendar: got season and no start, want the plan's first month. State start, such as "
        "start = 2027-01-01."
    )
