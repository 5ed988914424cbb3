"""Why a month was off: causes that were planted come back, shares add up, and nothing changed gives nothing."""

import html
import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from sizebook.actuals.variance import CAUSES, CostFactors, MonthCost, shapley
from sizebook.actuals.variance import shares as shares_of
from sizebook.calculation import recalculate
from sizebook.core.units import usd
from tests.commands import run
from tests.csv_files import written
from tests.row_lists import listed

SCENARIO = """plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = 1_000_000
input_tokens = 2000
output_tokens = 300
months = 3
on_demand_usd_per_gpu_hour = 2.0
reserved_usd_per_gpu_hour = 2.0
as_of = 2026-11-21
start = 2026-11-01
"""
PLANNED = CostFactors(1e6, 2.0, 1.0, 1.5, 3.0, 1.0)
# Where nobody measured how busy GPUs were, efficiency has no line.
NO_VARIANCE = pytest.approx(dict.fromkeys(("volume", "lengths", "idle", "price", "currency"), 0), abs=1e-6)


def shares(planned: CostFactors, actual: CostFactors) -> dict[str, float]:
    return shares_of(MonthCost(planned.cost, planned), MonthCost(actual.cost, actual))


def test_shapley_by_every_order() -> None:
    before, after = (2.0, 3.0, 5.0, 7.0), (3.0, 2.5, 6.0, 7.0)
    for at in range(4):
        added = []
        for order in itertools.permutations(range(4)):
            made = set(order[: order.index(at)])
            rest = math.prod(after[i] if i in made else before[i] for i in range(4) if i != at)
            added.append(rest * (after[at] - before[at]))
        assert shapley(at, before, after) == pytest.approx(sum(added) / len(added))


def test_shares_add_up_to_the_difference() -> None:
    actual = CostFactors(1.2e6, 2.2, 1.1, 1.4, 3.1, 0.92)
    assert math.fsum(shares(PLANNED, actual).values()) == pytest.approx(actual.cost - PLANNED.cost, rel=1e-12)


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_alone_takes_all(cause: str) -> None:
    actual = replace(PLANNED, **{cause: 1.05 * getattr(PLANNED, cause)})
    assert shares(PLANNED, actual) == pytest.approx({**dict.fromkeys(CAUSES, 0.0), cause: 0.05 * PLANNED.cost})


def test_nothing_changed_gives_nothing() -> None:
    assert shares(PLANNED, PLANNED) == dict.fromkeys(CAUSES, 0.0)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plan") / "chat.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def plan(scenario: Path) -> dict[str, Any]:
    done = run("plan", "serve", scenario, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.output)
    return found


def said(scenario: Path, *rows: dict[str, Any]) -> dict[str, Any]:
    done = run("actuals", "variance", scenario, written(scenario.parent / "actuals.csv", rows), "--json")
    assert done.exit_code == 0, done.exception
    found: dict[str, Any] = json.loads(done.output)
    return found


def month(plan: dict[str, Any], at: int) -> dict[str, Any]:
    row = plan["months"][at]
    return {
        "month": f"{2026 + (10 + at) // 12}-{(10 + at) % 12 + 1:02d}",
        "requests": row["requests"],
        "input_tokens": 2000,
        "output_tokens": 300,
        "gpu_hours": row["gpu_hours"],
        "cost": row["usd"],
    }


def test_a_month_as_planned_has_no_variance(scenario: Path, plan: dict[str, Any]) -> None:
    found = said(scenario, month(plan, 0))
    assert found["lines"] == NO_VARIANCE
    assert found["forecast_total"] == pytest.approx(found["planned_total"])


def test_a_price_rise_comes_back(scenario: Path, plan: dict[str, Any]) -> None:
    row = month(plan, 0)
    found = said(scenario, row | {"cost": 1.05 * row["cost"]})
    assert found["lines"]["price"] == pytest.approx(0.05 * row["cost"])
    assert sum(abs(value) for name, value in found["lines"].items() if name != "price") < 1e-6


def test_an_idle_pool_comes_back(scenario: Path, plan: dict[str, Any]) -> None:
    row = month(plan, 0)
    found = said(scenario, row | {"cost": 1.3 * row["cost"], "gpu_hours": 1.3 * row["gpu_hours"]})
    assert found["lines"]["idle"] == pytest.approx(0.3 * row["cost"])


def test_longer_answers_come_back(scenario: Path, plan: dict[str, Any]) -> None:
    """Answers 10 % longer take the GPU-seconds of a plan for 330 tokens; idle and price stay as planned."""
    row = month(plan, 0)
    longer = scenario.with_name("longer.toml")
    longer.write_text(SCENARIO.replace("output_tokens = 300", "output_tokens = 330"), encoding="utf-8")
    slower = json.loads(run("plan", "serve", longer, "--json").output)["replica"]
    more = plan["replica"]["requests_per_second"] / slower["requests_per_second"]
    grown = {"output_tokens": 330, "cost": more * row["cost"], "gpu_hours": more * row["gpu_hours"]}
    found = said(scenario, row | grown)
    assert found["lines"]["lengths"] == pytest.approx((more - 1) * row["cost"])
    assert more > 1.03
    assert sum(abs(value) for name, value in found["lines"].items() if name != "lengths") < 1e-6


@pytest.mark.parametrize("asked", ["turns = 3\nthink_seconds = 45.0\n", "cache_hit_ratio = 0.3\n"])
def test_lengths_that_came_are_those_of_all_turns(scenario: Path, asked: str) -> None:
    """Of three turns 300 tokens more a prompt take more; a plan for the mean of all of them says how much."""
    talk = scenario.with_name("talk.toml")
    talk.write_text(SCENARIO + asked, encoding="utf-8")
    planned = json.loads(run("plan", "serve", talk, "--json").output)
    mean = round(planned["token_lengths"]["input"]["mean"])
    row = month(planned, 0) | {"input_tokens": mean}
    assert said(talk, row)["lines"] == NO_VARIANCE
    longer = said(talk, row | {"input_tokens": mean + 300})["lines"]
    assert 0.02 * row["cost"] < longer["lengths"] < 0.3 * row["cost"]


def test_what_no_plan_holds_stands_in_lines_of_its_own(scenario: Path, plan: dict[str, Any]) -> None:
    row = month(plan, 0)
    found = said(scenario, row | {"unused_cost": 500.0, "untagged_cost": 70.0})
    assert (found["lines"]["unused_cost"], found["lines"]["untagged_cost"]) == (500.0, 70.0)
    assert sum(found["lines"].values()) == pytest.approx(570.0)


def test_actuals_stand_for_their_months_to_the_end_of_the_year(scenario: Path, plan: dict[str, Any]) -> None:
    """The plan runs from November to January; the year ends after two of its months."""
    row = month(plan, 0)
    found = said(scenario, row | {"cost": row["cost"] + 1000})
    assert found["until"] == "2026-12"
    assert found["forecast_total"] == pytest.approx(found["planned_total"] + 1000)
    assert found["planned_total"] == pytest.approx(sum(each["usd"] for each in plan["months"][:2]))


def test_two_months_add_up(scenario: Path, plan: dict[str, Any]) -> None:
    rows = [month(plan, 0), month(plan, 1)]
    rows[1] |= {"requests": 0.9 * rows[1]["requests"], "cost": 1.2 * rows[1]["cost"], "busy_share": 0.5}
    found = said(scenario, rows[0] | {"busy_share": 0.4}, rows[1])
    assert sum(found["lines"].values()) == pytest.approx(0.2 * month(plan, 1)["cost"])
    assert found["remarks"] == ["rate_per_usd is blank: the planned exchange rate is taken as the actual one"]


def test_the_report_of_two_pages_and_the_workbook_say_what_the_text_says(
    scenario: Path, plan: dict[str, Any], tmp_path: Path
) -> None:
    """A price 5 % up and 500 USD unused: the same figures in JSON, PDF, HTML and the workbook's own sums."""
    rows = [month(plan, at) for at in range(2)]
    rows = [row | {"cost": 1.05 * row["cost"], "unused_cost": 500.0} for row in rows]
    found = said(scenario, *rows)
    planned, came = (sum(each["planned"] for each in found["months"]), sum(row["cost"] + 500 for row in rows))
    for kind in ("pdf", "html", "xlsx"):
        done = run("actuals", "variance", scenario, scenario.parent / "actuals.csv", "-o", tmp_path / f"v.{kind}")
        assert done.exit_code == 0, done.exception
    pages = PdfReader(tmp_path / "v.pdf").pages
    texts = (
        pages[0].extract_text(), html.unescape((tmp_path / "v.html").read_text(encoding="utf-8")),
        usd(planned), usd(came), f"{usd(came - planned)} more", "Compare the price paid with your contract",
    )  # fmt: skip
    first, page, *wanted = (" ".join(each.split()) for each in texts)
    assert len(pages) == 2
    assert [each for each in wanted[:3] if each not in first] == [] == [each for each in wanted if each not in page]
    values = recalculate(tmp_path / "v.xlsx").values
    assert values["Variance", "D7"] == pytest.approx(came) and values["Variance", "C7"] == pytest.approx(planned)
    price = "FGHIJK"[CAUSES.index("price")]
    assert values["Variance", f"{price}7"] == pytest.approx(found["lines"]["price"])
    assert [values["Variance", f"O{row}"] for row in (5, 6)] == ["OK", "OK"]


@pytest.mark.parametrize(*listed("actuals", "test_a_bad_table_is_refused"))
def test_a_bad_table_is_refused(scenario: Path, plan: dict[str, Any], changed: dict[str, Any], message: str) -> None:
    table = written(scenario.parent / "actuals.csv", [month(plan, 0) | changed])
    done = run("actuals", "variance", scenario, table)
    assert str(done.exception).startswith(message)
