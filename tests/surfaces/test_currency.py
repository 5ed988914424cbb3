"""A cost in another currency: the same on command, JSON, report, batch and workbook, and refused without a rate."""

import json
import math
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import sizebook
from sizebook.batch.formats import FORMATS
from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario, scenario_of
from sizebook.calculation import recalculate
from sizebook.core.errors import InputError
from sizebook.scenarios.money import Money
from sizebook.web.app import Service, create_app
from tests.commands import plan_printed, run
from tests.csv_files import rows_of
from tests.refused import message_of
from tests.row_lists import listed
from tests.surfaces.kinds import scenarios, workbook_that_holds
from tests.workbooks.shipped import totals_of

EUR: dict[str, Any] = {"currency": "EUR", "rates": [["2026-11-01", 0.9], ["2027-03-01", 1.0]]}
PLANS = scenarios({}, {"months": 4, "start": "2027-01-01"}, {"start": "2027-02-15"})
for services in (PLANS["serving"], PLANS["fleet"]["service"][0]):
    services["contracts"] = [[8, -2, 3, 1.9]]
TILES = {"serving": "EUR, all 4 months", "training": "Whole run, EUR", "fleet": "EUR, all 4 months",
         "programme": "Cost, EUR"}  # fmt: skip
UNDER_CONTRACT = ("serving", "fleet")
every_kind = pytest.mark.parametrize("kind", PLANS)


@cache
def planned(kind: str) -> PlannedScenario:
    return plan_scenario({**PLANS[kind], **EUR}, "here", Path())


def test_each_month_is_taken_at_the_rate_of_its_first_day() -> None:
    """January and February at 0.9, March and April at 1.0; the range moves at the mean rate of the months."""
    made = planned("serving")
    months, amount = [month.usd for month in made.plan.plan.months], made.amount
    assert amount is not None
    assert amount.months == pytest.approx((0.9 * months[0], 0.9 * months[1], months[2], months[3]))
    assert amount.middle == pytest.approx(sum(amount.months))
    assert amount.rate == pytest.approx((0.9 * (months[0] + months[1]) + months[2] + months[3]) / sum(months))
    plan = made.plan.plan
    (low, high), levels = (amount.low, amount.high), (0.9, 0.9, 1.0, 1.0)
    fast, slow, cheap, dear = (
        sum(month.usd * level for month, level in zip(each, levels, strict=True)) / amount.middle
        for each in (plan.fewest, plan.most, plan.cheap, plan.dear)
    )
    assert low / amount.middle == pytest.approx(math.exp(-math.hypot(math.log(fast), math.log(cheap))))
    assert high / amount.middle == pytest.approx(math.exp(math.hypot(math.log(slow), math.log(dear))))


def test_a_run_is_spread_over_its_days() -> None:
    """From 15 February half of a month is left, which costs 0.9 a dollar; all that follows costs 1."""
    made = planned("training")
    middle, amount = made.plan.middle, made.amount
    assert amount is not None
    first = 730 / 24 * (1 - 14 / 28) / middle.programme_days
    assert amount.rate == pytest.approx(0.9 * first + 1.0 * (1 - first))
    assert amount.middle == pytest.approx(middle.programme_cost_usd * amount.rate)


@pytest.mark.parametrize("kind", ["serving", "training", pytest.param("fleet", marks=pytest.mark.ci), "programme"])
def test_every_surface_says_the_same_amount(kind: str, tmp_path: Path) -> None:
    made = planned(kind)
    amount = made.amount
    assert amount is not None and amount.low < amount.middle < amount.high
    data, text = plan_printed({**PLANS[kind], **EUR}, tmp_path)
    assert data["money"] == amount.data
    assert str(amount.said) == text.splitlines()[-1] == str(made.report.sentences[-1])
    figures = {figure.name: figure.value for figure in made.contents.figures}
    assert (figures["amount"], figures["rate_per_usd"]) == (amount.middle, amount.rate)
    assert made.record["figures"]["amount_most"] == amount.high
    book = workbook_that_holds(made)
    cells: dict[str, Any] = {}
    for cell in (cell for row in book["Result"].iter_rows() for cell in row):
        cells.setdefault(str(cell.value), cell)
    head = cells[TILES[kind]]
    tile, under = (book["Result"].cell(head.row + below, head.column).value for below in (1, 2))
    assert tile == pytest.approx(amount.middle, rel=1e-9)
    assert [float(end.replace(",", "")) for end in under.split(" to ")] == pytest.approx(
        data["money"]["range"], rel=1e-3
    )
    if kind in ("serving", "fleet"):
        totals = totals_of(book, "Cases" if kind == "serving" else "Months")
        ends = [totals[f"Cost, {end}"] for end in ("least", "most")]
        assert ends == pytest.approx([amount.low, amount.high], rel=1e-9)
    row = next(row for row in book["Months"].iter_rows(values_only=True) if row[1] == "Cost")
    assert (row[2], row[3]) == ("EUR", pytest.approx(amount.middle, rel=1e-9))
    assert row[4 : 4 + len(amount.months)] == pytest.approx(amount.months, rel=1e-9)


@pytest.mark.parametrize("kind", ["serving", pytest.param("fleet", marks=pytest.mark.ci)])  # a fleet is long
def test_python_a_batch_and_the_recalculated_workbook_give_the_amount_of_a_contract(kind: str, tmp_path: Path) -> None:
    amount, values = planned(kind).amount, {**PLANS[kind], **EUR}
    assert amount is not None
    wanted = {"amount": amount.middle, "amount_least": amount.low, "amount_most": amount.high,
              "rate_per_usd": amount.rate}  # fmt: skip
    figures = sizebook.plan(values).figures
    assert {name: figures[name] for name in wanted} == wanted
    (tmp_path / "one.yaml").write_text(json.dumps({"scenario": [values]}))
    asked = ["batch", str(tmp_path / "one.yaml"), "-o", str(tmp_path / "out"), "--formats", "xlsx,csv-tables"]
    assert run(*asked).exit_code == 0
    rows = rows_of(tmp_path / "out" / "figures.csv")
    assert {row["name"]: float(row["value"]) for row in rows if row["name"] in wanted} == wanted
    [book] = (path for path in (tmp_path / "out").glob("*.xlsx") if path.stem != "index")
    shown = recalculate(book).values
    at = next(at for at in range(1, 200) if shown.get(("Months", f"B{at}")) == "Cost")
    assert shown["Months", f"C{at}"] == "EUR"
    assert [shown["Months", f"{column}{at}"] for column in "DEFGH"] == pytest.approx(
        [amount.middle, *amount.months], rel=1e-9
    )


def test_the_web_service_answers_what_a_batch_writes_of_a_contract(tmp_path: Path) -> None:
    with TestClient(create_app(Service(1, tmp_path)), base_url="http://127.0.0.1") as client:
        for kind in UNDER_CONTRACT:
            found = client.post("/plans?format=json", json={**PLANS[kind], **EUR})
            assert (found.status_code, found.content) == (200, FORMATS["json"].content(planned(kind)))


@every_kind
def test_the_first_month_stands_in_the_table_of_money_for_every_kind(kind: str) -> None:
    """A fleet and a programme read it into their calendar too, whether it stands there or at the top."""
    values = {key: value for key, value in PLANS[kind].items() if key != "start"}
    made = plan_scenario({**values, "money": {**EUR, "start": PLANS[kind]["start"]}}, "here", Path())
    assert made.amount == planned(kind).amount
    if kind in ("fleet", "programme"):
        assert made.plan.terms.start == date.fromisoformat(PLANS[kind]["start"]) == made.scenario.money.start
    with pytest.raises(InputError, match=r"^here: money: key twice: got 'start' again, want it once. Remove one.$"):
        scenario_of({**PLANS[kind], "money": {"start": PLANS[kind]["start"]}}, "here", Path())


@every_kind
def test_in_usd_nothing_is_added(kind: str) -> None:
    made = plan_scenario(PLANS[kind], "here", Path())
    assert made.amount is None
    assert "amount" not in {figure.name for figure in made.contents.figures}


@pytest.mark.parametrize(*listed("surfaces", "test_a_currency_without_a_rate_is_refused"))
@every_kind
def test_a_currency_without_a_rate_is_refused(kind: str, money: dict[str, Any], message: str) -> None:
    assert (
        message_of(InputError, lambda: scenario_of({**PLANS[kind], "money": money}, "here", Path()))
        == f"here: {message}"
    )


def test_several_rates_need_a_first_month() -> None:
    values = {key: value for key, value in {**PLANS["serving"], **EUR}.items() if key != "start"}
    with pytest.raises(InputError, match=r"^no first month: got 2 rates of days and no start, want the plan's first"):
        _ = plan_scenario(values, "here", Path()).amount


@pytest.mark.parametrize("given", [0.92, "0.92", [["2027-01-01", 0.92]], "2027-01-01 0.92"])
def test_one_rate_holds_in_every_month(given: Any) -> None:
    assert Money(currency="EUR", rates=given).level(30) == 0.92


SWEPT = "model,gpu,gpus,batch,tokens,tp,currency,rates,start\n"


def swept(folder: Path, *rows: str) -> list[dict[str, Any]]:
    (folder / "in.csv").write_text(SWEPT + "".join(f"llama-3.1-8b,h100-sxm,64,512,1e12,1,{row}\n" for row in rows))
    asked = ["sweep", str(folder / "in.csv"), "-o", str(folder / "out.csv")]
    result = run(*asked)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return rows_of(folder / "out.csv")


def test_a_row_of_a_sweep_costs_what_the_plan_costs_and_its_column_says_the_currency(tmp_path: Path) -> None:
    amount = planned("training").amount
    assert amount is not None
    good, bad = swept(tmp_path, 'EUR,"2026-11-01 0.9, 2027-03-01 1.0",2027-02-15', "EUR,,")
    assert float(good["programme_cost_eur"]) == pytest.approx(amount.middle, rel=1e-12)
    assert float(good["cost_eur"]) == pytest.approx(float(good["cost_usd"]) * amount.rate, rel=1e-12)
    assert (bad["programme_cost_usd"], bad["programme_cost_eur"]) == ("", "")
    assert bad["reason"] == (
        "currency without a rate: got currency 'EUR' without rates, want what 1 USD is in another currency. State "
        "them, such as currency = 'EUR' and rates = 0.92."
    )


def test_a_table_has_one_currency(tmp_path: Path) -> None:
    assert message_of(InputError, swept, tmp_path, "EUR,0.9,", ",,") == (
        "several currencies: got EUR, USD in one table, want one. Split the table by them."
    )
    (row,) = swept(tmp_path, ",,")
    assert not [name for name in row if name.endswith("_eur")]
