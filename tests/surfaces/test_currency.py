"""A cost in another currency: the same on command, JSON, report, batch and workbook, and refused without a rate."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario, scenario_of
from sizebook.cli import app
from sizebook.core.errors import InputError
from sizebook.scenarios.money import Money
from tests.surfaces.grid import toml

EUR: dict[str, Any] = {"currency": "EUR", "rates": [["2026-11-01", 0.9], ["2027-03-01", 1.0]]}
SERVED = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1_000_000, "input_tokens": 1000,
          "output_tokens": 200}  # fmt: skip
TRAINED = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 64, "batch": 512, "tokens": 1e12, "tp": 1}
PLANS: dict[str, dict[str, Any]] = {
    "serving": {"plan": "serving", **SERVED, "months": 4, "start": "2027-01-01"},
    "training": {"plan": "training", **TRAINED, "start": "2027-02-15"},
    "fleet": {"plan": "fleet", "months": 4, "start": "2027-01-01", "service": [{"name": "Chat", **SERVED}]},
    "programme": {"plan": "programme", "start": "2027-02-15", "phases": [{"name": "First", **TRAINED}]},
}
COMMANDS = {"serving": "serve", "training": "train", "fleet": "fleet", "programme": "programme"}
TILES = {"serving": "EUR, all 4 months", "training": "Whole run, EUR", "fleet": "EUR, all 4 months",
         "programme": "Cost, EUR"}  # fmt: skip
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
    found = {figure.name: figure.value for figure in made.contents.figures}
    assert (amount.low, amount.high) == pytest.approx(
        (found["usd_least"] * amount.rate, found["usd_most"] * amount.rate)
    )


def test_a_run_is_spread_over_its_days() -> None:
    """From 15 February half of a month is left, which costs 0.9 a dollar; all that follows costs 1."""
    made = planned("training")
    middle, amount = made.plan.middle, made.amount
    assert amount is not None
    first = 730 / 24 * (1 - 14 / 28) / middle.programme_days
    assert amount.rate == pytest.approx(0.9 * first + 1.0 * (1 - first))
    assert amount.middle == pytest.approx(middle.programme_cost_usd * amount.rate)


@every_kind
def test_every_surface_says_the_same_amount(kind: str, tmp_path: Path) -> None:
    made, file = planned(kind), tmp_path / "scenario.toml"
    amount = made.amount
    assert amount is not None and amount.low < amount.middle < amount.high
    file.write_text(toml({**PLANS[kind], **EUR}))
    text = CliRunner().invoke(app, ["plan", COMMANDS[kind], str(file)], catch_exceptions=False).output
    data = json.loads(CliRunner().invoke(app, ["plan", COMMANDS[kind], str(file), "--json"]).output)
    assert data["money"] == amount.data
    assert str(amount.said) == text.splitlines()[-1] == str(made.report.sentences[-1])
    figures = {figure.name: figure.value for figure in made.contents.figures}
    assert (figures["amount"], figures["rate_per_usd"]) == (amount.middle, amount.rate)
    assert made.record["figures"]["amount_most"] == amount.high
    book = load_workbook(io.BytesIO(made.workbook.content), data_only=True)
    cells = {str(cell.value): cell for row in book["Result"].iter_rows() for cell in row if cell.value is not None}
    head = cells[TILES[kind]]
    assert book["Result"].cell(head.row + 1, head.column).value == pytest.approx(amount.middle, rel=1e-9)
    row = next(row for row in book["Months"].iter_rows(values_only=True) if row[1] == "Cost in the currency")
    assert row[4 : 4 + len(amount.months)] == pytest.approx(amount.months, rel=1e-9)
    checks = {row[1]: row[2] for row in book["Checks"].iter_rows(values_only=True) if row[1]}
    assert checks["All checks"] == "OK"


@every_kind
def test_in_usd_nothing_is_added(kind: str) -> None:
    made = plan_scenario(PLANS[kind], "here", Path())
    assert made.amount is None
    assert "amount" not in {figure.name for figure in made.contents.figures}


@pytest.mark.parametrize(
    ("money", "message"),
    [
        ({"currency": "EUR"}, "currency without a rate: got currency 'EUR' without, want what 1 USD is in another "
         "currency. State rates, such as currency = 'EUR' and rates = 0.92."),
        ({"rates": 0.92}, "currency without a rate: got currency 'USD' with rates, want what 1 USD is in another "
         "currency. Name it, such as currency = 'EUR' and rates = 0.92."),
        ({"currency": "euro", "rates": 0.92}, "no currency: got currency 'euro', want three letters such as EUR. "
         "Correct it."),
        ({"currency": "EUR", "rates": 0}, "no rate: got '0', want units of the currency for 1 USD, above 0. Correct "
         "rates."),
        ({"currency": "EUR", "rates": [["soon", 1]]}, "no day: got 'soon' in rates, want one such as 2027-01-01. "
         "Correct it."),
        ({"currency": "EUR", "rates": "2027-02-01 0.9, 2027-01-01 0.8"}, "rates out of order: got '2027-02-01 0.9, "
         "2027-01-01 0.8', want a later day for each. Sort them by day."),
    ],
)  # fmt: skip
@every_kind
def test_a_currency_without_a_rate_is_refused(kind: str, money: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        scenario_of({**PLANS[kind], "money": money}, "here", Path())
    assert str(refused.value) == f"here: {message}"


def test_several_rates_need_a_first_month() -> None:
    values = {key: value for key, value in {**PLANS["serving"], **EUR}.items() if key != "start"}
    with pytest.raises(InputError, match=r"^no first month: got 2 rates of days and no start, want the plan's first"):
        _ = plan_scenario(values, "here", Path()).amount


@pytest.mark.parametrize("given", [0.92, "0.92", [["2027-01-01", 0.92]], "2027-01-01 0.92"])
def test_one_rate_holds_in_every_month(given: Any) -> None:
    assert Money(currency="EUR", rates=given).level(30, None) == 0.92
