"""What is paid beside GPUs, by fiscal year, discounted, against figures worked by hand and on every surface."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.errors import InputError
from sizebook.core.units import grouped
from sizebook.reports.document import Table
from sizebook.scenarios.statement import Overheads, ServiceMoney, Statement, statement_months
from tests.commands import plan_printed
from tests.refused import message_of

SCENARIO = """
plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
on_demand_usd_per_gpu_hour = 4
reserved_usd_per_gpu_hour = 2
as_of = 2026-11-21
[traffic]
start = 2027-03-01
requests_per_day = 2_000_000
months = 3
input_tokens = 1500
output_tokens = 300
[target]
tpot_target_seconds = 0.04
[money]
people_usd_per_month = 1000
discount_per_year = 0.1
"""


def test_a_month_by_hand() -> None:
    """100 + 10 % support + 10 beside = 120; a tenth of contingency, and half of 132 as tax: 198."""
    overheads = Overheads(people_usd_per_month=6, storage_usd_per_month=3, egress_usd_per_month=1, support_share=0.1,
                          contingency_share=0.1, tax_share=0.5, inflation_per_year=1.0)  # fmt: skip
    months = statement_months([100.0] * 13, overheads)
    first, last = months[0], months[12]
    assert (first.support, first.beside, first.contingency, first.tax) == pytest.approx((10, 10, 12, 66))
    assert first.whole == pytest.approx(198)
    assert last.beside == pytest.approx(20)  # prices double in a year


def test_years_worth_and_return_by_hand() -> None:
    """Two months of 100 at 1 % a month are worth 100 / 1.01 + 100 / 1.01^2; 90 in, 150 - 100 out twice: 50 and 50."""
    overheads = Overheads(discount_per_year=1.01**12 - 1, invest_usd=90, income_usd_per_month=150, fiscal_year_start=4)
    found = Statement(overheads, statement_months([100.0, 100.0], overheads), date(2027, 3, 5), ServiceMoney())
    assert found.present == pytest.approx(100 / 1.01 + 100 / 1.01**2)
    assert found.net_present == pytest.approx(-90 + 50 / 1.01 + 50 / 1.01**2)
    assert found.years == {"FY2026": 100.0, "FY2027": 100.0}
    monthly = (50 + (50**2 + 4 * 90 * 50) ** 0.5) / 180 - 1  # 90 x^2 = 50 x + 50
    assert found.return_per_year == pytest.approx((1 + monthly) ** 12 - 1)
    assert found.data["payback_month"] == 2


def test_an_investment_that_earns_nothing_is_lost() -> None:
    """90 out, then 100 twice at no discount: 290, and no rate of return."""
    overheads = Overheads(invest_usd=90)
    found = Statement(overheads, statement_months([100.0, 100.0], overheads), None, ServiceMoney())
    assert (found.net_present, found.return_per_year) == (-290, None)
    assert "Income less costs and investment is worth -$290 today." in str(found.said)


def test_another_currency_takes_each_month_at_its_rate() -> None:
    """Two months of 100 USD at 0.5 and 1: 150; 90 invested at 0.5, 150 earned: -45 + 25 + 50 = 30 undiscounted."""
    overheads = Overheads(invest_usd=90, income_usd_per_month=150)
    money = ServiceMoney(
        currency="EUR", rates="2027-03-01 0.5, 2027-04-01 1", start=date(2027, 3, 5), overheads=overheads
    )
    found = Statement(overheads, statement_months([100.0, 100.0], overheads), date(2027, 3, 5), money)
    assert (found.data["whole_usd"], found.data["net_present_usd"]) == (200, 10)
    here = found.data["in_currency"]
    assert (here["currency"], here["whole"], here["net_present"], here["years"]) == ("EUR", 150, 30, {"FY2027": 150})
    assert (
        str(found.said)
        .replace("\xa0", " ")
        .startswith(
            "GPUs and all other costs together are 150 EUR. By year: FY2027 150 EUR. "
            "Income less costs and investment is worth 30 EUR today."
        )
    )


@pytest.mark.parametrize(("key", "typed", "meant"), [("tax_share", "19", "0.19"), ("discount_per_year", "8", "0.08")])
def test_a_share_typed_in_per_cent_is_refused(key: str, typed: str, meant: str, tmp_path: Path) -> None:
    """On 0.13.0 a discount of 8 was one of 800 % a year."""
    with pytest.raises(InputError, match=rf"{key} is out of range: got {typed}, .* Write {typed} % as {meant}\.$"):
        plan_scenario(tomllib.loads(SCENARIO.replace("discount_per_year = 0.1", f"{key} = {typed}")), "here", tmp_path)


def test_text_json_report_and_batch_say_the_same(tmp_path: Path) -> None:
    data, text = plan_printed(SCENARIO, tmp_path)
    made = plan_scenario(tomllib.loads(SCENARIO), "here", tmp_path)
    assert made.statement is not None and data["statement"] == made.statement.data
    assert data["statement"]["whole_usd"] == pytest.approx(data["usd"] + 3000)
    assert str(made.statement.said) == text.splitlines()[-1] == str(made.report.sentences[-1])
    (assumed,) = (each for each in made.report.sections if each.topic == "Assumptions")
    (beside,) = (each for each in assumed.blocks if isinstance(each, Table) and each.caption == "Paid beside GPUs")
    stated = [row.cells[:2] for row in beside.rows if row.cells[2] == "scenario"]
    assert stated == [("People a month", f"{grouped(1000)} USD"), ("Discount rate a year", "10.0\u00a0%")]
    figures = {figure.name: figure.value for figure in made.contents.figures}
    assert figures["whole_usd"] == made.statement.whole and figures["present_usd"] == made.statement.present


def test_rent_buy_or_call_is_the_same_everywhere(tmp_path: Path) -> None:
    """The euro is half a dollar: what each way is worth today is half of it."""
    beside = (
        '[owned]\ncapex_usd = 40_000\n[api]\napi_provider = "nebius"\napi_model = "meta-llama/Llama-3.3-70B-Instruct"\n'
    )
    euros = 'currency = "EUR"\nrates = [["2027-01-01", 0.5]]\n'
    data, text = plan_printed(SCENARIO + euros + beside, tmp_path)
    lines = text.splitlines()
    made = plan_scenario(tomllib.loads(SCENARIO + euros + beside), "here", tmp_path)
    figures = {figure.name: figure.value for figure in made.contents.figures}
    months = data["alternatives"]
    for name in ("owned_usd", "api_usd"):
        assert sum(month[name] for month in months) == pytest.approx(figures[name])
        assert data["figures"][name] == figures[name]
    shown = [f"{sum(month[name] for month in months):,.0f}" for name in ("rented_usd", "owned_usd")]
    assert next(line for line in lines if line.startswith("All months")).split()[2:4] == shown
    (section,) = [each for each in made.report.sections if each.topic == "Rent, buy or API"]
    by_year, over_traffic = [block for block in section.blocks if isinstance(block, Table)]
    assert [cell.replace("\u2009", ",").replace("\u202f", ",") for cell in by_year.rows[-1].cells[1:3]] == shown
    assert made.contents.tables[-1].rows == tuple(tuple(each.values()) for each in data["volumes"])
    for row, each in zip(over_traffic.rows, data["volumes"], strict=True):
        assert row.cells[1:3] == (grouped(each["requests_per_day"]), grouped(each["rented_usd"]))
        assert row.cells[-3:] == tuple(grouped(each[name]) for name in ("step_usd", "owned_usd", "api_usd"))
    assert figures["owned_present_usd"] == data["statement"]["owned_present_usd"]
    here = data["statement"]["in_currency"]
    for way in ("rented", "owned", "api"):
        assert here[f"{way}_present"] == pytest.approx(data["statement"][f"{way}_present_usd"] / 2)


def test_a_fiscal_year_needs_a_calendar(tmp_path: Path) -> None:
    given = SCENARIO.replace("start = 2027-03-01", "") + "fiscal_year_start = 4\n"
    assert message_of(InputError, plan_printed, given, tmp_path) == (
        "fiscal year without a calendar: got fiscal_year_start 4 and no start, want the plan's first month. State "
        "start, such as start = 2027-01-01."
    )
